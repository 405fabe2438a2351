"""Fewer requests in flight after "slow down", slowly more again."""

import threading

import pytest

from engine.store.s3_errors import Passing, SlowedDown
from engine.store.s3_pace import Pace


def slowed(pace):
    with pytest.raises(SlowedDown), pace.turn():
        raise SlowedDown("busy")


def turns(pace, number):
    for _ in range(number):
        with pace.turn():
            pass


def test_the_limit_halves_and_grows_by_one_a_round():
    pace = Pace(16)
    slowed(pace)
    assert pace.limit == 8
    turns(pace, 9)
    assert pace.limit == 9
    for _ in range(10):
        slowed(pace)
    assert pace.limit == 1
    turns(pace, 1000)
    assert pace.limit == 16


def test_requests_that_were_in_flight_together_halve_it_once():
    pace = Pace(16)
    with pytest.raises(SlowedDown), pace.turn(), pace.turn(), pace.turn():
        raise SlowedDown("busy")
    assert pace.limit == 8


def test_other_failures_leave_it():
    pace = Pace(4)
    with pytest.raises(Passing), pace.turn():
        raise Passing("reset")
    assert pace.limit == 4


def test_no_more_are_in_flight_than_the_limit():
    pace, lock, most, now = Pace(3), threading.Lock(), 0, 0
    pause = threading.Event()

    def work():
        nonlocal most, now
        with pace.turn():
            with lock:
                now += 1
                most = max(most, now)
            pause.wait(0.01)
            with lock:
                now -= 1

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3
