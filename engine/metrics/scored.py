"""A prompt's score against the right person beside its mean score against strangers: what is personal about it is the difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from engine.metrics.vptt import SCORE_FIGURES, SCORE_SCHEMA, VpttScore
from engine.outcome import Answered, Outcome

STRANGER = "stranger_"
"""Begins the columns with the mean figures of the same prompt against strangers."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A prompt's score against the right person, and the mean of `SCORE_FIGURES` against `strangers` others; None if there are none.

    Strangers are other people of the shard. The prompt of a person i scored on a stranger j has the same distribution as one that the
    method writes from j's profile scored on i, since i and j are drawn alike and the query from neither; it costs no second prompt and
    can be averaged over several strangers (METRICS, Personal gain).
    """

    score: VpttScore
    stranger: tuple[float, ...] | None
    strangers: int

    def columns(self) -> dict[str, Any]:
        """As columns of `SCORED_SCHEMA`."""
        means = self.stranger or (None,) * len(SCORE_FIGURES)
        others = {STRANGER + name: mean for name, mean in zip(SCORE_FIGURES, means, strict=True)}
        return {**asdict(self.score), **others, "strangers": self.strangers}

    @classmethod
    def of(cls, columns: Mapping[str, Any]) -> Scored:
        """Back from the columns."""
        score = VpttScore(**{name: columns[name] for name in SCORE_SCHEMA.names})
        means = tuple(columns[STRANGER + name] for name in SCORE_FIGURES)
        return cls(score, means if columns["strangers"] else None, columns["strangers"])


SCORED_SCHEMA = pa.schema(
    [
        *(field.with_nullable(True) for field in SCORE_SCHEMA),
        *(pa.field(STRANGER + name, pa.float64()) for name in SCORE_FIGURES),
        pa.field("strangers", pa.int32()),
    ]
)


def scored(outcomes: Sequence[Outcome[VpttScore]]) -> Outcome[Scored]:
    """The score against the right person, which comes first, with the mean over those strangers who can be scored against.

    A stranger whose PA compares with something else (the mean caption, where the right person has a summary) gives no comparable score.
    """
    right, *others = outcomes
    if not isinstance(right, Answered):
        return right
    alike = [other.value for other in others if isinstance(other, Answered) and other.value.pa_id == right.value.pa_id]
    found = [[getattr(score, name) for name in SCORE_FIGURES] for score in alike]
    means: list[float] = np.mean(found, axis=0).tolist() if found else []
    return Answered(Scored(right.value, tuple(means) or None, len(found)))
