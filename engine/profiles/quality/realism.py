"""How easily captions and real prompts are told apart: a classifier of word 1- and 2-grams, cross-validated."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit
from scipy.stats import rankdata

from engine.metrics.memory import Array
from engine.records import Profile
from engine.tokens import tokens

FOLDS = 5
MOST = 3000
"""Texts of each side."""
_LEAST_COUNT = 3
_PENALTY = 1.0
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Realism:
    """AUC in [0, 1] (.5: cannot be told apart), texts of each side, and the strongest features of both."""

    auc: float
    texts: int
    of_captions: tuple[str, ...]
    of_prompts: tuple[str, ...]


def realism(people: Sequence[Profile], prompts: Sequence[str]) -> Realism | None:
    """Logistic regression on word 1-2-grams, as many captions as prompts; all captions of a person are in one fold.

    AUC is over the held-out texts of five folds, the features those of a fit to everything. None with fewer than 50 texts of either side.
    """
    captions = [(f"{person.id}", caption.text) for person in people for caption in person.captions]
    real = [(text, text) for text in dict.fromkeys(prompts)]
    count = min(len(captions), len(real), MOST)
    if count < 50:
        return None
    chosen = [*_drawn(captions, count), *_drawn(real, count)]
    grams = [_grams(text) for _, text in chosen]
    vocabulary = sorted(gram for gram, texts in Counter(gram for own in grams for gram in own).items() if texts >= _LEAST_COUNT)
    features = _matrix(grams, vocabulary)
    made_up = np.repeat([1.0, 0.0], count)
    folds = np.array([_digest(group)[0] % FOLDS for group, _ in chosen])
    scores = np.zeros(len(chosen))
    for fold in range(FOLDS):
        held_out = folds == fold
        weights = _fit(features[~held_out], made_up[~held_out])
        scores[held_out] = features[held_out] @ weights[:-1] + weights[-1]
    strength = _fit(features, made_up)[:-1]
    order = np.argsort(strength, kind="stable")
    return Realism(
        _auc(scores, made_up > 0), count, tuple(vocabulary[i] for i in order[::-1][:_SHOWN]), tuple(vocabulary[i] for i in order[:_SHOWN])
    )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _drawn(texts: Sequence[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    return sorted(texts, key=lambda pair: _digest("\n".join(pair)))[:count]


def _grams(text: str) -> list[str]:
    words = tokens(text)
    return list(dict.fromkeys([*words, *(f"{one} {other}" for one, other in pairwise(words))]))


def _matrix(grams: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> csr_array:
    """(texts, vocabulary): which n-grams a text holds, rows of length 1, so that length alone tells nothing."""
    column = {gram: index for index, gram in enumerate(vocabulary)}
    rows = [[column[gram] for gram in own if gram in column] for own in grams]
    values = np.concatenate([np.full(len(row), 1 / np.sqrt(max(len(row), 1))) for row in rows])
    ends = np.cumsum([0, *map(len, rows)])
    return csr_array((values, np.array([index for row in rows for index in row], dtype=np.int32), ends), shape=(len(rows), len(vocabulary)))


def _fit(features: csr_array, labels: Array) -> Array:
    """Weights and intercept, (vocabulary + 1,), with an L2 penalty on the weights."""

    def loss(weights: Array) -> tuple[float, Array]:
        margins = features @ weights[:-1] + weights[-1]
        errors = expit(margins) - labels
        gradient = np.append(features.T @ errors + _PENALTY * weights[:-1], errors.sum())
        value = np.logaddexp(0, margins).sum() - labels @ margins + _PENALTY / 2 * weights[:-1] @ weights[:-1]
        return float(value), gradient

    fitted: Array = minimize(loss, np.zeros(features.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return fitted


def _auc(scores: Array, positive: NDArray[np.bool_]) -> float:
    ranks = rankdata(scores)
    ones = int(positive.sum())
    zeros = len(scores) - ones
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * zeros))
