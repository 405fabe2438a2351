"""The stages that benchmarks are lists of, one file each: what it reads, how a unit becomes a call, who answers, what a row is.

people.py      the profiles themselves, as they were read
queries.py     the pool of queries
memory.py      embeddings of captions, elements and the reference summary
retrieve.py    VPRAG's evidence for a query
prompt.py      a method's prompt, by a writer
embedding.py   embeddings of prompts
score.py       VPTT scores of prompts
ceiling.py     how high a person's score can honestly be
"""
