"""The one place where a judge's reply becomes a verdict: read, declined, or not to be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.generation.reading import fits, strict_json
from engine.generation.refusals import VERSION as REFUSAL_RULE
from engine.generation.refusals import is_refusal
from engine.judging.rubric import CONFIDENCE, REASON, Rubric
from engine.judging.verdicts import Judged
from engine.outcome import Answered, Outcome, Refused, Unparsed
from engine.prompting.extraction import without_reasoning

VERSION = f"judge-reading-2.{REFUSAL_RULE}"


def read_verdict(rubric: Rubric, raw: str) -> Outcome[Judged]:
    """Answered if the reply, or the one JSON object in it, fits the rubric; Refused if it declines; else Unparsed. Nothing is guessed."""
    found = list({text: None for text in _objects(without_reasoning(raw).strip()) if fits(text, rubric.schema_text)})
    verdicts = [_judged(rubric, strict_json(text), raw) for text in found]
    if verdicts and all(verdict == verdicts[0] for verdict in verdicts):
        return Answered(verdicts[0])
    return Refused(raw) if not verdicts and is_refusal(without_reasoning(raw)) else Unparsed(raw)


def _objects(text: str) -> Iterator[str]:
    """Every JSON object that stands in a text outside of another one."""
    decoder, start = json.JSONDecoder(), text.find("{")
    while start >= 0:
        try:
            _, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield text[start:end]
        start = text.find("{", end)


def _judged(rubric: Rubric, found: dict[str, Any], raw: str) -> Judged:
    decision = found[rubric.verdict]
    confidence = found.get(CONFIDENCE)
    return Judged(
        float(decision) if rubric.question == "rating" else str(decision),
        float(confidence) if isinstance(confidence, int | float) else None,
        str(found.get(REASON, "")),
        raw,
    )
