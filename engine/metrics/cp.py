"""CP, contextual proximity: exp(-distance to the nearest topic of the person's captions).

Two ids (METRICS, CP). `cp-literal` reads the paper's formula as it stands, in Gram-Schmidt coordinates of a prompt that is not
re-normalised: a vector that is short inside the span is rewarded for it. `cp-unit`, the headline, measures the angle to each topic.
"""

from __future__ import annotations

import numpy as np

from engine.metrics.memory import Array

NO_DIRECTION = 1e-14
"""A mean with a squared length below this is rounding error and points nowhere."""


def literal_distances(y: Array, centroids: Array) -> Array:
    """d_k = |B'u - c_k|^2: (n, K) from coordinates (n, r) and mean coordinates of each cluster's members (K, r)."""
    apart = y[:, None, :] - centroids[None, :, :]
    distances: Array = np.einsum("nkr,nkr->nk", apart, apart)
    return distances


def unit_distances(cosines: Array) -> Array:
    """d_k = 2 - 2 u.m_k/|m_k|: (n, K) from the cosines of prompts with each cluster's mean unit caption."""
    return 2.0 - 2.0 * cosines


def unit_centroids(weights: Array, products: Array) -> Array:
    """m_k/|m_k| as weights over unit captions, (K, m), from the means' weights W and W G.

    A cluster whose captions cancel out has no direction: its weights are 0, and so is its cosine with everything.
    """
    squares = np.einsum("km,km->k", weights, products)[:, None]
    centroids: Array = weights / np.sqrt(np.where(squares > NO_DIRECTION, squares, np.inf))
    return centroids


def proximity(distances: Array) -> Array:
    """CP = exp(-min_k d_k): (n,) from (n, K); 0 if there is no cluster to be near to."""
    nearest: Array = np.min(distances, axis=1, initial=np.inf)
    return np.exp(-nearest)


def power_proximity(distances: Array, t: float = 0.05) -> Array:
    """CP_t = (mean_k a_k^(1/t))^t with a_k = exp(-d_k), the smooth form of CP: (n,) from (n, K), K >= 1.

    K^-t CP <= CP_t <= CP, and it never exceeds 1, as a plain log-sum-exp can.
    """
    nearest = distances.min(axis=1)
    # Relative to the nearest topic, so that exp(-d/t) does not underflow for small t.
    shares = np.exp((nearest[:, None] - distances) / t).mean(axis=1)
    smooth: Array = np.exp(-nearest) * shares**t
    return smooth
