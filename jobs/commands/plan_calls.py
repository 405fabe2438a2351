"""The part of `mien plan` about language models: calls to make, tokens in and out, dollars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from engine.config import Experiment
from jobs.call_estimate import CHAT_FRAME, FILLED, PEOPLE_LOOKED_AT, TOKENS_A_WORD, Calls, Range
from jobs.console import Console
from jobs.judge_calls import VERDICTS, judge_models

KINDS = ("methods", "controls", "halves", VERDICTS)
_WIDTHS = (24, 11, 11, 11, 11, 11, 19, 19, 19)


def tell_calls(console: Console, experiment: Experiment, calls: Sequence[Calls]) -> None:
    """A line a writer; with --json an event for each of its stages and one in all."""
    if not calls:
        console.say("Models: the sentence encoder on CPU and the template writer: no tokens are bought, no images made, no GPU hours.")
        return
    models = experiment.language_models() | judge_models(experiment)
    _row(console, "language model", "calls to do", *KINDS, "tokens in", "tokens out", "dollars")
    for writer in dict.fromkeys(call.writer for call in calls):
        own = [call for call in calls if call.writer == writer]
        tokens_in, tokens_out, dollars = _sums(own)
        is_priced = models[writer].price.input > 0 or models[writer].price.output > 0
        numbers = [sum(call.to_do for call in own if call.kind == kind) for kind in KINDS]
        cost = _range(dollars) if is_priced else "no price given"
        _row(console, writer, str(sum(numbers)), *map(str, numbers), _range(tokens_in), _range(tokens_out), cost)
        for call in own:
            console.event("calls", **asdict(call))
        figures = {
            "input_tokens": asdict(tokens_in),
            "output_tokens": asdict(tokens_out),
            "dollars": asdict(dollars) if is_priced else None,
        }
        console.event("writer", writer=writer, model=models[writer].model, calls=sum(numbers), **figures)
    for line in _basis(calls):
        console.say(line)
    if any(models[call.writer].endpoint.batch for call in calls):
        console.say("Dollars of batch endpoints are at the writer's `price.batch_share`.")


def _sums(calls: Iterable[Calls]) -> tuple[Range, Range, Range]:
    tokens_in = tokens_out = dollars = Range()
    for call in calls:
        tokens_in, tokens_out, dollars = tokens_in + call.input_tokens, tokens_out + call.output_tokens, dollars + call.dollars
    return tokens_in, tokens_out, dollars


def _basis(calls: Sequence[Calls]) -> Iterable[str]:
    measured = [call for call in calls if call.measured]
    if measured:
        answers = sum(call.measured for call in measured)
        yield (
            f"Basis: {len(measured)} of {len(calls)} kinds of calls are measured on {answers} answers in this store: mean and two standard "
            "errors."
        )
    if len(measured) < len(calls):
        low, high = TOKENS_A_WORD
        yield (
            f"Basis{' of the rest' if measured else ''}: {low} to {high} tokens a word and {CHAT_FRAME} a call, on the messages of up to "
            f"{PEOPLE_LOOKED_AT} of the people; an answer fills {FILLED:.0%} of the budget's words at least and `max_tokens` at most."
        )


def _range(found: Range) -> str:
    low, high = (_short(value) for value in (found.low, found.high))
    return low if low == high else f"{low} to {high}"


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _row(console: Console, *cells: str) -> None:
    first, *rest = cells
    console.say(f"{first:<{_WIDTHS[0]}}" + "".join(f"{cell:>{width}}" for cell, width in zip(rest, _WIDTHS[1:], strict=True)))
