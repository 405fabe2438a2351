"""The VPTT score as a short numpy script, written from METRICS alone: prompt by prompt, vectors in full, one decomposition at a time.

It shares the token rule with mien and nothing else, so it is both what `score.py` measures against and a second opinion on every
figure. Clustering works on the embeddings themselves, GS on an SVD, novelty on plain sets.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np

from engine.tokens import tokens

TIE = 1e-12
FIGURES = (
    *("pa", "gs", "cp_literal", "cp_unit", "nv", "nv_union", "v", "v_u", "v_c", "v_literal", "v_c_literal"),
    *("pa_mean_caption", "v_mean_caption", "v_c_mean_caption"),
)


def normalised(captions, vectors):
    """Unit captions in order of the sha256 of their text, with those texts; rows without length are dropped."""
    pairs = []
    for text, vector in zip(captions, vectors, strict=True):
        vector = np.asarray(vector, dtype=np.float64)
        norm = np.linalg.norm(vector)
        if norm > 1e-12:
            pairs.append((hashlib.sha256(text.encode()).hexdigest(), text, vector / norm))
    pairs.sort(key=lambda pair: pair[0])
    return np.array([vector for _, _, vector in pairs]), [text for _, text, _ in pairs]


def basis_of(units):
    """Orthonormal rows that span the captions: right singular vectors above 1e-3 of the largest singular value."""
    _, lengths, rows = np.linalg.svd(units, full_matrices=False)
    return rows[lengths > 1e-3 * lengths[0]]


def first_least(values):
    return int(np.flatnonzero(values <= values.min() + TIE)[0])


def clusters_of(units, texts):
    """The members of each topic cluster, as lists of row numbers."""
    count = min(8, len(set(texts)), max(1, round(math.sqrt(len(units) / 2))))
    starts = [first_least(((units - units.mean(axis=0)) ** 2).sum(axis=1))]
    nearest = np.full(len(units), np.inf)
    while len(starts) < count:
        nearest = np.minimum(nearest, ((units - units[starts[-1]]) ** 2).sum(axis=1))
        farthest = first_least(-nearest)
        if nearest[farthest] <= TIE:
            break
        starts.append(farthest)
    centres = units[starts]
    labels = None
    for _ in range(100):
        distances = ((units[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        assigned = np.array([first_least(row) for row in distances])
        for k in range(len(centres)):
            if not (assigned == k).any():
                own = distances[np.arange(len(units)), assigned]
                shared = np.bincount(assigned, minlength=len(centres))[assigned] > 1
                assigned[first_least(np.where(shared, -own, np.inf))] = k
        if labels is not None and (assigned == labels).all():
            break
        labels = assigned
        centres = np.array([units[labels == k].mean(axis=0) for k in range(len(centres))])
    return [np.flatnonzero(labels == k) for k in range(len(centres))]


def ngram_set(words, n):
    return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}


def combined(pa, pa_mean, gs, cp_literal, cp_unit, nv, nv_union):
    def v(cp, novelty, pa=pa):
        return 0.2 * pa + 0.3 * gs + 0.3 * cp + 0.2 * novelty

    return (
        *(pa, gs, cp_literal, cp_unit, nv, nv_union, v(cp_unit, nv), v(cp_unit, nv_union)),
        *((pa + gs + cp_unit) / 3, v(cp_literal, nv), (pa + gs + cp_literal) / 3),
        *(pa_mean, v(cp_unit, nv, pa_mean), (pa_mean + gs + cp_unit) / 3),
    )


def embedding_parts(vector, reference, units, basis, members):
    """PA against the reference and the mean caption, GS, cp-literal and cp-unit of one prompt."""
    u = np.asarray(vector, dtype=np.float64)
    u = u / np.linalg.norm(u)
    mean_caption = units.mean(axis=0)
    reference = mean_caption if reference is None else np.asarray(reference, dtype=np.float64)
    pa, pa_mean = (float(u @ towards / np.linalg.norm(towards)) for towards in (reference, mean_caption))
    y = basis @ u
    literal, unit = [], []
    for rows in members:
        mean = units[rows].mean(axis=0)
        literal.append(float(((y - basis @ mean) ** 2).sum()))
        unit.append(2 - 2 * float(u @ mean) / float(np.linalg.norm(mean)))
    return pa, pa_mean, float(np.linalg.norm(y)), math.exp(-min(literal)), math.exp(-min(unit))


def score_fresh(prompt, vector, captions, vectors, reference):
    """One prompt's figures with everything done anew: what a per-prompt scoring function does."""
    units, texts = normalised(captions, vectors)
    parts = embedding_parts(vector, reference, units, basis_of(units), clusters_of(units, texts))
    words = tokens(prompt)
    n = min(3, len(words))
    wanted = ngram_set(words, n)
    held = [ngram_set(tokens(caption), n) for caption in captions]
    nv = 1 - max(len(wanted & grams) for grams in held) / len(wanted)
    nv_union = 1 - len(wanted & set().union(*held)) / len(wanted)
    return combined(*parts, nv, nv_union)


class CachedPerson:
    """The same, with a person's decomposition, clusters and n-gram sets kept; prompts still come one by one."""

    def __init__(self, captions, vectors, reference):
        self.units, texts = normalised(captions, vectors)
        self.basis = basis_of(self.units)
        self.members = clusters_of(self.units, texts)
        self.words = [tokens(caption) for caption in captions]
        self.reference = reference
        self.held = {}

    def score(self, prompt, vector):
        parts = embedding_parts(vector, self.reference, self.units, self.basis, self.members)
        words = tokens(prompt)
        n = min(3, len(words))
        wanted = ngram_set(words, n)
        if n not in self.held:
            self.held[n] = [ngram_set(caption, n) for caption in self.words]
        held = self.held[n]
        nv = 1 - max(len(wanted & grams) for grams in held) / len(wanted)
        nv_union = 1 - len(wanted & set().union(*held)) / len(wanted)
        return combined(*parts, nv, nv_union)
