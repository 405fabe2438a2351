"""Pictures through vLLM on the CPU with `random-llava`: what it says means nothing, the path is the real one."""

import json
import os
import shutil
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import psutil
import pytest

from actors.endpoints.openai_chat import OpenAiChat
from actors.judge import ModelJudge
from actors.models import resolve
from actors.random_llava import NAME, PICTURE_TOKENS, write
from actors.vllm_engine import VllmEngine
from actors.vllm_pictures import IN_FLIGHT
from engine.errors import EngineDied, ModelError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_REFUSED, ChatRequest, Message, Sampling
from engine.images.decoding import DAMAGED, NO_IMAGE
from engine.images.encoding import encoded
from engine.judging.asking import JudgeRequest
from engine.judging.candidates import Candidate
from engine.judging.rubric import rubric_of
from engine.judging.subject import Subject
from engine.outcome import Answered, Failed, FailureKind, Unparsed
from engine.writer_config import Endpoint, LanguageModel
from tests.vllm.serving import KEY, serving

CONTEXT = 1024
PICTURES = 3
SMALL = {"context": CONTEXT, "dtype": "float32", "threads": 1, "cache_gib": 0.25, "picture_cache_gb": 0.25}
CHOICE = json.dumps({"enum": ["first", "second"]})
PREFERENCE = json.dumps(
    {
        "type": "object",
        "properties": {"preferred": {"enum": ["A", "B", "tie"]}, "sure": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["preferred", "sure"],
        "additionalProperties": False,
    }
)


def drawn(seed, height=80, width=120):
    """A PNG file that only this seed gives: a few coloured blocks."""
    blocks = np.random.default_rng(seed).integers(0, 256, (4, 6, 3), dtype=np.uint8)
    return encoded(np.kron(blocks, np.ones((height // 4, width // 6, 1), np.uint8)), "png")


SEA, HILL, WOOD, TOWN = map(drawn, range(4))


def showing(text, *pictures, schema="", role="user", **sampling):
    messages = (Message("system", "You compare pictures."), Message(role, text, pictures))
    return ChatRequest(text, messages, Sampling(**{"max_tokens": 12} | sampling), seed=1, schema=schema)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("models") / NAME)


@pytest.fixture(scope="module")
def model(folder):
    with closing(VllmEngine(folder, id=resolve(str(folder)).id, pictures=PICTURES, **SMALL)) as model:
        yield model


def text(outcome):
    assert isinstance(outcome, Answered), outcome
    return outcome.value.choices[0].text


def test_two_pictures_in_one_call_are_answered_in_json_that_fits(model):
    chosen, preferred = model.chat([showing("Which one?", SEA, HILL, schema=schema, max_tokens=40) for schema in (CHOICE, PREFERENCE)])
    assert json.loads(text(chosen)) in ("first", "second")
    assert chosen.value.model.startswith("random-llava@")
    # Between braces random weights may go on with spaces for ever; they cannot leave the schema.
    if isinstance(preferred, Answered):
        said = json.loads(text(preferred))
        assert said["preferred"] in ("A", "B", "tie")
        assert 0 <= said["sure"] <= 9
    else:
        assert isinstance(preferred, Unparsed), preferred
        assert preferred.raw.startswith('{"preferred"')


def test_each_picture_takes_its_tokens_and_the_text_the_same_as_ever(model):
    before = model.spent
    none, one, large, three = (
        outcome.value.input_tokens
        for outcome in model.chat([showing("Go.", *shown) for shown in ((), (SEA,), (drawn(1, 600, 900),), (SEA, HILL, SEA))])
    )
    assert (one - none, large - none, three - none) == (PICTURE_TOKENS, PICTURE_TOKENS, 3 * PICTURE_TOKENS)
    assert (model.spent - before).input_tokens == none + one + large + three


def test_a_picture_changes_what_is_said_and_the_same_one_does_not(model):
    shown = [(SEA, HILL), (HILL, SEA), (SEA, WOOD), (TOWN,), (), (SEA, HILL)]
    said = [text(outcome) for outcome in model.chat([showing("What is it?", *pictures, max_tokens=24) for pictures in shown])]
    assert len(set(said[:5])) == 5
    assert said[5] == said[0]


def test_bad_rows_end_as_outcomes_and_take_no_other_with_them(model):
    good = showing("Which one?", SEA, HILL)
    outcomes = model.chat(
        [
            good,
            showing("Four.", SEA, HILL, WOOD, TOWN),
            showing("No picture.", b"no picture"),
            showing("Half of one.", SEA[:60] + SEA[90:]),
            showing("I show you.", SEA, role="assistant"),
            showing("A person as JSON.", SEA, schema='{"type": "unheard-of"}'),
            showing("Half a pair \ud800, and <image> as a word.", SEA),
            showing("<image> without a picture."),
            good,
        ]
    )
    first, four, nothing, half, theirs, no_type, word, alone, last = outcomes
    assert text(first) == text(last)
    for refused in (four, theirs, no_type):
        assert isinstance(refused, Failed), refused
        assert (refused.code, refused.kind) == (ENDPOINT_REFUSED, FailureKind.PERMANENT)
    assert "room for 3" in four.message
    assert (nothing.code, half.code) == (NO_IMAGE, DAMAGED)
    for odd in (word, alone):
        assert isinstance(odd, Answered | Unparsed) or odd.code == ENDPOINT_REFUSED


def test_pictures_count_for_the_context_and_a_row_that_is_too_long_spoils_none_with_its_picture(model):
    fresh = drawn(99)
    length = model.chat([showing("Go.", max_tokens=1)])[0].value.input_tokens
    room = CONTEXT - length - 2 * PICTURE_TOKENS
    fits, over, endless, again = model.chat(
        [
            showing("Go.", SEA, fresh, max_tokens=room, stop=tuple("aeiou \n")),
            showing("Go.", SEA, drawn(98), max_tokens=room + 1),
            showing("word " * CONTEXT, drawn(97)),
            showing("Go.", drawn(98), drawn(97)),
        ]
    )
    assert isinstance(fits, Answered | Unparsed)
    for failed in (over, endless):
        assert isinstance(failed, Failed)
        assert (failed.code, failed.kind) == (CONTEXT_EXCEEDED, FailureKind.PERMANENT)
        assert str(CONTEXT) in failed.message
    assert text(again)


def test_callers_in_several_threads_get_their_own_answers(model):
    questions = [[showing(f"Number {row}?", drawn(10 * thread + row), SEA) for row in range(4)] for thread in range(3)]
    alone = [[text(outcome) for outcome in model.chat(batch)] for batch in questions]
    with ThreadPoolExecutor(3) as threads:
        together = [[text(outcome) for outcome in outcomes] for outcomes in threads.map(model.chat, questions)]
    assert together == alone


def test_a_judge_of_pictures_gets_a_verdict_of_its_rubrics_form_or_none(model):
    objects = {"theirs": drawn(5, 600, 900), "first": SEA, "second": HILL}
    judge = ModelJudge(model, Sampling(max_tokens=200), "random-llava", objects.__getitem__, max_pixels=4096)
    request = JudgeRequest(
        "row", rubric_of(None, "pair"), Subject((), pictures=("theirs",)), (Candidate("", "first"), Candidate("", "second")), seed=1
    )
    [outcome] = judge.judge([request])
    if isinstance(outcome, Answered):
        assert outcome.value.decision in ("A", "B", "tie")
        assert outcome.value.model == model.id
    else:
        assert isinstance(outcome, Unparsed), outcome
        assert outcome.raw


def test_a_model_that_reads_only_is_no_vlm(model_folder):
    with pytest.raises(ModelError, match="does not see"):
        VllmEngine(model_folder, id="smollm2@test", pictures=1, **SMALL)


def test_a_vlm_without_a_chat_template_is_refused(folder, tmp_path):
    bare = tmp_path / NAME
    shutil.copytree(folder, bare, ignore=shutil.ignore_patterns("chat_template*"))
    with pytest.raises(ModelError, match="no chat template"):
        VllmEngine(bare, id="bare@test", pictures=1, **SMALL)


def test_the_endpoint_client_shows_pictures_to_vllms_own_server(folder, model, tmp_path, monkeypatch):
    """What the two ways of asking have in common: the prompts' lengths, and what is said."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    asked = [showing("Which one?", SEA, HILL), showing("What is it?", TOWN), showing("Which one?", SEA, HILL, schema=CHOICE)]
    ours = model.chat(asked)
    options = [f"--max-model-len={CONTEXT}", "--kv-cache-memory-bytes=268435456", '--limit-mm-per-prompt={"image": 3}']
    with serving(folder, NAME, tmp_path, *options) as (url, _):
        config = LanguageModel(name="served", engine="openai", model=NAME, endpoint=Endpoint(base_url=url, give_up_s=60))
        with closing(OpenAiChat(config)) as served:
            theirs = served.chat(asked)
    assert [outcome.value.input_tokens for outcome in theirs] == [outcome.value.input_tokens for outcome in ours]
    assert [text(outcome) for outcome in theirs] == [text(outcome) for outcome in ours]


def test_an_engine_killed_in_the_middle_raises_for_every_caller_those_in_the_queue_too(model):
    """Last in this file: nobody is asked afterwards."""
    family = [process for pid in model.pids for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]]
    ended = []

    def long_call():
        try:
            ended.append(
                model.chat([showing(f"Tell {row}.", SEA, HILL, WOOD, max_tokens=800, fixed_length=True) for row in range(IN_FLIGHT)])
            )
        except EngineDied as error:
            ended.append(error)

    callers = [threading.Thread(target=long_call) for _ in range(2)]
    for caller in callers:
        caller.start()
    time.sleep(2)
    os.kill(model.pids[0], signal.SIGKILL)
    for caller in callers:
        caller.join(30)
    assert [type(each) for each in ended] == [EngineDied, EngineDied]
    with pytest.raises(EngineDied):
        model.chat([showing("hi", SEA)])
    _, alive = psutil.wait_procs(family, timeout=20)
    assert not alive
