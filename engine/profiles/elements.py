"""Elements of a foreign row: a list of {category, text}, or {category: [texts]}, with the nearest valid category named for a wrong one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from engine.profiles import limits
from engine.profiles.fields import FieldError, list_of, text
from engine.records import CATEGORIES, Caption, Element

_KNOWN = frozenset(CATEGORIES)
_ALSO_CALLED = {
    "action": "actions",
    "apparel": "clothing",
    "appearance": "clothing",
    "background": "environment",
    "camera": "composition",
    "color": "colour",
    "foreground": "objects",
    "framing": "composition",
    "palette": "colour",
    "place": "environment",
    "pose": "actions",
    "scene": "environment",
    "setting": "environment",
    "texture": "materials",
}


def nearest_category(name: str) -> str:
    """The valid category that `name` most likely means."""
    word = name.casefold()
    for other, category in _ALSO_CALLED.items():
        if other in word or (len(word) > 3 and word in other):
            return category
    return max(CATEGORIES, key=lambda category: difflib.SequenceMatcher(None, word, category).ratio())


def read_elements(raw: object, at: str) -> tuple[Element, ...]:
    """The elements at `at`, in order and without repetitions; none if missing. Raises FieldError naming the entry."""
    if isinstance(raw, Mapping):
        pairs = [
            (category, item, f"{at}.{category}", f"{at}.{category}[{i}]")
            for category, items in raw.items()
            for i, item in enumerate(list_of(items, f"{at}.{category}", limits.MAX_ELEMENTS))
        ]
    else:
        pairs = []
        for i, item in enumerate(list_of(raw, at, limits.MAX_ELEMENTS)):
            if not isinstance(item, Mapping):
                raise FieldError(f"{at}[{i}]", f"is {type(item).__name__}, not an object", "Give {category, text}.")
            pairs.append((item.get("category"), item.get("text"), f"{at}[{i}].category", f"{at}[{i}].text"))
    found: dict[Element, None] = {}
    for category, item, at_category, at_text in pairs:
        found[Element(_category(category, at_category), text(item, at_text, required=True, limit=limits.MAX_ELEMENT_CHARACTERS))] = None
    return tuple(found)


def with_missing(elements: Iterable[Element], captions: Iterable[Caption]) -> tuple[Element, ...]:
    """E with the elements that only captions name added behind it, without repetitions."""
    found = dict.fromkeys(elements)
    for caption in captions:
        found.update(dict.fromkeys(caption.elements))
    if len(found) > limits.MAX_ELEMENTS:
        raise FieldError("elements", f"holds {len(found):,} elements, more than {limits.MAX_ELEMENTS:,}", "Keep fewer elements.")
    return tuple(found)


def _category(raw: object, at: str) -> str:
    if isinstance(raw, str) and raw in _KNOWN:
        return raw
    if not isinstance(raw, str):
        raise FieldError(at, f"is {type(raw).__name__}, not text", f"Give one of {', '.join(CATEGORIES)}.")
    shown = ascii(raw[:40])
    raise FieldError(at, f"{shown} is no category", f"Did you mean {nearest_category(raw)}? Known: {', '.join(CATEGORIES)}.")
