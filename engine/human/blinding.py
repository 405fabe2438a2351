"""Blank sheets for annotators, who must not know which method made what: methods become letters that change from case to case.

The order of cases, the letters and the sides are drawn anew for each annotator from the seed. Images go by names of the sheet's own, since
a path may hold a method's name. Item ids say nothing; what they stand for is in the key, which stays with whoever runs the study.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from string import ascii_uppercase
from typing import Any

from pydantic import Field, model_validator

from engine.human.records import SETTING, Case, Kind, Method, OfCase
from engine.keys import content_key, seed_of
from engine.rejects import wrong

QUESTION = {Kind.RATING: "score", Kind.PAIR: "choice", Kind.BEST: "choice"}
"""The blank column of each kind."""

Item = dict[str, Any]
"""What a row of a sheet stands for: the fields of an answer that the annotator does not give."""


class Output(OfCase):
    """One method's output for one case: `text`, or an `image` by its path. `about` and `asked` are what annotators see of the person and of
    the request.
    """

    method: Method = Field(description="the method's name")
    text: str = Field("", max_length=20_000, description="the output, if it is text")
    image: str = Field("", max_length=4096, description="the image's path, if it is one")
    about: str = Field("", max_length=20_000, description="what annotators may know of the person")
    asked: str = Field("", max_length=20_000, description="what was asked for")

    @model_validator(mode="after")
    def _one(self) -> Output:
        if bool(self.text.strip()) == bool(self.image):
            raise wrong(
                "no-output", "holds neither a text nor an image, or both", "Give one of them; leave out what a method did not make."
            )
        return self


@dataclass(frozen=True, slots=True)
class Sheet:
    """One annotator's blank rows; `images` maps the names in it to the paths of the outputs."""

    annotator: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, str], ...]
    images: dict[str, str]


@dataclass(frozen=True, slots=True)
class Key:
    """What the items of a study's sheets stand for."""

    kind: Kind
    items: dict[str, Item] = field(default_factory=dict)


def blank_sheets(outputs: Sequence[Output], kind: Kind, *, seed: int, annotators: Sequence[str] = ("",)) -> tuple[tuple[Sheet, ...], Key]:
    """A sheet for each annotator, and the key to all of them.

    Args:
        outputs: each method's output for each case, one at most.
        kind: ratings of every output, choices of every two in a case, or the best of all in a case.
        seed: of all draws.
        annotators: names to fill in; one "" gives a sheet without a name, to copy.

    A case with a single output has nothing to choose. Raises ValueError for two outputs of one method in a case, over 26 methods, or an
    annotator named twice.
    """
    if len(set(annotators)) != len(annotators):
        raise ValueError("an annotator is named twice")
    cases: dict[Case, list[Output]] = {}
    for output in sorted(outputs, key=lambda output: (output.case, output.method)):
        cases.setdefault(output.case, []).append(output)
    for case, found in cases.items():
        if len({output.method for output in found}) != len(found) or len(found) > len(ascii_uppercase):
            raise ValueError(f"{' / '.join(filter(None, case))} has two outputs of one method, or over {len(ascii_uppercase)} methods")
    study = content_key(
        [kind, seed, *([*output.case, output.method, output.text, output.image] for found in cases.values() for output in found)]
    )
    key = Key(kind)
    drawn = (_sheet(study[:8], number, name, cases, key, seed) for number, name in enumerate(annotators, start=1))
    return tuple(drawn), key


def _sheet(study: str, number: int, annotator: str, cases: dict[Case, list[Output]], key: Key, seed: int) -> Sheet:
    rng = random.Random(seed_of(study, str(seed), str(number)))
    rows: list[dict[str, str]] = []
    images: dict[str, str] = {}
    order = list(cases)
    rng.shuffle(order)
    for case in order:
        outputs = list(cases[case])
        rng.shuffle(outputs)
        for item, shown in _questions(key.kind, outputs, rng):
            id_ = f"{study}-{number}-{len(rows) + 1:04d}"
            key.items[id_] = {"profile": case[0], "query": case[1], **dict(zip(SETTING, case[2:], strict=True)), **item}
            cells = {column: _cell(output, id_, column, images) for column, output in shown.items()}
            letters = {"letter": ascii_uppercase[outputs.index(shown["output"])]} if key.kind is Kind.RATING else {}
            rows.append({"item": id_, "about": outputs[0].about, "asked": outputs[0].asked, **letters, **cells, "annotator": annotator})
    shown_columns = tuple(dict.fromkeys(column for row in rows for column in row if column != "annotator"))
    return Sheet(annotator, (*shown_columns, QUESTION[key.kind], "annotator", "note"), tuple(rows), images)


def _questions(kind: Kind, outputs: Sequence[Output], rng: random.Random) -> Iterator[tuple[Item, dict[str, Output]]]:
    """What each question of a case stands for, and what it shows in which column."""
    if kind is Kind.RATING:
        for output in outputs:
            yield {"method": output.method}, {"output": output}
    elif kind is Kind.PAIR:
        for pair in combinations(outputs, 2):
            one, two = rng.sample(pair, 2)
            yield {"first": one.method, "second": two.method}, {"first": one, "second": two}
    elif len(outputs) > 1:
        yield {"options": [output.method for output in outputs]}, dict(zip(ascii_uppercase, outputs, strict=False))


def _cell(output: Output, item: str, column: str, images: dict[str, str]) -> str:
    if not output.image:
        return output.text
    name = f"images/{item}-{column}.png"
    images[name] = output.image
    return name


def answer_of(item: Item, kind: Kind, answer: str, annotator: str) -> dict[str, object]:
    """The raw row of an answer: the item's fields with what the annotator said; a letter of best-of-k becomes its method."""
    if kind is Kind.BEST:
        letter = answer.strip().upper()
        place = ascii_uppercase.find(letter) if len(letter) == 1 else -1
        options = item["options"]
        answer = options[place] if 0 <= place < len(options) else answer
    return {**item, QUESTION[kind]: answer, "annotator": annotator}
