"""Checks one row of foreign data and turns it into a Profile, or says which field is wrong, why, and what to do (VPTT, imports).

A row is plain JSON-like data: a line of JSONL, or a Parquet row as Arrow gives it. Nothing here raises for a bad row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from engine import keys
from engine.nearest import did_you_mean, nearest
from engine.profiles import limits
from engine.profiles.elements import read_elements, with_missing
from engine.profiles.fields import FieldError, identifier, known_media, list_of, text
from engine.records import Caption, Demographics, Element, Profile
from engine.tokens import tokens


@dataclass(frozen=True, slots=True)
class BadRow:
    """One row that is no usable person. `line` is the 1-based line of a JSONL file, or the row number of a Parquet file."""

    line: int
    id: str
    field: str
    reason: str
    remedy: str

    @property
    def told(self) -> str:
        """Line, field and reason; a row that is wrong as a whole names no field."""
        return ": ".join(part for part in (f"line {self.line}", self.field, self.reason) if part)


def check_row(raw: object, line: int) -> Profile | BadRow:
    """The person in `raw`, or what is wrong with it. Never raises for bad data."""
    try:
        return profile_of(raw)
    except FieldError as error:
        return bad_row(line, raw, error)


def bad_row(line: int, raw: object, error: FieldError) -> BadRow:
    """The report of one refused field; the row's id is named if it has a printable one."""
    id_ = raw.get("id") if isinstance(raw, Mapping) else None
    shown = ascii(id_)[1:-1] if isinstance(id_, str) and not id_.isprintable() else id_
    return BadRow(line, shown[: limits.MAX_ID_CHARACTERS] if isinstance(shown, str) else "", error.field, error.reason, error.remedy)


def person_key(profile: Profile) -> str:
    """The content key of a person: equal people have equal keys on every machine (64 hex characters)."""
    return keys.content_key(asdict(profile))


def profile_of(raw: object) -> Profile:
    """The person in `raw`. Raises FieldError for the first field that is wrong."""
    if not isinstance(raw, Mapping):
        raise FieldError("", f"is {_kind(raw)}, not an object", "Write one JSON object a line, with at least `id` and `captions`.")
    if not raw:
        raise FieldError("", "is an empty object: there is no person in it", "Give at least `id` and `captions`.")
    _known_fields(raw)
    id_ = identifier(raw)
    media = known_media(raw)
    demographics = _demographics(raw.get("demographics"))
    lexicon = read_elements(raw.get("elements"), "elements")
    captions = _with_their_elements(_captions(raw.get("captions")), lexicon)
    elements = with_missing(lexicon, captions)
    _embeddings(raw.get("embeddings"), len(captions))
    return Profile(
        id=id_,
        demographics=demographics,
        summary_given=text(raw.get("summary_given"), "summary_given") or _summary_of(demographics),
        summary_ref=text(raw.get("summary_ref"), "summary_ref"),
        elements=elements,
        captions=captions,
        cluster=text(raw.get("cluster"), "cluster") or id_,
        source=text(raw.get("source"), "source") or "import",
        media=media,
    )


FIELDS = ("id", "demographics", "summary_given", "summary_ref", "elements", "captions", "cluster", "source", "media", "embeddings")
MISSPELT = 0.75
"""How like a field a foreign one must be to be refused."""


def _known_fields(raw: Mapping[str, object]) -> None:
    """Refuse what looks like a misspelt field, since leaving it out would change the scores unseen; other extra fields are let be."""
    if "persona" in raw and "captions" not in raw:
        raise FieldError("persona", "is a persona seed, not a profile", "Make profiles of the file first: mien profiles import.")
    for name in raw:
        if isinstance(name, str) and name not in FIELDS and nearest(name, FIELDS, at_least=MISSPELT):
            raise FieldError(name, f"is no field{did_you_mean(name, FIELDS)}", "Rename it.")


def _kind(raw: object) -> str:
    names = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}
    return names.get(type(raw), f"a {type(raw).__name__}")


def _demographics(raw: object) -> Demographics:
    if raw is None:
        return Demographics()
    if not isinstance(raw, Mapping):
        raise FieldError("demographics", f"is {_kind(raw)}, not an object", "Give {age_band, region, culture, occupation, interests}.")
    fields = {name: text(raw.get(name), f"demographics.{name}") for name in ("age_band", "region", "culture", "occupation")}
    interests = list_of(raw.get("interests"), "demographics.interests", limits.MAX_INTERESTS)
    return Demographics(
        **fields, interests=tuple(text(item, f"demographics.interests[{i}]", required=True) for i, item in enumerate(interests))
    )


