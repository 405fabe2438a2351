"""An S3 server that goes away in the middle of a run: the run waits and goes on; an interrupt meanwhile is heard at once."""

import os
import signal
import subprocess
import sys
import time

import pytest

from engine.store.opening import open_backend
from jobs.audit import audit
from jobs.opened_run import open_run
from tests.jobs.running import ROOT

PEOPLE, SHARD_SIZE = 60, 2


@pytest.fixture
def experiment(tmp_path):
    file = tmp_path / "experiment.yaml"
    lean = "encoder: tiny-trigrams\nmethods: [baseline]\nsecond_encoder: ''\ncross_fit: 0"
    file.write_text(f"name: small\nshard_size: {SHARD_SIZE}\npeople: {{grammar: {PEOPLE}}}\n{lean}\n")
    return file


def start(experiment, uri, server):
    environment = {**os.environ, **server.environment, "RAY_AUTH_MODE": "disabled"}
    command = [sys.executable, "-m", "jobs.cli", "run", str(experiment), "--store", uri]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wait_for(backend, results, process):
    deadline = time.monotonic() + 90
    while len(backend.list("results/")) < results:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_run_outlives_its_s3_server_and_an_interrupt_does_not_wait_for_it(experiment, own_s3_server):
    uri = own_s3_server.uri("mien", "outage")
    backend = open_backend(uri)
    run = start(experiment, uri, own_s3_server)
    wait_for(backend, 100, run)
    own_s3_server.kill()
    time.sleep(2)
    own_s3_server.restart()
    wait_for(backend, 200, run)
    own_s3_server.kill()
    time.sleep(1)
    started = time.monotonic()
    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=60)
    assert run.returncode == 130, output
    assert time.monotonic() - started < 40, "it must not wait out the store's patience of minutes"
    assert "Stopping" in output
    own_s3_server.restart()
    # Its lease could not be released, but its process is dead: the next driver follows at once.
    again = start(experiment, uri, own_s3_server)
    output, _ = again.communicate(timeout=120)
    assert again.returncode == 0, output
    opened = open_run(uri, "small")
    assert audit(opened.workflow, opened.plan, opened.results).is_exact
    backend.close()
