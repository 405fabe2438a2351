"""VPRAG's hierarchical retrieval: posts by tempered softmax, quotas by category, elements by cosine. Pure numpy, float64.

    s_i = cos(query, caption_i)   w = softmax(s / tau)   n_eff = e^H(w)   K = min(floor(n_eff + 1e-9), 2Q)
    category score = mean of its top-Q cosines(query, element) over the selected posts
    within post i of a category: the top q_i elements by cosine

Source: METRICS, VPRAG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor, fsum, isfinite, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import ConfigError, InputError
from engine.keys import Json
from engine.prompting.evidence import CategoryEvidence, Evidence, RetrievedElement
from engine.prompting.phrases import normalised
from engine.prompting.quota import quota, quota_paper
from engine.records import CATEGORIES, Profile

__all__ = ["Evidence", "RetrievalSettings", "RetrievedElement", "distinct_elements", "retrieve"]

VERSION = "vprag-1"
NEGLIGIBLE_NORM = 1e-12
"""A caption whose vector is shorter has no direction: it gets weight 0 (METRICS, notation)."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """Q elements per category, the softmax temperature, the quota rule, and at most `total` elements in all (None: no limit).

    Raises ConfigError for a negative Q or total, a tau that is not positive and finite, an unknown quota rule.
    """

    q: int = 3
    tau: float = 0.1
    quota: Literal["ours", "paper"] = "ours"
    total: int | None = None

    def __post_init__(self) -> None:
        if self.q < 0:
            raise ConfigError(f"retrieval: Q is {self.q}.", remedy="Use 0 or more elements per category.")
        if not (isfinite(self.tau) and self.tau > 0):
            raise ConfigError(f"retrieval: tau is {self.tau}.", remedy="Use a positive temperature, such as 0.1.")
        if self.quota not in ("ours", "paper"):
            raise ConfigError(f"retrieval: there is no quota rule {self.quota!r}.", remedy="Use ours or paper.")
        if self.total is not None and self.total < 0:
            raise ConfigError(f"retrieval: total is {self.total}.", remedy="Use 0 or more elements in all, or leave it out.")

    def recipe(self) -> dict[str, Json]:
        """Everything that changes what is retrieved, for a fingerprint."""
        return {"rule": VERSION, "q": self.q, "tau": float(self.tau), "quota": self.quota, "total": self.total}


@dataclass(slots=True)
class _Candidate:
    post: int
    text: str
    normal: str
    cosine: float


def cosines(query_vector: Vector, rows: Vector) -> Vector:
    """Cosine of the query (d,) with each row (n, d), shape (n,); 0 where either has no direction.

    Each row is summed by itself, so equal rows give equal cosines whatever their place: ties stay ties.
    """
    norms = np.sqrt((rows * rows).sum(axis=1))
    norm = float(np.sqrt((query_vector * query_vector).sum()))
    if norm <= NEGLIGIBLE_NORM:
        return np.zeros(len(rows))
    dots = (rows * (query_vector / norm)).sum(axis=1)
    result: Vector = np.where(norms > NEGLIGIBLE_NORM, dots / np.maximum(norms, NEGLIGIBLE_NORM), 0.0)
    return result


def softmax_weights(similarities: Vector, tau: float) -> Vector:
    """w = softmax(s / tau), shape (m,), summing to 1; -inf gets weight 0. Source: METRICS, VPRAG."""
    if not len(similarities) or np.isneginf(similarities).all():
        return np.zeros(len(similarities))
    scaled = np.exp((similarities - similarities.max()) / tau)
    weights: Vector = scaled / scaled.sum()
    return weights


def entropy(weights: Sequence[float] | Vector) -> float:
    """Entropy of the weights in nats, 0 ln 0 = 0."""
    return 0.0 - fsum(weight * log(weight) for weight in map(float, weights) if weight > 0)


def post_count(n_eff: float, q: int) -> int:
    """K = min(floor(n_eff + 1e-9), 2Q), at least 1, 0 if Q = 0 (without the 1e-9 three equal weights give 2). Source: METRICS, VPRAG."""
    return 0 if q == 0 else max(1, min(floor(n_eff + 1e-9), 2 * q))


def cap_binds(n_eff: float, q: int) -> bool:
    """Whether 2Q, not the effective sample size, decided the number of posts."""
    return floor(n_eff + 1e-9) > 2 * q


def top_posts(weights: Vector, k: int) -> tuple[int, ...]:
    """Indices of the k largest weights, heaviest first, ties by lower index."""
    return tuple(int(i) for i in np.argsort(-weights, kind="stable")[:k])


def distinct_elements(profile: Profile) -> tuple[str, ...]:
    """The element texts that the captions use, each once, in order of first occurrence: the rows of the element matrix."""
    return tuple(dict.fromkeys(element.text for caption in profile.captions for element in caption.elements))


def retrieve(
    profile: Profile, query_vector: Vector, caption_vectors: Vector, element_vectors: Vector, settings: RetrievalSettings
) -> Evidence:
    """What VPRAG retrieves for one query, with its evidence.

    `query_vector` (d,), `caption_vectors` (m, d) in the order of `profile.captions`, `element_vectors` (e, d) in that of
    `distinct_elements(profile)`. Without captions, or with Q = 0, nothing is retrieved; a query
    without direction weighs all posts alike.
    Raises ValueError for shapes that do not fit, InputError (`non-finite-vector`) for NaN or infinity. Source: METRICS, VPRAG.
    """
    texts = distinct_elements(profile)
    query, captions, elements = _checked(profile, texts, query_vector, caption_vectors, element_vectors)
    similarities = cosines(query, captions)
    similarities[(captions * captions).sum(axis=1) <= NEGLIGIBLE_NORM**2] = -np.inf
    weights = softmax_weights(similarities, settings.tau)
    if not weights.any():
        return Evidence((), (), 0.0, 0.0, 0, False, (), (), 0)
    information = entropy(weights)
    n_eff = exp(information)
    k = post_count(n_eff, settings.q)
    posts = top_posts(weights, k)
    candidates = _candidates(profile, posts, dict(zip(texts, cosines(query, elements).tolist(), strict=True)))
    ranked = rank_categories({name: _distinct_cosines(by_post) for name, by_post in candidates.items()}, settings.q)
    post_weights = tuple(float(weights[post]) for post in posts)
    categories, chosen, over_asks = _choose(ranked, candidates, post_weights, settings)
    return Evidence(
        posts, post_weights, information, n_eff, k, cap_binds(n_eff, settings.q), categories, chosen[: settings.total], over_asks
    )


def rank_categories(cosines_of: Mapping[str, Sequence[float]], q: int) -> list[tuple[str, float]]:
    """Categories with their scores, best first: the mean of the top-Q cosines (ties in the order of CATEGORIES, then by name)."""
    scored = []
    for name, values in cosines_of.items():
        top = sorted(values, reverse=True)[:q]
        if top:
            scored.append((name, fsum(top) / len(top)))
    place = {name: i for i, name in enumerate(CATEGORIES)}
    return sorted(scored, key=lambda each: (-each[1], place.get(each[0], len(place)), each[0]))


def _checked(
    profile: Profile, texts: Sequence[str], query_vector: Vector, caption_vectors: Vector, element_vectors: Vector
) -> tuple[Vector, Vector, Vector]:
    query = np.asarray(query_vector, dtype=np.float64)
    dimension = query.shape[0] if query.ndim == 1 else -1
    captions, elements = (np.asarray(rows, dtype=np.float64) for rows in (caption_vectors, element_vectors))
    if captions.shape != (len(profile.captions), dimension) or elements.shape != (len(texts), dimension):
        raise ValueError(
            f"profile {profile.id!r}: query {query.shape}, captions {captions.shape} for {len(profile.captions)}, "
            f"elements {elements.shape} for {len(texts)}"
        )
    for name, array in (("query", query), ("caption", captions), ("element", elements)):
        if not np.isfinite(array).all():
            raise InputError(
                f"a {name} vector of profile {profile.id!r} holds NaN or infinity.",
                remedy="Encode the profile again.",
                code="non-finite-vector",
            )
    return query, captions, elements


def _candidates(profile: Profile, posts: Sequence[int], cosine_of: Mapping[str, float]) -> dict[str, list[list[_Candidate]]]:
    """By category and selected post: the post's distinct elements, best cosine first, ties in the post's own order."""
    found: dict[str, list[list[_Candidate]]] = {}
    for place, post in enumerate(posts):
        seen: set[tuple[str, str]] = set()
        for element in profile.captions[post].elements:
            normal = normalised(element.text)
            if normal and (element.category, normal) not in seen:
                seen.add((element.category, normal))
                by_post = found.setdefault(element.category, [[] for _ in posts])
                by_post[place].append(_Candidate(post, element.text, normal, cosine_of[element.text]))
    for by_post in found.values():
        for candidates in by_post:
            candidates.sort(key=lambda each: -each.cosine)
    return found


def _distinct_cosines(by_post: Sequence[Sequence[_Candidate]]) -> list[float]:
    best: dict[str, float] = {}
    for candidates in by_post:
        for each in candidates:
            best[each.normal] = max(each.cosine, best.get(each.normal, each.cosine))
    return list(best.values())


def _choose(
    ranked: Sequence[tuple[str, float]],
    candidates: Mapping[str, Sequence[Sequence[_Candidate]]],
    weights: Sequence[float],
    settings: RetrievalSettings,
) -> tuple[tuple[CategoryEvidence, ...], tuple[RetrievedElement, ...], int]:
    """Quotas and elements of each category, in rank order; no text is chosen twice, also not by two categories."""
    categories, chosen, over_asks = [], [], 0
    seen: set[str] = set()
    for name, score in ranked:
        counts = [len(each) for each in candidates[name]]
        if settings.quota == "ours":
            quotas = quota(weights, counts, settings.q)
        else:
            quotas, over = quota_paper(weights, counts, settings.q)
            over_asks += over
        categories.append(CategoryEvidence(name, score, quotas))
        chosen += [RetrievedElement(name, each.text, each.post, each.cosine) for each in _take(candidates[name], quotas, seen)]
    return tuple(categories), tuple(chosen), over_asks


def _take(by_post: Sequence[Sequence[_Candidate]], quotas: Sequence[int], seen: set[str]) -> list[_Candidate]:
    """The top q_i of each post in weight order, passing over texts already seen; a post that runs dry is refilled from the others' next."""
    taken: list[_Candidate] = []
    spare: list[_Candidate] = []
    for candidates, wanted in zip(by_post, quotas, strict=True):
        for each in candidates:
            if wanted and each.normal not in seen:
                seen.add(each.normal)
                taken.append(each)
                wanted -= 1
            else:
                spare.append(each)
    # A stable sort: equal cosines stay in the order of post weight, then of the post's elements.
    for each in sorted(spare, key=lambda spared: -spared.cosine):
        if len(taken) == sum(quotas):
            break
        if each.normal not in seen:
            seen.add(each.normal)
            taken.append(each)
    return taken
