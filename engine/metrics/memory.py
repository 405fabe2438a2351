"""One person as the metric sees them: captions, their embeddings, and what PA compares with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PersonMemory:
    """A person's captions with their embeddings, all by one encoder.

    Args:
        key: the content key under which a prepared person may be kept.
        captions: m texts, in any order; the score does not depend on it.
        vectors: (m, d) embeddings of the captions, need not be normalised.
        reference: (d,) embedding of `summary_ref`; None if the person has none, PA then uses the mean caption and `pa_id` says so.

    Raises InputError if shapes do not fit one another.
    """

    key: str
    captions: tuple[str, ...]
    vectors: NDArray[Any]
    reference: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.captions):
            raise InputError(
                f"person {self.key} has {len(self.captions)} captions but embeddings of shape {self.vectors.shape}",
                field="vectors",
                remedy="Embed every caption once, as one row of a (captions, dimension) array.",
            )
        if self.reference is not None and self.reference.shape != (self.dimension,):
            raise InputError(
                f"person {self.key}: the summary's embedding has shape {self.reference.shape}, the captions' dimension is {self.dimension}",
                field="reference",
                remedy="Embed the summary and the captions with the same encoder.",
            )

    @property
    def dimension(self) -> int:
        """d, the length of an embedding."""
        return int(self.vectors.shape[1])

    @property
    def pa_id(self) -> str:
        """What PA compares a prompt with (METRICS, PA)."""
        return "mean_caption" if self.reference is None else "summary_ref"

    def same_as(self, other: PersonMemory) -> bool:
        """Whether both hold the same content under the same key."""
        if self is other:
            return True
        return (
            self.key == other.key
            and self.captions == other.captions
            and _equal(self.vectors, other.vectors)
            and _equal(self.reference, other.reference)
        )

    def only(self, captions: Sequence[int], name: str) -> PersonMemory:
        """The same person with some of the captions only, under a key of its own that ends with `name`."""
        kept = tuple(self.captions[index] for index in captions)
        return PersonMemory(f"{self.key}:{name}", kept, self.vectors[list(captions)], self.reference)


def _equal(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def unit_rows(vectors: NDArray[Any], zero_norm: float) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_]]:
    """Rows of length 1 in float64, where a row no longer than `zero_norm` becomes 0.

    Returns (rows, nonzero, finite): a row with NaN, infinity or an overflowing length is 0 and not `finite`.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    finite = np.isfinite(norms)
    nonzero = finite & (norms > zero_norm)
    scale = np.where(nonzero, norms, 1.0)
    if nonzero.all():
        return rows / scale[:, None], nonzero, finite
    return np.where(nonzero[:, None], rows, 0.0) / scale[:, None], nonzero, finite
