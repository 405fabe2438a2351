"""Judges' rows of a made-up run: known strengths, known habits, and a few units that went wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from engine.report.judging.data import (
    HUMAN_PAIRS_SCHEMA,
    HUMAN_RATINGS_SCHEMA,
    METRIC_SCHEMA,
    PAIRS_SCHEMA,
    RATINGS_SCHEMA,
    STRANGER_POST,
    TURING_SCHEMA,
    Humans,
    JudgeFacts,
    JudgingFacts,
)
from engine.report.judging.summarising import Rows, summarise_judging

STRENGTH = {"baseline": 0.0, "persona": 0.5, "vprag": 1.2}
POSITION = {"script-even": 0.0, "script-sided": 0.9}
LENGTH = {"script-even": 0.5, "script-sided": -0.3}
WRITERS = ("template", "smollm2")
_RUBRICS = (("rating", "rating-1.aaaaaaaa"), ("pair", "pair-1.bbbbbbbb"), ("turing", "turing-1.cccccccc"))


def facts(**changes: Any) -> JudgingFacts:
    """Two judges of texts, one of them of the writer's family."""
    judges = tuple(
        JudgeFacts(name, f"{name}@1", family, "texts", "captions", "a script that has no opinion", _RUBRICS)
        for name, family in (("script-even", "qwen"), ("script-sided", "smollm"))
    )
    known: dict[str, Any] = {"judges": judges, "orders": "both", "share": 1.0, "writer_families": (("smollm2", "smollm"),)}
    return JudgingFacts(**(known | changes))


def made_up_rows(people: int = 40, writers: tuple[str, ...] = ("template",), human: bool = False) -> Rows:
    """Two queries a person. The first person's ratings of vprag by script-sided are refused, unparsed and failed in turn."""
    rng = np.random.Generator(np.random.PCG64(3))
    units = list(_units(people, writers))
    own = {(unit["subject"], method): rng.normal(0, 0.4) for unit in units for method in STRENGTH}
    words = {
        (unit["writer"], unit["unit"], method): int(np.exp2(4.5 + STRENGTH[method] / 2 + rng.normal(0, 0.6)))
        for unit in units
        for method in STRENGTH
    }
    ratings, pairs, metric, humans = list[Any](), list[Any](), list[Any](), list[Any]()
    for unit in units:
        for method, strength in STRENGTH.items():
            value = 0.4 + strength / 10 + rng.normal(0, 0.05)
            metric.append({**unit, "method": method, "value": value})
            true = 2 + strength + own[unit["subject"], method]
            for judge in POSITION:
                kin = 0.5 * (judge == "script-sided" and unit["writer"] == "smollm2")
                score = float(np.clip(np.round(true + kin + rng.normal(0, 0.6)), 0, 5))
                ratings.append({**unit, "judge": judge, "method": method, "score": score, **_answered()})
            if human:
                for annotator in ("h1", "h2", "h3"):
                    humans.append(
                        {
                            **unit,
                            "method": method,
                            "annotator": annotator,
                            "score": float(np.clip(np.round(true + rng.normal(0, 0.5)), 0, 5)),
                        }
                    )
        pairs += _pairs(unit, words, own, rng)
    bad = [row for row in ratings if row["judge"] == "script-sided" and row["method"] == "vprag"][:3]
    for row, outcome, code in zip(bad, ("refused", "unparsed", "failed"), (None, None, "judge-died"), strict=True):
        row |= {"outcome": outcome, "code": code, "score": None}
    return Rows(
        pa.Table.from_pylist(ratings, schema=RATINGS_SCHEMA),
        pa.Table.from_pylist(pairs, schema=PAIRS_SCHEMA),
        pa.Table.from_pylist(list(_turing(units, rng)), schema=TURING_SCHEMA),
        pa.Table.from_pylist(metric, schema=METRIC_SCHEMA),
        (("q1", "V-c"),),
        _humans(humans, pairs) if human else None,
    )


