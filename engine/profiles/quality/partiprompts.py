"""Figures of a real prompt list that people are seen beside.

PartiPrompts: 1,632 prompts in 12 categories (google-research/parti, PartiPrompts.tsv, Apache-2.0), computed by
`engine.profiles.quality.prompt_lists` with `minilm-l6-v2`; 30 prompts of one category stand for a person.
"""

from __future__ import annotations

NAME = "PartiPrompts"

FIGURES = {
    "between_cosine": 0.1291,
    "within_cosine": 0.2052,
    "within_above_between": 0.0761,
    "largest_own_pair": 0.9962,
    "loo_gs": 0.6837,
    "loo_nv": 0.8213,
    "effective_rank": 26.6975,
    "effective_rank_eigenvalues": 18.4898,
    "skeletons": 697.0,
    "commonest_skeleton": 0.1440,
    "sentence_skeletons": 696.0,
    "commonest_sentence": 0.0214,
    "distinct_words": 2104.0,
    "length_sd": 7.4506,
    "duplicate_captions": 0.0006,
}
