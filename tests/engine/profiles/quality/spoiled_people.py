"""People made worse on purpose, each in one way, from people of the grammar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.keys import content_key
from engine.profiles.quality.groups import Groups, groups_of_people
from engine.records import Caption, Profile

FORMS = (
    "My {0} and my {1}, as ever.",
    "There is a {0} near the {1} again.",
    "With the {0} and a {1} for myself.",
    "Still at the {0}, still with this {1}.",
)


def few_skeletons(people: Sequence[Profile]) -> list[Profile]:
    """Every caption in one of four forms, around two of its elements."""

    def rewritten(number: int, caption: Caption) -> Caption:
        texts = [element.text for element in caption.elements] or ["kitchen", "window"]
        return replace(caption, text=FORMS[number % 4].format(texts[0], texts[-1]))

    return [replace(one, captions=tuple(rewritten(n, caption) for n, caption in enumerate(one.captions))) for one in people]


def near_duplicates(people: Sequence[Profile]) -> list[Profile]:
    """The last person has the captions of the first, in another order, and three of their own; a cluster of their own."""
    last, first = people[-1], people[0]
    return [*people[:-1], replace(last, captions=(*reversed(first.captions[3:]), *last.captions[:3]))]


def without_elements(people: Sequence[Profile]) -> list[Profile]:
    """The same texts, but there are no elements, in captions or out of them (reading would find those of E in the texts)."""
    return [replace(one, elements=(), captions=tuple(replace(caption, elements=()) for caption in one.captions)) for one in people]


def made_up_groups(people: Sequence[Profile], dimensions: int = 96) -> Groups:
    """Embeddings without a model: a direction of each text, and nothing of the person."""

    def direction(text: str) -> np.ndarray:
        return np.random.default_rng(int(content_key(text)[:12], 16)).standard_normal(dimensions)

    return groups_of_people(people, np.array([direction(caption.text) for person in people for caption in person.captions]))