def summary(rows: Rows | None = None, known: JudgingFacts | None = None, **changes: Any) -> Any:
    """The summary of a made-up run."""
    about: dict[str, Any] = {"run": "0" * 16, "name": "made-up", "partial": False, "complete": True, "writer": "template", "budget": "q1"}
    return summarise_judging(known or facts(), rows or made_up_rows(), **(about | changes))


def _units(people: int, writers: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for writer in writers:
        for person in range(people):
            subject = hashlib.sha256(str(person).encode()).hexdigest()
            for number, task in enumerate(("cultural-generation", "cultural-editing")):
                query = f"{task}-q{person % 12}"
                yield {
                    "unit": hashlib.sha256(f"{person} {number}".encode()).hexdigest(),
                    "subject": subject,
                    "person": f"P{person}",
                    "cluster": f"c{person:03}",
                    "query": query,
                    "family": f"f{person % 12}",
                    "task": task,
                    "writer": writer,
                    "backbone": f"{writer}-1",
                    "budget": "q1",
                }


def _answered() -> dict[str, Any]:
    return {"outcome": "answered", "model": "script-1", "input_tokens": 100, "output_tokens": 9}


def _pairs(unit: dict[str, Any], words: Any, own: Any, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    methods = list(STRENGTH)
    for judge in POSITION:
        for i, a in enumerate(methods):
            for b in methods[i + 1 :]:
                for first, second in ((a, b), (b, a)):
                    shown = [words[unit["writer"], unit["unit"], method] for method in (first, second)]
                    d = STRENGTH[first] - STRENGTH[second] + own[unit["subject"], first] - own[unit["subject"], second]
                    d += POSITION[judge] + LENGTH[judge] * np.log2(shown[0] / shown[1])
                    weights = np.array([np.exp(d / 2), 0.4, np.exp(-d / 2)])
                    preferred = ("first", "tie", "second")[int(rng.choice(3, p=weights / weights.sum()))]
                    yield {
                        **unit, **_answered(), "judge": judge, "pair": f"{judge} {a} {b} {unit['writer']} {unit['unit']}",
                        "first": first, "second": second, "preferred": preferred, "confidence": 0.8,
                        "words_first": shown[0], "words_second": shown[1],
                    }  # fmt: skip


def _turing(units: list[dict[str, Any]], rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """script-even tells strangers' posts apart and baseline too, vprag it cannot; script-sided guesses."""
    fooled = {STRANGER_POST: 0.15, "baseline": 0.2, "persona": 0.4, "vprag": 0.5}
    people = {(unit["writer"], unit["subject"]): unit for unit in units}
    done = set[tuple[str, str]]()
    for unit in people.values():
        for judge in POSITION:
            for method, rate in fooled.items():
                sense = method == STRANGER_POST
                if sense and (judge, unit["subject"]) in done:
                    continue
                done |= {(judge, unit["subject"])} if sense else set()
                for own_first in (True, False):
                    yield {
                        **{name: unit[name] for name in ("subject", "person", "cluster")},
                        **{name: None if sense else unit[name] for name in ("writer", "backbone", "budget")},
                        "judge": judge, "method": method, "outcome": "answered", "model": "script-1",
                        "own_first": own_first, "fooled": bool(rng.random() < (rate if judge == "script-even" else 0.5)),
                        "words_own": 20, "words_other": 30,
                    }  # fmt: skip


def _humans(ratings: list[Any], pairs: list[Any]) -> Humans:
    """Three annotators, who also prefer what script-even preferred in the first order it was asked."""
    compared = [{**row, "annotator": name} for row in pairs[::2] if row["judge"] == "script-even" for name in ("h1", "h2", "h3")]
    return Humans(pa.Table.from_pylist(ratings, schema=HUMAN_RATINGS_SCHEMA), pa.Table.from_pylist(compared, schema=HUMAN_PAIRS_SCHEMA))
