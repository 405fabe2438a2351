"""Rows of somebody's file that cannot be used: each is named with file, line, field and remedy, and the others go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, StringConstraints, ValidationError
from pydantic_core import PydanticCustomError

from engine.profiles.rows import Unreadable, raw_rows

UNREADABLE_ROW = "unreadable-row"
NOT_AN_OBJECT = "not-an-object"


@dataclass(frozen=True, slots=True)
class Reject:
    """One row that is not used. `line` counts from 1 (Parquet: the row); `code` is short and stable; `field` is "" for a whole row."""

    file: str
    line: int
    field: str
    code: str
    reason: str
    remedy: str

    @property
    def told(self) -> str:
        """File, line, field and reason."""
        return ": ".join(part for part in (f"{self.file}:{self.line}", self.field, self.reason) if part)


M = TypeVar("M", bound=BaseModel)


def checked_rows(
    path: Path, model: type[M], *, what: str, required: tuple[str, ...] = (), tables: bool = False
) -> Iterator[tuple[int, M | Reject]]:
    """Each row's line, and the row as `model` or why it is none.

    A field's description says what it must hold, and is the remedy. Raises InputError for an unreadable file, as `raw_rows` says.
    """
    for line, raw in raw_rows(path, what=what, required=required, tables=tables):
        yield line, checked(raw, model, path, line)


def checked(raw: object, model: type[M], path: Path, line: int) -> M | Reject:
    """One raw row as `model`, or why it is none."""
    if isinstance(raw, Unreadable):
        return Reject(str(path), line, "", UNREADABLE_ROW, raw.reason, raw.remedy)
    if not isinstance(raw, dict):
        return Reject(str(path), line, "", NOT_AN_OBJECT, "is no object", "Write one object a line.")
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        return _reject(error, model, path, line)


def _reject(error: ValidationError, model: type[BaseModel], path: Path, line: int) -> Reject:
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    described = _described(model, first["loc"])
    remedy = (first.get("ctx") or {}).get("remedy") or (f"Give {described}." if described else "Mend the row.")
    return Reject(str(path), line, field, first["type"].replace("_", "-"), _reason(first), str(remedy))


def _reason(error: Any) -> str:
    if error["type"] == "missing":
        return "is missing"
    given = ascii(error["input"])
    told = error["msg"][:1].lower() + error["msg"][1:]
    return told if isinstance(error["input"], dict) or not error["loc"] else f"{told}, not {given[:60]}{'...' if len(given) > 60 else ''}"


def _described(model: type[BaseModel], where: tuple[int | str, ...]) -> str:
    """The description of the field at `where`, following models within models."""
    described = ""
    for part in where:
        found = next((field for name, field in model.model_fields.items() if part in (name, field.alias)), None)
        if found is None:
            break
        described = found.description or described
        if isinstance(found.annotation, type) and issubclass(found.annotation, BaseModel):
            model = found.annotation
    return described


def wrong(code: str, reason: str, remedy: str) -> PydanticCustomError:
    """What a validator raises: `code` with hyphens, what is wrong, and what to do."""
    return PydanticCustomError(code.replace("-", "_"), "{reason}", {"reason": reason, "remedy": remedy})


def _name(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        value = value.strip()
        try:
            value.encode()
        except UnicodeEncodeError:
            raise wrong("half-a-character", "holds a lone surrogate", "Write whole characters.") from None
        if not value.replace(" ", "").isprintable():
            raise wrong("unprintable", "holds a control character", "Write printable text.")
    return value


Name = Annotated[str, StringConstraints(min_length=1, max_length=256), BeforeValidator(_name)]
"""A short name or id: printable, whole numbers as text."""
