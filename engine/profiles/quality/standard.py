"""The bands of VPTT ("Quality of people"), for MiniLM and 1,000 people. A band moves only with a written reason."""

from __future__ import annotations

from collections.abc import Iterable

from engine.profiles.quality.bands import Allowance, Band
from engine.records import Profile

_TEMPLATES = "Few sentence forms make every score a matter of the template: leave-one-out GS saturates and methods look alike."
_MORE_FORMS = "Give the builder more sentence forms, or import people whose captions were written one by one."
_INDEPENDENT = "Where trade, culture and age go together, a score that finds one finds the others, and people become stereotypes."

BANDS = (
    Band(
        "between people",
        "between_cosine",
        None,
        0.25,
        "mean cosine",
        "Captions of different people that are alike leave nothing personal to find.",
        "Widen what people have and do, and the forms of their sentences.",
    ),
    Band(
        "within a person",
        "within_cosine",
        0.25,
        0.50,
        "mean cosine",
        "Below, a person is no theme; above, thirty captions say one thing.",
        "Below: let captions return to the person's own things. Above: vary scenes within the person.",
    ),
    Band(
        "within above between",
        "within_above_between",
        0.08,
        None,
        "cosine",
        "A person must be closer to themselves than to others.",
        "Let captions return to the person's own things, and others have other things.",
    ),
    Band(
        "largest own pair",
        "largest_own_pair",
        None,
        0.90,
        "cosine",
        "Two nearly equal captions of one person make a held-out caption known beforehand.",
        "Draw another scene or wording for one of the two.",
    ),
    Band(
        "leave-one-out GS",
        "loo_gs",
        0.55,
        0.85,
        "mean",
        "Above, fidelity is saturated and cannot tell methods apart; below, captions do not predict one another.",
        "Above: more varied captions. Below: captions that return to the person's own things.",
    ),
    Band(
        "leave-one-out NV",
        "loo_nv",
        0.70,
        None,
        "mean",
        "A person who repeats phrases makes copying look like novelty lost.",
        "Do not reuse clauses within a person.",
    ),
    Band(
        "effective rank",
        "effective_rank",
        15,
        None,
        "of C, singular values",
        "Thirty captions must span many directions. Judged is exp of the entropy of C's singular values (Roy and Vetterli, 2007).",
        "Vary scenes and wording within a person.",
    ),
    Band(
        "effective rank, eigenvalues",
        "effective_rank_eigenvalues",
        None,
        None,
        "of CC'",
        "Beside it the stricter reading, by the eigenvalues of CC'. Not judged: thirty captions of mean cosine .50, "
        "which another band allows, reach at most 10.2 by it.",
        "",
    ),
    Band(
        "author found",
        "recall_at_1",
        0.10,
        0.80,
        "recall@1 of 1,000",
        "Below, nobody can be told apart; above, a signature gives the author away.",
        "Below: more of a person's own in each caption. Above: fewer words that only one person uses.",
        needs_people=1000,
    ),
    Band("skeletons", "skeletons", 300, None, "of captions", _TEMPLATES, _MORE_FORMS),
    Band("commonest skeleton", "commonest_skeleton", None, 0.01, "share of captions", _TEMPLATES, _MORE_FORMS),
    Band("sentence skeletons", "sentence_skeletons", 300, None, "of sentences", _TEMPLATES, _MORE_FORMS),
    Band("commonest sentence", "commonest_sentence", None, 0.01, "share of captions", _TEMPLATES, _MORE_FORMS),
    Band(
        "distinct words",
        "distinct_words",
        6000,
        None,
        "words",
        "A small vocabulary makes people alike and novelty cheap.",
        "Enlarge the lexicon.",
        needs_people=1000,
    ),
    Band(
        "shared element",
        "shared_element",
        None,
        0.03,
        "share of people",
        "What many people have says nothing of one. Colours and light are few in any language and left out.",
        "Vary or drop the commonest elements.",
        needs_people=300,
    ),
    Band("caption length", "length_sd", 6, None, "sd in words", "People do not write posts of one length.", "Mix short and long captions."),
    Band(
        "duplicate captions",
        "duplicate_captions",
        None,
        0.001,
        "share of captions",
        "A caption that two people have belongs to neither.",
        "Draw another scene or wording.",
    ),
    Band(
        "long elements",
        "long_elements",
        0.30,
        0.60,
        "share with >= 3 tokens",
        "Bare nouns are nobody's; whole clauses are no elements.",
        "Below: qualify elements. Above: shorten them.",
    ),
    Band("longest element", "longest_element", None, 6, "tokens", "An element is an atomic visual phrase.", "Split or shorten it."),
    Band(
        "captions with elements",
        "captions_with_elements",
        0.98,
        None,
        "share of captions",
        "VPRAG's quotas count the elements of each caption: without them it retrieves nothing.",
        "Record with each caption the elements that it uses.",
    ),
    Band("occupation and culture", "occupation_culture", None, 0.1, "Cramer's V", _INDEPENDENT, "Draw the two independently."),
    Band("occupation and age", "occupation_age_band", None, 0.1, "Cramer's V", _INDEPENDENT, "Draw the two independently."),
    Band("culture and age", "culture_age_band", None, 0.1, "Cramer's V", _INDEPENDENT, "Draw the two independently."),
    Band(
        "near-duplicate people",
        "near_duplicates",
        None,
        0.499,
        "share of captions",
        "Two people of different clusters with the same captions are one person counted twice: intervals come out too narrow.",
        "Merge them, or give both one cluster.",
    ),
)

EXCEPTIONS: dict[str, tuple[Allowance, ...]] = {}
"""By the kind of source (what stands before the first colon of a profile's `source`): bands that such people cannot meet."""


def exceptions_for(people: Iterable[Profile]) -> tuple[Allowance, ...]:
    """The written exceptions of a set of people: those of their source, none where sources are mixed."""
    kinds = {person.source.partition(":")[0] for person in people}
    return EXCEPTIONS.get(kinds.pop(), ()) if len(kinds) == 1 else ()
