"""The single fields of a foreign row: text, lists, the id and the medium, each checked under its own name."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from engine.profiles import limits


class FieldError(ValueError):
    """One field of one row is wrong. Never leaves `engine.profiles`: it becomes a BadRow."""

    def __init__(self, field: str, reason: str, remedy: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field, self.reason, self.remedy = field, reason, remedy


def text(raw: object, at: str, *, required: bool = False, limit: int | None = limits.MAX_TEXT_CHARACTERS) -> str:
    """The string at `at`, unchanged; "" for a missing optional one.

    Raises FieldError for another type, half characters or excess length.
    """
    if raw is None and not required:
        return ""
    if not isinstance(raw, str):
        raise FieldError(at, f"is {type(raw).__name__}, not text", "Give a string.")
    if required and not raw.strip():
        raise FieldError(at, "is empty", "Give its text, or leave the entry out.")
    if not raw.isascii():
        refuse_surrogates(raw, at)
    if limit is not None and len(raw) > limit:
        raise FieldError(at, f"has {len(raw):,} characters, more than {limit:,}", "Shorten it.")
    return raw


def refuse_surrogates(raw: str, at: str) -> None:
    """Raises FieldError for half a UTF-16 pair: it is no character and cannot be written."""
    try:
        raw.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FieldError(
            at, f"holds a lone surrogate at character {error.start}", "Write whole characters, or both halves of a \\u pair."
        ) from None


def list_of(raw: object, at: str, most: int) -> list[Any]:
    """The list at `at`, empty if missing. Raises FieldError for another type or more than `most` entries."""
    if raw is None:
        return []
    if not isinstance(raw, list):
        raise FieldError(at, f"is {type(raw).__name__}, not a list", "Give a list.")
    if len(raw) > most:
        raise FieldError(at, f"has {len(raw):,} entries, more than {most:,}", f"Keep at most {most:,}.")
    return raw


def identifier(raw: Mapping[str, object]) -> str:
    """The row's id. Ids never become paths; those that look like an attempt are refused all the same."""
    remedy = "Give every person a short id of their own, without slashes, control characters or a leading dot."
    if raw.get("id") is None:
        raise FieldError("id", "is missing", remedy)
    id_ = text(raw["id"], "id", required=True, limit=limits.MAX_ID_CHARACTERS)
    if any(mark in id_ for mark in "/\\"):
        raise FieldError("id", "holds a slash or backslash", remedy)
    # Cc control, Zl and Zp line separators; Cf would also refuse the joiners that some scripts need.
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in id_):
        raise FieldError("id", "holds a control character", remedy)
    if id_.startswith("."):
        raise FieldError("id", "starts with a dot", remedy)
    if id_ != id_.strip():
        raise FieldError("id", "starts or ends with a space", remedy)
    return id_


def known_media(raw: Mapping[str, object]) -> str:
    """The row's medium, `image` unless it says otherwise; video and 3D are refused as unsupported (VPTT)."""
    media = text(raw.get("media"), "media") or "image"
    if media != "image":
        raise FieldError("media", f"is {media[:40]!r}: unsupported, only image is", "Leave this person out, or give image posts.")
    return media
