"""Figures of elements: how long they are, who shares them, and whether captions name theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.profiles.quality.bands import Figure
from engine.records import Profile
from engine.tokens import tokens

SHARED_FREELY = frozenset({"colour", "lighting"})
"""Categories with few words in any language: many people have the same."""
LONG = 3


def element_figures(people: Sequence[Profile]) -> dict[str, Figure]:
    """Share of people with the commonest element, of elements with >= 3 tokens, the longest, and of captions that name an element."""
    having: Counter[str] = Counter()
    lengths: Counter[int] = Counter()
    longest: tuple[int, str] = (0, "")
    for person in people:
        having.update({_normal(element.text) for element in person.elements if element.category not in SHARED_FREELY})
        for element in person.elements:
            size = len(tokens(element.text))
            lengths[size] += 1
            longest = max(longest, (size, element.text))
    total = sum(lengths.values())
    captions = [(person.id, caption) for person in people for caption in person.captions]
    bare = [f"{who}: {caption.text}" for who, caption in captions if not caption.elements]
    ranked = sorted(having.items(), key=lambda item: (-item[1], item[0]))
    nothing = float("nan")
    return {
        "shared_element": Figure(
            ranked[0][1] / len(people) if ranked else nothing,
            tuple(f"{text} ({count / len(people):.1%} of people)" for text, count in ranked[:5]),
            "" if ranked else "there are no elements",
        ),
        "long_elements": Figure(
            sum(count for size, count in lengths.items() if size >= LONG) / total if total else nothing,
            note="" if total else "there are no elements",
        ),
        "longest_element": Figure(longest[0] if total else nothing, (longest[1],), "" if total else "there are no elements"),
        "captions_with_elements": Figure(1 - len(bare) / len(captions) if captions else nothing, tuple(bare[:3])),
    }


def _normal(text: str) -> str:
    return " ".join(tokens(text))
