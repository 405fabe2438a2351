"""What the judges' part of a report is made from: one row a rating, one a verdict on a pair, one a verdict of the Turing test."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from engine.judging.rubric import Question

_WHO = ("judge", "unit", "subject", "person", "cluster", "query", "family", "task", "writer", "backbone", "budget", "outcome")
_ENDED = ("code", "renderer")

RATINGS_SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in (*_WHO, "method")),
        *(pa.field(name, pa.string()) for name in (*_ENDED, "model")),
        pa.field("score", pa.float64()),
        *(pa.field(name, pa.int64()) for name in ("input_tokens", "output_tokens")),
    ]
)
"""One row per judge, unit and entrant. `score` 0 to 5, null where there is none."""

PAIRS_SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in (*_WHO, "pair", "first", "second")),
        *(pa.field(name, pa.string()) for name in (*_ENDED, "preferred", "model")),
        pa.field("confidence", pa.float64()),
        *(pa.field(name, pa.int64()) for name in ("words_first", "words_second")),
    ]
)
"""One row per verdict: `first` and `second` are methods in the order in which they were shown, `preferred` "first", "second" or "tie"; one
row without a verdict, in the order of the methods, for a unit that was not answered. Rows with an equal `pair` are the orders of one unit
and judge."""

TURING_SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in ("judge", "subject", "person", "cluster", "method", "outcome")),
        *(pa.field(name, pa.string()) for name in ("writer", "backbone", "budget", "code", "model")),
        pa.field("own_first", pa.bool_()),
        pa.field("fooled", pa.bool_()),
        *(pa.field(name, pa.int64()) for name in ("words_own", "words_other")),
    ]
)
"""One row per verdict, two a person, judge and method; `fooled`: the other one was taken for the person's own. Rows of method
`STRANGER_POST` are the judge's sensitivity: there `fooled` is an error of the judge's."""

STRANGER_POST = "stranger's post"


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """A judge as it was configured: `id` and `family` of its model, what it `looks` at and `sees` of a person; `stand_in`: what it stands
    for instead of a real judge, "" for a real one; `rubrics`: the id of each question's."""

    name: str
    id: str
    family: str
    looks: str
    sees: str
    stand_in: str
    rubrics: tuple[tuple[Question, str], ...]


@dataclass(frozen=True, slots=True)
class JudgingFacts:
    """What was decided before a question was asked. `writer_families`: the family of each writer that is a language model.

    `method_families` names the family of methods whose prompts come from elsewhere than the pool's writer, "" where none is known;
    `describer` is the id of what put images into words for judges of descriptions, "" where there is none.
    """

    judges: tuple[JudgeFacts, ...]
    orders: str
    share: float
    writer_families: tuple[tuple[str, str], ...]
    method_families: tuple[tuple[str, str], ...] = ()
    describer: str = ""


_UNIT = ("subject", "query", "method", "writer", "backbone", "budget")

METRIC_SCHEMA = pa.schema([*(pa.field(name, pa.string(), nullable=False) for name in (*_UNIT, "task")), pa.field("value", pa.float64())])
"""One row per unit and entrant: the run's own score of its prompt, V or V-c by its budget; null where there is none."""

HUMAN_RATINGS_SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in (*_UNIT, "annotator")),
        pa.field("renderer", pa.string()),
        pa.field("score", pa.float64()),
    ]
)
"""One row per annotator, unit and entrant: a person's rating from 0 to 5; `renderer` null where texts were rated."""

HUMAN_PAIRS_SCHEMA = pa.schema(
    [
        *(
            pa.field(name, pa.string(), nullable=False)
            for name in ("subject", "query", "first", "second", *_UNIT[3:], "annotator", "preferred")
        ),
        pa.field("renderer", pa.string()),
    ]
)
"""One row per annotator and pair; `first`, `second` and `preferred` as in `PAIRS_SCHEMA`."""


@dataclass(frozen=True, slots=True)
class Humans:
    """What people said of the same outputs: `HUMAN_RATINGS_SCHEMA` and `HUMAN_PAIRS_SCHEMA`; `unmatched` rows are of no output here."""

    ratings: pa.Table
    pairs: pa.Table
    unmatched: int = 0
