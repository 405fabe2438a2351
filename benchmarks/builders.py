"""The people of several builders under the same quality checks, side by side as a Markdown table.

    mien profiles build --n 12 --out grammar.parquet
    mien profiles build --writer smollm2-sampled --n 12 --out llm.parquet
    python benchmarks/builders.py grammar.parquet llm.parquet

Each file is cut to as many people as the smallest has; bands that need more people than that are not judged. Ends with one JSON line.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.profiles.quality import BANDS, Judged, exceptions_for, judge, measure_corpus, measure_embeddings
from engine.profiles.quality.groups import groups_of_people
from engine.profiles.reading import read_people
from engine.records import Profile

ENCODER = "minilm-l6-v2"
"""The bands are stated for this encoder."""
BATCH = 256
MARKS = {"failed": " ✗", "not judged": " (not judged)"}


def judged(people: Sequence[Profile]) -> tuple[Judged, ...]:
    """Every figure of `people` beside its band."""
    from actors.encoders import make_encoder

    texts = [caption.text for person in people for caption in person.captions]
    encoder = make_encoder(ENCODER, threads=1)
    try:
        vectors = np.concatenate([encoder.encode(texts[start : start + BATCH]).vectors for start in range(0, len(texts), BATCH)])
    finally:
        encoder.close()
    figures = {**measure_corpus(people), **measure_embeddings(groups_of_people(people, vectors))}
    return judge(BANDS, figures, len(people), exceptions_for(people))


def cell(verdict: Judged) -> str:
    """A figure as the table shows it."""
    value = verdict.figure.value
    shown = "-" if math.isnan(value) else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3f}"
    return shown + ("" if math.isnan(value) else MARKS.get(verdict.state, ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("people", type=Path, nargs="+")
    files = parser.parse_args().people
    read = {file.stem: [person for _, person in read_people(file) if isinstance(person, Profile)] for file in files}
    count = min(map(len, read.values()))
    columns = {name: judged(people[:count]) for name, people in read.items()}
    captions = {name: sum(len(person.captions) for person in people[:count]) / count for name, people in read.items()}
    print(f"| figure, {count} people each | band | {' | '.join(columns)} |")
    print(f"|---|---|{'---|' * len(columns)}")
    print(f"| captions a person | | {' | '.join(f'{value:.1f}' for value in captions.values())} |")
    for row in zip(*columns.values(), strict=True):
        print(f"| {row[0].band.name}, {row[0].band.unit} | {row[0].band.limits} | {' | '.join(map(cell, row))} |")
    missed = {name: [each.band.name for each in column if each.state == "failed"] for name, column in columns.items()}
    print(json.dumps({"people": count, "encoder": ENCODER, "missed": missed}))


if __name__ == "__main__":
    main()
