"""The VPTT definition: every choice that moves a number, and the id that pins them all."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Literal, get_args

from engine.errors import ConfigError
from engine.keys import Json, content_key
from engine.tokens import TOKEN_RULE

CpKind = Literal["cp-unit", "cp-literal"]

CLUSTER_RULE = "farthest-first-lloyd-1"
"""K = min(8, distinct captions, max(1, round(sqrt(m/2)))); see `engine.metrics.clusters`."""

VERSION = "vptt-1"
"""Raised whenever code changes a score for the same definition."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of V; V-c always weighs PA, GS and CP by a third each (METRICS, V)."""

    pa: float = 0.20
    gs: float = 0.30
    cp: float = 0.30
    nv: float = 0.20

    def __post_init__(self) -> None:
        values = (self.pa, self.gs, self.cp, self.nv)
        if not all(math.isfinite(value) and value >= 0 for value in values) or abs(sum(values) - 1) > 1e-9:
            raise ConfigError(f"The weights {values} of the VPTT score are not shares of one.", remedy="Use weights >= 0 that sum to 1.")


@dataclass(frozen=True, slots=True)
class VpttDefinition:
    """What a VPTT score means. Two scores are comparable only if the `id` of their definitions is equal (METRICS).

    Args:
        encoder: the sentence encoder's id with its revision, such as "minilm-l6-v2@53aa5117".
        cp: which contextual proximity V uses; the other one is still computed and stands beside it.
        tolerance: directions of the captions with singular value <= tolerance x the largest do not count (METRICS, GS).
        zero_norm: a caption whose embedding is not longer than this has no direction and is dropped.

    Raises ConfigError for a rule that this code does not implement.
    """

    encoder: str
    cp: CpKind = "cp-unit"
    tolerance: float = 1e-3
    zero_norm: float = 1e-12
    clusters: str = CLUSTER_RULE
    max_clusters: int = 8
    max_rounds: int = 100
    token_rule: str = TOKEN_RULE
    ngram: int = 3
    weights: Weights = field(default_factory=Weights)
    version: str = VERSION

    def __post_init__(self) -> None:
        _only("encoder", bool(self.encoder.strip()), self.encoder, "an encoder id with its revision")
        _only("cp", self.cp in get_args(CpKind), self.cp, " or ".join(get_args(CpKind)))
        _only("clusters", self.clusters == CLUSTER_RULE, self.clusters, CLUSTER_RULE)
        _only("token_rule", self.token_rule == TOKEN_RULE, self.token_rule, TOKEN_RULE)
        _only("version", self.version == VERSION, self.version, VERSION)
        _only("tolerance", 0 < self.tolerance < 1, self.tolerance, "a number between 0 and 1")
        _only("zero_norm", 0 < self.zero_norm < 1, self.zero_norm, "a number between 0 and 1")
        for name in ("max_clusters", "max_rounds", "ngram"):
            _only(name, getattr(self, name) >= 1, getattr(self, name), "a whole number >= 1")

    def recipe(self) -> dict[str, Json]:
        """Every choice as JSON, for plans and for the hash in `id`."""
        return asdict(self)

    @property
    def id(self) -> str:
        """Readable and exact: version, encoder, CP kind, and 12 hex digits of the recipe's content key."""
        return f"{self.version}:{self.encoder}:{self.cp}:{content_key(self.recipe())[:12]}"

    def differences(self, other: VpttDefinition) -> dict[str, tuple[Json, Json]]:
        """The choices in which two definitions differ, name -> (this, other); empty if their scores are comparable."""
        mine, theirs = self.recipe(), other.recipe()
        return {name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]}


def _only(name: str, accepted: bool, value: object, expected: str) -> None:
    if not accepted:
        raise ConfigError(f"The VPTT definition's {name} is {value!r}.", remedy=f"Use {expected}.")
