"""The endpoint client against a real server: `vllm serve` on this machine with the model folder in MIEN_VLLM_MODEL.

Needs vLLM in the environment that runs the tests (see `make test-vllm`); elsewhere these tests are skipped.
"""

import importlib.util
import json
import os
import signal
import threading
import time

import pytest

from actors.endpoints.openai_chat import OpenAiChat
from engine.errors import ConfigError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_FAILED, ChatRequest, Message, Sampling
from engine.outcome import Answered, Failed, FailureKind
from engine.writer_config import Endpoint, LanguageModel
from tests.vllm.serving import KEY, serving

FOLDER = os.environ.get("MIEN_VLLM_MODEL", "")
CONTEXT = 1024
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
    options = [f"--max-model-len={CONTEXT}", "--kv-cache-memory-bytes=536870912"]
    with serving(FOLDER, "smollm2", tmp_path_factory.mktemp("served"), *options) as (url, process):
        yield url, process


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
