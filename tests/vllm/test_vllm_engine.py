"""The engine with real weights on the CPU."""

import json
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from actors.vllm_engine import VllmEngine
from engine.errors import EngineDied, ModelError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_REFUSED, ChatModel, ChatRequest, Message, Sampling
from engine.outcome import Answered, Failed, FailureKind, Unparsed

CONTEXT = 1024
PERSON = json.dumps(
    {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "minimum": 1, "maximum": 99}},
        "required": ["name", "age"],
        "additionalProperties": False,
    }
)


def asked(text, *, key="k", schema="", prefix="", seed=1, **sampling):
    return ChatRequest(key, (Message("user", text),), Sampling(**{"max_tokens": 16} | sampling), seed, schema, prefix)


@pytest.fixture(scope="module")
def model(model_folder):
    model = VllmEngine(model_folder, id="smollm2@test", context=CONTEXT, dtype="float32", threads=1)
    yield model
    model.close()


def texts(outcome):
    assert isinstance(outcome, Answered), outcome
    return [choice.text for choice in outcome.value.choices]


def test_bad_rows_end_as_outcomes_and_take_no_other_with_them(model):
    long_words = "word " * CONTEXT
    good = asked("Name a colour.")
    outcomes = model.chat(
        [
            good,
            asked(long_words),
            asked("Say nothing.", stop=("",)),
            asked("A person as JSON.", schema="{no schema"),
            asked("A person as JSON.", schema='{"type": "unheard-of"}'),
            asked("A person as JSON.", schema=PERSON, max_tokens=3),
            asked("Name a colour.", top_p=7.0),
            asked("Say hello.", max_tokens=1, stop=("Hello", "H", "I", "S", "\n")),
            ChatRequest("k", (Message("user", "Name the colour.", (b"a picture",)),), Sampling(max_tokens=4), seed=1),
            good,
        ]
    )
    first, too_long, no_stop, no_schema, no_type, cut, no_share, stopped, unseen, last = outcomes
    assert texts(first) == texts(last)
    assert too_long == Failed(CONTEXT_EXCEEDED, too_long.message, FailureKind.PERMANENT)
    assert str(CONTEXT) in too_long.message
    for refused in (no_schema, no_type, no_share, no_stop, unseen):
        assert isinstance(refused, Failed), refused
        assert (refused.code, refused.kind) == (ENDPOINT_REFUSED, FailureKind.PERMANENT)
    assert "does not see" in unseen.message
    assert isinstance(cut, Unparsed)
    assert cut.raw.startswith("{")
    assert stopped == Unparsed("")


def test_a_prompt_fits_to_the_last_token(model):
    short = model.chat([asked("hi", max_tokens=1)])[0].value.input_tokens
    room = CONTEXT - short
    fits, over = model.chat([asked("hi", max_tokens=room, stop=(" ", "!", "\n")), asked("hi", max_tokens=room + 1)])
    assert isinstance(fits, Answered | Unparsed)
    assert isinstance(over, Failed)
    assert over.code == CONTEXT_EXCEEDED


def test_samples_differ_and_are_repeated_by_their_seed(model):
    request = asked("Write a line about the sea.", n=4, temperature=1.0, seed=7, max_tokens=12)
    again = asked("Write a line about the sea.", n=4, temperature=1.0, seed=7, max_tokens=12)
    other = asked("Write a line about the sea.", n=4, temperature=1.0, seed=8, max_tokens=12)
    first, second = (texts(model.chat([each])[0]) for each in (request, again))
    assert len(first) == 4
    assert len(set(first)) > 1
    assert first == second
    assert texts(model.chat([other])[0]) != first


def test_a_seed_of_63_bits_is_taken(model):
    assert texts(model.chat([asked("Name a colour.", n=2, temperature=1.0, seed=2**63 - 1)])[0])


def test_greedy_samples_are_all_the_same_and_cost_one(model):
    [outcome] = model.chat([asked("Name a colour.", n=3)])
    assert len(set(texts(outcome))) == 1
    assert len(texts(outcome)) == 3
    assert outcome.value.output_tokens <= 16


def test_a_schema_holds(model):
    [outcome] = model.chat([asked("A person as JSON.", schema=PERSON, max_tokens=64)])
    person = json.loads(texts(outcome)[0])
    assert set(person) == {"name", "age"}
    assert 1 <= person["age"] <= 99


def test_tokens_and_ends_are_told_and_counted(model):
    before = model.spent
    exact, cut = model.chat([asked("hi", max_tokens=7, fixed_length=True, n=1), asked("Count to a thousand.", max_tokens=5)])
    assert exact.value.output_tokens == 7
    assert [choice.finish for choice in cut.value.choices] == ["length"]
    assert exact.value.model == "smollm2@test"
    spent = model.spent - before
    assert spent.calls == 2
    assert spent.output_tokens == 12
    assert spent.input_tokens == exact.value.input_tokens + cut.value.input_tokens


def test_callers_in_several_threads_get_their_own_answers(model: ChatModel):
    questions = [[asked(f"Repeat the number {thread * 10 + row}.") for row in range(3)] for thread in range(4)]
    alone = [[texts(outcome) for outcome in model.chat(batch)] for batch in questions]
    with ThreadPoolExecutor(4) as threads:
        together = [[texts(outcome) for outcome in outcomes] for outcomes in threads.map(model.chat, questions)]
    assert together == alone


def test_nothing_listens_beyond_this_machine(model):
    mine = psutil.Process()
    listening = [
        connection.laddr.ip
        for process in [mine, *mine.children(recursive=True)]
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN and connection.family in (socket.AF_INET, socket.AF_INET6)
    ]
    assert set(listening) <= {"127.0.0.1", "::1"}


def test_nothing_is_fetched_or_reported(model):
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    from vllm.usage.usage_lib import is_usage_stats_enabled

    assert not is_usage_stats_enabled()


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="no model"):
        VllmEngine(tmp_path, id="nothing")


def test_a_context_beyond_the_model_is_refused(model_folder):
    with pytest.raises(ModelError, match="does not take"):
        VllmEngine(model_folder, id="smollm2@test", context=10**6, dtype="float32")


def test_an_engine_killed_in_the_middle_raises_for_every_caller_and_leaves_no_process(model_folder):
    model = VllmEngine(model_folder, id="smollm2@test", context=CONTEXT, dtype="float32", threads=1)
    family = [process for pid in model.pids for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]]
    assert len(family) > 1
    ended = []

    def long_call():
        try:
            ended.append(model.chat([asked(f"Tell a story about {row}.", max_tokens=500, fixed_length=True) for row in range(4)]))
        except EngineDied as error:
            ended.append(error)

    callers = [threading.Thread(target=long_call) for _ in range(2)]
    for caller in callers:
        caller.start()
    time.sleep(3)
    os.kill(model.pids[0], signal.SIGKILL)
    for caller in callers:
        caller.join(30)
    assert [type(each) for each in ended] == [EngineDied, EngineDied]
    with pytest.raises(EngineDied):
        model.chat([asked("hi")])
    model.close()
    _, alive = psutil.wait_procs(family, timeout=20)
    assert not alive
