"""People by a language model: persona seeds, then the four steps of deferred rendering, each a stage with a row a person (VPTT)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeVar

import pyarrow as pa

from engine.keys import Json
from engine.outcome import Outcome
from engine.profiles.model.asking import StepRequest
from engine.profiles.model.captions import WriteCaptions
from engine.profiles.model.draft import Effort, Made, Step
from engine.profiles.model.judging import RULES
from engine.profiles.model.lexicon import ListElements
from engine.profiles.model.persona import Describe, Sketch
from engine.profiles.model.scenarios import ListScenarios
from engine.profiles.model.seeds import PersonaSeed
from engine.profiles.model.sizes import Sizes
from engine.profiles.model.wording import template
from engine.records import PROFILE_SCHEMA, Caption, Element, captions_from_rows, demographics_from_row, elements_from_rows
from engine.stage import Stage, Unit

T = TypeVar("T")

_DEMOGRAPHICS, _ELEMENTS, _CAPTIONS = (PROFILE_SCHEMA.field(name).type for name in ("demographics", "elements", "captions"))
_FAULT = pa.struct([("fault", pa.string()), ("count", pa.int64())])
_EFFORT = (
    *((name, pa.int64()) for name in ("calls", "repairs", "input_tokens", "output_tokens")),
    ("model", pa.string()),
    ("faults", pa.list_(_FAULT)),
)


class PersonaSeeds(Stage[PersonaSeed]):
    """Who the people are to be, as the driver read or drew them."""

    kind = "persona-seeds"
    version = 1
    per = "person"
    payload = pa.schema(
        [
            *((name, pa.string()) for name in ("id", "cluster", "text")),
            ("demographics", _DEMOGRAPHICS),
            ("rejected", pa.list_(pa.string())),
        ]
    )

    def parameters(self) -> Mapping[str, Json]:
        return {}

    def encode(self, value: PersonaSeed) -> dict[str, Any]:
        return {**asdict(value), "rejected": sorted(value.rejected)}

    def decode(self, columns: dict[str, Any]) -> PersonaSeed:
        known = columns["demographics"]
        return PersonaSeed(
            columns["id"],
            columns["cluster"],
            columns["text"],
            demographics_from_row(known) if known else None,
            frozenset(columns["rejected"]),
        )


@dataclass(frozen=True, slots=True)
class By:
    """Who writes: the actor's name, the model's id with revision, how tokens are drawn, and how much is asked of it."""

    actor: str
    model: str
    sampling: Mapping[str, Json]
    sizes: Sizes


class ByModel(Stage[Made[T]]):
    """One step. Its first input is the seeds."""

    version = 1
    per = "person"
    wording: ClassVar[str]
    sizes: ClassVar[tuple[str, ...]]
    """Which sizes its answers depend on, beside `repairs`."""

    def __init__(self, by: By, *inputs: Stage[Any]) -> None:
        self.inputs, self.actor, self.by = inputs, by.actor, by

    def parameters(self) -> Mapping[str, Json]:
        wording = {name: template(name).sha256 for name in (self.wording, "repair")}
        return {
            "model": self.by.model,
            "sampling": dict(self.by.sampling),
            "sizes": self.by.sizes.recipe("repairs", *self.sizes),
            "rules": RULES,
            "wording": wording,
        }

    @abstractmethod
    def step(self, unit: Unit, seed: PersonaSeed, *made: Any) -> Step[T]:
        """The step for one person, from what the earlier ones made."""

    def request(self, unit: Unit, *inputs: Any) -> StepRequest:
        seed, *earlier = inputs
        return StepRequest(unit.key, self.fingerprint, self.step(unit, seed, *(each.value for each in earlier)), self.by.sizes.repairs)

    @staticmethod
    def ask(actor: Any, requests: Sequence[Any]) -> Sequence[Outcome[Any]]:
        answers: list[Outcome[Any]] = actor.write(requests)
        return answers

    @abstractmethod
    def columns(self, value: T) -> dict[str, Any]:
        """The step's result as columns."""

    @abstractmethod
    def result(self, columns: dict[str, Any]) -> T:
        """And back."""

    def encode(self, value: Made[T]) -> dict[str, Any]:
        faults = [{"fault": fault, "count": count} for fault, count in value.effort.faults]
        return {**self.columns(value.value), **asdict(value.effort), "faults": faults}

    def decode(self, columns: dict[str, Any]) -> Made[T]:
        effort: dict[str, Any] = {name: columns[name] for name, _ in _EFFORT}
        effort["faults"] = tuple((each["fault"], each["count"]) for each in effort["faults"])
        return Made(self.result(columns), Effort(**effort))


