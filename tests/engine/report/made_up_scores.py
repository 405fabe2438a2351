"""A made-up run with the traits of a real one: people who differ, methods that differ, a few units that went wrong."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import numpy as np
import pyarrow as pa

from engine.report.data import CEILINGS_SCHEMA, SCORES_SCHEMA, Operations, RunFacts

TASKS = ("cultural-editing", "cultural-generation", "social-editing", "social-generation")
# Mean of (pa, gs, cp_unit, nv, nv_union) and of words for each method; brag pastes, so its union novelty falls.
METHODS = {
    "baseline": ((0.20, 0.42, 0.40, 0.99, 0.98), 9),
    "persona": ((0.62, 0.50, 0.44, 0.97, 0.95), 31),
    "brag": ((0.42, 0.74, 0.66, 0.55, 0.12), 118),
    "vprag": ((0.60, 0.70, 0.60, 0.93, 0.86), 64),
    "combined": ((0.55, 0.75, 0.65, 0.72, 0.41), 121),
}
WORDS = (
    "market",
    "dusk",
    "saffron",
    "scarf",
    "brass",
    "kettle",
    "rain",
    "rooftop",
    "bicycle",
    "ginger",
    "steam",
    "linen",
    "violin",
    "moss",
)


def made_up_scores(people: int = 60, seed: int = 7, tasks: tuple[str, ...] = TASKS, metric: str = "v") -> tuple[pa.Table, pa.Table]:
    """Score rows and ceilings of a made-up run: (scores, ceilings), one query per person and task."""
    rng = np.random.Generator(np.random.PCG64(seed))
    words = random.Random(seed)
    rows: list[dict[str, Any]] = []
    tops: list[dict[str, Any]] = []
    for person in range(people):
        subject = hashlib.sha256(f"{seed}/{person}".encode()).hexdigest()
        cluster = f"c{person - person % 2 if person < 6 else person:05d}"
        own = rng.normal(0, 0.05, 5)
        for t, task in enumerate(tasks):
            breadth = "narrow" if (person + t) % 2 else "broad"
            key = {"subject": subject, "person": f"P{person:05d}", "cluster": cluster, "query": f"{task}/q{person % 60:02d}", "task": task}
            case = rng.normal(0, 0.05, 5)
            for method, (means, length) in METHODS.items():
                row = key | {"family": f"family-{person % 10}", "breadth": breadth, "method": method}
                row |= _unit(method, np.array(means) + own + case, length, breadth, rng, words)
                rows.append(row)
        tops.append(_ceiling(subject, cluster, rng))
    return pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), pa.Table.from_pylist(tops, schema=CEILINGS_SCHEMA)


def _unit(method: str, means: Any, length: int, breadth: str, rng: np.random.Generator, words: random.Random) -> dict[str, Any]:
    unit: dict[str, Any] = {"writer": "template", "backbone": "template-1", "budget": "q3", "extractive": method in ("brag", "combined")}
    unit |= {"written": True, "cut": 0}
    chance = rng.random()
    if chance < 0.004:
        return unit | {
            "outcome": "failed",
            "code": "writer-timeout",
            "message": "The writer gave no reply in 60 s. Retry, or raise the limit.",
        }
    if chance < 0.006:
        return unit | {"outcome": "refused", "message": "I would rather not describe this person."}
    pa_, gs, cp, nv, union = np.clip(means + rng.normal(0, 0.06, 5), 0.0, 1.0)
    literal = min(1.0, cp + 0.2)
    count = max(4, int(rng.normal(length, length / 8)))
    unit |= {"outcome": "answered", "prompt": " ".join(words.choices(WORDS, k=count)), "words": count, "truncated": count > 140}
    unit |= {"pa": pa_, "gs": gs, "cp_unit": cp, "cp_literal": literal, "nv": nv, "nv_union": union}
    unit |= {"v": 0.2 * pa_ + 0.3 * gs + 0.3 * cp + 0.2 * nv, "v_u": 0.2 * pa_ + 0.3 * gs + 0.3 * cp + 0.2 * union}
    unit |= {
        "v_literal": 0.2 * pa_ + 0.3 * gs + 0.3 * literal + 0.2 * nv,
        "v_c": (pa_ + gs + cp) / 3,
        "v_c_literal": (pa_ + gs + literal) / 3,
    }
    if method in ("vprag", "combined"):
        n_eff = float(np.exp(rng.normal(2.2 if breadth == "broad" else 1.6, 0.35)))
        unit |= {"n_eff": n_eff, "cap_binds": n_eff >= 6}
    return unit


def _ceiling(subject: str, cluster: str, rng: np.random.Generator) -> dict[str, Any]:
    gs, cp, nv, pa_ = np.clip(np.array([0.78, 0.72, 0.9, 0.55]) + rng.normal(0, 0.04, 4), 0, 1)
    row = {"subject": subject, "cluster": cluster, "outcome": "answered", "gs": gs, "cp_unit": cp, "cp_literal": min(1.0, cp + 0.15)}
    row |= {"nv": nv, "nv_union": nv, "pa": pa_, "v": 0.2 * pa_ + 0.3 * gs + 0.3 * cp + 0.2 * nv, "v_c": (pa_ + gs + cp) / 3}
    return row | {"v_u": row["v"], "v_literal": row["v"] + 0.045, "v_c_literal": row["v_c"] + 0.05}


def made_up_facts(**changes: Any) -> RunFacts:
    """Facts of the made-up run; keyword arguments replace single ones."""
    known: dict[str, Any] = {
        "run": "0f3c9a7b52e1",
        "name": "laptop",
        "complete": True,
        "partial": False,
        "planned_people": 60,
        "total_people": 60,
        "units": 1200,
        "metric_ids": {"v": "vptt-v/minilm-53aa5117/cp-unit/tokens-1", "v_u": "vptt-v-u/minilm-53aa5117/cp-unit/tokens-1"},
        "encoder": "minilm-l6-v2@53aa5117",
        "writers": ("template",),
        "pa_id": "summary-ref",
        "seed": 11,
        "metric": "v",
        "writer": "template",
        "budget": "q3",
        "stand_ins": {"template": "template writer"},
        "experiment": {"people": {"builder": "grammar", "count": 60}, "seed": 11},
        "command": "mien run experiments/laptop.yaml",
    }
    return RunFacts(**(known | changes))


def made_up_operations(**changes: Any) -> Operations:
    """Circumstances of the made-up run."""
    known: dict[str, Any] = {
        "wall_seconds": 83.4,
        "stage_seconds": {"embed-captions": 31.2, "write": 3.1, "embed-prompts": 22.8, "score": 6.4},
        "rows": {"write": 241},
        "retries": 3,
        "started": "2026-05-01T10:00:00Z",
        "ended": "2026-05-01T10:01:23Z",
        "nodes": ("node-a",),
    }
    return Operations(**(known | changes))
