"""Processes that are killed, lose a reply or race for the same rows, with a provider that counts: each row is submitted once."""

import json
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from actors.endpoints.batches import BatchedChat
from engine.errors import ModelError
from engine.outcome import Answered
from engine.store.batch_ledger import BatchLedger
from engine.store.folder import FolderBackend
from engine.writer_config import Price
from tests.actors.endpoints.asking import asking
from tests.faults.batch_server import BatchServer
from tests.faults.model_rules import reply_text
from tests.faults.model_server import MODEL

ASKED = [f"prompt {i}" for i in range(12)]


@pytest.fixture
def server():
    with BatchServer() as server:
        yield server


@pytest.fixture(params=["openai", "anthropic"])
def config(request, server, writer):
    endpoint = {"batch": True, "poll_s": 0.05, "give_up_s": 20}
    return writer(server.url, engine=request.param, endpoint=endpoint, price=Price(input=2.0, output=10.0))


@pytest.fixture
def model(config, tmp_path):
    with closing(BatchedChat(config, BatchLedger(FolderBackend(tmp_path / "store")), progress=lambda line: None)) as model:
        yield model


@pytest.fixture
def start(config, tmp_path):
    """Starts a process that asks for texts; it is gone after the test."""
    processes = []

    def start(texts):
        command = [sys.executable, str(Path(__file__).with_name("batch_client.py")), config.model_dump_json(), str(tmp_path / "store")]
        processes.append(subprocess.Popen([*command, *texts], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def told(process):
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    return json.loads(out), error


def requests(asked):
    return [asking(text) for text in asked]


def texts(outcomes):
    return [outcome.value.choices[0].text for outcome in outcomes]


def right(asked):
    return [reply_text(text, most=64)[0] for text in asked]


def kill(process):
    process.kill()
    assert process.wait() == -9


def wait_for(condition):
    for _ in range(600):
        if condition():
            return
        threading.Event().wait(0.05)
    raise AssertionError("it did not come to that within 30 s")


def test_a_process_killed_with_an_open_batch_is_followed_by_one_that_attaches_to_it(server, start):
    server.held.set()
    first = start(ASKED)
    wait_for(lambda: server.batches and server.batches["batch_0"].looks > 1)
    kill(first)
    server.held.clear()
    result, error = told(start(ASKED))
    assert result["texts"] == right(ASKED)
    assert len(server.batches) == 1
    assert server.charged == dict.fromkeys(ASKED, 1)
    # The bill of the dead process is in the next one's, at half the price.
    assert result["calls"] == server.told["calls"] == 12
    assert result["dollars"] == pytest.approx((2 * server.told["input"] + 10 * server.told["output"]) / 2e6)
    assert "batch batch_0: 12 of 12 done, ended" in error


def test_a_process_killed_before_it_could_record_its_batch_is_followed_by_one_that_finds_it(server, start):
    accepted, killed = threading.Event(), threading.Event()

    def until_killed(batch):
        accepted.set()
        return killed.wait(30)

    server.before_reply = until_killed
    first = start(ASKED)
    assert accepted.wait(30)
    kill(first)
    killed.set()
    result, error = told(start(ASKED))
    assert result["texts"] == right(ASKED)
    assert (len(server.batches), server.charged) == (1, dict.fromkeys(ASKED, 1))
    assert "batch batch_0: found again" in error


def test_a_process_killed_before_it_submitted_is_followed_by_one_that_submits(server, start, model):
    foreign = {f"somebody-elses-{i}": {"model": MODEL, "max_tokens": 8, "messages": [{"content": "theirs"}]} for i in ASKED}
    server.begin(foreign)  # as large as ours will be
    arrived, killed = threading.Event(), threading.Event()
    server.before_accept = lambda: arrived.set() or (killed.wait(30) and False)
    first = start(ASKED)
    assert arrived.wait(30)
    kill(first)
    server.before_accept = lambda: True
    killed.set()
    assert texts(model.chat(requests(ASKED))) == right(ASKED)
    assert [len(batch.rows) for batch in server.batches.values()] == [12, 12]
    assert server.charged - Counter(theirs=12) == dict.fromkeys(ASKED, 1)


def test_a_reply_that_is_lost_on_the_way_is_no_second_batch(server, model):
    server.before_reply = lambda batch: False
    assert texts(model.chat(requests(ASKED))) == right(ASKED)
    assert (len(server.batches), server.charged) == (1, dict.fromkeys(ASKED, 1))


def test_rows_that_come_in_other_company_are_found_in_the_batches_they_were_in(server, config, model, tmp_path):
    """A run that was stopped goes on with more methods, and with fewer of the rows: some are committed already."""
    server.held.set()
    ledger = BatchLedger(FolderBackend(tmp_path / "store"))
    stopped = BatchedChat(config, ledger, progress=lambda line: stopped.close() if "0 of 12 done" in line else None)
    with pytest.raises(ModelError):
        stopped.chat(requests(ASKED))
    server.held.clear()
    others = [*ASKED[7:], "one more", "and another"]
    assert texts(model.chat(requests(others))) == right(others)
    assert [len(batch.rows) for batch in server.batches.values()] == [12, 2]
    assert set(server.submitted.values()) == {1}


def test_racing_processes_share_one_batch(server, start):
    results = [told(process)[0] for process in [start(ASKED) for _ in range(2)]]
    assert [result["texts"] for result in results] == [right(ASKED)] * 2
    assert (len(server.batches), server.charged) == (1, dict.fromkeys(ASKED, 1))


def test_racing_threads_share_one_batch(server, model):
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: model.chat(requests(ASKED)), range(6)))
    assert all(isinstance(outcome, Answered) for outcomes in answers for outcome in outcomes)
    assert (len(server.batches), model.spent.calls) == (1, 12)


def test_a_process_that_was_taken_for_dead_cancels_what_it_submitted(server, model, tmp_path):
    """It was paused between its claim and the provider's acceptance, and another one found nothing there."""
    other = BatchLedger(FolderBackend(tmp_path / "store"))

    def take_over(batch):
        server.before_reply = lambda batch: True
        [claim] = other.unsettled(list(batch.rows))
        other.accept(other.claim(claim.key, claim.rows, patience_s=0), "")
        return True

    server.before_reply = take_over
    assert texts(model.chat(requests(ASKED))) == right(ASKED)
    assert server.batches["batch_0"].fate == "cancelled"
    assert (len(server.batches), server.charged) == (2, dict.fromkeys(ASKED, 1))
