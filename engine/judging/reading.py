"""The one place where a judge's reply becomes a verdict: read, declined, or not to be read."""

from __future__ import annotations

import json
from typing import Any

import regex

from engine.generation.reading import fits
from engine.generation.refusals import VERSION as REFUSAL_RULE
from engine.generation.refusals import is_refusal
from engine.judging.rubric import CONFIDENCE, REASON, Rubric
from engine.judging.verdicts import Judged
from engine.outcome import Answered, Outcome, Refused, Unparsed
from engine.prompting.extraction import without_reasoning

VERSION = f"judge-reading-1.{REFUSAL_RULE}"

_FENCE = regex.compile(r"```(?:json)?\s*(\{.*?\})\s*```", regex.DOTALL)


def read_verdict(rubric: Rubric, raw: str) -> Outcome[Judged]:
    """Answered if the reply, or the one JSON object in it, fits the rubric; Refused if it declines; else Unparsed. Nothing is guessed."""
    for text in _objects(raw):
        if fits(text, rubric.schema_text):
            return Answered(_judged(rubric, json.loads(text), raw))
    return Refused(raw) if is_refusal(without_reasoning(raw)) else Unparsed(raw)


def _objects(raw: str) -> list[str]:
    """Where the verdict may stand: the whole reply, a fenced block, or from the first brace to the last; two blocks are no verdict."""
    text = without_reasoning(raw).strip()
    fenced = _FENCE.findall(text)
    if len(fenced) > 1:
        return []
    start, end = text.find("{"), text.rfind("}")
    return [text, *fenced, *([text[start : end + 1]] if 0 <= start < end else [])]


def _judged(rubric: Rubric, found: dict[str, Any], raw: str) -> Judged:
    decision = found[rubric.verdict]
    confidence = found.get(CONFIDENCE)
    return Judged(
        float(decision) if rubric.question == "rating" else str(decision),
        float(confidence) if isinstance(confidence, int | float) else None,
        str(found.get(REASON, "")),
        raw,
    )
