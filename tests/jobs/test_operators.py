"""Stages that share a pool share an operator, and every stage comes after its inputs."""

import pytest

from engine.config import Experiment
from engine.execution_config import Execution, Pool
from jobs.operators import ANY, operators
from jobs.pipeline import needed_operators
from jobs.planning import prepare
from jobs.references import ABSENT, ShardReference
from jobs.vptt_pools import operators_of
from tests.workflows.texts import Texts


def names(found):
    return [(each.name, [stage.kind for stage in each.stages]) for each in found]


def test_stages_on_one_pool_are_one_operator():
    chain = Texts([("a", "x"), ("b", "y"), ("c", "x")])
    assert names(operators(chain.stages, lambda actor: "all", {"all": Pool()})) == [("all-1", ["a", "b", "c"])]


def test_a_pool_that_is_needed_before_and_after_another_makes_two_operators():
    chain = Texts([("a", "x"), ("b", "y"), ("c", "x")])
    found = operators(chain.stages, lambda actor: actor, {"x": Pool(), "y": Pool()})
    assert names(found) == [("x-1", ["a"]), ("y-2", ["b"]), ("x-3", ["c"])]


def test_a_stage_without_a_model_runs_where_its_inputs_were_made():
    chain = Texts([("a", "x"), ("b", "free"), ("c", "y"), ("d", "free")])
    found = operators(chain.stages, lambda actor: ANY if actor == "free" else actor, {"x": Pool(), "y": Pool()})
    assert names(found) == [("x-1", ["a", "b"]), ("y-2", ["c", "d"])]


def test_a_chain_of_nothing_but_arithmetic_still_has_a_pool():
    chain = Texts([("a", "free"), ("b", "free")])
    assert names(operators(chain.stages, lambda actor: ANY, {"x": Pool()})) == [("x-1", ["a", "b"])]


@pytest.mark.parametrize("execution", [Execution(), Execution(writer=Pool())])
def test_a_phase_of_vptt_needs_one_operator_or_three_with_a_pool_of_writers(execution):
    workflow = prepare(Experiment.model_validate({"people": {"grammar": 1}, "encoder": "tiny-trigrams"})).workflow
    found = operators_of(workflow, execution)
    of_second_phase = {stage.id for stage in workflow.phases[1]}
    first = [each for each in found if not {stage.id for stage in each.stages} & of_second_phase]
    assert [each.name for each in first] == (["encoder-1", "writer-2", "encoder-3"] if execution.writer else ["encoder-1"])
    assert [{stage.id for stage in each.stages} for each in found[len(first) :]] == [of_second_phase], "one more, of its own"
    done = {workflow.people.id, workflow.queries.id}
    for operator in found:
        for stage in operator.stages:
            assert all(each.id in done for each in stage.inputs), stage.name
            done.add(stage.id)
    assert done == set(workflow.fingerprints())


@pytest.mark.parametrize(
    ("done", "inspect", "needed"),
    [
        ((0, 0, ABSENT), False, ["z-3"]),
        ((0, ABSENT, 0), False, ["y-2", "z-3"]),  # what was computed from the lost result may have to be renewed
        ((ABSENT, ABSENT, ABSENT), False, ["x-1", "y-2", "z-3"]),
        ((0, 0, 0), True, ["x-1", "y-2", "z-3"]),
    ],
)
def test_only_operators_that_may_have_work_are_started(done, inspect, needed):
    chain = Texts([("a", "x"), ("b", "y"), ("c", "z")])
    found = operators(chain.stages, lambda actor: actor, {"x": Pool(), "y": Pool(), "z": Pool()})
    references = [ShardReference(0, (0, 0, 0), False, False, ""), ShardReference(1, done, inspect, False, "")]
    assert [each.name for each in needed_operators(found, references, chain)] == needed
