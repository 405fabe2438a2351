"""The release's file of pairs, JSON lines `{id, model_A, model_B, image_A, image_B}`, and whose sample an image is for.

Fields of ours stand beside them, which the release's reader passes over: `sample`, `profile`, and `flips`, the orders to ask for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from engine.errors import InputError
from engine.images.opening import OUTSIDE, ImageFolder
from engine.rejects import Name, Reject, checked_rows, wrong

DUPLICATE_PAIR = "duplicate-pair"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entrants' images for one sample of a person. `flips` are the orders to ask for: True shows B first; empty where none is set.

    `profile` is "" where the file does not say whose the sample is.
    """

    id: str
    model_a: str
    model_b: str
    image_a: str
    image_b: str
    sample: str
    profile: str
    flips: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class PairsRead:
    """The usable pairs of a file, in its order, and the other rows."""

    pairs: tuple[Pair, ...]
    rejected: tuple[Reject, ...]


def _inside(name: str) -> str:
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor or ".." in PureWindowsPath(name).parts:
        raise wrong(OUTSIDE, "leads out of the folder of the data", "Give a path relative to the data, without `..`.")
    return name


Image = Annotated[str, Field(min_length=1, max_length=4096), AfterValidator(_inside)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: Name = Field(description="an id of the pair's own")
    model_a: Name = Field(alias="model_A", description="the name of a model")
    model_b: Name = Field(alias="model_B", description="the name of a model")
    image_a: Image = Field(alias="image_A", description="a path relative to the data")
    image_b: Image = Field(alias="image_B", description="a path relative to the data")
    sample: Name | None = Field(None, description="the id of the sample")
    profile: Name | None = Field(None, description="the person's id")
    flips: tuple[bool, ...] = Field((), max_length=2, description="true or false for each order")

    @model_validator(mode="after")
    def _two(self) -> _Row:
        if self.model_a == self.model_b:
            raise wrong("same-model", f"compares {self.model_a} with itself", "Give two models.")
        if len(set(self.flips)) != len(self.flips):
            raise wrong("same-order", "asks for one order twice", "Give [false, true] for both orders.")
        return self


def read_pairs(path: Path, images: ImageFolder | None = None) -> PairsRead:
    """The pairs of a file; with `images` also a path that leaves the folder by a link, or leads to no image, is refused.

    A file of the release has no `sample`: it is the common stem of both images, which predictions are named by, or else the pair's id.
    Raises InputError for an unreadable file.
    """
    pairs: dict[str, tuple[int, Pair]] = {}
    rejected = []
    for line, row in checked_rows(path, _Row, what="pair"):
        if isinstance(row, Reject):
            rejected.append(row)
        elif row.id in pairs:
            told = f"is already the id of line {pairs[row.id][0]}"
            rejected.append(Reject(str(path), line, "id", DUPLICATE_PAIR, told, "Give each pair an id of its own."))
        elif images is not None and (refused := _not_found(images, row, path, line)):
            rejected.append(refused)
        else:
            pairs[row.id] = line, _pair(row)
    return PairsRead(tuple(pair for _, pair in pairs.values()), tuple(rejected))


def write_pairs(path: Path, pairs: Iterable[Pair]) -> int:
    """Write pairs as JSON lines; returns how many. An id that is a whole number is written as one, as the release does."""
    lines = [json.dumps(_written(pair), ensure_ascii=False) + "\n" for pair in pairs]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return len(lines)


def written_id(pair: str) -> int | str:
    """A pair's id as the release writes it: a number where that is read again as the same id, so `007` stays text."""
    return int(pair) if pair.isascii() and pair.isdigit() and str(int(pair)) == pair else pair


def read_people(path: Path) -> dict[str, str]:
    """Sample id to person from the data's `metadata.json`, an array or JSON lines of `{id, image_id, ...}`.

    Raises InputError for an unreadable file or a row without the two, since a person lost here would count as several.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = json.loads(text) if path.suffix.lower() == ".json" else [json.loads(line) for line in text.split("\n") if line.strip()]
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read ({type(error).__name__})", file=str(path), remedy="Give the data's metadata.json.") from error
    if not isinstance(rows, list):
        raise InputError("is no array", file=str(path), remedy="Give the data's metadata.json.")
    people: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or not all(isinstance(row.get(name), int | str) for name in ("id", "image_id")):
            raise InputError("has no id and image_id", file=str(path), line=number, remedy="Give the data's metadata.json.")
        people[str(row["id"])] = str(row["image_id"])
    return people


def models_of(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """All models that are compared, sorted."""
    return tuple(sorted({model for pair in pairs for model in (pair.model_a, pair.model_b)}))


def _pair(row: _Row) -> Pair:
    stems = {PurePosixPath(image).stem for image in (row.image_a, row.image_b)}
    sample = row.sample or (stems.pop() if len(stems) == 1 else f"pair-{row.id}")
    return Pair(row.id, row.model_a, row.model_b, row.image_a, row.image_b, sample, row.profile or "", row.flips)


def _not_found(images: ImageFolder, row: _Row, path: Path, line: int) -> Reject | None:
    for field, name in (("image_A", row.image_a), ("image_B", row.image_b)):
        try:
            images.find(name)
        except InputError as error:
            return Reject(str(path), line, field, error.code, error.message, "Name a file below the folder of the data.")
    return None


def _written(pair: Pair) -> dict[str, object]:
    row = {"id": written_id(pair.id), "model_A": pair.model_a, "model_B": pair.model_b, "image_A": pair.image_a, "image_B": pair.image_b}
    ours = {"sample": pair.sample, "profile": pair.profile, "flips": list(pair.flips)}
    return row | {name: value for name, value in ours.items() if value}
