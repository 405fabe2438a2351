"""Units that end or block the process that asks them, engines that die, models that do not load: on a real local Ray."""

import pytest

from engine.execution_config import Execution, Pool
from engine.outcome import Answered, Failed
from engine.store.opening import open_backend
from engine.store.results import Results
from jobs.attempts import KILLED_WORKER
from jobs.call_log import VARIABLE, units_asked
from jobs.shard_runner import Retry
from tests.workflows.driving import drive, rows_of, texts_numbered
from tests.workflows.texts import plan_of


@pytest.fixture
def results(tmp_path):
    return Results(open_backend(str(tmp_path / "store")), repair=True)


def test_three_poisonous_rows_among_200_fail_alone(results, tmp_path, monkeypatch):
    """One calls os._exit, one segfaults, one sleeps for ever; the other 197 succeed."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "calls"))
    poison = {17: "exit 3", 90: "segfault", 151: "sleep"}
    plan, workflow = plan_of(texts_numbered(200, poison), [("loud", "poisoned"), ("last", "digest")], 10, results)
    drive(results, plan, workflow, execution=Execution(stuck_after_s=2))
    loud, last = (rows_of(results, plan, stage) for stage in workflow.stages)
    assert len(loud) == len(last) == 200
    for index in range(200):
        outcome = loud[f"unit-{index}"].outcome
        if index in poison:
            assert isinstance(outcome, Failed)
            assert outcome.code == KILLED_WORKER
            assert isinstance(last[f"unit-{index}"].outcome, Failed)
        else:
            assert outcome == Answered(f"TEXT {index}")
            assert isinstance(last[f"unit-{index}"].outcome, Answered)
    # A poisoned shard is asked three times whole (twice: the watchdog knows why it ends a process), then unit by unit.
    assert units_asked(tmp_path / "calls")[workflow.stages[0].id] <= 200 + 3 * (3 + 2) * 10
    # Once its cause is mended, a unit that was given up can be tried again.
    drive(results, plan, workflow, options={"mended": True}, retry=Retry(KILLED_WORKER))
    assert all(isinstance(row.outcome, Answered) for stage in workflow.stages for row in rows_of(results, plan, stage).values())
    assert results.backend.list(f"runs/{plan.run}/attempts/") == []


@pytest.mark.parametrize("fails", [1, 4])
def test_a_model_that_fails_to_load_a_few_times_delays_a_run(results, tmp_path, fails):
    plan, workflow = plan_of(texts_numbered(4, {}), [("loud", "flaky")], 2, results)
    count = tmp_path / "loads"
    drive(results, plan, workflow, pools={"flaky": Pool(max=1)}, options={"fails": fails, "count": str(count)})
    assert count.stat().st_size == fails + 1
    assert {row.outcome for row in rows_of(results, plan, workflow.stages[0]).values()} == {Answered(f"TEXT {i}") for i in range(4)}


def test_an_engine_that_died_is_replaced_and_nothing_fails(results, tmp_path):
    plan, workflow = plan_of(texts_numbered(8, {}), [("loud", "dying")], 2, results)
    drive(results, plan, workflow, pools={"dying": Pool(max=1)}, options={"count": str(tmp_path / "died")})
    assert (tmp_path / "died").exists()
    assert {row.outcome for row in rows_of(results, plan, workflow.stages[0]).values()} == {Answered(f"TEXT {i}") for i in range(8)}
