"""All figures of people, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.profiles.quality.association import association_figures
from engine.profiles.quality.bands import Figure
from engine.profiles.quality.gallery import gallery_figures
from engine.profiles.quality.groups import Groups
from engine.profiles.quality.lexicon import element_figures
from engine.profiles.quality.likeness import likeness_figures, span_figures
from engine.profiles.quality.skeletons import skeleton_figures
from engine.profiles.quality.wording import wording_figures
from engine.records import Profile


def measure_corpus(people: Sequence[Profile]) -> dict[str, Figure]:
    """Figures of the text alone: skeletons, words, elements, and fields that go together."""
    captions = [caption.text for person in people for caption in person.captions]
    return {**skeleton_figures(captions), **wording_figures(captions), **element_figures(people), **association_figures(people)}


def measure_embeddings(groups: Groups, progress: Callable[[int, int], None] = lambda done, total: None) -> dict[str, Figure]:
    """Figures of the captions' embeddings; `progress` is told how many captions have been compared with all, of how many."""
    return {**likeness_figures(groups), **span_figures(groups), **gallery_figures(groups, progress)}
