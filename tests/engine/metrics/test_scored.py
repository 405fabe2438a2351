"""A gain compares like with like."""

from __future__ import annotations

from dataclasses import replace

from engine.metrics.scored import scored
from engine.metrics.vptt import SCORE_FIGURES, VpttScore
from engine.outcome import Answered, Failed

RIGHT = VpttScore(*[0.5] * len(SCORE_FIGURES), "summary_ref")


def test_strangers_whose_pa_compares_with_something_else_are_left_out() -> None:
    alike, other = replace(RIGHT, v=0.3), replace(RIGHT, v=0.9, pa_id="mean_caption")
    outcome = scored([Answered(RIGHT), Answered(alike), Answered(other), Failed("no-reference", "")])
    assert isinstance(outcome, Answered)
    assert outcome.value.strangers == 1
    assert outcome.value.stranger is not None
    assert outcome.value.stranger[SCORE_FIGURES.index("v")] == 0.3
    nobody = scored([Answered(RIGHT), Answered(other)])
    assert isinstance(nobody, Answered)
    assert (nobody.value.stranger, nobody.value.strangers) == (None, 0)
