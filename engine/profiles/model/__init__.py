"""The model builder: people by the four steps of deferred rendering, each asked of a language model in small parts (VPTT).

seeds.py       who the people are to be: persona seeds from a file, or demographics of the grammar
templates.py   the wording of each step, versioned by content
faults.py      why an answer, or a piece of one, cannot be used
judging.py     the checks that every text passes
draft.py       one step for one person: what is asked, what is kept, what is asked again, how it ends
persona.py     step 1: demographics and two summaries
lexicon.py     step 2: elements by category
scenarios.py   step 3: thirty moments
captions.py    step 4: a post a moment, with the elements that stand in it
assembly.py    the four answers as one Profile
"""
