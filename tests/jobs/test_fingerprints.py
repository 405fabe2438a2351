"""Every choice that changes an output changes a fingerprint; what only spreads the work changes none."""

import pytest

from engine import tokens
from engine.config import CONTROLS, Experiment
from engine.metrics import definition, held_out
from engine.prompting import controls, methods, retrieval, unrelated, view
from engine.stages import cross, masked, queries, reidentify, strangers
from jobs.vptt import vptt
from tests.jobs.hand_made import QUERIES

MODELS = {"encoder": "minilm-l6-v2@1", "second": "s@1", "writer:template": "t@1", "gallery": "people-1"}


def stages(models=MODELS, pool=QUERIES, **experiment):
    return set(vptt(Experiment.model_validate(experiment), models, pool).fingerprints().values())


BASE = stages()


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": 1},
        {"models": {**MODELS, "encoder": "minilm-l6-v2@2"}},
        {"models": {**MODELS, "writer:template": "t@2"}},
        {"models": {**MODELS, "second": "s@2"}},
        {"models": {**MODELS, "gallery": "people-2"}},
        {"models": {name: model for name, model in MODELS.items() if name != "second"}},
        {"pool": QUERIES[:-2] + QUERIES[-1:]},
        {"retrieval": {"tau": 0.2}},
        {"retrieval": {"quota": "paper"}},
        {"retrieval": {"matched_tau": 0.05}},
        {"cross_fit": 0.5},
        {"queries": {"per_task": 2}},
        {"queries": {"tasks": ["one-generation"]}},
        {"budgets": ["q1"]},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_choice_that_changes_an_output_changes_a_fingerprint(changed):
    assert stages(**changed) != BASE


@pytest.mark.parametrize(
    ("module", "constant"),
    [
        (queries, "DRAW_RULE"),
        (methods, "VERSION"),
        (retrieval, "VERSION"),
        (methods, "TOKEN_RULE"),
        (controls, "RULE"),
        (unrelated, "RULE"),
        (view, "SPLIT_RULE"),
        (cross, "CROSS_RULE"),
        (masked, "MASK_RULE"),
        (reidentify, "RULE"),
        (reidentify, "HARD_SIZE"),
        (reidentify, "BEST"),
        (reidentify, "SIZES"),
        (strangers, "RULE"),
        (strangers, "STRANGERS"),
        (held_out, "RULE"),
        (held_out, "TWIN"),
    ],
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


def test_a_method_is_all_that_is_left_out_without_it_the_controls_stay():
    workflow = vptt(Experiment.model_validate({"methods": ["baseline"]}), MODELS, QUERIES)
    assert [entrant.label for entrant in workflow.entrants] == ["baseline", *CONTROLS]
    known = {workflow.people.id}
    for stage in workflow.stages:  # every stage comes after all that it reads, also after prompts that nobody measures
        assert {each.id for each in stage.inputs} <= known, stage.name
        known.add(stage.id)
    assert "score-vprag-template-q3" not in {stage.name for stage in workflow.stages}


def test_how_the_work_is_spread_changes_no_fingerprint():
    assert (
        stages(
            encoder="other", second_encoder="", execution={"encoder": {"max": 9, "threads": 4}}, max_failed=3, name="other", shard_size=32
        )
        == BASE
    )


def test_of_prompts_that_may_have_seen_every_caption_nothing_is_called_held_out():
    own = {"name": "mine", "file": "prompts.jsonl"}
    workflow = vptt(Experiment.model_validate({"methods": ["vprag", own]}), {**MODELS, "given:mine": "sha256:1"}, QUERIES)
    measured = {entrant.label: (entrant.second, entrant.cross, entrant.reid) for entrant in workflow.entrants}
    assert [stage is not None for stage in measured["mine"]] == [True, False, False]
    assert all(measured["vprag"])
