"""The VPTT score: any number of prompts against one prepared person, with one matrix product for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import pyarrow

from engine.metrics.cp import literal_distances, proximity, unit_distances
from engine.metrics.definition import VpttDefinition, Weights
from engine.metrics.fidelity import fidelity
from engine.metrics.memory import Array
from engine.metrics.person import Person


@dataclass(frozen=True, slots=True)
class VpttScore:
    """One prompt's score against one person (METRICS, V). All in [0, 1] but PA and what contains it, which may be below 0.

    v, v_u and v_c use the definition's CP; v_u is v with nv_union for nv; v_c is the mean of PA, GS and CP and never shares a column
    with v. `pa_id` says what PA compared with: scores with different ones are not comparable. `pa_mean_caption`, `v_mean_caption` and
    `v_c_mean_caption` are the same with PA against the mean caption, whatever `pa_id` is.
    """

    pa: float
    gs: float
    cp_literal: float
    cp_unit: float
    nv: float
    nv_union: float
    v: float
    v_u: float
    v_c: float
    v_literal: float
    v_c_literal: float
    pa_mean_caption: float
    v_mean_caption: float
    v_c_mean_caption: float
    pa_id: str = "summary_ref"


SCORE_FIGURES = tuple(field.name for field in fields(VpttScore) if field.name != "pa_id")
"""The names of the numbers in a score, in order."""

SCORE_SCHEMA = pyarrow.schema(
    [
        *(pyarrow.field(name, pyarrow.float64(), nullable=False) for name in SCORE_FIGURES),
        pyarrow.field("pa_id", pyarrow.string(), nullable=False),
    ],
    metadata={"mien.record": "vptt-score", "mien.version": "1"},
)


def score_prompts(person: Person, prompts: Sequence[Sequence[str]], units: Array, definition: VpttDefinition) -> list[VpttScore]:
    """The scores of n prompts against one person, in order.

    Args:
        prompts: n lists of tokens by the definition's token rule, none empty.
        units: (n, d) the prompts' embeddings, rows normalised by `unit_rows`; a zero row scores as a vector of length 0 in every formula.
    """
    novelty = np.array([person.grams.novelty(words) for words in prompts]).reshape(-1, 2)
    table = figures(embedding_parts(person, units), novelty, definition)
    rows: list[list[Any]] = table.tolist()
    return [VpttScore(*row, *[person.memory.pa_id]) for row in rows]


class EmbeddingParts(NamedTuple):
    """The parts of a score that the embedding decides, each (n,); PA against the person's reference, and against the mean caption."""

    pa: Array
    pa_mean_caption: Array
    gs: Array
    cp_literal: Array
    cp_unit: Array


def embedding_parts(person: Person, units: Array) -> EmbeddingParts:
    """Both PA, GS and both CP of n unit prompt embeddings (n, d), each bit for bit the same whatever it is scored together with."""
    combined = _each_times(_each_times(units, person.units.T), person.combinations)
    y, topics = combined[:, : person.rank], combined[:, person.rank :]
    return EmbeddingParts(
        pa=_each_times(units, person.reference[:, None])[:, 0],
        pa_mean_caption=_each_times(units, person.mean_caption[:, None])[:, 0],
        gs=fidelity(y),
        cp_literal=proximity(literal_distances(y, person.literal_centroids)),
        cp_unit=proximity(unit_distances(topics)),
    )


def _each_times(rows: Array, matrix: Array) -> Array:
    """rows @ matrix, one product a row: BLAS sums a larger product in another order, and a resumed run scores other batches."""
    products: Array = np.matmul(rows[:, None, :], matrix)[:, 0]
    return products


def figures(parts: EmbeddingParts, novelty: Array, definition: VpttDefinition) -> Array:
    """The table (n, 14) of `SCORE_FIGURES` from the embedding's parts; `novelty` is (n, 2), NV and nv-union."""
    pa, pa_mean, gs, cp_literal, cp_unit = parts
    nv, nv_union = novelty[:, 0], novelty[:, 1]
    cp = cp_unit if definition.cp == "cp-unit" else cp_literal
    weights = definition.weights
    return np.column_stack(
        [
            pa,
            gs,
            cp_literal,
            cp_unit,
            nv,
            nv_union,
            combine(weights, pa, gs, cp, nv),
            combine(weights, pa, gs, cp, nv_union),
            combine_three(pa, gs, cp),
            combine(weights, pa, gs, cp_literal, nv),
            combine_three(pa, gs, cp_literal),
            pa_mean,
            combine(weights, pa_mean, gs, cp, nv),
            combine_three(pa_mean, gs, cp),
        ]
    )


def combine(weights: Weights, pa: Array, gs: Array, cp: Array, nv: Array) -> Array:
    """V, the weighted sum of the four parts (METRICS, V)."""
    return weights.pa * pa + weights.gs * gs + weights.cp * cp + weights.nv * nv


def combine_three(pa: Array, gs: Array, cp: Array) -> Array:
    """V-c = (PA + GS + CP)/3, the score under the three-phrase budget (METRICS, V)."""
    return (pa + gs + cp) / 3
