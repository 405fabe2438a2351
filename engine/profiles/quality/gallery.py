"""Every caption against every person's captions, exactly: recall of its author, and people who are another's near-duplicate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.profiles.quality.bands import Figure
from engine.profiles.quality.groups import Groups

GALLERY = 1000
"""People among whom a caption's author is looked for."""
BEST = 3
"""A person's score is the mean of this many best cosines (METRICS, re-identification)."""
TWIN = 0.95
_BLOCK = 250


@dataclass(slots=True)
class _Gallery:
    """(p, m, d) float32 captions padded with zeros, and which of them are there."""

    rows: NDArray[np.float32]
    there: NDArray[np.bool_]
    clusters: NDArray[np.intp]


def gallery_figures(groups: Groups, progress: Callable[[int, int], None] = lambda done, total: None) -> dict[str, Figure]:
    """Recall@1 of a held-out caption's author among the first 1,000 people, and the share of a person's captions with a twin.

    People of the author's own cluster are no distractors (VPTT). A twin is a caption of one other person, of another cluster, with cosine
    >= .95; the share is the largest over all pairs of people.
    """
    gallery = _padded(groups)
    people, most, _ = gallery.rows.shape
    hits = tried = 0
    twins = np.zeros((people, people), dtype=np.int64)
    flat = gallery.rows.reshape(people * most, -1)
    owners, slots = np.nonzero(gallery.there)
    among = np.arange(people) < GALLERY
    for start in range(0, len(owners), _BLOCK):
        own, slot = owners[start : start + _BLOCK], slots[start : start + _BLOCK]
        cosines = (gallery.rows[own, slot] @ flat.T).reshape(len(own), people, most)
        cosines[:, ~gallery.there] = -np.inf
        cosines[np.arange(len(own)), own, slot] = -np.inf
        np.add.at(twins, own, cosines.max(axis=2) >= TWIN)
        sought = among[own]
        scores = _best(cosines[sought][:, among])
        mine = own[sought]
        kin = (gallery.clusters[mine][:, None] == gallery.clusters[among][None, :]) & (mine[:, None] != np.flatnonzero(among)[None, :])
        scores[kin] = -np.inf
        own_score = scores[np.arange(len(mine)), mine]
        usable = np.isfinite(own_score)
        tried += int(usable.sum())
        hits += int((scores.argmax(axis=1) == mine)[usable].sum())
        progress(min(start + _BLOCK, len(owners)), len(owners))
    twins[gallery.clusters[:, None] == gallery.clusters[None, :]] = 0
    return {
        "recall_at_1": Figure(
            hits / tried if tried else float("nan"), note=f"among {int(among.sum()):,} people, chance {1 / max(int(among.sum()), 1):.2%}"
        ),
        "near_duplicates": _near_duplicates(groups, twins, gallery.there.sum(axis=1)),
    }


def _padded(groups: Groups) -> _Gallery:
    most = max((len(rows) for rows in groups.rows), default=0)
    width = groups.rows[0].shape[1] if groups.rows else 0
    rows = np.zeros((len(groups.rows), most, width), dtype=np.float32)
    there = np.zeros(rows.shape[:2], dtype=bool)
    for index, own in enumerate(groups.rows):
        rows[index, : len(own)] = own
        there[index, : len(own)] = True
    return _Gallery(rows, there, np.unique(groups.clusters, return_inverse=True)[1])


def _best(cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    """(b, p): the mean of the three largest along the last axis, of those that are there; -inf without any."""
    most = cosines.shape[2]
    top = np.partition(cosines, most - BEST, axis=2)[:, :, -BEST:] if most > BEST else cosines
    there = np.isfinite(top)
    count = there.sum(axis=2)
    mean: NDArray[np.float32] = np.where(there, top, 0).sum(axis=2) / np.maximum(count, 1)
    return np.where(count > 0, mean, -np.inf).astype(np.float32)


def _near_duplicates(groups: Groups, twins: NDArray[np.int64], captions: NDArray[np.intp]) -> Figure:
    shares = twins / np.maximum(captions, 1)[:, None]
    ranked = [np.unravel_index(int(flat), shares.shape) for flat in np.argsort(-shares, axis=None, kind="stable")[:3]]
    return Figure(
        float(shares.max()) if shares.size else float("nan"),
        tuple(
            f"{groups.names[int(i)]}: {shares[i, j]:.0%} of the captions have a twin of {groups.names[int(j)]}"
            for i, j in ranked
            if shares[i, j] > 0
        ),
    )
