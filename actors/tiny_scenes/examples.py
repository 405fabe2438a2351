"""Captions to learn reading from: scenes of training combinations, with phrases of built people beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.profiles.grammar.builder import build_profile
from engine.prompting.phrases import clauses
from engine.queries.builtin import builtin_queries
from engine.scenes.captions import Captioned, caption, silent
from engine.scenes.splitting import draw_scenes
from engine.scenes.vocabulary import ATTRIBUTES, classes

PEOPLE_SEED = 424242
"""Of the people whose phrases stand in captions: nobody that an experiment builds."""


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """`texts` of n captions and what each names: `named` (n, attributes, most classes), the shares of its classes, zeros for none."""

    texts: tuple[str, ...]
    named: NDArray[np.float32]


def phrases_beside(people: int) -> tuple[str, ...]:
    """Elements, clauses of summaries, and queries, as they stand in assembled prompts, that name nothing of the vocabulary."""
    found = [query.text for query in builtin_queries()]
    for index in range(people):
        profile = build_profile(index, PEOPLE_SEED)
        found += [element.text for element in profile.elements]
        found += clauses(profile.summary_given)
    return silent(found)


def caption_examples(count: int, rng: np.random.Generator, beside: Sequence[str]) -> Examples:
    """`count` captions of training combinations, three in ten without a word that the scene does not show."""
    said = [caption(scene, rng, beside, whole=bool(rng.random() < 0.3)) for scene in draw_scenes(count, rng, held_out=False)]
    return Examples(tuple(each.text for each in said), np.stack([_shares(each) for each in said]))


def _shares(said: Captioned) -> NDArray[np.float32]:
    shares = np.zeros((len(ATTRIBUTES), max(len(classes(attribute)) for attribute in ATTRIBUTES)), np.float32)
    for row, attribute in enumerate(ATTRIBUTES):
        names = said.named.get(attribute, ())
        for name in names:
            shares[row, classes(attribute).index(name)] = 1 / len(names)
    return shares
