"""What happens to one run: a pure function of a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What can happen."""

    KILL_NODE = "kill a node"
    KILL_WORKER = "kill a worker"
    KILL_DRIVER = "kill the driver"
    STOP_S3 = "kill the S3 server"
    DRAIN_NODE = "drain a node"
    KILL_WORKERS = "kill all workers"


KINDS = tuple(Kind)
LATE = (Kind.KILL_WORKERS, Kind.KILL_DRIVER)
"""Those of which the commits under way arrive when the work has been done again."""

LASTING = {
    Kind.STOP_S3: ("down for", 0.3, 1.0),
    Kind.DRAIN_NODE: ("gone after", 0.3, 1.5),
    **dict.fromkeys(LATE, ("commits under way arrive after", 3.0, 7.0)),
}
"""What lasts for how many seconds."""

FAULTS = ("slowdown", "conflict", "internal", "reset-before", "reset-after", "slow", "truncated")
RATES = (0.0, 0.01, 0.03, 0.06)
"""Share of requests that the proxy between clients and server spoils, spread evenly over FAULTS."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happens once the share `at` of all result files is committed; `pick` chooses among the nodes there are then."""

    kind: Kind
    at: float
    pick: int
    seconds: float = 0.0

    def describe(self) -> str:
        """In words."""
        lasting = f" ({LASTING[self.kind][0]} {self.seconds:.1f} s)" if self.kind in LASTING else ""
        return f"{self.kind}{lasting} at {self.at:.0%}"


@dataclass(frozen=True, slots=True)
class Schedule:
    """The events of one run, in order, the share of its S3 requests that go wrong, and what it runs."""

    seed: int
    events: tuple[Event, ...]
    fault_rate: float
    random_outputs: bool = False
    """Whether the run is the chain with random outputs (STORAGE, what must be shown) instead of the evaluation."""

    @property
    def rates(self) -> dict[str, float]:
        """Fault -> probability, for the proxy."""
        return {fault: self.fault_rate / len(FAULTS) for fault in FAULTS} if self.fault_rate else {}

    def describe(self) -> str:
        """One line."""
        what = "random outputs" if self.random_outputs else "evaluation"
        events = ", ".join(event.describe() for event in self.events) or "nothing"
        return f"seed {self.seed}, {what}: {events}; {self.fault_rate:.0%} of S3 requests spoiled"


def schedule(seed: int) -> Schedule:
    """The schedule of a seed.

    Six seeds in a row hold every kind, with fault rates of all sizes; of twenty in a row four have random outputs, with late commits each.
    """
    rng = random.Random(f"schedule-{seed}")
    random_outputs = seed % 5 == 1
    kinds = [
        *([LATE[seed // 5 % 2]] if random_outputs else []),
        KINDS[seed % len(KINDS)],
        *rng.choices(KINDS, k=rng.choice([0, 0, 1] if random_outputs else [0, 1, 1, 2])),
    ]
    rng.shuffle(kinds)
    earliest = 0.4 if random_outputs else 0.02  # its driver stores a third of the results itself
    shares = sorted(rng.uniform(earliest, 0.9) for _ in kinds)
    events = tuple(_event(kind, share, rng) for kind, share in zip(kinds, shares, strict=True))
    return Schedule(seed, events, RATES[seed % len(RATES)], random_outputs)


def _event(kind: Kind, share: float, rng: random.Random) -> Event:
    seconds = rng.uniform(*LASTING[kind][1:]) if kind in LASTING else 0.0
    return Event(kind, round(share, 2), rng.randrange(1000), round(seconds, 1))


def seeds(text: str) -> range:
    """Of "a..b", b included, or "a". Raises ValueError."""
    first, _, last = text.partition("..")
    return range(int(first), int(last or first) + 1)
