"""Every choice that changes an output changes a fingerprint; what only spreads the work changes none."""

import pytest

from engine import tokens
from engine.config import Experiment
from engine.metrics import definition
from engine.prompting import methods, retrieval
from engine.stages import queries
from jobs.vptt import vptt
from tests.jobs.hand_made import QUERIES

MODELS = {"encoder": "e@1", "writer:template": "t@1"}


def stages(models=MODELS, pool=QUERIES, **experiment):
    return set(vptt(Experiment.model_validate(experiment), models, pool).fingerprints().values())


BASE = stages()


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": 1},
        {"models": {**MODELS, "encoder": "e@2"}},
        {"models": {**MODELS, "writer:template": "t@2"}},
        {"pool": QUERIES[:-2] + QUERIES[-1:]},
        {"retrieval": {"tau": 0.2}},
        {"retrieval": {"quota": "paper"}},
        {"queries": {"per_task": 2}},
        {"queries": {"tasks": ["one-generation"]}},
        {"budgets": ["q1"]},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_choice_that_changes_an_output_changes_a_fingerprint(changed):
    assert stages(**changed) != BASE


@pytest.mark.parametrize(
    ("module", "constant"), [(queries, "DRAW_RULE"), (methods, "VERSION"), (retrieval, "VERSION"), (methods, "TOKEN_RULE")]
)
def test_a_rule_that_changes_changes_a_fingerprint(monkeypatch, module, constant):
    monkeypatch.setattr(module, constant, "another-rule")
    assert stages() != BASE


def test_the_metric_pins_the_token_rule_and_its_own_version():
    recipe = definition.VpttDefinition(encoder="e@1").recipe()
    assert recipe["token_rule"] == tokens.TOKEN_RULE
    assert recipe["version"] == definition.VERSION


def test_adding_a_method_recomputes_nothing_else():
    two, three = (stages(methods=names) for names in (["baseline", "vprag"], ["baseline", "vprag", "brag"]))
    assert two < three


def test_how_the_work_is_spread_changes_no_fingerprint():
    assert stages(execution={"encoder": {"max": 9, "threads": 4}}, max_failed=3, name="other", shard_size=32) == BASE
