"""One thing that a control must do, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass

AS_EXPECTED = "as expected"
NOT_AS_EXPECTED = "not as expected"
OPEN = "cannot be told"
TOLD = "for information"


@dataclass(frozen=True, slots=True)
class Check:
    """`must` is what the control must do, `found` what it does in figures, `state` one of the four above.

    `consequence` is what follows for the run's figures where the control does otherwise.
    """

    control: str
    must: str
    found: str
    state: str
    consequence: str
