"""`mien plan` with language models: prompts of each method, calls by kind, and tokens and dollars with their basis."""

import json
from pathlib import Path

import pytest

from engine.config import Experiment
from engine.config_loading import load
from engine.outcome import Answered
from jobs.call_estimate import TOKENS_A_WORD
from jobs.cli import exit_code
from jobs.planning import prepare
from tests.jobs.in_process import evaluated

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
PRICED = {"engine": "openai", "model": "m", "price": {"input": 1, "output": 10, "batch_share": 0.25}}
WRITERS = ["template", "tiny-chat", {"name": "online", **PRICED}, {"name": "batched", **PRICED, "endpoint": {"batch": True}}]
CHOICES = {
    "encoder": "tiny-trigrams",
    "people": {"grammar": 4},
    "methods": ["baseline", "brag", "vprag"],
    "queries": {"tasks": ["cultural-generation", "social-editing"]},
    "shard_size": 2,
}


def planned(capsys, tmp_path, *options, **choices):
    """The events of `mien plan` on these choices, and what it says to people."""
    file = tmp_path / "exp.yaml"
    file.write_text(json.dumps({**CHOICES, **choices}))
    code = exit_code(["plan", str(file), "--store", str(tmp_path / "store"), "--json", *options])
    out, err = capsys.readouterr()
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()], err


def of_kind(events, kind):
    return [event for event in events if event["event"] == kind]


