"""A judge's rows of the release, and their verdicts as battles.

    {id, flipped, result.comparison_and_choice.final_decision.{preferred_image: img1|img2|tie, confidence}}

`result` may be that object or its JSON as a string. `flipped` says that B was shown as img1; it is undone here. The release skips rows that
it cannot use; here each is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from engine.pipbench.pair_files import Pair, models_of, written_id
from engine.ratings.battles import FIRST, SECOND, TIE, Battles
from engine.rejects import Name, Reject, checked_rows, wrong
from engine.statistics.estimates import Floats, Integers

UNKNOWN_PAIR, DUPLICATE_VERDICT = "unknown-pair", "duplicate-verdict"
_PREFERRED = {"img1": FIRST, "img2": SECOND, "tie": TIE}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of a pair in one order: `preferred` img1, img2 or tie as shown; `confidence` from 0 to 1, or none given."""

    file: str
    line: int
    judge: str
    pair: str
    flipped: bool
    preferred: str
    confidence: float | None


@dataclass(frozen=True, slots=True)
class VerdictsRead:
    """The usable verdicts of a file, in its order, and the other rows."""

    verdicts: tuple[Verdict, ...]
    rejected: tuple[Reject, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts of one or more judges on pairs.

    `confidence` (rows,) is NaN where none was given; which of them is too low to count is decided where ratings are computed. `sample`
    (rows,) indexes `samples`, what the entrants were compared on. `rejected`: rows of a pair that is not there, or of an order that the
    judge has answered already. `nobody` counts samples whose person is not known: each is a cluster of its own, and intervals are then
    too narrow if they share people.
    """

    battles: Battles
    confidence: Floats
    sample: Integers
    samples: tuple[str, ...]
    rejected: tuple[Reject, ...]
    nobody: int


def _unpacked(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise wrong("broken-json", "is text that is no JSON", "Ask the judge again: its reply cannot be read.") from None


def _number(value: object) -> object:
    if isinstance(value, bool):
        raise wrong("no-number", "is no number", "Give a confidence from 0 to 1, or none.")
    return value


class _Decision(BaseModel):
    preferred_image: Literal["img1", "img2", "tie"] = Field(description='"img1", "img2" or "tie"')
    confidence: Annotated[float | None, BeforeValidator(_number)] = Field(None, ge=0, le=1, description="a confidence from 0 to 1, or none")


class _Choice(BaseModel):
    final_decision: _Decision = Field(description="the judge's final decision")


class _Result(BaseModel):
    comparison_and_choice: _Choice = Field(description="the judge's comparison and choice")


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: Name = Field(description="the id of a pair")
    flipped: bool = Field(False, description="true if B was shown first, else false")
    result: Annotated[_Result, BeforeValidator(_unpacked)] = Field(description="the judge's reply, an object or its JSON")


def read_verdicts(path: Path, judge: str = "") -> VerdictsRead:
    """A judge's rows; the judge is called by the file's stem if nothing is said. Raises InputError for an unreadable file."""
    verdicts, rejected = [], []
    for line, row in checked_rows(path, _Row, what="verdict"):
        if isinstance(row, Reject):
            rejected.append(row)
            continue
        decision = row.result.comparison_and_choice.final_decision
        verdicts.append(Verdict(str(path), line, judge or path.stem, row.id, row.flipped, decision.preferred_image, decision.confidence))
    return VerdictsRead(tuple(verdicts), tuple(rejected))


def write_verdicts(path: Path, verdicts: Iterable[Verdict]) -> int:
    """Write verdicts of one judge as the release's JSON lines; returns how many."""
    lines = []
    for verdict in verdicts:
        decision = {"preferred_image": verdict.preferred, "confidence": verdict.confidence}
        row = {
            "id": written_id(verdict.pair),
            "flipped": verdict.flipped,
            "result": {"comparison_and_choice": {"final_decision": decision}},
        }
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return len(lines)


def judged(pairs: Sequence[Pair], verdicts: Sequence[Verdict], people: Mapping[str, str] | None = None) -> Judged:
    """The verdicts as battles, sides as they were shown.

    Args:
        pairs: what was compared.
        verdicts: of any number of judges; each verdict is a row of its own, never merged.
        people: the person of each sample, for pairs that do not say it.
    """
    by_id = {pair.id: pair for pair in pairs}
    entrants, judges = models_of(pairs), tuple(dict.fromkeys(verdict.judge for verdict in verdicts))
    samples = tuple(dict.fromkeys(pair.sample for pair in pairs))
    person = {pair.sample: pair.profile or (people or {}).get(pair.sample, "") for pair in pairs}
    cluster_of = {sample: f"person {person[sample]}" if person[sample] else f"sample {sample}" for sample in samples}
    clusters = tuple(dict.fromkeys(cluster_of.values()))
    places = [{name: index for index, name in enumerate(names)} for names in (entrants, judges, samples, clusters)]
    entrant, judge, sample, cluster = places
    rows, rejected = _sorted_out(by_id, verdicts)
    table = np.zeros((len(rows), 6), dtype=np.int64)
    for row, verdict in enumerate(rows):
        pair = by_id[verdict.pair]
        shown = (pair.model_b, pair.model_a) if verdict.flipped else (pair.model_a, pair.model_b)
        where = cluster[cluster_of[pair.sample]], sample[pair.sample], judge[verdict.judge]
        table[row] = (*where, entrant[shown[0]], entrant[shown[1]], _PREFERRED[verdict.preferred])
    confidence = np.array([np.nan if verdict.confidence is None else verdict.confidence for verdict in rows], dtype=np.float64)
    columns = (table[:, 0], table[:, 2], table[:, 3], table[:, 4], table[:, 5], _orders_of_one_pair(rows))
    battles = Battles(entrants, judges, clusters, *columns)
    nobody = sum(not name for name in person.values())
    return Judged(battles, confidence, table[:, 1], samples, tuple(rejected), nobody)


def _sorted_out(by_id: Mapping[str, Pair], verdicts: Sequence[Verdict]) -> tuple[list[Verdict], list[Reject]]:
    first: dict[tuple[str, str, bool], Verdict] = {}
    rejected = []
    for verdict in verdicts:
        if verdict.pair not in by_id:
            told = f"no pair has the id {verdict.pair}"
            rejected.append(Reject(verdict.file, verdict.line, "id", UNKNOWN_PAIR, told, "Give the file of pairs that was judged."))
            continue
        known = first.setdefault((verdict.judge, verdict.pair, verdict.flipped), verdict)
        if known is not verdict:
            told = f"{verdict.judge} has answered this order of pair {verdict.pair} in {known.file}:{known.line}"
            rejected.append(Reject(verdict.file, verdict.line, "id", DUPLICATE_VERDICT, told, "Keep one verdict for each order."))
    return list(first.values()), rejected


def _orders_of_one_pair(rows: Sequence[Verdict]) -> Integers:
    """(rows,) the same index for the two orders in which one judge saw one pair, -1 where there is one order only."""
    numbers: dict[tuple[str, str], int] = {}
    found = np.array([numbers.setdefault((row.judge, row.pair), len(numbers)) for row in rows], dtype=np.int64)
    both = np.bincount(found, minlength=1)[found] == 2 if len(found) else np.zeros(0, dtype=np.bool_)
    return np.where(both, found, -1)
