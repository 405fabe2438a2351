"""`mien profiles check --quality`: whether people deserve trust, figure by figure."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import UsageError
from engine.profiles.quality import BANDS, EXCEPTIONS, Figure, Judged, judge, measure_corpus, measure_embeddings
from engine.profiles.quality.groups import groups_of_people
from engine.profiles.reading import read_people
from engine.records import Profile
from jobs.console import Console

ENCODER = "minilm-l6-v2"
"""The bands are stated for this encoder."""
GATE_NOT_MET = 4
_BATCH = 256


def quality_command(file: Path, *, against: Path | None, as_json: bool, encoder: str = ENCODER) -> int:
    """Print every figure beside its band; 0 if all hold, 4 if one does not."""
    console = Console(as_json=as_json)
    people = [person for _, person in read_people(file) if isinstance(person, Profile)]
    if not people:
        raise UsageError(f"{file} holds no good person.", remedy=f"`mien profiles check {file}` says what is wrong.")
    figures = {**measure_corpus(people), **_embedded(people, console, encoder)}
    kinds = {person.source.partition(":")[0] for person in people}
    exceptions = EXCEPTIONS.get(next(iter(kinds)), ()) if len(kinds) == 1 else ()
    verdicts = judge(BANDS, figures, len(people), exceptions)
    for verdict in verdicts:
        _tell(verdict, console)
    failed = [verdict.band.name for verdict in verdicts if verdict.state == "failed"]
    console.say(f"{len(people)} people: {len(failed)} of {len(verdicts)} bands fail" + (f": {', '.join(failed)}" if failed else ""))
    console.event("done", people=len(people), failed=failed)
    return GATE_NOT_MET if failed else 0


def _embedded(people: Sequence[Profile], console: Console, encoder: str) -> dict[str, Figure]:
    vectors = _encode([caption.text for person in people for caption in person.captions], console, encoder)
    with console.progress("comparing captions", "captions") as bar:
        return measure_embeddings(groups_of_people(people, vectors), lambda done, total: bar.set(done, total))


def _encode(texts: Sequence[str], console: Console, encoder: str) -> NDArray[np.float32]:
    from actors.encoders import make_encoder

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


def _tell(verdict: Judged, console: Console) -> None:
    band, figure = verdict.band, verdict.figure
    note = f"  ({figure.note})" if figure.note else ""
    console.say(f"{verdict.state:<10}  {band.name:<28} {figure.value:>10,.3f}  {band.limits:<14} {band.unit}{note}")
    if verdict.state == "failed":
        for example in figure.examples[:3]:
            console.say(f"              {example}")
        console.say(f"              {verdict.why} {band.remedy}")
    elif verdict.state in ("excepted", "not judged"):
        console.say(f"              {verdict.why}")
    console.event(
        "figure",
        band=band.name,
        value=None if figure.value != figure.value else figure.value,
        low=band.low,
        high=band.high,
        state=verdict.state,
        why=verdict.why,
        note=figure.note,
        examples=list(figure.examples),
        remedy=band.remedy if verdict.state == "failed" else "",
    )
