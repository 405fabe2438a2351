"""Two drivers on one run, as real processes: one works, whatever the other does (STORAGE, rule 5)."""

import re
import signal
import time

import pytest

from jobs.call_log import units_asked
from tests.jobs.running import Experiment, results_in

PEOPLE, SHARD_SIZE = 120, 4


@pytest.fixture
def experiment(tmp_path):
    return Experiment(tmp_path, PEOPLE, SHARD_SIZE, choices="encoder: tiny-trigrams\nmethods: [baseline]\nsecond_encoder: ''\ncross_fit: 0")


def wait_for(results, store, process, timeout_s=90):
    deadline = time.monotonic() + timeout_s
    while results_in(store) < results:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, "the run did not get that far"
        time.sleep(0.05)


def planned_units(run):
    return {stage.id: sum(len(run.workflow.units(shard, stage)) for shard in run.plan.shards) for stage in run.workflow.stages}


def test_of_two_drivers_started_together_one_works_and_the_other_names_it(experiment):
    drivers = [experiment.start("both") for _ in range(2)]
    outputs = [driver.communicate(timeout=120)[0] for driver in drivers]
    codes = [driver.returncode for driver in drivers]
    assert sorted(codes) == [0, 1], outputs
    worker, refused = codes.index(0), codes.index(1)
    assert re.search(rf"being worked on by process {drivers[worker].pid} on \S+", outputs[refused])
    run = experiment.opened("both")
    assert units_asked(experiment.calls("both")) == planned_units(run), "nothing was computed twice"


def test_a_driver_that_was_paused_past_its_beat_stops_itself_when_it_goes_on(experiment):
    paused = experiment.start("paused")
    wait_for(40, experiment.folder / "paused", paused)
    paused.send_signal(signal.SIGSTOP)
    try:
        code, output = experiment.run("paused")
        assert code == 0, output
        assert f"another driver (process {paused.pid} on " in output
        asked = units_asked(experiment.calls("paused"))
    finally:
        paused.send_signal(signal.SIGCONT)
    output, _ = paused.communicate(timeout=60)
    assert paused.returncode == 1, output
    assert "took over" in output
    # What it had submitted before the pause may still have run; it submitted nothing afterwards.
    units = planned_units(experiment.opened("paused"))
    later = units_asked(experiment.calls("paused"))
    for stage, planned in units.items():
        shard = planned // (PEOPLE // SHARD_SIZE)
        assert asked[stage] <= planned + 4 * shard
        assert later[stage] - asked[stage] <= 4 * shard


def test_a_killed_driver_is_followed_at_once_on_its_host(experiment):
    killed = experiment.start("killed")
    wait_for(40, experiment.folder / "killed", killed)
    killed.kill()
    killed.communicate()
    code, output = experiment.run("killed")
    assert code == 0, output
    assert "watching its beat" not in output
