"""The laptop's language model itself; what a 135M model says is not judged, only that it is what was asked for."""

import importlib.metadata
import json
import threading
from collections.abc import Iterator
from string import ascii_letters

import psutil
import pytest

from actors.encoders import encoder_id, make_encoder
from actors.llamacpp import LlamaCpp, llamacpp_id
from actors.models import ModelFiles, resolve
from engine.errors import EngineDied, ModelError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_REFUSED, ChatModel, ChatRequest, Message, Reply, Sampling, Spent
from engine.outcome import Answered, Failed, Outcome, Unparsed

NAME = "smollm2-135m-instruct"
CONTEXT = 512
PERSON = json.dumps(
    {
        "type": "object",
        "properties": {"name": {"enum": ["Ada", "Kofi"]}, "age": {"enum": [30, 40]}},
        "required": ["name", "age"],
        "additionalProperties": False,
    }
)


@pytest.fixture(scope="module")
def files() -> ModelFiles:
    return resolve(NAME)


@pytest.fixture(scope="module")
def model(files: ModelFiles) -> Iterator[LlamaCpp]:
    made = LlamaCpp(files, context=CONTEXT)
    yield made
    made.close()


def asking(text: str, *, seed: int = 1, schema: str = "", prefix: str = "", **sampling: object) -> ChatRequest:
    drawn = Sampling(**{"max_tokens": 12, **sampling})  # type: ignore[arg-type]
    return ChatRequest(f"{text[:40]} {seed}", (Message("user", text),), drawn, seed, schema, prefix)


def reply(outcome: Outcome[Reply]) -> Reply:
    assert isinstance(outcome, Answered), outcome
    return outcome.value


def text(outcome: Outcome[Reply]) -> str:
    return reply(outcome).choices[0].text


def test_each_row_of_a_batch_ends_as_what_it_is_and_its_tokens_are_counted(model: ChatModel) -> None:
    before = model.spent
    answered, too_long, no_room, empty, malformed, no_schema = model.chat(
        [
            asking("Why is the sky blue?"),
            asking("word " * 600),
            asking("word " * 60, max_tokens=450, stop=tuple(ascii_letters)),
            asking("Say yes.", max_tokens=1, stop=tuple(ascii_letters)),
            asking("Describe a person.", schema=PERSON, max_tokens=4),
            asking("Describe a person.", schema="[1]"),
        ]
    )
    said = reply(answered)
    assert (said.model, said.output_tokens, said.choices[0].finish) == (model.id, 12, "length")
    assert said.choices[0].text.strip()
    assert isinstance(too_long, Failed)
    assert (too_long.code, no_room.code if isinstance(no_room, Failed) else no_room) == (CONTEXT_EXCEEDED, CONTEXT_EXCEEDED)
    assert empty == Unparsed("")
    assert isinstance(malformed, Unparsed)
    assert malformed.raw.startswith("{")
    assert isinstance(no_schema, Failed)
    assert no_schema.code == ENDPOINT_REFUSED
    spent = model.spent - before
    assert spent.calls == 4  # what the engine did not even begin is no call
    assert spent.input_tokens > 3 * 30 + 90
    assert spent.output_tokens >= 12 + 1 + 4 + 1


def test_a_seed_repeats_a_sample_and_another_draws_another(model: ChatModel) -> None:
    warm = {"temperature": 0.9, "top_p": 0.95}
    first, other, again = (
        text(outcome) for outcome in model.chat([asking("Name a colour and say why.", seed=s, **warm) for s in (1, 2, 1)])
    )
    assert first == again != other
    assert text(*model.chat([asking("Name a colour and say why.", seed=2**62 + 1, **warm)])) != first


def test_several_samples_differ_and_greedy_ones_are_drawn_once(model: ChatModel) -> None:
    drawn = reply(*model.chat([asking("Name a colour and say why.", temperature=0.9, n=3)]))
    assert len({choice.text for choice in drawn.choices}) == 3
    assert drawn.output_tokens > 24
    greedy = reply(*model.chat([asking("Name a colour and say why.", n=3)]))
    assert (len(greedy.choices), len(set(greedy.choices)), greedy.output_tokens) == (3, 1, 12)
    assert greedy.input_tokens == drawn.input_tokens


def test_a_reply_does_not_depend_on_what_is_asked_beside_or_before_it(model: ChatModel, files: ModelFiles) -> None:
    shown = "red door, old bicycle, rain on a window, paper lantern, "
    requests = [
        asking(shown + tail, prefix=prefix, temperature=temperature, seed=number, max_tokens=10)
        for number, (tail, prefix, temperature) in enumerate(
            [("a park", "p", 0), ("a river", "p", 1.0), ("a park", "p", 0), ("sea", "", 1.0), ("old sea", "", 0)]
        )
    ]
    alone = []
    for request in requests:
        model.chat([asking("Hello!", max_tokens=1)])  # what it could have shared is gone
        alone += model.chat([request])
    batched = LlamaCpp(files, context=CONTEXT, slots=4)
    try:
        assert batched.chat(requests) == alone
        assert batched.chat(requests[::-1]) == alone[::-1]  # now with all of it in some slot's cache
    finally:
        batched.close()
    assert alone[0] == alone[2]


