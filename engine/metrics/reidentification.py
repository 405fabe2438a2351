"""Re-identification: does a prompt find its own person in a gallery of others? It measures identifiability, not quality.

    a person's score = the mean of the three best cosines of the prompt with their captions
    rank = 1 + (people who score more) + (people who score the same) / 2

A gallery is the right person and distractors: the first people of one seeded order, the same for every method, never of the right
person's bootstrap cluster. Ties count half, so a score that knows nothing has a mean rank of (size + 1) / 2 and a recall@k of k / size
exactly. Source: METRICS, Re-identification.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import ConfigError
from engine.keys import Json, seed_of

RULE = "reidentification-1"
"""Names the score, the draw and the rank in a fingerprint."""
BEST = 3
HARD_SIZE = 100
"""The most people of a hard gallery."""

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Gallery:
    """Whom the right person stands among: at most `size` people, drawn with `seed`.

    `alike` names for each right person those who may be distractors (a hard gallery: the same culture or trade); None: everyone.
    Raises ConfigError for a size below 2.
    """

    name: str
    size: int
    seed: int = 0
    alike: Mapping[str, Collection[str]] | None = None

    def __post_init__(self) -> None:
        if self.size < 2:
            raise ConfigError(f"The gallery {self.name!r} holds {self.size} people.", remedy="Use 2 or more: the right person and another.")

    def recipe(self) -> dict[str, Json]:
        """What pins the gallery but the people themselves, for a fingerprint."""
        return {"rule": RULE, "name": self.name, "size": self.size, "seed": self.seed, "alike": self.alike is not None}


def hard_gallery(alike: Mapping[str, Collection[str]], *, seed: int = 0) -> Gallery:
    """The right person among people of the same culture or trade, `HARD_SIZE` at most."""
    return Gallery("hard", HARD_SIZE, seed, alike)


def gallery_order(keys: Iterable[str], seed: int) -> list[str]:
    """People in the seeded order from which galleries are filled. A person's place among others depends on nobody else."""
    return [key for _, key in sorted((seed_of(RULE, str(seed), key), key) for key in keys)]


def gallery_mask(clusters: NDArray[Any], right: NDArray[Any], size: int) -> Flags:
    """Which candidates are the distractors of each query, shape (q, b): the first `size` - 1 outside the right person's cluster.

    `clusters` (b,) of the candidates in gallery order and `right` (q,) of the right people are cluster numbers. The right person shares
    their own cluster, so they are no distractor of themselves.
    """
    allowed = clusters[None, :] != right[:, None]
    mask: Flags = allowed & (np.cumsum(allowed, axis=1) <= size - 1)
    return mask


def mean_of_best(cosines: NDArray[Any], best: int = BEST) -> NDArray[Any]:
    """The mean of the `best` largest along the last axis, or of all if they are fewer; -inf marks no caption, and a person without one.

    They are summed in order of size, so equal captions in another order give the very same score.
    """
    if not cosines.shape[-1]:
        return np.full(cosines.shape[:-1], -np.inf, cosines.dtype)
    top = np.sort(np.partition(cosines, -best, axis=-1)[..., -best:] if cosines.shape[-1] > best else cosines, axis=-1)
    present = ~np.isneginf(top)
    count = present.sum(axis=-1)
    total = np.where(present, top, 0).sum(axis=-1)
    return np.where(count > 0, total / np.maximum(count, 1), -np.inf).astype(cosines.dtype, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Where the right person stands, for each of n queries.

    `better` and `tied` (n,) count the distractors that score more and the same, `size` (n,) the people of the gallery with the right
    one. A query whose right person has no caption to compare with, or no distractor, has size 0, no rank, and part in no figure.
    """

    better: Integers
    tied: Integers
    size: Integers

    @property
    def ranked(self) -> Flags:
        """(n,) which queries have a rank."""
        flags: Flags = self.size > 0
        return flags

    @property
    def rank(self) -> Array:
        """(n,) 1 is best; ties count half; NaN without a rank."""
        return np.where(self.ranked, 1 + self.better + self.tied / 2, np.nan)

    def hits(self, k: int) -> Array:
        """(n,) how likely the right person is among the first `k` when ties are broken by lot; NaN without a rank."""
        share = np.clip((k - self.better) / (self.tied + 1), 0, 1)
        return np.where(self.ranked, share, np.nan)

    def recall(self, k: int) -> float:
        """Mean of `hits` over the ranked queries; NaN if there are none."""
        return _mean(self.hits(k)[self.ranked])

    def chance(self, k: int) -> float:
        """What `recall` is for a score that knows nothing: the mean of k / size, printed beside it."""
        return _mean(np.minimum(1, k / self.size[self.ranked]))

    def percentile(self) -> float:
        """Mean share of the distractors that the right person beats, ties half: 1 is perfect, .5 chance whatever the size; NaN if none."""
        return _mean(1 - (self.better + self.tied / 2)[self.ranked] / (self.size - 1)[self.ranked])


def _mean(values: Array) -> float:
    return float(values.mean()) if len(values) else float("nan")
