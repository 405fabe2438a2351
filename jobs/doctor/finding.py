"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.errors import MienError


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's: `ok`; `warn`, which may cost time or trouble later; or `fail`, with which runs will not work."""

    check: str
    status: Literal["ok", "warn", "fail"]
    says: str
    remedy: str = ""


def failed(check: str, error: MienError) -> Finding:
    """An error of ours as a finding."""
    return Finding(check, "fail", error.message, error.remedy)