def _summary_of(d: Demographics) -> str:
    """A plain first summary of d, for imports without one."""
    who = ", ".join(part for part in (d.age_band, d.occupation, d.culture) if part)
    parts = [who, f"from {d.region}" if d.region else "", f"interested in {', '.join(d.interests)}" if d.interests else ""]
    summary = "; ".join(part for part in parts if part)
    if not summary:
        raise FieldError(
            "summary_given", "is missing, and the demographics say nothing to build it from", "Give summary_given or demographics."
        )
    return summary


def _captions(raw: object) -> tuple[Caption, ...]:
    if raw is None:
        raise FieldError(
            "captions", "is missing", "Give the posts this person shared: a list of strings, or of {text, scenario, elements}."
        )
    items = list_of(raw, "captions", limits.MAX_CAPTIONS)
    if not items:
        raise FieldError("captions", "is empty: a person without posts cannot be scored", "Give at least one caption.")
    return tuple(_caption(item, f"captions[{i}]") for i, item in enumerate(items))


def _with_their_elements(captions: tuple[Caption, ...], lexicon: tuple[Element, ...]) -> tuple[Caption, ...]:
    """Captions that name no element get those of E whose words stand in them: VPRAG's quotas count elements caption by caption."""
    if not lexicon or any(caption.elements for caption in captions):
        return captions
    words = [(element, f" {' '.join(tokens(element.text))} ") for element in lexicon]
    found = []
    for caption in captions:
        held = f" {' '.join(tokens(caption.text))} "
        own = tuple(element for element, text_ in words if text_.strip() and text_ in held)
        found.append(replace(caption, elements=own[: limits.MAX_ELEMENTS_PER_CAPTION]))
    return tuple(found)


def _caption(raw: object, at: str) -> Caption:
    if isinstance(raw, str):
        return Caption(_caption_text(raw, at))
    if not isinstance(raw, Mapping):
        raise FieldError(at, f"is {_kind(raw)}, not a string or an object", "Give the caption as text, or as {text, scenario, elements}.")
    if raw.get("text") is None:
        raise FieldError(f"{at}.text", "is missing", "Give the caption's text.")
    elements = read_elements(raw.get("elements"), f"{at}.elements")
    if len(elements) > limits.MAX_ELEMENTS_PER_CAPTION:
        raise FieldError(
            f"{at}.elements", f"has {len(elements)} elements, more than {limits.MAX_ELEMENTS_PER_CAPTION}", "List fewer elements."
        )
    return Caption(_caption_text(raw["text"], f"{at}.text"), text(raw.get("scenario"), f"{at}.scenario"), elements)


def _caption_text(raw: object, at: str) -> str:
    caption = text(raw, at, required=True, limit=None)
    # n characters of plain ASCII hold at most (n + 1) / 2 words, so most captions need no counting.
    if caption.isascii() and len(caption) < 2 * limits.MAX_CAPTION_WORDS:
        return caption
    words = len(tokens(caption)) if len(caption) <= 10 * limits.MAX_TEXT_CHARACTERS else len(caption.split())
    if words > limits.MAX_CAPTION_WORDS:
        raise FieldError(at, f"has {words:,} words, more than {limits.MAX_CAPTION_WORDS}", "Shorten the caption, or split it into several.")
    return text(caption, at)


def _embeddings(raw: object, captions: int) -> None:
    """An optional vector a caption: checked, and not used."""
    if raw is None:
        return
    rows = list_of(raw, "embeddings", limits.MAX_CAPTIONS)
    if len(rows) != captions:
        raise FieldError("embeddings", f"has {len(rows)} vectors for {captions} captions", "Give one vector a caption, or none at all.")
    width = len(rows[0]) if isinstance(rows[0], list) else 0
    for i, row in enumerate(rows):
        at = f"embeddings[{i}]"
        if not isinstance(row, list) or not row:
            raise FieldError(at, "is not a list of numbers", "Give one list of numbers a caption.")
        if len(row) != width:
            raise FieldError(at, f"has {len(row)} numbers where the first has {width}", "Give vectors of one length.")
        for j, value in enumerate(row):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise FieldError(f"{at}[{j}]", f"is {_kind(value)}, not a number", "Give finite numbers.")
            if not abs(value) <= 1e300:  # also false for NaN
                raise FieldError(
                    f"{at}[{j}]", f"is {value}, not a finite number", "Compute this person's embeddings again, or leave them out."
                )
