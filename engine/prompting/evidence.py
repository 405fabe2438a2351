"""What VPRAG retrieved for one query and why: posts, weights, quotas, elements. Every VPRAG prompt keeps it (VPTT: white-box)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class RetrievedElement:
    """One retrieved element, the post (caption index) that gave it, and its cosine with the query."""

    category: str
    text: str
    post: int
    cosine: float


@dataclass(frozen=True, slots=True)
class CategoryEvidence:
    """One category: its score (mean of its top-Q cosines) and the quota of each selected post, aligned with `Evidence.posts`."""

    category: str
    score: float
    quotas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one retrieval.

    `posts` are caption indices, heaviest first, and `weights` their softmax weights among *all* captions, so they sum to less than 1.
    `entropy` is in nats, `n_eff` = e^entropy, `k` = number of selected posts, `cap_binds` whether 2Q cut n_eff. `categories` and
    `elements` are ranked best first; `over_asks` counts what the paper's quota asked for in vain (0 with ours).
    """

    posts: tuple[int, ...]
    weights: tuple[float, ...]
    entropy: float
    n_eff: float
    k: int
    cap_binds: bool
    categories: tuple[CategoryEvidence, ...]
    elements: tuple[RetrievedElement, ...]
    over_asks: int

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and strings: canonical JSON and a row of `EVIDENCE_SCHEMA` alike."""
        row = asdict(self)
        row["posts"], row["weights"] = list(self.posts), list(self.weights)
        row["categories"] = [{**asdict(category), "quotas": list(category.quotas)} for category in self.categories]
        row["elements"] = [asdict(element) for element in self.elements]
        return row

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Evidence:
        """The evidence that `to_json` wrote, also after a round trip through JSON or Arrow."""
        return cls(
            posts=tuple(row["posts"]),
            weights=tuple(row["weights"]),
            entropy=row["entropy"],
            n_eff=row["n_eff"],
            k=row["k"],
            cap_binds=row["cap_binds"],
            categories=tuple(CategoryEvidence(each["category"], each["score"], tuple(each["quotas"])) for each in row["categories"]),
            elements=tuple(RetrievedElement(**each) for each in row["elements"]),
            over_asks=row["over_asks"],
        )


EVIDENCE_SCHEMA = pa.struct(
    [
        ("posts", pa.list_(pa.int32())),
        ("weights", pa.list_(pa.float64())),
        ("entropy", pa.float64()),
        ("n_eff", pa.float64()),
        ("k", pa.int32()),
        ("cap_binds", pa.bool_()),
        ("categories", pa.list_(pa.struct([("category", pa.string()), ("score", pa.float64()), ("quotas", pa.list_(pa.int32()))]))),
        (
            "elements",
            pa.list_(pa.struct([("category", pa.string()), ("text", pa.string()), ("post", pa.int32()), ("cosine", pa.float64())])),
        ),
        ("over_asks", pa.int32()),
    ]
)
"""The Arrow type of one Evidence, for a nullable column (baseline and BRAG have none)."""
