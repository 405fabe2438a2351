"""A language model as a judge: verdicts, refusals and what cannot be read, with the real SmolLM2 and with scripted habits."""

from dataclasses import replace

import numpy as np
import pytest

from actors.judge import ModelJudge, judge_id
from actors.llamacpp import LlamaCpp
from actors.models import resolve
from actors.scripted_chat import ScriptedChat
from actors.tiny_chat import TinyChat
from engine.errors import Missing
from engine.generation.chat import ChatRequest, Reply, Sampling, Spent
from engine.images.encoding import encoded
from engine.judge_config import BUILT_IN, Judge, Script
from engine.judging.asking import JudgeRequest
from engine.judging.candidates import Candidate
from engine.judging.rubric import built_in
from engine.judging.subject import Subject
from engine.outcome import Answered, Failed, Outcome, Refused, Unparsed

SUBJECT = Subject(("A beekeeper by the sea.",), ("smoke over the hives", "salt on the window"))


def question(kind, *candidates, key="k", seed=1):
    return JudgeRequest(key, built_in(kind), SUBJECT, candidates, seed, request="a morning", prefix="p")


def pair(number, first="a kite, grade 1", second="a boat, grade 1"):
    return question("pair", Candidate(first), Candidate(second), key=f"k{number}", seed=number)


def scripted(**habits):
    family = habits.pop("family", "")
    return ModelJudge(ScriptedChat(Script(**habits), family), Sampling(), "script")


@pytest.fixture(scope="module")
def smollm2():
    judge = BUILT_IN["smollm2"]
    model = LlamaCpp(resolve(judge.model.model), context=judge.model.context)
    yield ModelJudge(model, judge.model.sampling(), judge_id(judge, model.id))
    model.close()


def test_a_small_language_model_gives_verdicts_in_the_rubrics_form(smollm2):
    asked = [pair(1), question("rating", Candidate("bees at dawn"), key="r"), question("turing", Candidate("x"), Candidate("y"), key="t")]
    for outcome in smollm2.judge(asked):
        # A 135M model may run out of room; it never gives anything that is neither a verdict nor unparsed.
        assert isinstance(outcome, Answered | Unparsed)
        if isinstance(outcome, Answered):
            assert outcome.value.model.startswith("smollm2-135m-instruct@")
            assert outcome.value.input_tokens > 100
            assert outcome.value.decision in (*map(float, range(6)), "A", "B", "tie")
    assert smollm2.spent.calls == 3


def test_its_verdict_does_not_depend_on_what_is_asked_beside_it(smollm2):
    alone = smollm2.judge([pair(7)])
    assert smollm2.judge([pair(8, "a red hive, a red boat"), pair(7)])[1] == alone[0]


def test_a_judge_without_weights_always_says_first_and_zero():
    judge = ModelJudge(TinyChat(), Sampling(), "tiny")
    found = judge.judge([*(pair(number) for number in range(5)), question("rating", Candidate("x"))])
    assert [outcome.value.decision for outcome in found] == ["A"] * 5 + [0.0]


@pytest.mark.parametrize(("habits", "kind"), [({"refuses": 1}, Refused), ({"garbles": 1}, Unparsed)])
def test_what_is_no_verdict_is_none(habits, kind):
    assert all(isinstance(outcome, kind) for outcome in scripted(**habits).judge([pair(number) for number in range(20)]))


def shares(judge, *texts, n=3000):
    found = [outcome.value.decision for outcome in judge.judge([pair(number, *texts) for number in range(n)])]
    return [found.count(letter) / n for letter in ("A", "tie", "B")]


@pytest.mark.parametrize(
    ("habits", "texts", "d"),
    [
        ({}, ("kite grade 2", "boat grade 2"), 0),
        ({"scale": 0.7}, ("kite grade 3", "boat grade 1"), 1.4),
        ({"position": 0.8}, ("kite grade 1", "boat grade 1"), 0.8),
        ({"length": 0.5}, ("kite kite kite kite grade 1 x x", "boat grade 1"), 0.5 * np.log2(8 / 3)),
        ({"kin": 0.9, "family": "qwen"}, ("kite by acme grade 1", "boat by qwen grade 1"), -0.9),
        ({"tie": 2}, ("kite grade 1", "boat grade 1"), 0),
    ],
)
def test_a_script_prefers_as_often_as_it_says(habits, texts, d):
    nu = habits.get("tie", 0.5)
    expected = np.array([np.exp(d / 2), nu, np.exp(-d / 2)])
    assert shares(scripted(**habits), *texts) == pytest.approx(list(expected / expected.sum()), abs=0.03)


