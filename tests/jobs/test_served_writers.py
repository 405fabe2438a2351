"""A whole run whose prompts come from an endpoint that fails a fifth of all requests: every unit right once, every token accounted for."""

import json

from engine.outcome import Answered
from engine.store.journal import read_journal
from jobs.history import spent_by_writer
from tests.faults.model_server import FAULTS, MODEL, ModelServer
from tests.jobs.running import Experiment

PEOPLE, METHODS = 25, ["baseline", "persona", "vprag"]
"""25 people x 4 tasks x (3 methods and 2 controls that a writer writes) = 500 requests."""


def test_500_prompts_of_a_failing_endpoint_are_each_there_once_and_the_journal_has_the_servers_tokens(tmp_path, monkeypatch):
    with ModelServer(seed=3, faults=0.2, delay_s=0.01, retry_after="0.2") as server:
        monkeypatch.setenv("STAND_IN_KEY", server.key)
        endpoint = {"base_url": server.url, "key_env": "STAND_IN_KEY", "timeout_s": 2, "give_up_s": 60}
        price = {"input": 1.0, "output": 2.0}
        writer = {"name": "served", "engine": "openai", "model": MODEL, "max_tokens": 64, "endpoint": endpoint, "price": price}
        choices = {"encoder": "tiny-trigrams", "second_encoder": "", "cross_fit": 0, "methods": METHODS, "writers": [writer]}
        lines = "\n".join(f"{name}: {json.dumps(value)}" for name, value in choices.items())
        real = Experiment(tmp_path, PEOPLE, shard_size=5, choices=lines)
        code, output = real.run("store")
    assert code == 0, output
    assert set(server.counts) == set(FAULTS), "each kind of fault was met"
    run = real.opened("store")
    outcomes = [
        row.outcome
        for entrant in run.workflow.entrants
        if entrant.label not in ("own", "noise")
        for shard in run.plan.shards
        for row in run.results.read(entrant.prompt, shard.key, overlays=0).values()
    ]
    assert len(outcomes) == 500
    assert all(isinstance(outcome, Answered) and outcome.value.said.model == MODEL for outcome in outcomes)
    spent = spent_by_writer(read_journal(run.backend, run.plan.run))["served"]
    assert (spent.calls, spent.input_tokens, spent.output_tokens) == (500, server.told["input"], server.told["output"])
    assert abs(spent.dollars - (server.told["input"] * 1.0 + server.told["output"] * 2.0) / 1e6) < 1e-9
    assert server.key not in output
    for path in (tmp_path / "store").rglob("*"):
        assert path.is_dir() or server.key.encode() not in path.read_bytes(), path
