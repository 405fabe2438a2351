"""Language models as writers of a run: their rows, their identity, their pools, and what they use."""

import json

import pytest

from engine.config import Experiment
from engine.config_loading import load
from engine.errors import ConfigError, ModelError
from engine.execution_config import Execution, Pool
from engine.outcome import Answered
from engine.stages.model_prompt import ModelPrompt
from engine.store.journal import read_journal
from jobs.actor_factory import actor_options
from jobs.history import spent_by_writer
from jobs.planning import prepare
from jobs.vptt_pools import operators_of
from jobs.writers import make_writer
from tests.jobs.in_process import SMALL, evaluated
from tests.jobs.running import Experiment as RealRun

TINY = {**SMALL, "people": {"grammar": 2}, "methods": ["baseline", "brag", "vprag"], "queries": {"tasks": ["cultural-generation"]}}


def written(run, label, writer):
    """The rows of one method by one writer."""
    (stage,) = [e.prompt for e in run.workflow.entrants if (e.label, e.prompt.writer) == (label, writer)]
    return [row for shard in run.plan.shards for row in run.results.read(stage, shard.key, overlays=0).values()]


def test_a_models_rows_keep_what_it_said_and_the_template_writers_do_not(tmp_path):
    run = evaluated(tmp_path, "both", **TINY | {"writers": ["template", "tiny-chat"]})
    for row in written(run, "brag", "tiny-chat"):
        assert isinstance(row.outcome, Answered)
        said = row.outcome.value.said
        assert said.model == "tiny-chat@1"
        assert min(said.input_tokens, said.output_tokens) > 0
        assert row.outcome.value.words <= 150
    assert all(row.outcome.value.said is None for row in written(run, "brag", "template"))


def test_what_pastes_is_extractive_and_what_a_model_writes_is_not():
    workflow = prepare(Experiment.model_validate(TINY | {"writers": ["template", "tiny-chat"]})).workflow
    told = {(e.label, e.prompt.writer): e.prompt.is_extractive for e in workflow.entrants}
    assert told["brag", "template"]
    assert not told["brag", "tiny-chat"]


def test_another_writer_recomputes_nothing_of_the_first():
    one = prepare(Experiment.model_validate(TINY)).workflow.fingerprints()
    two = prepare(Experiment.model_validate(TINY | {"writers": ["template", "tiny-chat"]})).workflow.fingerprints()
    assert one.items() <= two.items()


def test_where_a_model_runs_and_what_it_costs_is_no_part_of_its_identity_and_how_it_draws_is():
    model = {"name": "far", "engine": "openai", "model": "m", "endpoint": {"base_url": "http://127.0.0.1:1/v1"}}

    def run_of(**changes):
        return prepare(Experiment.model_validate(TINY | {"writers": [model | changes]})).run

    same = run_of()
    assert run_of(endpoint={"base_url": "http://127.0.0.1:2/v1", "requests_per_minute": 5}, price={"input": 1}) == same
    for change in ({"temperature": 0.5}, {"model": "n"}, {"revision": "m-1"}, {"max_tokens": 99}, {"name": "near"}):
        assert run_of(**change) != same


def test_a_node_with_another_model_is_refused():
    experiment = Experiment.model_validate(TINY | {"writers": ["tiny-chat"]})
    with pytest.raises(ModelError, match="the plan names another"):
        make_writer("tiny-chat", actor_options(experiment, "store"), "another")


def test_a_writer_may_have_a_pool_of_its_own():
    workflow = prepare(Experiment.model_validate(TINY | {"writers": ["template", "tiny-chat"]})).workflow
    found = operators_of(workflow, Execution(writers={"tiny-chat": Pool(gpus=1)}))
    assert [each.name for each in found] == ["encoder-1", "writer-tiny-chat-2", "encoder-3"]
    own = found[1]
    assert own.pool.gpus == 1
    assert {stage.prompt.writer if hasattr(stage, "prompt") else stage.writer for stage in own.stages if stage.actor} == {"tiny-chat"}
    assert any(isinstance(stage, ModelPrompt) for stage in own.stages)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("writers: [smolm2]\n", r"exp\.yaml:1: writers: unknown writer 'smolm2' \(did you mean 'smollm2'\?\)"),
        ("writers: [{name: a, engine: llamacpp}]\n", r"exp\.yaml:1: writers\.model: field required"),
        ("writers: [{name: a, engine: vlm, model: m}]\n", r"exp\.yaml:1: writers\.engine: .*'vllm'.*not 'vlm'"),
        ("writers: [{name: a, engine: vllm, model: m, temprature: 1}]\n", r"there is no such field \(did you mean 'temperature'\?\)"),
        ("writers: [{name: template, engine: vllm, model: m}]\n", "is the built-in writer"),
        ("writers: [{name: a, engine: vllm, model: m, endpoint: {batch: true}}]\n", "for served models"),
        ("writers: [{name: a, engine: openai, model: m, endpoint: {base_url: 'http://u:p@h/v1'}}]\n", "without a user or password"),
        ("writers: [{name: a, engine: vllm, model: m, parallel: {tensor: 4}}]\n", r"takes 4 GPUs: give execution\.writers\.a\.gpus"),
        ("execution: {writers: {a: {gpus: 1}}}\n", "there is no writer 'a'"),
        ("execution: {writers: {template: {gpu: 1}}}\n", r"there is no such field \(did you mean 'gpus'\?\)"),
    ],
)
def test_a_wrong_writer_is_told_with_its_place_and_remedy(tmp_path, text, expected):
    path = tmp_path / "exp.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=expected):
        load(path, {}, {})


def test_what_models_used_is_journalled_as_they_counted_it(tmp_path):
    choices = {key: TINY[key] for key in ("encoder", "second_encoder", "cross_fit", "methods", "queries")} | {"writers": ["tiny-chat"]}
    real = RealRun(tmp_path, people=6, shard_size=2, choices="\n".join(f"{name}: {json.dumps(value)}" for name, value in choices.items()))
    code, output = real.run("store")
    assert code == 0, output
    run = real.opened("store")
    rows = [row for label in ("baseline", "brag", "vprag", "stranger", "random") for row in written(run, label, "tiny-chat")]
    said = [row.outcome.value.said for row in rows]
    spent = spent_by_writer(read_journal(run.backend, run.plan.run))["tiny-chat"]
    assert (spent.calls, spent.input_tokens, spent.output_tokens) == (
        len(rows),
        sum(each.input_tokens for each in said),
        sum(each.output_tokens for each in said),
    )
    page = real.report("store", "index.html").decode()
    assert f"{spent.output_tokens:,} out" in page
