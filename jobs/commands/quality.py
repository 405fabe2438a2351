"""`mien profiles check --quality`: whether people deserve trust, figure by figure."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import UsageError
from engine.profiles.quality import BANDS, Judged, exceptions_for, judge, measure_corpus, measure_embeddings, partiprompts
from engine.profiles.quality.groups import groups_of_people
from engine.profiles.quality.prompt_lists import prompt_list_figures
from engine.profiles.quality.realism import realism
from engine.profiles.reading import read_people
from engine.queries.reading import read_queries
from engine.records import Profile, Query
from jobs.console import Console

ENCODER = "minilm-l6-v2"
"""The bands are stated for this encoder."""
GATE_NOT_MET = 4
_BATCH = 256
_EXAMPLE = 300
"""Characters of an example that are printed."""


def quality_command(file: Path, *, against: Path | None, as_json: bool, encoder: str = ENCODER) -> int:
    """Print every figure beside its band and a real prompt list's; 0 if all hold, 4 if one does not."""
    console = Console(as_json=as_json)
    people = [person for _, person in read_people(file) if isinstance(person, Profile)]
    if not any(person.captions for person in people):
        raise UsageError(f"{file} holds nobody with a caption.", remedy=f"`mien profiles check {file}` says what is wrong.")
    queries = read_queries(against) if against else ()
    vectors = _encode([*_captions(people), *(query.text for query in queries)], console, encoder)
    of_people, of_queries = vectors[: len(vectors) - len(queries)], vectors[len(vectors) - len(queries) :]
    with console.progress("comparing captions", "captions") as bar:
        embedded = measure_embeddings(groups_of_people(people, of_people), lambda done, total: bar.set(done, total))
    verdicts = judge(BANDS, {**measure_corpus(people), **embedded}, len(people), exceptions_for(people))
    lists: dict[str, Mapping[str, float]] = {partiprompts.NAME: partiprompts.FIGURES}
    if against:
        lists[against.name] = {name: figure.value for name, figure in prompt_list_figures(queries, of_queries).items()}
    _tell_figures(verdicts, lists, console)
    if against:
        _tell_realism(people, queries, against.name, console)
    return _tell_end(verdicts, len(people), encoder, console)


def _captions(people: Sequence[Profile]) -> list[str]:
    return [caption.text for person in people for caption in person.captions]


def _encode(texts: Sequence[str], console: Console, encoder: str) -> NDArray[np.float32]:
    from actors.encoders import make_encoder

    with console.patience("loading the encoder"):
        model = make_encoder(encoder, threads=len(os.sched_getaffinity(0)))
    parts = []
    try:
        with console.progress("encoding captions", "captions") as bar:
            for start in range(0, len(texts), _BATCH):
                parts.append(model.encode(texts[start : start + _BATCH]).vectors)
                bar.set(min(start + _BATCH, len(texts)), len(texts))
    finally:
        model.close()
    return np.concatenate(parts)


def _tell_figures(verdicts: Sequence[Judged], lists: Mapping[str, Mapping[str, float]], console: Console) -> None:
    widths = {name: max(len(name), 10) for name in lists}
    heads = "  ".join(f"{name:>{width}}" for name, width in widths.items())
    console.say(f"{'':<10}  {'':<27} {'people':>10}  {'band':<14}  {heads}")
    for verdict in verdicts:
        band, figure = verdict.band, verdict.figure
        beside = {name: figures.get(band.figure, math.nan) for name, figures in lists.items()}
        cells = "  ".join(f"{_number(value):>{widths[name]}}" for name, value in beside.items())
        console.say(f"{verdict.state:<10}  {band.name:<27} {_number(figure.value):>10}  {band.limits:<14}  {cells}  {band.unit}")
        for line in _explained(verdict):
            console.say(f"{'':<12}{line}")
        console.event(
            "figure",
            band=band.name,
            state=verdict.state,
            value=_finite(figure.value),
            low=band.low,
            high=band.high,
            unit=band.unit,
            beside={name: _finite(value) for name, value in beside.items()},
            why=verdict.why,
            note=figure.note,
            examples=list(figure.examples),
            remedy=band.remedy if verdict.state == "failed" else "",
        )


def _explained(verdict: Judged) -> list[str]:
    """What is said under a figure: its note, why it is not simply passed, examples and the remedy."""
    lines = [verdict.figure.note] if verdict.figure.note and verdict.figure.note != verdict.why else []
    if verdict.state == "failed":
        lines += [f"such as {_short(example)}" for example in verdict.figure.examples[:3]]
        lines.append(f"{verdict.why} {verdict.band.remedy}")
    elif verdict.why:
        lines.append(f"{verdict.state}: {verdict.why}")
    return lines


def _tell_realism(people: Sequence[Profile], queries: Sequence[Query], name: str, console: Console) -> None:
    found = realism(people, [query.text for query in queries])
    if found is None:
        console.say(f"Realism against {name} is not measured: too few texts.")
        return
    console.say(
        f"Realism against {name}: a classifier of word 1-2-grams tells captions from prompts with AUC {found.auc:.3f} ({found.texts} texts "
        f"of each, cross-validated; .5 is no difference).\n"
        f"{'':<12}speaks for a caption: {', '.join(found.of_captions)}\n{'':<12}speaks for a prompt:  {', '.join(found.of_prompts)}"
    )
    console.event("realism", against=name, auc=found.auc, texts=found.texts, captions=found.of_captions, prompts=found.of_prompts)


def _tell_end(verdicts: Sequence[Judged], people: int, encoder: str, console: Console) -> int:
    by_state = {state: [each.band.name for each in verdicts if each.state == state] for state in ("failed", "excepted", "not judged")}
    judged = sum(each.state in ("passed", "failed", "excepted") for each in verdicts)
    parts = [f"{state}: {', '.join(names)}" for state, names in by_state.items() if names]
    console.say(f"{people} people, {encoder}: {judged - len(by_state['failed'])} of {judged} bands hold. {'; '.join(parts)}".rstrip())
    console.event("quality", people=people, encoder=encoder, **{state.replace(" ", "_"): names for state, names in by_state.items()})
    return GATE_NOT_MET if by_state["failed"] else 0


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.4f}" if abs(value) < 0.1 else f"{value:.3f}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _short(text: str) -> str:
    return text if len(text) <= _EXAMPLE else text[: _EXAMPLE - 1] + "…"
