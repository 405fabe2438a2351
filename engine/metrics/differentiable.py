"""The differentiable VPTT score: V and V-c with gradients in the prompt's embedding (METRICS, "The differentiable score").

PA and GS are those of `engine.metrics.vptt`; CP is its power mean CP_t, K^-t CP <= CP_t <= CP, so a score here is a lower bound of the
exact one and has an id of its own. The person (basis, centroids, reference) is constant, and so is NV, which words decide and no
embedding: it shifts V and has no gradient. The one module of the engine that needs torch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.errors import ConfigError, InputError
from engine.keys import Json
from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import unit_rows
from engine.metrics.person import Person

VERSION = "differentiable-1"
"""Raised whenever code changes a differentiable score for the same definition."""

SMALLEST_T = 1e-9
ROUNDING = 1e-14
"""A prompt with a shorter projection onto the captions' span is orthogonal to it: what is left is rounding error and points nowhere."""


@dataclass(frozen=True, slots=True)
class DifferentiableDefinition:
    """What a differentiable score means: the exact score that it bounds from below, and how closely.

    Args:
        exact: every choice of the exact score, with the CP that is smoothed.
        t: the power mean's temperature, 1e-9 to 1; the smaller, the closer to CP and the more a single topic decides the gradient.

    Raises ConfigError for another t.
    """

    exact: VpttDefinition
    t: float = 0.05

    def __post_init__(self) -> None:
        if not SMALLEST_T <= self.t <= 1:  # NaN is neither
            raise ConfigError(f"The differentiable score's t is {self.t!r}.", remedy=f"Use a number from {SMALLEST_T} to 1.")

    @property
    def id(self) -> str:
        """The exact score's id, this rule's version and t: never equal to an exact score's id."""
        return f"{self.exact.id}:{VERSION}:t={float(self.t)!r}"

    def recipe(self) -> dict[str, Json]:
        """Every choice as JSON, for plans and fingerprints."""
        return {**self.exact.recipe(), "differentiable": VERSION, "t": float(self.t)}


class SmoothParts(NamedTuple):
    """PA, GS and CP_t of n prompts, each (n,) float64 on the graph of the embeddings."""

    pa: Tensor
    gs: Tensor
    cp: Tensor