def test_going_on_with_a_reply_gives_what_it_gives_from_the_start(model: ChatModel) -> None:
    first = asking("Name a colour and say why.", max_tokens=16)
    said = Message("assistant", text(*model.chat([first])))
    repair = ChatRequest("repair", (*first.messages, said, Message("user", "Shorter.")), Sampling(max_tokens=16, temperature=1.0), seed=3)
    following = model.chat([repair])
    model.chat([asking("Hello!", max_tokens=1)])
    assert model.chat([repair]) == following


def test_a_schema_gives_json_that_fits_it(model: ChatModel) -> None:
    outcomes = model.chat([asking("Describe a person.", schema=PERSON, max_tokens=60, seed=seed, temperature=0.5) for seed in range(2)])
    for outcome in outcomes:
        assert set(json.loads(text(outcome))) == {"name", "age"}
        assert reply(outcome).choices[0].finish == "stop"


def test_a_stop_ends_a_reply_and_a_fixed_length_does_not(model: ChatModel) -> None:
    whole, cut, long = model.chat(
        [
            asking("Why is the sky blue?"),
            asking("Why is the sky blue?", stop=(" lies",)),
            asking("Reply with the word yes.", max_tokens=40, fixed_length=True),
        ]
    )
    assert " lies" in text(whole)
    assert (text(cut), reply(cut).choices[0].finish) == (text(whole).split(" lies")[0], "stop")
    assert (reply(long).output_tokens, reply(long).choices[0].finish) == (40, "length")


def test_text_that_is_no_unicode_is_read_as_a_decoder_would(model: ChatModel) -> None:
    broken, mended = model.chat([asking("a \ud800 b\0"), asking("a \ufffd\ufffd\ufffd b\0")])
    assert text(broken) == text(mended)


def test_a_thousand_requests_come_back_in_order(model: ChatModel) -> None:
    answered = set(range(0, 1000, 200))
    outcomes = model.chat([asking("Hello!", max_tokens=1) if i in answered else asking("no " * (CONTEXT + i)) for i in range(1000)])
    tokens = [int(o.message.split()[0]) - i for i, o in enumerate(outcomes) if isinstance(o, Failed)]
    assert len(tokens) == 1000 - len(answered)
    assert len(set(tokens)) == 1
    assert all(isinstance(outcomes[i], Answered) for i in answered)


def test_two_threads_may_ask_at_once(model: ChatModel) -> None:
    found: dict[str, list[Outcome[Reply]]] = {}
    questions = {name: [asking(f"Name a {name}.", seed=s, temperature=1.0, max_tokens=6) for s in range(3)] for name in ("bird", "river")}
    before = model.spent
    threads = [threading.Thread(target=lambda name=name: found.update({name: model.chat(questions[name])})) for name in questions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (model.spent - before).calls == 6
    assert found == {name: model.chat(requests) for name, requests in questions.items()}


def test_nothing_is_printed_and_no_port_is_opened(files: ModelFiles, capfd: pytest.CaptureFixture[str]) -> None:
    before = psutil.Process().net_connections("inet")
    model = LlamaCpp(files, context=CONTEXT)
    try:
        model.chat([asking("Hello!", max_tokens=1), asking("word " * 600)])
        assert psutil.Process().net_connections("inet") == before
    finally:
        model.close()
    assert capfd.readouterr() == ("", "")
    with pytest.raises(ModelError, match="closed"):
        model.chat([asking("Hello!")])
    assert model.spent.calls == 1
    assert model.spent != Spent()


def test_the_id_names_weights_and_llama_cpp(model: ChatModel, files: ModelFiles) -> None:
    version = importlib.metadata.version("xllamacpp")
    assert model.id == llamacpp_id(files) == f"{files.id}+xllamacpp-{version}"


def test_without_llama_cpp_the_command_is_named(files: ModelFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(ModelError, match=r"pip install mien\[laptop\]"):
        LlamaCpp(files)


def test_an_encoder_is_no_chat_model_and_a_chat_model_no_encoder(files: ModelFiles) -> None:
    with pytest.raises(ModelError, match=rf"no language model in a GGUF file but a checkpoint folder.*{NAME}") as caught:
        LlamaCpp(resolve("minilm-l6-v2"))
    assert caught.value.code == "model-unsupported"
    for ask in (encoder_id, make_encoder):
        with pytest.raises(ModelError, match=r"but a language model in a GGUF file.*Registered: minilm-l6-v2, wordllama"):
            ask(NAME)


def test_files_that_cannot_serve_are_refused_at_once(files: ModelFiles, tmp_path) -> None:
    with pytest.raises(ModelError, match="made for 8192 tokens, not 9000"):
        LlamaCpp(files, context=9000)
    half = tmp_path / "half.gguf"
    half.write_bytes((files.folder / files.weights).read_bytes()[: 20 << 20])
    with pytest.raises(ModelError, match="cannot load"):
        LlamaCpp(resolve(str(half)), context=CONTEXT)


class Broken:
    """llama.cpp after a pass through the model failed."""

    def handle_chat_completions(self, body: object) -> dict[str, object]:
        return {"error": {"code": 500, "message": "Compute error.", "type": "server_error"}}


def test_an_engine_that_cannot_compute_has_died(model: LlamaCpp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_server", Broken())
    with pytest.raises(EngineDied, match="Compute error"):
        model.chat([asking("Hello!"), asking("Hello again!")])
