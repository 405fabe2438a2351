"""Real runs on a real cluster and a real S3 server, under seeded schedules of kills and faults; MIEN_SEEDS=a..b runs others."""

import os

import pytest

from tests.cluster.schedule import KINDS, LATE, RATES, schedule, seeds
from tests.cluster.testbed import Testbed

CI = "0..5"


@pytest.fixture(scope="module")
def testbed():
    with Testbed() as standing:
        yield standing


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(os.environ.get("MIEN_SEEDS", CI)))
def test_a_run_survives_its_schedule(testbed, seed, capsys):
    verdict = testbed.verdict(seed)
    calls = verdict.calls
    with capsys.disabled():
        print(f"\n{verdict.schedule.describe()}: {verdict.run.seconds:.1f} s, {calls.asked} asked / {calls.units} units")
    assert verdict.wrong == []
    assert verdict.run.happened


def test_a_schedule_follows_from_its_seed_alone():
    assert [schedule(seed) for seed in range(20)] == [schedule(seed) for seed in range(20)]
    assert len({schedule(seed).events for seed in range(20)}) == 20


@pytest.mark.parametrize("first", [0, 1, 100])
def test_six_schedules_in_a_row_hold_every_kind_and_twenty_have_four_with_random_outputs(first):
    six, twenty = ([schedule(seed) for seed in range(first, first + n)] for n in (6, 20))
    assert {event.kind for each in six for event in each.events} == set(KINDS)
    assert {each.fault_rate for each in six} == set(RATES)
    assert sum(each.random_outputs for each in twenty) == 4
    assert any(each.random_outputs for each in six)
    assert all(any(event.kind in LATE for event in each.events) for each in twenty if each.random_outputs)


def test_a_schedule_reads_well():
    text = schedule(3).describe()
    assert text.startswith("seed 3, evaluation: kill the S3 server (down for ")
