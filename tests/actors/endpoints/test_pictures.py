"""Pictures on their way to every kind of endpoint: real photographs, and the very bytes that the server got."""

import io
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest
from PIL import Image

from actors.endpoints.anthropic_messages import AnthropicMessages
from actors.endpoints.batches import BatchedChat
from actors.endpoints.openai_chat import OpenAiChat
from actors.endpoints.usage import guessed_input, guessed_picture_tokens
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_REFUSED, ChatRequest, Message, Sampling
from engine.outcome import Answered, FailureKind
from engine.store.batch_ledger import BatchLedger
from engine.store.folder import FolderBackend
from tests.actors.endpoints.asking import asking
from tests.faults.batch_server import BatchServer
from tests.faults.model_rules import PICTURE, reply_text, shown, text_of

FOLDER = Path(find_spec("skimage").origin).parent / "data"
ASTRONAUT, COFFEE = ((FOLDER / name).read_bytes() for name in ("astronaut.png", "coffee.png"))
TEXT_ROW = "552b7a7f6a13e8cdbb4b8cf664e0524aa14867a2"
"""The id of a row without pictures, as it was before there were any: batches that are open are found by it."""


def showing(text, *pictures, role="user", **sampling):
    """One request whose last message shows pictures."""
    messages = (Message("system", "Judge."), Message(role, text, pictures))
    return ChatRequest(text, messages, Sampling(**{"max_tokens": 64} | sampling), seed=7)


@pytest.fixture
def server():
    with BatchServer() as server:
        yield server


@pytest.fixture(params=["openai", "anthropic", "openai batch", "anthropic batch"])
def model(request, server, writer, tmp_path):
    """A model behind each kind of endpoint."""
    engine, _, batch = request.param.partition(" ")
    endpoint = {"poll_s": 0.02, "batch": True} if batch else {}
    config = writer(server.url, engine=engine, endpoint=endpoint)
    ledger = BatchLedger(FolderBackend(tmp_path / "store"))
    made = (
        BatchedChat(config, ledger, progress=lambda line: None)
        if batch
        else {"openai": OpenAiChat, "anthropic": AnthropicMessages}[engine](config)
    )
    with closing(made):
        yield made


def bodies(server):
    """What was asked, by its text."""
    asked = server.bodies + [row for batch in server.batches.values() for row in batch.rows.values()]
    return {text_of(body["messages"][-1]["content"]): body for body in asked}


def kinds_of_parts(content):
    return ["text" if part["type"] == "text" else "picture" for part in content]


def test_the_server_sees_the_very_bytes_in_order_and_then_the_text(server, model):
    two, one, none = model.chat([showing("two", ASTRONAUT, COFFEE), showing("one", COFFEE), showing("none")])
    found = {text: body["messages"][-1]["content"] for text, body in bodies(server).items()}
    assert shown(found["two"]) == [ASTRONAUT, COFFEE]
    assert shown(found["one"]) == [COFFEE]
    assert kinds_of_parts(found["two"]) == ["picture", "picture", "text"]
    assert found["none"] == "none"
    replies = [outcome.value for outcome in (two, one, none)]
    assert [reply.choices[0].text for reply in replies] == [reply_text(text, most=64)[0] for text in ("two", "one", "none")]
    assert [reply.input_tokens - replies[2].input_tokens for reply in replies] == [2 * PICTURE, PICTURE, 0]


def test_a_picture_may_stand_without_a_text(server, model):
    assert isinstance(model.chat([showing("", COFFEE)])[0], Answered)
    [content] = [body["messages"][-1]["content"] for body in bodies(server).values()]
    assert kinds_of_parts(content) == ["picture"]


def test_pictures_stand_in_the_users_turns_or_nowhere(server, model):
    wrong, fine = model.chat([showing("wrong", COFFEE, role="assistant"), showing("fine", COFFEE)])
    assert (wrong.code, wrong.kind) == (ENDPOINT_REFUSED, FailureKind.PERMANENT)
    assert isinstance(fine, Answered)
    assert set(bodies(server)) == {"fine"}


def test_a_model_without_roles_is_not_shown_pictures(server, writer):
    with closing(OpenAiChat(writer(server.url, api="completions"))) as model:
        refused, fine = model.chat([showing("seen", COFFEE), asking("read")])
    assert refused.code == ENDPOINT_REFUSED
    assert "does not see" in refused.message
    assert isinstance(fine, Answered)
    assert len(server.bodies) == 1


@pytest.mark.parametrize("engine", ["openai", "anthropic"])
def test_a_faulty_provider_sees_the_same_pictures_at_each_try(writer, engine):
    with BatchServer(seed=2, faults=0.4, kinds=("slowdown", "internal", "reset", "malformed", "truncated"), retry_after="0") as server:
        with closing({"openai": OpenAiChat, "anthropic": AnthropicMessages}[engine](writer(server.url, engine=engine))) as model:
            outcomes = model.chat([showing(f"prompt {i}", COFFEE, ASTRONAUT) for i in range(8)])
        assert [outcome.value.choices[0].text for outcome in outcomes] == [reply_text(f"prompt {i}", most=64)[0] for i in range(8)]
        assert sum(server.counts.values()) > 2
        assert all(shown(body["messages"][-1]["content"]) == [COFFEE, ASTRONAUT] for body in server.bodies)


@pytest.mark.parametrize("engine", ["openai", "anthropic"])
def test_another_picture_is_another_row_of_a_batch_and_the_same_one_is_not_paid_twice(server, writer, tmp_path, engine):
    config = writer(server.url, engine=engine, endpoint={"poll_s": 0.02, "batch": True})
    ledger = BatchLedger(FolderBackend(tmp_path / "store"))
    for pictures in ((COFFEE,), (ASTRONAUT,), (COFFEE,)):
        with closing(BatchedChat(config, ledger, progress=lambda line: None)) as model:
            assert isinstance(model.chat([showing("which?", *pictures)])[0], Answered)
    rows = [row for batch in server.batches.values() for row in batch.rows.values()]
    assert [shown(row["messages"][-1]["content"]) for row in rows] == [[COFFEE], [ASTRONAUT]]
    assert server.charged["which?"] == 2


def test_a_row_without_pictures_keeps_its_id(writer, tmp_path):
    config = writer("http://127.0.0.1:1/v1", model="stand-in-1", endpoint={"batch": True})
    with closing(BatchedChat(config, BatchLedger(FolderBackend(tmp_path)))) as model:
        assert [row.id for row in model._rows(asking("a prompt"))] == [TEXT_ROW]


def test_pictures_are_guessed_for_the_rate_limit_and_the_context(server, writer):
    assert guessed_picture_tokens(ASTRONAUT) == 256 + -(-512 * 512 // 600)
    large = io.BytesIO()
    Image.new("RGB", (1024, 1024)).save(large, "PNG")
    assert guessed_picture_tokens(large.getvalue()) == 2004
    assert guessed_input(showing("a", ASTRONAUT, COFFEE)) == guessed_input(showing("a")) + sum(
        map(guessed_picture_tokens, (ASTRONAUT, COFFEE))
    )
    with closing(OpenAiChat(writer(server.url, context=1000))) as model:
        fits, over = model.chat([showing("one", ASTRONAUT), showing("two", ASTRONAUT, ASTRONAUT)])
    assert isinstance(fits, Answered)
    assert over.code == CONTEXT_EXCEEDED
