"""The built-in pool holds what VPTT, Queries asks for."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.queries import TASKS, builtin_queries, builtin_scenes
from engine.records import Query
from engine.tokens import tokens


def _of(task: str) -> list[Query]:
    return [query for query in builtin_queries() if query.task == task]


@pytest.mark.parametrize("task", TASKS)
def test_a_task_has_at_least_64_queries_in_at_least_10_families(task: str) -> None:
    queries = _of(task)
    assert len(queries) >= 64
    assert len({query.family for query in queries}) >= 10


@pytest.mark.parametrize("task", TASKS)
def test_broad_and_narrow_queries_are_equally_many_in_each_family(task: str) -> None:
    by_family = Counter((query.family, query.breadth) for query in _of(task))
    assert {breadth for _, breadth in by_family} == {"broad", "narrow"}
    assert all(count == by_family[family, "broad"] for (family, _), count in by_family.items())


def test_no_query_and_no_id_appears_twice() -> None:
    texts = Counter(" ".join(tokens(query.text)) for query in builtin_queries())
    ids = Counter(query.id for query in builtin_queries())
    assert texts.most_common(1)[0][1] == 1
    assert ids.most_common(1)[0][1] == 1


def test_narrow_queries_are_longer_on_average_than_broad_ones_in_every_task() -> None:
    for task in TASKS:
        words = {breadth: [len(tokens(q.text)) for q in _of(task) if q.breadth == breadth] for breadth in ("broad", "narrow")}
        assert sum(words["narrow"]) / len(words["narrow"]) > sum(words["broad"]) / len(words["broad"])


def test_every_query_leaves_room_in_a_150_word_prompt_and_is_one_line() -> None:
    for query in builtin_queries():
        assert 2 <= len(tokens(query.text)) <= 30
        assert query.text == " ".join(query.text.split())


def test_editing_queries_take_their_source_from_a_pool_of_100_distinct_scenes() -> None:
    scenes = {scene.id: scene.caption for scene in builtin_scenes()}
    assert len(scenes) >= 100
    assert len(set(scenes.values())) == len(scenes)
    for query in builtin_queries():
        if query.task.endswith("-editing"):
            assert scenes[query.source_id] == query.source_caption
            assert query.region
        else:
            assert query.source_id == query.source_caption == query.region == ""


def test_no_scene_is_the_source_of_two_queries_of_one_task() -> None:
    uses = Counter((query.task, query.source_id) for query in builtin_queries() if query.source_id)
    assert max(uses.values()) == 1
