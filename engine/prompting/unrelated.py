"""Text about nobody's life, for the `noise` control: sentences of minutes, manuals and statutes, put together from parts.

Nothing in it can be seen or shared as a post; it is ours, and has no bearing on any person, place or picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

RULE = "unrelated-1"

_SUBJECTS = (
    "The subcommittee", "Each registered party", "The compiler", "Clause nine", "The auditor", "An invalid checksum",
    "The second amendment",
    "Every pending request", "The quarterly ledger", "The default value", "A majority of trustees", "The parser", "Section four",
    "The insurer", "The retry limit", "Any prior agreement", "The index", "The treasurer", "An unsigned integer", "The appendix",
    "The licensee", "The scheduler", "A revised estimate", "The arbitration panel", "The buffer", "The escrow account", "The footnote",
    "The null hypothesis", "The tax bracket", "The firmware",
)  # fmt: skip
_VERBS = (
    "supersedes", "validates", "defers to", "overrides", "does not alter", "enumerates", "reconciles", "truncates", "terminates", "amends",
    "inherits from", "is subject to", "postpones", "deduplicates", "approximates", "invalidates", "audits", "depends on", "waives",
    "recalculates", "precedes", "delegates to", "indemnifies", "serialises", "ratifies", "excludes", "annotates", "interpolates",
)  # fmt: skip
_OBJECTS = (
    "the preceding subsection", "a fixed-rate obligation", "the error log", "all outstanding minutes", "the stated tolerance",
    "the fiscal forecast", "an optional argument", "the statutory deadline", "the marginal rate", "the cached response",
    "the terms of reference", "an unused register", "the quorum requirement", "the liability cap", "a recursive definition",
    "the confidence level", "the depreciation schedule", "the return code", "a procedural objection", "the access policy",
    "the unit of measure", "the invoice number", "a deprecated interface", "the residual variance", "the notice period",
    "the data type", "the voting procedure", "the exchange rate", "the protocol header", "the reporting threshold",
)  # fmt: skip
_TAILS = (
    "unless otherwise specified", "within thirty days", "for the purposes of this article", "by a factor of two", "in the previous version",
    "without further notice", "pursuant to paragraph six", "at compile time", "after reconciliation", "as of the closing date",
    "to the nearest integer", "on a pro rata basis", "where applicable", "under the revised schedule", "in ascending order",
    "with effect from the next period", "if the flag is unset", "notwithstanding the above", "per standard deviation", "in the aggregate",
)  # fmt: skip


def sentences(draw: Callable[[], float]) -> Iterator[str]:
    """Sentences without end; `draw` gives numbers in [0, 1)."""
    while True:
        parts = [words[int(draw() * len(words))] for words in (_SUBJECTS, _VERBS, _OBJECTS, _TAILS)]
        yield f"{' '.join(parts)}."
