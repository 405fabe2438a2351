"""The built-in pool: four tasks, each in families, each query tagged broad or narrow; editing queries share one pool of neutral scenes.

The texts lie in `data/`, one file a task, written for this project. Source: VPTT, Queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from engine.records import Query

TASKS = ("cultural-generation", "social-generation", "cultural-editing", "social-editing")
BREADTHS = ("broad", "narrow")


@dataclass(frozen=True, slots=True)
class Scene:
    """A neutral source of editing queries, never a person's caption; rendered once, the same for all methods."""

    id: str
    caption: str


@cache
def builtin_scenes() -> tuple[Scene, ...]:
    """The shared pool of editing sources, at least 100."""
    return tuple(Scene(name, caption) for name, caption in _data("scenes").items())


@cache
def builtin_queries() -> tuple[Query, ...]:
    """All built-in queries, by task, family and breadth; an id is `<task>-<family>-<breadth>-<number>`."""
    scenes = {scene.id: scene.caption for scene in builtin_scenes()}
    return tuple(query for task in TASKS for query in _queries(task, scenes))


def _queries(task: str, scenes: dict[str, str]) -> Iterator[Query]:
    for family, by_breadth in _data(task).items():
        for breadth in BREADTHS:
            for number, entry in enumerate(by_breadth[breadth], start=1):
                name = f"{task}-{family}-{breadth}-{number}"
                if isinstance(entry, str):
                    yield Query(name, task, family, breadth, entry)
                else:
                    scene = entry["scene"]
                    yield Query(name, task, family, breadth, entry["text"], scene, scenes[scene], entry["region"])


def _data(name: str) -> dict[str, Any]:
    text = files("engine.queries").joinpath("data", f"{name}.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
