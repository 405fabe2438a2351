"""The same figures of a real prompt list: what bands are seen beside."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from engine.profiles.quality.bands import Figure
from engine.profiles.quality.groups import Groups, grouped
from engine.profiles.quality.likeness import likeness_figures, span_figures
from engine.profiles.quality.skeletons import skeleton_figures
from engine.profiles.quality.wording import wording_figures
from engine.records import Query

GROUP = 30
"""Prompts that stand for a person: as many as a person has captions."""


def prompt_list_figures(queries: Sequence[Query], vectors: NDArray[Any]) -> dict[str, Figure]:
    """Figures of prompts with their embeddings (n, d): 30 prompts of one family stand for a person, a family for a cluster.

    What only people have (elements, demographics, an author) has no figure.
    """
    texts = [query.text for query in queries]
    groups = _groups(queries, vectors)
    return {**skeleton_figures(texts), **wording_figures(texts), **likeness_figures(groups), **span_figures(groups)}


def _groups(queries: Sequence[Query], vectors: NDArray[Any]) -> Groups:
    """Groups of 30 prompts of one family, drawn by the digest of their text; what is left over is not used."""
    families: dict[str, list[int]] = defaultdict(list)
    for index in sorted(range(len(queries)), key=lambda index: hashlib.sha256(queries[index].text.encode()).digest()):
        families[queries[index].family].append(index)
    parts = [(family, own[at : at + GROUP]) for family, own in sorted(families.items()) for at in range(0, len(own) - GROUP + 1, GROUP)]
    order = [index for _, part in parts for index in part]
    return grouped(
        [f"{family or 'prompts'} {number}" for number, (family, _) in enumerate(parts)],
        [family for family, _ in parts],
        [[queries[index].text for index in part] for _, part in parts],
        vectors[order],
    )