class Sketches(ByModel[Sketch]):
    """Step 1: demographics and two summaries."""

    kind = "person-sketch"
    wording = Describe.wording
    sizes = ()
    payload = pa.schema([("demographics", _DEMOGRAPHICS), ("summary_given", pa.string()), ("summary_ref", pa.string()), *_EFFORT])

    def step(self, unit: Unit, seed: PersonaSeed, *made: Any) -> Describe:
        return Describe(seed)

    def columns(self, value: Sketch) -> dict[str, Any]:
        return asdict(value)

    def result(self, columns: dict[str, Any]) -> Sketch:
        return Sketch(demographics_from_row(columns["demographics"]), columns["summary_given"], columns["summary_ref"])


class Lexicons(ByModel[tuple[Element, ...]]):
    """Step 2: elements by category."""

    kind = "person-lexicon"
    wording = ListElements.wording
    sizes = ("elements",)
    payload = pa.schema([("elements", _ELEMENTS), *_EFFORT])

    def step(self, unit: Unit, seed: PersonaSeed, *made: Any) -> ListElements:
        (sketch,), sizes = made, self.by.sizes
        return ListElements(sketch, seed.rejected, sizes.elements, sizes.least_elements)

    def columns(self, value: tuple[Element, ...]) -> dict[str, Any]:
        return {"elements": [asdict(element) for element in value]}

    def result(self, columns: dict[str, Any]) -> tuple[Element, ...]:
        return elements_from_rows(columns["elements"])


class Scenarios(ByModel[tuple[str, ...]]):
    """Step 3: the moments."""

    kind = "person-scenarios"
    wording = ListScenarios.wording
    sizes = ("captions", "least", "moments_together")
    payload = pa.schema([("scenarios", pa.list_(pa.string())), *_EFFORT])

    def step(self, unit: Unit, seed: PersonaSeed, *made: Any) -> ListScenarios:
        (sketch, elements), sizes = made, self.by.sizes
        return ListScenarios(sketch, elements, seed.rejected, sizes.captions, sizes.moments_together, sizes.least)

    def columns(self, value: tuple[str, ...]) -> dict[str, Any]:
        return {"scenarios": list(value)}

    def result(self, columns: dict[str, Any]) -> tuple[str, ...]:
        return tuple(columns["scenarios"])


class Captions(ByModel[tuple[Caption, ...]]):
    """Step 4: a post a moment."""

    kind = "person-captions"
    wording = WriteCaptions.wording
    sizes = ("captions_together", "least")
    payload = pa.schema([("captions", _CAPTIONS), *_EFFORT])

    def step(self, unit: Unit, seed: PersonaSeed, *made: Any) -> WriteCaptions:
        (sketch, elements, scenarios), sizes = made, self.by.sizes
        return WriteCaptions(unit.key, sketch, elements, scenarios, seed.own_words, seed.rejected, sizes.captions_together, sizes.least)

    def columns(self, value: tuple[Caption, ...]) -> dict[str, Any]:
        return {"captions": [asdict(caption) for caption in value]}

    def result(self, columns: dict[str, Any]) -> tuple[Caption, ...]:
        return captions_from_rows(columns["captions"])
