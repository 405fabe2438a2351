"""Who is the same person, and who is too like another to count as a second one (VPTT, "Persona sheets as real input").

Sheets that say the same in all sentences, up to spelling, articles and number endings, are one person. People who share half of their
sentences, up to one word of a longer sentence, are one bootstrap cluster and no distractors of each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from engine.profiles.persona.words import stem, words

_SAME_WITHOUT = frozenset(("a", "an", "the", "i", "my", "am", "is", "are", "to", "of", "in", "at", "on", "and", "also", "just", "really"))
"""Words that do not make another sentence. Numbers and negators do."""

_NEGATORS = frozenset(stem(word) for word in words("negators"))
_LONG = 4
"""Words from which on a sentence may differ in one and still be shared."""


def likeness(marks: Sequence[str]) -> frozenset[tuple[str, ...]]:
    """What two sheets have equal exactly when they say the same."""
    return frozenset(_gist(mark) for mark in marks)


def _gist(mark: str) -> tuple[str, ...]:
    kept = {stem(word) for word in mark.split() if word not in _SAME_WITHOUT}
    return tuple(sorted(kept)) or (mark,)


def _keys(mark: str) -> frozenset[tuple[str, ...]]:
    """A sentence's gist, and for a longer one its gist without each of its words: two sentences are shared if they have a key in common."""
    gist = _gist(mark)
    # Negation is never the one word by which two shared sentences differ.
    loose = [i for i, word in enumerate(gist) if word not in _NEGATORS] if len(gist) >= _LONG else []
    return frozenset((gist, *(gist[:i] + gist[i + 1 :] for i in loose)))


def clusters_of(marks: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Person id -> cluster id, from each person's normalised sentences.

    Two people are linked when they share at least half of the shorter sheet; links are transitive. A cluster is named by its least id, so
    someone who shares with nobody is their own cluster. Work grows with the pairs that share a sentence, not with all pairs.
    """
    parent = {person: person for person in marks}

    def root(person: str) -> str:
        while parent[person] != person:
            parent[person] = parent[parent[person]]
            person = parent[person]
        return person

    having: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    for person in sorted(marks):
        own = {mark: _keys(mark) for mark in set(marks[person])}
        shared = Counter(other for keys in own.values() for other in {other for key in keys for other in having[key]})
        for other, count in shared.items():
            if 2 * count >= min(len(own), len(set(marks[other]))):
                first, second = sorted((root(person), root(other)))
                parent[second] = first
        for keys in own.values():
            for key in keys:
                having[key][person] = None
    return {person: root(person) for person in marks}
