"""What the language models of a plan will be asked and cost: calls exactly, tokens and dollars as ranges whose basis is told.

Where the store has results of a stage on the plan's people, its tokens are their means with two standard errors on each side. Otherwise
the messages of a few of the plan's own people are built, with elements drawn in the order of their profile, since retrieval needs a
model; their words are counted and taken for `TOKENS_A_WORD` tokens each; an answer, for `FILLED` of the budget's words up to `max_tokens`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from engine.config import CONTROLS, Experiment
from engine.prompting.budget import Budget, word_count
from engine.prompting.evidence import Evidence, RetrievedElement
from engine.prompting.messages import messages_for
from engine.prompting.retrieval import RetrievalSettings
from engine.prompting.view import FEWEST_CAPTIONS, half_of, restricted
from engine.prompting.writing import request_for
from engine.queries import draw
from engine.records import Profile, Query
from engine.stage import Stage
from engine.stages.model_prompt import ModelPrompt
from engine.store.plans import Plan
from engine.store.results import Results
from engine.writer_config import LanguageModel
from jobs.people_source import people_of
from jobs.progress import Progress
from jobs.references import ABSENT
from jobs.vptt import Vptt

TOKENS_A_WORD = (1.2, 1.75)
"""Tokens of a word of METRICS with its share of punctuation. On built people's messages a WordPiece of 30,000 takes 1.19 to 1.43 by method,
a BPE of 32,000 1.34 to 1.74; other languages take more."""

CHAT_FRAME = 20
"""Tokens that a chat's form adds to a system and a user message."""

FILLED = 0.4
"""Share of the budget's words that a short answer fills."""

PEOPLE_LOOKED_AT = 8
SHARDS_LOOKED_AT = 8


_TOKENS = ("input_tokens", "output_tokens")

Units: TypeAlias = Mapping[str, tuple[int, int]]
"""By stage id: units planned, and those that have a result."""


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the most that is expected."""

    low: float = 0.0
    high: float = 0.0

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def times(self, factor: float) -> Range:
        """Both ends multiplied."""
        return Range(self.low * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of one stage: `kind` is "methods", "controls", "halves" (of cross-fitting) or "verdicts"; tokens and dollars are those
    of what is to do."""

    writer: str
    label: str
    kind: str
    planned: int
    to_do: int
    input_tokens: Range
    output_tokens: Range
    dollars: Range
    measured: int
    """Answers that the tokens are measured on; 0: estimated."""


def calls_of(experiment: Experiment, workflow: Vptt, plan: Plan, results: Results, progress: Progress, units: Units) -> list[Calls]:
    """The calls of every stage that asks a language model."""
    models = experiment.language_models()
    stages = [stage for stage in workflow.stages if isinstance(stage, ModelPrompt)]
    messages = _Messages(list(some_people(experiment)) if stages else [], workflow.pool)
    found = []
    for stage in stages:
        measured = answers_of(stage, plan, results, progress)
        if measured.num_rows:
            tokens = [around(measured[name]) for name in _TOKENS]
        else:
            tokens = [messages.tokens(stage), _answer(stage.budget, models[stage.writer])]
        kind = "halves" if stage.view.halves else "controls" if stage.label in CONTROLS else "methods"
        found.append(priced(stage.writer, stage.label, kind, models[stage.writer], units[stage.id], tokens, measured.num_rows))
    return found


def priced(
    writer: str, label: str, kind: str, model: LanguageModel, calls: tuple[int, int], a_call: Sequence[Range], measured: int
) -> Calls:
    """Calls (planned, done) of a model at its prices; `a_call`: tokens in and out of one."""
    planned, done = calls
    tokens_in, tokens_out = (tokens.times(planned - done) for tokens in a_call)
    share = model.price.batch_share if model.endpoint.batch else 1.0
    dollars = tokens_in.times(model.price.input * share / 1e6) + tokens_out.times(model.price.output * share / 1e6)
    return Calls(writer, label, kind, planned, planned - done, tokens_in, tokens_out, dollars, measured)


def answers_of(stage: Stage[Any], plan: Plan, results: Results, progress: Progress) -> pa.Table:
    """Tokens of answered calls that the store has on the first shards of the plan."""
    shards = [shard for shard in plan.shards if progress.overlays(stage, shard) != ABSENT][:SHARDS_LOOKED_AT]
    tables = results.merged_many([progress.wanted(stage, shard, _TOKENS) for shard in shards])
    empty = pa.schema([(name, pa.int64()) for name in _TOKENS]).empty_table()
    return pa.concat_tables([empty, *(table.select(_TOKENS) for table in tables)]).drop_null()


def around(column: pa.ChunkedArray) -> Range:
    """Their mean with two standard errors on each side."""
    values = column.to_numpy().astype(np.float64)
    margin = 2 * float(values.std()) / len(values) ** 0.5
    return Range(float(values.mean()) - margin, float(values.mean()) + margin)


class _Messages:
    """Messages to a few people, as long as those of the run; the writers of a method share them."""

    def __init__(self, people: Sequence[Profile], pool: Sequence[Query]) -> None:
        self._people, self._pool = people, pool
        self._words: dict[tuple[Any, ...], float] = {}

    def tokens(self, stage: ModelPrompt) -> Range:
        """Tokens of a call's messages."""
        alike = (stage.method.name, stage.view.halves, stage.budget.name, stage.retrieved and stage.retrieved.settings)
        if alike not in self._words:
            words = [word_count(text) for text in self._texts(stage)]
            self._words[alike] = sum(words) / len(words) if words else 0.0
        return Range(*(self._words[alike] * rate + CHAT_FRAME for rate in TOKENS_A_WORD))

    def _texts(self, stage: ModelPrompt) -> Iterator[str]:
        drawn = stage.draw
        for person in self._people:
            asked = self._pool[:1] if drawn.assigned else draw(self._pool, person.id, drawn.tasks, drawn.per_task, drawn.seed)
            for query in asked:
                yield " ".join(message.content for message in messages_for(_request(stage, person, query)))


def _answer(budget: Budget, model: LanguageModel) -> Range:
    limits = (budget.words, budget.phrases and budget.phrase_words and budget.phrases * budget.phrase_words)
    words = min((limit for limit in limits if limit), default=0)
    return Range(min(words * FILLED * TOKENS_A_WORD[0], model.max_tokens), model.max_tokens)


def some_people(experiment: Experiment) -> Iterator[Profile]:
    """The first people of an experiment who can be used."""
    good = (person for _, person in people_of(experiment.people) if isinstance(person, Profile))
    return islice(good, PEOPLE_LOOKED_AT)


def _request(stage: ModelPrompt, person: Profile, query: Query) -> Any:
    if stage.view.halves and len(person.captions) >= FEWEST_CAPTIONS:
        person = restricted(person, half_of(person.id, len(person.captions), "a"))
    evidence = _evidence(person, stage.retrieved.settings) if stage.retrieved else None
    return request_for("", stage.method, person, query, evidence, stage.budget)


def _evidence(person: Profile, settings: RetrievalSettings) -> Evidence:
    """As much as a retrieval may find: the first elements of each category."""
    found: dict[str, list[RetrievedElement]] = {}
    for element in person.elements:
        of_category = found.setdefault(element.category, [])
        if len(of_category) < settings.q:
            of_category.append(RetrievedElement(element.category, element.text, 0, 0.0))
    elements = [element for of_category in found.values() for element in of_category]
    return Evidence((), (), 0.0, 1.0, 0, False, (), tuple(elements[: settings.total]), 0)
