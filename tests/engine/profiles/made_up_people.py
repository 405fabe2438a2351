"""People and persona sheets that the tests of this folder share; all of them are made up here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

CAPTION = {"text": "a brass samovar on the windowsill", "scenario": "tea", "elements": [{"category": "objects", "text": "brass samovar"}]}


def person(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A whole, valid raw person; `changes` replace fields, and a field changed to `...` is left out."""
    raw: dict[str, Any] = {
        "id": f"p-{number}",
        "demographics": {"age_band": "30s", "region": "Lviv", "culture": "", "occupation": "tram driver", "interests": ["tea"]},
        "summary_given": "A tram driver who brews tea.",
        "summary_ref": "Brews at home; steers trams.",
        "elements": {"objects": ["brass samovar"]},
        "captions": [CAPTION, "steam over the tracks"],
        **changes,
    }
    return {name: value for name, value in raw.items() if value is not ...}


def jsonl(path: Path, rows: Iterable[object]) -> Path:
    """Writes rows as JSON lines; a bytes row is written as it is."""
    path.write_bytes(b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows))
    return path


SHEETS = [
    ["I keep three greyhounds.", "I repair clocks for a living.", "I hate mushrooms.", "I grew up in Norway."],
    ["I am a retired bus driver.", "My favorite color is violet.", "I like to bake sourdough with my daughter.", "I am afraid of horses."],
    [
        "I love kayaking at dawn.",
        "I do not drink coffee.",
        "My favorite band is the Paper Lanterns.",
        "I collect enamel pins.",
        "I am 27 years old.",
    ],
    ["I have a parrot and two tortoises.", "I work as a school librarian.", "I never watch television.", "I play the accordion."],
    ["I can't stand crowds.", "I am allergic to dogs.", "I love gardening but hate spiders.", "I drive an old Fiat Panda."],
]
