"""The rows that cross a stage: frozen, slotted dataclasses, each with its Arrow schema beside it.

Profile = {d, E, C}: Demographics, Elements, Captions          (VPTT, section on deferred rendering)
Query                                                          (one request that any person might make)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

CATEGORIES = (
    "lighting",
    "materials",
    "environment",
    "objects",
    "actions",
    "clothing",
    "colour",
    "composition",
)
"""The eight categories of visual elements; the last two are ours (VPTT)."""


@dataclass(frozen=True, slots=True)
class Element:
    """An atomic visual word or phrase ("brass samovar") and its category."""

    category: str
    text: str


@dataclass(frozen=True, slots=True)
class Caption:
    """One post the person shared: its text, the scenario it renders, and the elements of E that it uses."""

    text: str
    scenario: str = ""
    elements: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True)
class Demographics:
    """d: demographics and culture. An unknown field is the empty string."""

    age_band: str = ""
    region: str = ""
    culture: str = ""
    occupation: str = ""
    interests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """One person, P = {d, E, C}.

    `summary_given` is what methods see; `summary_ref` is what only PA sees ("" if there is none: PA then uses the mean caption and
    says so). `cluster` names the bootstrap cluster: people who share content share it. `source` says where the person came from.
    """

    id: str
    demographics: Demographics
    summary_given: str
    summary_ref: str
    elements: tuple[Element, ...]
    captions: tuple[Caption, ...]
    cluster: str
    source: str
    media: str = "image"


@dataclass(frozen=True, slots=True)
class Query:
    """One request. For editing tasks `text` is the instruction, and `source_*` and `region` say what is edited."""

    id: str
    task: str
    family: str
    breadth: str
    text: str
    source_id: str = ""
    source_caption: str = ""
    region: str = ""


_ELEMENT = pa.struct([("category", pa.string()), ("text", pa.string())])
_CAPTION = pa.struct([("text", pa.string()), ("scenario", pa.string()), ("elements", pa.list_(_ELEMENT))])
_DEMOGRAPHICS = pa.struct(
    [
        ("age_band", pa.string()),
        ("region", pa.string()),
        ("culture", pa.string()),
        ("occupation", pa.string()),
        ("interests", pa.list_(pa.string())),
    ]
)

PROFILE_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("demographics", _DEMOGRAPHICS),
        pa.field("summary_given", pa.string()),
        pa.field("summary_ref", pa.string()),
        pa.field("elements", pa.list_(_ELEMENT)),
        pa.field("captions", pa.list_(_CAPTION)),
        pa.field("cluster", pa.string()),
        pa.field("source", pa.string()),
        pa.field("media", pa.string()),
    ],
    metadata={"mien.record": "profile", "mien.version": "1"},
)

QUERY_SCHEMA = pa.schema(
    [
        pa.field(name, pa.string(), nullable=False)
        for name in ("id", "task", "family", "breadth", "text", "source_id", "source_caption", "region")
    ],
    metadata={"mien.record": "query", "mien.version": "1"},
)


def profiles_to_table(profiles: Iterable[Profile]) -> pa.Table:
    """An Arrow table of `PROFILE_SCHEMA`, one row a person, in the given order."""
    return pa.Table.from_pylist([asdict(profile) for profile in profiles], schema=PROFILE_SCHEMA)


def demographics_from_row(row: dict[str, Any]) -> Demographics:
    """Demographics from a struct of `PROFILE_SCHEMA`."""
    return Demographics(**{**row, "interests": tuple(row["interests"])})


def elements_from_rows(rows: Iterable[dict[str, Any]]) -> tuple[Element, ...]:
    """Elements from their structs."""
    return tuple(Element(**row) for row in rows)


def captions_from_rows(rows: Iterable[dict[str, Any]]) -> tuple[Caption, ...]:
    """Captions from their structs."""
    return tuple(Caption(row["text"], row["scenario"], elements_from_rows(row["elements"])) for row in rows)


def profile_from_row(row: dict[str, Any]) -> Profile:
    """A profile from a row of `PROFILE_SCHEMA` as `Table.to_pylist` gives it. Assumes a checked row; see `engine.profiles` for checking."""
    return Profile(
        id=row["id"],
        demographics=demographics_from_row(row["demographics"]),
        summary_given=row["summary_given"],
        summary_ref=row["summary_ref"],
        elements=elements_from_rows(row["elements"]),
        captions=captions_from_rows(row["captions"]),
        cluster=row["cluster"],
        source=row["source"],
        media=row["media"],
    )
