"""The temperature that makes VPRAG's entropy step decide something with a given encoder.

tau = .1 belongs to the paper's encoder. The matched one was chosen once, on 200 built people that no experiment uses, so that the median
effective sample size of narrow queries is 4 (METRICS, VPRAG). `python benchmarks/tau.py` finds it for any encoder.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.errors import ConfigError

MEDIAN_N_EFF = 4.0

MATCHED_TAU: Mapping[str, float] = MappingProxyType({"minilm-l6-v2": 0.0231, "tiny-trigrams": 0.0235, "wordllama-l2-256": 0.0201})
"""By the encoder's name, without its revision."""


def matched_tau(encoder: str) -> float:
    """The matched temperature of an encoder's id. Raises ConfigError if none is known."""
    name = encoder.partition("@")[0]
    if name in MATCHED_TAU:
        return MATCHED_TAU[name]
    raise ConfigError(
        f"retrieval.matched_tau: no temperature is known that matches the encoder {name}.",
        remedy="Find it with `python benchmarks/tau.py --encoder NAME` and set retrieval.matched_tau, or leave out vprag-matched.",
    )
