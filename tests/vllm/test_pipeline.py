"""The VPTT pipeline with prompts by vLLM, as `mien run` processes on a local Ray.

MIEN_VLLM_PEOPLE and MIEN_VLLM_TASKS say how much (4 and 1 if they are not set); `make test-vllm` runs 12 x 2.
"""

import os
import signal
import time
from collections import Counter

import psutil
import pytest

from engine.outcome import Answered, Failed, Refused, Unparsed
from engine.stages.model_prompt import ModelPrompt
from engine.store.journal import read_journal
from jobs.history import spent_by_writer
from tests.jobs.running import Experiment

PEOPLE = int(os.environ.get("MIEN_VLLM_PEOPLE", "4"))
TASKS = ["cultural-generation", "social-editing", "cultural-editing", "social-generation"][: int(os.environ.get("MIEN_VLLM_TASKS", "1"))]
METHODS = ["baseline", "persona", "brag", "vprag", "combined"]
WRITER = "smollm2-vllm"
PROMPT_S = 30
"""What a prompt may take at most on a busy machine."""


def experiment(folder, model, people, methods, shard_size=2):
    """An experiment with vLLM's pool of one process; a small model's rows may fail in every way that has a name."""
    choices = f"""
methods: [{", ".join(methods)}]
queries: {{tasks: [{", ".join(TASKS)}]}}
writers: [{{name: {WRITER}, engine: vllm, model: {model}, context: 2048, dtype: float32, max_tokens: 96}}]
second_encoder: ''
cross_fit: 0
max_failed: 100000
execution: {{stop_after_failed: '', writers: {{{WRITER}: {{min: 1, max: 1, shards: 2}}}}}}
"""
    return Experiment(folder, people, shard_size, choices)


def ended(process, timeout_s):
    """What a run printed; its exit code must be 0."""
    output, _ = process.communicate(timeout=timeout_s)
    assert process.returncode == 0, output
    return output


def prompts(run):
    """Every row that a model wrote, by method and unit."""
    progress = run.progress()
    found = {}
    for entrant in run.workflow.entrants:
        if isinstance(entrant.prompt, ModelPrompt):
            for shard in run.plan.shards:
                rows = run.results.read(entrant.prompt, shard.key, overlays=progress.overlays(entrant.prompt, shard))
                found |= {(entrant.label, key): row.outcome for key, row in rows.items()}
    return found


def written_files(store):
    """Result files with prompts that the model wrote."""
    return set((store / "results").glob(f"prompt-baseline-{WRITER}-*/*.parquet"))


def engines(root):
    """vLLM's engine processes below a process."""
    found = []
    for process in root.children(recursive=True):
        try:
            if "EngineCore" in process.name() or "EngineCore" in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def waited_for(what, timeout_s, process):
    """What `what()` returns once it is true."""
    deadline = time.monotonic() + timeout_s
    while not (found := what()):
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.2)
    return found


@pytest.mark.slow
def test_every_prompt_is_answered_or_ends_as_an_outcome_with_a_name(tmp_path, model_folder):
    real = experiment(tmp_path, model_folder, PEOPLE, METHODS)
    ended(real.start("store"), 300 + PEOPLE * len(TASKS) * (len(METHODS) + 2) * PROMPT_S)
    run = real.opened("store")
    outcomes = prompts(run)
    expected = Counter({method: PEOPLE * len(TASKS) for method in METHODS})
    assert expected <= Counter(method for method, _ in outcomes)
    assert all(isinstance(outcome, Answered | Refused | Unparsed | Failed) for outcome in outcomes.values())
    answered = [outcome.value for outcome in outcomes.values() if isinstance(outcome, Answered)]
    assert len(answered) > len(outcomes) / 2
    for written in answered:
        assert written.said is not None
        assert written.said.raw
        assert written.said.finish in ("stop", "length")
        assert 0 < written.said.output_tokens <= 96
        assert written.words <= 150
    spent = spent_by_writer(read_journal(run.backend, run.plan.run))[WRITER]
    assert spent.output_tokens >= sum(written.said.output_tokens for written in answered)


@pytest.mark.slow
def test_an_engine_that_is_killed_in_the_middle_loses_nothing(tmp_path, model_folder):
    real = experiment(tmp_path, model_folder, 4, ["baseline", "vprag"], shard_size=1)
    process = real.start("store")
    root = psutil.Process(process.pid)
    try:
        before = waited_for(lambda: written_files(tmp_path / "store"), 600, process)
        [engine] = engines(root)
        family = [engine, *engine.children(recursive=True)]
        assert len(family) > 1
        os.kill(engine.pid, signal.SIGKILL)
    except BaseException:
        process.send_signal(signal.SIGINT)
        raise
    # What was in flight went down with the engine, and was done again by another.
    assert "was begun again: an earlier task on it never returned" in ended(process, 1200)
    run = real.opened("store")
    outcomes = prompts(run)
    assert written_files(tmp_path / "store") >= before
    for method in ("baseline", "vprag"):
        assert sum(1 for each, _ in outcomes if each == method) == 4 * len(TASKS)
    assert not any(isinstance(outcome, Failed) for outcome in outcomes.values())
    calls = spent_by_writer(read_journal(run.backend, run.plan.run))[WRITER].calls
    assert calls >= len(outcomes)
    _, alive = psutil.wait_procs(family, timeout=20)
    assert not alive
