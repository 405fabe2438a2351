"""When a driver may submit: never without its lease, not for ever without a store."""

import errno
import os
import time

import pytest

from engine.errors import LeaseHeld, StoreError
from engine.execution_config import Execution
from engine.store import lease as lease_module
from engine.store.folder import FolderBackend
from engine.store.results import Results
from jobs import passes as passes_module
from jobs.console import Console
from jobs.driving import driving
from jobs.gate import gated
from jobs.local_ray import RaySession
from jobs.passes import Passes, Work
from tests.workflows import texts


@pytest.fixture
def backend(tmp_path):
    return FolderBackend(tmp_path / "store")


@pytest.fixture
def held(backend, monkeypatch):
    """A run that is held, with quick beats, and its passes."""
    monkeypatch.setattr(lease_module, "BEAT_S", 0.05)
    monkeypatch.setattr(lease_module, "STALE_S", 0.3)
    results = Results(backend, repair=True)
    plan, workflow = texts.plan_of(["a", "b"], [("loud", "digest")], 1, results)
    with driving(backend, plan.run, command="test") as hold:
        work = Work(plan, workflow, [], results, Execution(), texts.__name__, {})
        yield hold, Passes(work, hold, RaySession(""), Console())


def until(condition, timeout_s=10):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def fail_with(monkeypatch, number):
    def refuse(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)


def test_a_driver_with_a_good_beat_submits(held):
    _, passes = held
    assert passes._may_submit()


def test_a_driver_that_was_replaced_submits_nothing_more(held, backend):
    hold, passes = held
    backend.create(f"runs/{passes._work.plan.run}/lease/00000002.json", b"{}")
    until(lambda: hold.lease.was_taken_over)
    with pytest.raises(LeaseHeld, match="took over"):
        passes._may_submit()


def test_a_store_that_is_away_is_waited_for_and_told_once(held, monkeypatch, capsys):
    hold, passes = held
    with monkeypatch.context() as broken:
        fail_with(broken, errno.EIO)
        until(lambda: not hold.lease.is_good())
        assert not passes._may_submit()
        assert not passes._may_submit()
    assert capsys.readouterr().err.count("nothing new is submitted") == 1
    until(hold.lease.is_good)
    assert passes._may_submit()


def test_a_store_that_stays_away_ends_the_run(held, monkeypatch):
    hold, passes = held
    monkeypatch.setattr(passes_module, "GIVE_UP_S", 0.6)
    fail_with(monkeypatch, errno.EIO)
    until(lambda: hold.lease.silent_s > 0.6)
    with pytest.raises(StoreError, match="cannot be renewed"):
        passes._may_submit()


def test_a_full_disk_ends_the_run_at_once_with_its_reason(held, monkeypatch):
    hold, passes = held
    fail_with(monkeypatch, errno.ENOSPC)
    until(lambda: not hold.lease.is_good())
    with pytest.raises(StoreError, match="disk is full"):
        passes._may_submit()


class Context:
    """As much of Ray's DataContext as the gate needs."""

    def __init__(self):
        self.custom_execution_callback_classes = []


def test_the_gate_waits_while_nothing_may_be_submitted_and_passes_errors_on():
    context, answers = Context(), iter([False, False, True])
    with gated(context, lambda: next(answers)):
        (callback,) = context.custom_execution_callback_classes
        started = time.monotonic()
        callback().on_execution_step(None)
        assert time.monotonic() - started >= 0.4

    def lost():
        raise LeaseHeld("another driver took over")

    with gated(context, lost), pytest.raises(LeaseHeld):
        callback().on_execution_step(None)
    assert context.custom_execution_callback_classes == [callback]
