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
differentiable.py    the score in torch, with gradients by the prompt's embedding

What tells whether a score means anything:

scored.py       a prompt's score against the right person beside its mean score against strangers: personal gain
held_out.py     a person without the captions that are themselves being scored
cross.py        cross-fitted scores: made from one half of the captions, scored on the other
second.py       what is asked of a second embedding space
reidentification.py   galleries, scores and ranks: does a prompt find its person
search.py       one prompt to be found in the galleries of a run
near_duplicates.py    people who share half of their captions, nearly
"""
