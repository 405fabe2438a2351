"""What is measured: each metric is a value whose id pins every choice that moves its numbers.

definition.py   the VPTT definition: encoder, tolerance, cluster rule, token rule, weights, and the id made of them
memory.py       one person as the metric sees them: captions, their embeddings, and what PA compares with
request.py      one prompt to score against one person
fidelity.py     GS, the share of a prompt that lies in the span of the captions
clusters.py     topic clusters of the captions, independent of their order
cp.py           CP, nearness to the closest topic: cp-unit, cp-literal and the power mean between them and a soft minimum
novelty.py      NV and nv-union, the share of a prompt's n-grams that no caption, or no union of captions, holds
person.py       a person prepared once: reference, basis, centroids and n-grams
vptt.py         the score of any number of prompts against a prepared person
objective.py    the score as Align, Fidelity and Novelty
ceiling.py      how high a score can honestly be: each own caption scored with itself removed
ordering.py     the check that CP ranks own captions above strangers' above unrelated text
"""
