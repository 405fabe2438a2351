"""Cross-fitted scores: what a method saw of a person is not what it is scored on (METRICS, Cross-fitted).

The method sees half A of the captions; PA, GS and CP are scored on half B, NV and nv-union on half A. Then the halves change places, and
the two are averaged. The matched in-sample score, method and score both on A, stands beside it: the difference is what sharing C is worth.
Both know 15 captions, so neither is comparable with a score on all 30.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import Array, PersonMemory
from engine.metrics.person import Person
from engine.metrics.vptt import SCORE_FIGURES, embedding_parts, figures

CROSS_RULE = "cross-fit-1"

CROSS_FIGURES = ("pa", "gs", "cp_unit", "cp_literal", "nv", "nv_union", "v", "v_u", "v_c", "v_literal", "v_c_literal")
"""The figures of a score that are kept cross-fitted and matched."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One prompt, made from the captions of `seen`, to be scored on those of `held`; `vector` (d,) is its embedding."""

    seen: PersonMemory
    held: PersonMemory
    prompt: str
    vector: NDArray[Any]


@dataclass(frozen=True, slots=True)
class CrossFitted:
    """Means over both folds of `CROSS_FIGURES`: cross-fitted, and matched in-sample."""

    cross: tuple[float, ...]
    matched: tuple[float, ...]


def fold_figures(seen: Person, held: Person, words: Sequence[str], unit: Array, definition: VpttDefinition) -> tuple[Array, Array]:
    """`CROSS_FIGURES` (11,) of one fold, cross-fitted and matched, from a prompt's tokens and its unit embedding (d,)."""
    novelty = np.array([seen.grams.novelty(words)])
    columns = [SCORE_FIGURES.index(name) for name in CROSS_FIGURES]
    cross = figures(embedding_parts(held, unit[None]), novelty, definition)[0, columns]
    matched = figures(embedding_parts(seen, unit[None]), novelty, definition)[0, columns]
    return cross, matched


def mean_of(folds: Sequence[tuple[Array, Array]]) -> CrossFitted:
    """The two halves' figures averaged."""
    cross, matched = (np.mean([fold[part] for fold in folds], axis=0).tolist() for part in (0, 1))
    return CrossFitted(tuple(cross), tuple(matched))
