"""The VPTT score as an objective: J = l1 Align + l2 Fidelity + l3 Novelty."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.errors import ConfigError
from engine.metrics.definition import CpKind
from engine.metrics.vptt import VpttScore

V_LAMBDAS = (0.2, 0.6, 0.2)
"""With these J is V exactly."""


@dataclass(frozen=True, slots=True)
class Objective:
    """The three parts: Align = PA, Fidelity = (GS + CP)/2, Novelty = NV (METRICS, V)."""

    align: float
    fidelity: float
    novelty: float

    def value(self, lambdas: tuple[float, float, float] = V_LAMBDAS) -> float:
        """J for weights >= 0 that sum to 1; ConfigError for others."""
        if not all(math.isfinite(weight) and weight >= 0 for weight in lambdas) or abs(sum(lambdas) - 1) > 1e-9:
            raise ConfigError(f"The objective's weights {lambdas} are not shares of one.", remedy="Use three weights >= 0 that sum to 1.")
        return lambdas[0] * self.align + lambdas[1] * self.fidelity + lambdas[2] * self.novelty


def objective(score: VpttScore, cp: CpKind = "cp-unit") -> Objective:
    """A score's three parts, with the CP that the definition calls its headline."""
    proximity = score.cp_unit if cp == "cp-unit" else score.cp_literal
    return Objective(align=score.pa, fidelity=(score.gs + proximity) / 2, novelty=score.nv)
