"""How large a pool of processes is, and what may wait at one of them."""

import pytest
import ray

from engine.execution_config import Pool
from jobs.pipeline import CALLS_IN_FLIGHT, FEW, pool_strategy


@pytest.fixture(autouse=True)
def two_cpus(monkeypatch):
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 2.0})


def strategy(references, **pool):
    return pool_strategy(ray, Pool(**pool), references, cpus_wanted=1)


def test_of_few_shards_none_waits_at_the_process_that_was_up_first():
    found = strategy(2, min=2, max=2)
    assert (found.min_size, found.max_size, found.max_tasks_in_flight_per_actor) == (2, 2, 1)


def test_of_many_shards_the_next_one_waits_so_that_nobody_idles():
    assert strategy(2 * FEW, min=2, max=2).max_tasks_in_flight_per_actor == CALLS_IN_FLIGHT


def test_a_pool_that_may_grow_queues_as_ray_needs_it_to_grow():
    found = strategy(5, min=1, max=5)
    assert (found.initial_size, found.max_size, found.max_tasks_in_flight_per_actor) == (2, 5, CALLS_IN_FLIGHT)


def test_a_process_that_works_on_several_shards_gets_as_many():
    found = strategy(6, min=1, max=1, shards=3)
    assert (found.max_tasks_in_flight_per_actor, found.max_concurrent_calls_per_actor) == (3, 3)


def test_a_pool_is_never_larger_than_there_are_shards():
    assert strategy(1, min=1, max=8).max_size == 1
