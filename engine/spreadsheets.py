"""Text that is safe to open in a spreadsheet, which runs a cell that begins like a formula."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(text: str) -> str:
    """`text` with an apostrophe before it where a spreadsheet would run it."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain_cell(text: str) -> str:
    """The text that `safe_cell` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text
