"""How alike captions are, of one person and of different ones, from unit embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.metrics.ceiling import leave_one_out_fidelity
from engine.metrics.memory import Array
from engine.metrics.novelty import CaptionGrams
from engine.profiles.quality.bands import Figure
from engine.profiles.quality.groups import Groups


def likeness_figures(groups: Groups) -> dict[str, Figure]:
    """Mean cosine between people of different clusters and within people, and the largest of two captions of one person."""
    between = _between(groups)
    grams = [rows @ rows.T for rows in groups.rows]
    means = [(gram.sum() - np.trace(gram)) / (len(gram) * (len(gram) - 1)) for gram in grams if len(gram) > 1]
    within = float(np.mean(means)) if means else float("nan")
    pairs = sorted(
        (_largest_pair(gram, who, texts) for gram, who, texts in zip(grams, groups.names, groups.texts, strict=True)), reverse=True
    )
    pairs = [pair for pair in pairs if pair[1]]
    return {
        "between_cosine": Figure(between, note="there is one cluster of people only" if np.isnan(between) else ""),
        "within_cosine": Figure(within),
        "within_above_between": Figure(within - between),
        "largest_own_pair": Figure(pairs[0][0] if pairs else float("nan"), tuple(f"{cosine:.3f} {text}" for cosine, text in pairs[:3])),
    }


def span_figures(groups: Groups) -> dict[str, Figure]:
    """Leave-one-out GS and NV, mean over captions, and the effective rank of C, mean over people, by two definitions."""
    several = [index for index, rows in enumerate(groups.rows) if len(rows) > 1]
    grams = [groups.rows[index] @ groups.rows[index].T for index in several]
    fidelity = [leave_one_out_fidelity(gram) for gram in grams]
    novelty = [_novelty(groups.texts[index]) for index in several]
    values = [np.clip(np.linalg.eigvalsh(gram), 0.0, None) for gram in grams]
    return {
        "loo_gs": Figure(_mean(fidelity)),
        "loo_nv": Figure(_mean(novelty)),
        "effective_rank": Figure(_mean([effective_rank(np.sqrt(each)) for each in values])),
        "effective_rank_eigenvalues": Figure(_mean([effective_rank(each) for each in values])),
    }


def _between(groups: Groups) -> float:
    """Mean cosine of all pairs from different clusters: sums of unit vectors give it without a loop over pairs."""
    sums: dict[str, tuple[Array, int]] = {}
    for cluster, rows in zip(groups.clusters, groups.rows, strict=True):
        total, count = sums.get(cluster, (np.zeros(rows.shape[1]), 0))
        sums[cluster] = total + rows.sum(axis=0), count + len(rows)
    vectors = np.array([total for total, _ in sums.values()])
    counts = np.array([count for _, count in sums.values()], dtype=np.float64)
    pairs = counts.sum() ** 2 - (counts**2).sum()
    if not pairs:
        return float("nan")
    everything = vectors.sum(axis=0)
    return float((everything @ everything - (vectors**2).sum()) / pairs)


def _largest_pair(gram: Array, who: str, texts: Sequence[str]) -> tuple[float, str]:
    upper = np.where(np.triu(np.ones(gram.shape, dtype=bool), 1), gram, -np.inf)
    i, j = np.unravel_index(int(upper.argmax()), upper.shape)
    return float(upper[i, j]), f"{who}: {texts[int(i)]!r} and {texts[int(j)]!r}"


def _novelty(texts: Sequence[str]) -> Array:
    grams = CaptionGrams(texts)
    return np.array([grams.leave_one_out(index).nv for index, words in enumerate(grams.words) if words])


def effective_rank(spectrum: Array) -> float:
    """exp of the entropy of a spectrum's shares; of singular values it is the effective rank of Roy and Vetterli (2007)."""
    shares = spectrum / max(float(spectrum.sum()), 1e-300)
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _mean(parts: Sequence[Any]) -> float:
    return float(np.concatenate([np.atleast_1d(part) for part in parts]).mean()) if parts else float("nan")
