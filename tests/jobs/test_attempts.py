"""Marks of tasks and units: what stands after a process ended, what is taken back while it lives, and who is blamed."""

import pytest

from engine.errors import EngineDied, StoreError
from engine.store.folder import FolderBackend
from jobs.attempts import ALONE_AFTER, Attempts

RUN, SHARD, OTHER, STAGE, UNIT = "0" * 16, "a" * 64, "d" * 64, "b" * 64, "c" * 64


@pytest.fixture
def backend(tmp_path):
    return FolderBackend(tmp_path / "store")


@pytest.fixture
def attempts(backend):
    return Attempts(backend, RUN, "encoder-1")


def marks(backend):
    return [name.rsplit("/", 1)[-1] for name in backend.list(f"runs/{RUN}/attempts/")]


def test_a_task_that_returns_leaves_no_mark(attempts, backend):
    attempt = attempts.begin(SHARD)
    assert attempt.is_first
    attempts.finish(attempt, whole=True)
    assert marks(backend) == []


def test_tasks_that_never_returned_are_counted_and_the_fourth_runs_alone(attempts):
    numbers = [attempts.begin(SHARD) for _ in range(ALONE_AFTER + 1)]
    assert [attempt.number for attempt in numbers] == [1, 2, 3, 4]
    assert [attempt.alone for attempt in numbers] == [False, False, False, True]
    assert attempts.begin(OTHER).is_first


def test_a_whole_shard_forgets_all_that_happened_to_it(attempts, backend):
    for _ in range(5):
        last = attempts.begin(SHARD)
    attempts.begin(OTHER)
    attempts.finish(last, whole=True)
    assert marks(backend) == [f"{OTHER[:16]}-1"]


def test_a_watchdog_lets_the_next_task_run_alone_at_once(attempts):
    attempts.isolate(attempts.begin(SHARD))
    assert attempts.begin(SHARD).alone


def ask(attempts, error):
    """Ask the unit alone; the call raises `error`."""
    with attempts.unit(SHARD, STAGE, UNIT) as may_be_asked:
        assert may_be_asked
        raise error


def test_a_unit_that_was_named_twice_and_never_came_back_is_given_up(attempts):
    for _ in range(2):
        with pytest.raises(EngineDied):
            ask(attempts, EngineDied("gone"))
    with attempts.unit(SHARD, STAGE, UNIT) as may_be_asked:
        assert not may_be_asked


@pytest.mark.parametrize("error", [StoreError("away"), KeyboardInterrupt(), SystemExit(1)])
def test_a_unit_whose_process_lived_is_not_blamed(attempts, backend, error):
    for _ in range(5):
        with pytest.raises(type(error)):
            ask(attempts, error)
    assert marks(backend) == []


def test_losses_that_no_unit_explains_are_counted(attempts):
    for _ in range(ALONE_AFTER + 4):
        last = attempts.begin(SHARD)
    assert attempts.unexplained(last) == 3
    with pytest.raises(EngineDied):
        ask(attempts, EngineDied("gone"))
    assert attempts.unexplained(last) == 2


def test_a_retry_forgets_marks_of_its_shards_in_every_operator(attempts, backend):
    attempts.begin(SHARD)
    Attempts(backend, RUN, "writer-2").begin(SHARD)
    attempts.begin(OTHER)
    Attempts.forget(backend, RUN, [SHARD])
    assert marks(backend) == [f"{OTHER[:16]}-1"]
