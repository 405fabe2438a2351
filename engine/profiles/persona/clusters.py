"""People who share half of their sentences are one bootstrap cluster and no distractors of each other (VPTT)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence


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

    having: dict[str, list[str]] = defaultdict(list)
    for person in sorted(marks):
        own = set(marks[person])
        shared = Counter(other for mark in own for other in having[mark])
        for other, count in shared.items():
            if 2 * count >= min(len(own), len(set(marks[other]))):
                first, second = sorted((root(person), root(other)))
                parent[second] = first
        for mark in own:
            having[mark].append(person)
    return {person: root(person) for person in marks}
