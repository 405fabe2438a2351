"""What a reader must know before a rating is believed, as typed values and in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.statistics.estimates import FEW_CLUSTERS, FEWEST_CLUSTERS


class Kind(StrEnum):
    """What is wrong."""

    UNDEFEATED = "undefeated"
    WINLESS = "winless"
    DISCONNECTED = "disconnected"
    SEPARATED = "separated"
    UNIDENTIFIED = "unidentified"
    ONE_SIDED = "one-sided"
    NO_VERDICT = "no-verdict"
    NOT_COMPARED = "not-compared"
    RESAMPLES_LOST = "resamples-lost"
    WITHHELD = "withheld"
    FEW_CLUSTERS = "few-clusters"


_WORDS = {
    Kind.UNDEFEATED: "{names} never lost or tied: the strength has no upper bound, the rating shown is held by a ridge",
    Kind.WINLESS: "{names} never won or tied: the strength has no lower bound, the rating shown is held by a ridge",
    Kind.DISCONNECTED: "no chain of verdicts leads there and back between these groups: {names}; how far they lie apart is held by a ridge",
    Kind.SEPARATED: "the verdicts put no bound on the strengths: the ratings shown are held by a ridge",
    Kind.UNIDENTIFIED: "the orders shown cannot tell strength from position: the ratings shown are held by a ridge",
    Kind.ONE_SIDED: "never preferred one of the two sides, so left out of the ratings over all judges: {names}",
    Kind.NO_VERDICT: "gave no verdict: {names}",
    Kind.NOT_COMPARED: "no verdict is about {names}",
    Kind.RESAMPLES_LOST: "{share:.2%} of the resamples have no finite rating",
    Kind.WITHHELD: "no interval is given: {share:.1%} of the resamples have no finite rating",
    Kind.FEW_CLUSTERS: f"{{number}} people: intervals are bootstrap-t under {FEW_CLUSTERS}, and none is given under {FEWEST_CLUSTERS}",
}


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing to know: whom it concerns, which share of the resamples, or how many clusters."""

    kind: Kind
    names: tuple[str, ...] = ()
    share: float = 0.0
    number: int = 0

    def __str__(self) -> str:
        return _WORDS[self.kind].format(names=", ".join(self.names), share=self.share, number=self.number)
