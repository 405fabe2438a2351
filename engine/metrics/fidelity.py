"""GS, Gram-Schmidt fidelity: how much of a prompt's embedding lies in the span of the person's captions.

With unit captions C (m, d), G = C C' and eigenpairs G = V L V', the rows of L^-1/2 V' C are an orthonormal basis of the span. A
prompt's coordinates in it are y = (C u) V L^-1/2, so the basis itself, 30 vectors as long as an embedding, is never formed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.metrics.memory import Array, unit_rows


def span_factors(grams: Array, tolerance: float = 1e-3) -> list[Array]:
    """V L^-1/2, (m, r), of each of b Gram matrices (b, m, m): a (n, m) times it gives coordinates (n, r) for products a = u C'.

    Directions with singular value <= tolerance x the largest are noise, not span (METRICS, GS); an eigenvalue of G is a squared
    singular value. Unpivoted QR would be wrong where captions repeat.
    """
    if not grams.shape[1]:
        return [np.empty((0, 0)) for _ in grams]
    values, vectors = np.linalg.eigh(grams)
    # Ascending eigenvalues: the span is what follows the last one that is too small.
    small = (values <= tolerance**2 * values[:, -1:]).sum(axis=1).tolist()
    return [vectors[b, :, first:] / np.sqrt(values[b, first:]) for b, first in enumerate(small)]


def fidelity(y: Array) -> Array:
    """GS = |P u| of prompts from their coordinates (n, r): (n,), in [0, 1]; 0 for the zero vector and for an empty span."""
    squares: Array = np.einsum("ij,ij->i", y, y)
    return np.sqrt(np.minimum(squares, 1.0))


def gram_schmidt_fidelity(vectors: NDArray[Any], captions: NDArray[Any], tolerance: float = 1e-3, zero_norm: float = 1e-12) -> Array:
    """GS of prompt embeddings (n, d) against caption embeddings (m, d), neither normalised: (n,) (METRICS, GS)."""
    rows, nonzero, _ = unit_rows(captions, zero_norm)
    units = rows[nonzero]
    prompts, _, _ = unit_rows(vectors, zero_norm)
    factor = span_factors((units @ units.T)[None], tolerance)[0]
    return fidelity(prompts @ units.T @ factor)