def test_a_script_may_have_one_answer_for_everything():
    assert shares(scripted(always="B"), "kite grade 5", "boat grade 0", n=50) == [0, 0, 1]


class Recorder:
    """Keeps what a model would be asked."""

    id = "recorder"
    spent = Spent()

    def __init__(self):
        self.asked: list[ChatRequest] = []

    def chat(self, requests):
        self.asked += requests
        answers: list[Outcome[Reply]] = [Unparsed("") for _ in requests]
        return answers

    def close(self): ...


def test_pictures_reach_a_model_as_bytes_of_a_bounded_size():
    stored = {name: encoded(np.full((64, 48, 3), shade, np.uint8), "webp") for name, shade in (("own", 9), ("a", 99), ("b", 200))}
    recorder = Recorder()
    judge = ModelJudge(recorder, Sampling(), "x", stored.__getitem__, max_pixels=32 * 24)
    request = question("pair", Candidate(picture="a"), Candidate(picture="b"))
    judge.judge([replace(request, subject=replace(SUBJECT, pictures=("own",)))])
    pictures = recorder.asked[0].messages[-1].pictures
    assert len(pictures) == 3
    from engine.images.decoding import decode

    opened = [decode(data).value.pixels for data in pictures]
    assert [each.shape for each in opened] == [(32, 24, 3)] * 3
    assert [int(each.mean()) for each in opened] == [9, 99, 200]
    assert all(name not in recorder.asked[0].messages[-1].content.split() for name in stored if len(name) > 1)


def test_a_picture_that_is_none_fails_its_question_alone():
    recorder = Recorder()
    stored = {"a": b"<svg/>", "b": encoded(np.zeros((8, 8, 3), np.uint8), "png")}
    judge = ModelJudge(recorder, Sampling(), "x", stored.__getitem__)
    bad, good = (question("pair", Candidate(picture=name), Candidate(picture="b"), key=name) for name in ("a", "b"))
    outcomes = judge.judge([bad, good])
    assert isinstance(outcomes[0], Failed)
    assert isinstance(outcomes[1], Unparsed)
    assert [request.key for request in recorder.asked] == ["b"]


def test_a_picture_that_is_gone_fails_its_question_and_not_the_run():
    def read(name):
        raise Missing(f"{name} is gone")

    request = question("pair", Candidate(picture="a"), Candidate(picture="b"))
    (outcome,) = ModelJudge(Recorder(), Sampling(), "x", read).judge([request])
    assert isinstance(outcome, Failed)
    assert outcome.code == "image-missing"


def test_a_persons_pictures_are_read_once_for_all_questions_about_them():
    reads = []

    def read(name):
        reads.append(name)
        return encoded(np.zeros((8, 8, 3), np.uint8), "png")

    asked = [question("pair", Candidate(picture="a"), Candidate(picture="b"), key=f"k{n}") for n in range(30)]
    shown = [replace(each, subject=replace(SUBJECT, pictures=("p1", "p2"))) for each in asked]
    ModelJudge(Recorder(), Sampling(), "x", read).judge(shown)
    assert sorted(reads) == ["a", "b", "p1", "p2"]


@pytest.mark.parametrize(
    ("engine", "change"),
    [("vllm", {"dtype": "float16"}), ("openai", {"api": "completions"}), ("vllm", {"temperature": 1}), ("vllm", {"max_tokens": 9})],
)
def test_what_changes_a_models_replies_changes_the_judges_id(engine, change):
    plain, other = (Judge.model_validate({"name": "j", "model": {"engine": engine, "model": "x", **fields}}) for fields in ({}, change))
    assert judge_id(plain, "x@1") != judge_id(other, "x@1")


def test_an_id_names_model_sampling_and_room():
    assert judge_id(BUILT_IN["smollm2"], "smollm2@1") == "smollm2@1 llamacpp t0 256/4096"
    vlm = Judge.model_validate({"name": "vlm", "looks": "pictures", "max_pixels": 2048, "model": {"engine": "vllm", "model": "x"}})
    assert judge_id(vlm, "x@1") == "x@1 vllm t0 256 2048px"