class DifferentiableVptt:
    """The differentiable score of prompts against one prepared person.

    Args:
        person: as `engine.metrics.person.prepare` makes it under `definition.exact`.
        definition: the score and its temperature.
        reference: (d,) what PA compares with instead of the person's own; need not be normalised. `pa_id` then says "given".

    Raises InputError, code "wrong-shape", "non-finite" or "no-reference", for a reference that is no direction of the person's space.
    """

    def __init__(self, person: Person, definition: DifferentiableDefinition, *, reference: NDArray[Any] | None = None) -> None:
        self.definition = definition
        self.dimension = person.memory.dimension
        self.pa_id = person.memory.pa_id if reference is None else "given"
        self._rank = person.rank
        self._reference = torch.from_numpy(person.reference if reference is None else self._direction(reference)).clone()
        # Coordinates in the basis and cosines with the topics of n prompts are one product with this matrix, (d, r + K).
        self._directions = torch.from_numpy(person.units.T @ person.combinations)
        self._centroids = torch.from_numpy(person.literal_centroids).clone()

    def parts(self, vectors: Tensor) -> SmoothParts:
        """PA, GS and CP_t of n prompt embeddings.

        A prompt no longer than the definition's `zero_norm` scores as the exact score has it, with gradient 0; where GS = 0 its own
        gradient is 0, a subgradient. Sums are in torch's order: equal to the exact score's to rounding, not bit for bit.

        Args:
            vectors: (n, d) float64, need not be normalised.

        Raises InputError, code "wrong-shape", "wrong-dtype" or "non-finite".
        """
        units = self._units(vectors)
        combined = units @ self._directions.to(vectors.device)
        y, cosines = combined[:, : self._rank], combined[:, self._rank :]
        if self.definition.exact.cp == "cp-unit":
            distances = 2 - 2 * cosines
        else:
            distances = (y[:, None, :] - self._centroids.to(vectors.device)).square().sum(dim=2)
        return SmoothParts(
            pa=units @ self._reference.to(vectors.device),
            gs=_fidelity(y),
            cp=power_proximity(distances, self.definition.t),
        )

    def v(self, vectors: Tensor, novelty: Tensor | NDArray[Any] | float) -> Tensor:
        """V_t of n prompts, (n,): the definition's weights with CP_t for CP.

        Args:
            vectors: as in `parts`.
            novelty: NV of each prompt's words, (n,) or one number for all, in [0, 1]; a constant.

        Raises InputError as `parts` does, and for a novelty of another shape (code "wrong-shape") or range (code "out-of-range").
        """
        nv = _novelty(novelty, vectors)
        pa, gs, cp = self.parts(vectors)
        weights = self.definition.exact.weights
        return weights.pa * pa + weights.gs * gs + weights.cp * cp + weights.nv * nv

    def v_c(self, vectors: Tensor) -> Tensor:
        """V-c_t = (PA + GS + CP_t)/3 of n prompts, (n,). Raises InputError as `parts` does."""
        pa, gs, cp = self.parts(vectors)
        return (pa + gs + cp) / 3

    def _direction(self, reference: NDArray[Any]) -> NDArray[np.float64]:
        if reference.shape != (self.dimension,):
            raise InputError(
                f"the reference has shape {reference.shape}, the captions' dimension is {self.dimension}",
                field="reference",
                remedy="Embed it with the encoder of the captions.",
                code="wrong-shape",
            )
        rows, nonzero, finite = unit_rows(reference[None], self.definition.exact.zero_norm)
        if not finite[0]:
            raise InputError("the reference holds NaN or infinity", field="reference", remedy="Embed it again.", code="non-finite")
        if not nonzero[0]:
            raise InputError("the reference has no direction", field="reference", remedy="Embed a text.", code="no-reference")
        direction: NDArray[np.float64] = rows[0]
        return direction

    def _units(self, vectors: Tensor) -> Tensor:
        """Rows of length 1, or 0 where they are too short; a root is never differentiated at 0."""
        if vectors.ndim != 2 or vectors.shape[1] != self.dimension:
            raise InputError(
                f"the prompts' embeddings have shape {tuple(vectors.shape)}, expected (prompts, {self.dimension})",
                field="vectors",
                remedy="Give one row a prompt, by the encoder of the captions.",
                code="wrong-shape",
            )
        if vectors.dtype != torch.float64:
            raise InputError(
                f"the prompts' embeddings are {vectors.dtype}", field="vectors", remedy="Call `.double()` on them.", code="wrong-dtype"
            )
        squares = vectors.square().sum(dim=1, keepdim=True)
        if not bool(torch.isfinite(squares).all()):
            raise InputError(
                "a prompt's embedding holds NaN, infinity or an overflowing length",
                field="vectors",
                remedy="Embed it again, or take smaller steps.",
                code="non-finite",
            )
        long = squares.detach().sqrt() > self.definition.exact.zero_norm
        return torch.where(long, vectors, 0.0) / torch.where(long, squares, 1.0).sqrt()


def power_proximity(distances: Tensor, t: float) -> Tensor:
    """CP_t = (mean_k a_k^(1/t))^t with a_k = exp(-d_k): (n,) from (n, K) (METRICS, CP); 0 without a topic.

    The same as `engine.metrics.cp.power_proximity`; its gradient shares CP_t among the topics by softmax(-d/t).
    """
    topics = distances.shape[1]
    if not topics:
        return distances.new_zeros(len(distances))
    return torch.exp(t * (torch.logsumexp(-distances / t, dim=1) - math.log(topics)))


def _fidelity(y: Tensor) -> Tensor:
    """GS = |P u| from coordinates (n, r): (n,), with gradient 0 where nothing of the prompt lies in the span."""
    squares = y.square().sum(dim=1).clamp(max=1.0)
    inside = squares.detach() > ROUNDING**2
    return torch.where(inside, torch.where(inside, squares, 1.0).sqrt(), 0.0)


def _novelty(novelty: Tensor | NDArray[Any] | float, vectors: Tensor) -> Tensor:
    nv = torch.as_tensor(novelty, dtype=torch.float64, device=vectors.device).detach()
    if nv.ndim and nv.shape != vectors.shape[:1]:
        raise InputError(
            f"novelty has shape {tuple(nv.shape)} for {len(vectors)} prompts",
            field="novelty",
            remedy="Give one NV a prompt, or one number for all.",
            code="wrong-shape",
        )
    if not bool(((nv >= 0) & (nv <= 1)).all()):  # NaN is neither
        raise InputError(
            "novelty lies outside [0, 1]", field="novelty", remedy="Give NV as `CaptionGrams.novelty` has it.", code="out-of-range"
        )
    return nv