def test_the_papers_q3_is_120000_prompts_of_each_method(capsys, tmp_path):
    q3 = EXPERIMENTS / "vptt-120k.yaml"
    experiment = load(q3, {}, {}).experiment
    assert experiment.method_names() == ["baseline", "persona", "brag", "vprag", "combined"]
    assert len(experiment.writers) == 3
    people = tmp_path / "people.parquet"
    assert exit_code(["profiles", "build", "--n", "4", "--out", str(people)]) == 0
    capsys.readouterr()
    assert exit_code(["plan", str(q3), "--people", str(people), "--store", str(tmp_path / "store"), "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    counts = {event["method"]: event["prompts"] for event in of_kind(events, "prompts") if not event["control"]}
    assert set(counts.values()) == {120_000 * 4 // 10_000}
    assert [event["writer"] for event in of_kind(events, "writer")] == ["qwen2.5-72b", "gpt-4o-mini", "gemini-flash"]


def test_prompts_are_counted_by_method_over_all_writers_and_controls_apart(capsys, tmp_path):
    events, said = planned(capsys, tmp_path, writers=WRITERS[:2], cross_fit=0)
    counts = {event["method"]: (event["prompts"], event["control"]) for event in of_kind(events, "prompts")}
    assert counts["baseline"] == counts["brag"] == counts["vprag"] == (16, False)
    assert counts["noise"] == (16, True)
    assert "Prompts of each method, by template, tiny-chat together: baseline 16, brag 16, vprag 16" in said


def test_calls_are_those_of_methods_of_controls_that_need_a_writer_and_of_halves(capsys, tmp_path):
    events, _ = planned(capsys, tmp_path, writers=["tiny-chat"], cross_fit=1)
    calls = {(event["label"], event["kind"]): event["planned"] for event in of_kind(events, "calls")}
    # 4 people x 2 queries; two halves of them; no half changes a baseline; own captions and noise need no writer.
    assert calls == {
        **{(label, "methods"): 8 for label in ("baseline", "brag", "vprag")},
        **{(label, "controls"): 8 for label in ("stranger", "random")},
        **{(label, "halves"): 16 for label in ("brag", "vprag", "stranger", "random")},
    }
    (writer,) = of_kind(events, "writer")
    assert writer["calls"] == sum(calls.values())
    assert writer["dollars"] is None


def test_a_batch_endpoint_costs_its_share_of_the_price(capsys, tmp_path):
    events, said = planned(capsys, tmp_path, writers=WRITERS[2:], cross_fit=0)
    online, batched = of_kind(events, "writer")
    assert online["input_tokens"] == batched["input_tokens"]
    for end in ("low", "high"):
        cost = (online["input_tokens"][end] + 10 * online["output_tokens"][end]) / 1e6
        assert online["dollars"][end] == pytest.approx(cost)
        assert batched["dollars"][end] == pytest.approx(cost / 4)
    assert online["dollars"]["low"] < online["dollars"]["high"]
    assert "Basis: 1.2 to 1.75 tokens a word" in said


def test_methods_that_show_captions_are_expected_to_take_more_and_their_halves_fewer(capsys, tmp_path):
    events, _ = planned(capsys, tmp_path, writers=["tiny-chat"], cross_fit=1)
    a_call = {(event["label"], event["kind"]): event["input_tokens"]["low"] / event["planned"] for event in of_kind(events, "calls")}
    assert a_call["baseline", "methods"] < a_call["vprag", "methods"] < a_call["brag", "halves"] < a_call["brag", "methods"]


def test_words_that_were_really_sent_lie_in_the_estimated_range(capsys, tmp_path):
    events, _ = planned(capsys, tmp_path, writers=["tiny-chat"], cross_fit=0)
    run = evaluated(tmp_path / "elsewhere", "run", **CHOICES, writers=["tiny-chat"], cross_fit=0)
    for event in of_kind(events, "calls"):
        (stage,) = [each.prompt for each in run.workflow.entrants if each.label == event["label"]]
        rows = [row for shard in run.plan.shards for row in run.results.read(stage, shard.key, overlays=0).values()]
        # tiny-chat counts words between spaces, which a token rule counts much alike.
        sent = sum(row.outcome.value.said.input_tokens for row in rows if isinstance(row.outcome, Answered))
        assert 0.75 * event["input_tokens"]["low"] < TOKENS_A_WORD[0] * sent < event["input_tokens"]["high"], event["label"]


def test_what_a_run_in_this_store_took_is_the_basis_for_the_rest(capsys, tmp_path):
    choices = {"writers": ["tiny-chat"], "cross_fit": 0}
    run = evaluated(tmp_path / "store", "first", **CHOICES | {"people": {"grammar": 2}}, **choices)
    events, said = planned(capsys, tmp_path, **choices)
    calls = {event["label"]: event for event in of_kind(events, "calls")}
    assert {event["measured"] for event in calls.values()} == {4}
    assert {event["to_do"] for event in calls.values()} == {4}
    (stage,) = [each.prompt for each in run.workflow.entrants if each.label == "brag"]
    said_in = [row.outcome.value.said.input_tokens for row in run.results.read(stage, run.plan.shards[0].key, overlays=0).values()]
    ends = calls["brag"]["input_tokens"]
    assert ends["low"] < sum(said_in) < ends["high"]
    assert (ends["low"] + ends["high"]) / 2 == pytest.approx(sum(said_in))
    assert "Basis: 5 of 5 kinds of calls are measured on 20 answers in this store" in said


def test_a_template_alone_buys_nothing(capsys, tmp_path):
    events, said = planned(capsys, tmp_path, cross_fit=0)
    assert not of_kind(events, "writer")
    assert "no tokens are bought" in said


def test_a_hubs_model_is_planned_by_its_commit_without_its_files():
    experiment = load(EXPERIMENTS / "vptt-120k.yaml", {}, {"people.file": str(EXPERIMENTS / "vptt-120k.yaml")}).experiment
    small = Experiment.model_validate(
        {**CHOICES, "writers": [experiment.language_models()["qwen2.5-72b"].model_dump(exclude={"parallel"})]}
    )
    assert prepare(small).identity["models"]["model:qwen2.5-72b"] == "Qwen/Qwen2.5-72B-Instruct@495f39366efef23836d0cfae4fbe635880d2be31"
