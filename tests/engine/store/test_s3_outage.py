"""One line an outage and minute, whatever the number of threads that wait."""

import types

import pytest

from engine.store import s3_outage
from engine.store.s3_outage import Outage

THREADS = 17


@pytest.fixture
def at(monkeypatch):
    """Sets the time."""
    now = [0.0]
    monkeypatch.setattr(s3_outage, "time", types.SimpleNamespace(monotonic=lambda: now[0]))
    return lambda seconds: now.__setitem__(0, float(seconds))


@pytest.fixture
def outage():
    return Outage("s3://mien/lab")


def all_wait(outage, began=0.0):
    for thread in range(THREADS):
        outage.waits(began + thread / 100, 300, "it is away")


def test_many_threads_tell_once_then_once_a_minute_and_once_at_the_end(outage, at, caplog):
    for second in range(2, 131, 2):
        at(second)
        all_wait(outage)
    at(131)
    for _ in range(THREADS):
        outage.answered(0.0)
    assert caplog.messages == [
        "waiting for the store s3://mien/lab, away for 12 s, given up after 300 s: it is away",
        "waiting for the store s3://mien/lab, away for 72 s, given up after 300 s: it is away",
        "the store s3://mien/lab answers again after 131 s",
    ]


def test_a_request_that_joined_late_tells_of_the_whole_outage(outage, at, caplog):
    at(11)
    outage.waits(0.0, 300, "it is away")
    at(75)
    outage.waits(60.0, 300, "it is away")
    outage.answered(60.0)
    assert [message.rpartition(" s, given")[0][-2:] for message in caplog.messages[:2]] == ["11", "75"]
    assert caplog.messages[2].endswith("again after 75 s")


def test_a_short_absence_is_not_told(outage, at, caplog):
    at(9)
    all_wait(outage)
    outage.answered(0.0)
    assert caplog.messages == []


def test_an_outage_that_ended_between_two_tries_is_told_when_it_is_over(outage, at, caplog):
    at(9)
    all_wait(outage)
    at(13)
    outage.answered(0.0)
    assert caplog.messages == ["the store s3://mien/lab answers again after 13 s"]


def test_who_was_still_waiting_when_it_answered_again_is_silent(outage, at, caplog):
    at(80)
    outage.waits(0.0, 300, "it is away")
    outage.answered(0.0)
    before = len(caplog.messages)
    at(85)
    outage.waits(0.0, 300, "it is away")
    outage.answered(0.0)
    at(105)
    outage.answered(70.0)
    at(150)
    outage.waits(145.0, 300, "it is away")
    assert len(caplog.messages) == before == 2


def test_the_next_outage_after_one_that_was_given_up_counts_anew(outage, at, caplog):
    at(300)
    outage.waits(0.0, 300, "it is away")
    outage.given_up()
    at(1000)
    outage.waits(980.0, 300, "it is away")
    assert "away for 20 s" in caplog.messages[1]
