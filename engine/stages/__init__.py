"""The stages that benchmarks are lists of, one file each: what it reads, how a unit becomes a call, who answers, what a row is.

people.py      the profiles themselves, as they were read
people_by_model.py  persona seeds, and the four steps by which a language model makes people of them
queries.py     the pool of queries
memory.py      embeddings of captions, elements and the reference summary
retrieve.py    VPRAG's evidence for a query, and the control that draws elements at random
prompt.py      a method's prompt by a writer, a control's, or one from a file
embedding.py   embeddings of prompts
masked.py      embeddings of prompts without the summary's words
score.py       VPTT scores of prompts, against the right person and against strangers
second.py      the same in a second embedding space
cross.py       cross-fitted scores, for a share of the people
reidentify.py  whether a prompt finds its person among others
ceiling.py     how high a person's score can honestly be
"""
