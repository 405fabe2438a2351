"""One answer of one annotator: a rating from 0 to 5, a choice of two, or the best of several.

`profile` is the person, `query` what the methods were asked; with the setting (`writer`, `backbone`, `budget`, `renderer`, each "" where
there is none) they are the case on which methods are compared. A CSV cell parts options by "|".
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from engine.rejects import Name, wrong

SCALE = "0-5"
"""The one scale; PIPBench's quality of preference sets, 1-5, is another study and never mixed with it (PIPBENCH, data)."""

OTHER_SCALE = "other-scale"
SETTING = ("writer", "backbone", "budget", "renderer")


class Kind(StrEnum):
    """What annotators were asked."""

    RATING = "rating"
    PAIR = "pair"
    BEST = "best-of-k"


Case: TypeAlias = tuple[str, ...]
"""Profile, query and setting."""


def _whole_text(value: object) -> object:
    return "" if value is None else value


def _the_scale(value: str) -> str:
    if value.replace("\N{EN DASH}", "-").replace(" ", "") != SCALE:
        raise wrong(
            OTHER_SCALE,
            f"is the scale {value[:20]}",
            "Import only ratings that were asked for from 0 to 5; other scales are not converted.",
        )
    return SCALE


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise wrong("no-number", "is no number", "Give a number from 0 to 5.")
    return value


def _options(value: object) -> object:
    return [part.strip() for part in value.split("|")] if isinstance(value, str) else value


def _folded(value: object) -> object:
    return value.strip().casefold() if isinstance(value, str) else value


def _unbarred(value: str) -> str:
    if "|" in value:
        raise wrong("bar-in-name", "holds a |, which parts options", "Give methods names without it.")
    return value


Method = Annotated[Name, AfterValidator(_unbarred)]
Optional = Annotated[str, StringConstraints(max_length=256), BeforeValidator(_whole_text)]


class OfCase(BaseModel):
    """On what methods are compared: a person, a query, a setting."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    profile: Name = Field(description="the person's id")
    query: Optional = Field("", description="the query's id")
    writer: Optional = Field("", description="the writer's name")
    backbone: Optional = Field("", description="the backbone's name")
    budget: Optional = Field("", description="the budget's name")
    renderer: Optional = Field("", description="the renderer's name")

    @property
    def case(self) -> Case:
        """What methods are compared on."""
        return (self.profile, self.query, self.writer, self.backbone, self.budget, self.renderer)


class Answer(OfCase):
    """Who said it, of which case."""

    annotator: Name = Field(description="the annotator's id")


class Rating(Answer):
    """A `score` from 0 to 5 for one method's output; `unit` is the output's key in a run, where it is known."""

    method: Method = Field(description="the method's name")
    score: Annotated[float, BeforeValidator(_no_boolean)] = Field(ge=0, le=5, description="a number from 0 to 5")
    scale: Annotated[str, AfterValidator(_the_scale)] = Field(SCALE, description=f'"{SCALE}", the only scale')
    unit: Optional = Field("", description="the unit's key")

    @property
    def asked(self) -> Case:
        """What one annotator answers once."""
        return (self.annotator, *self.case, self.method)


class Choice(Answer):
    """Who was preferred of `first` and `second`, in the order in which they were shown."""

    first: Method = Field(description="the method shown first")
    second: Method = Field(description="the method shown second")
    choice: Annotated[Literal["first", "second", "tie"], BeforeValidator(_folded)] = Field(description='"first", "second" or "tie"')

    @property
    def asked(self) -> Case:
        """What one annotator answers once: the other order is another question."""
        return (self.annotator, *self.case, self.first, self.second)

    @model_validator(mode="after")
    def _two(self) -> Choice:
        if self.first == self.second:
            raise wrong("same-method", f"compares {self.first} with itself", "Give two methods.")
        return self


class Best(Answer):
    """The one `choice` among the `options`, in the order in which they were shown."""

    options: Annotated[tuple[Method, ...], BeforeValidator(_options)] = Field(
        min_length=2, max_length=26, description="two methods or more"
    )
    choice: Method = Field(description="one of the options")

    @property
    def asked(self) -> Case:
        """What one annotator answers once."""
        return (self.annotator, *self.case, *sorted(self.options))

    @model_validator(mode="after")
    def _among(self) -> Best:
        if len(set(self.options)) != len(self.options):
            raise wrong("same-method", "offers one method twice", "Give each option once.")
        if self.choice not in self.options:
            raise wrong("no-option", f"{self.choice} is none of the options", "Give one of them.")
        return self


Row: TypeAlias = Rating | Choice | Best
MODELS: dict[Kind, type[Row]] = {Kind.RATING: Rating, Kind.PAIR: Choice, Kind.BEST: Best}
NEEDED = {
    Kind.RATING: ("profile", "method", "annotator", "score"),
    Kind.PAIR: ("profile", "first", "second", "choice", "annotator"),
    Kind.BEST: ("profile", "options", "choice", "annotator"),
}
"""Columns that a file of each kind must have."""
