"""What judges that are language models will be asked: calls exactly, tokens and dollars as ranges, on the same basis as writers' calls.

A pair asked in both orders is two calls. Messages are built for a few of the plan's people, with a candidate of the budget's words; a
picture's tokens are not known before a model is asked and are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.config import Experiment
from engine.judge_config import Judge
from engine.judging.asking import JudgeRequest, system_text, user_text
from engine.judging.candidates import Candidate
from engine.judging.subject import subject_of
from engine.prompting.budget import word_count
from engine.records import Profile
from engine.stages.judging import Compare, JudgeStage, Rate
from engine.store.plans import Plan
from engine.store.results import Results
from engine.writer_config import LanguageModel
from jobs.call_estimate import CHAT_FRAME, TOKENS_A_WORD, Calls, Range, Units, answers_of, around, priced, some_people
from jobs.progress import Progress
from jobs.vptt import Vptt

VERDICTS = "verdicts"
"""The kind of these calls."""

REPLY_WORDS = (8, 60)
"""Words of a reply that restates the task, gives a reason and a verdict."""


def asker(judge: str) -> str:
    """What a judge is called among those who are asked: a writer may have the same name."""
    return f"judge {judge}"


def judge_models(experiment: Experiment) -> dict[str, LanguageModel]:
    """The language models among the judges, by `asker`."""
    return {asker(name): judge.model for name, judge in experiment.judges().items() if judge.model}


def judge_calls(experiment: Experiment, workflow: Vptt, plan: Plan, results: Results, progress: Progress, units: Units) -> list[Calls]:
    """The calls of every stage that asks a judge that is a language model."""
    judges = {name: judge for name, judge in experiment.judges().items() if judge.model}
    stages = [stage for stage in workflow.judgements.finals if isinstance(stage, JudgeStage) and stage.by.name in judges]
    people = list(some_people(experiment)) if stages else []
    found = []
    for stage in stages:
        judge, orders = judges[stage.by.name], _orders(stage)
        assert judge.model is not None
        measured = answers_of(stage, plan, results, progress)
        if measured.num_rows:
            tokens = [around(measured[name]).times(1 / orders) for name in ("input_tokens", "output_tokens")]
        else:
            words = [_words(stage, judge, person) for person in people]
            mean = sum(words) / len(words) if words else 0.0
            room = float(judge.model.max_tokens)
            out = Range(*(min(room, count * rate) for count, rate in zip(REPLY_WORDS, TOKENS_A_WORD, strict=True)))
            tokens = [Range(*(mean * rate + CHAT_FRAME for rate in TOKENS_A_WORD)), out]
        planned, done = (count * orders for count in units[stage.id])
        found.append(priced(asker(judge.name), _label(stage), VERDICTS, judge.model, (planned, done), tokens, measured.num_rows))
    return found


def _orders(stage: JudgeStage[Any]) -> int:
    if isinstance(stage, Rate):
        return 1
    return 1 if isinstance(stage, Compare) and stage.orders == "swapped" else 2


def _label(stage: JudgeStage[Any]) -> str:
    return stage.output.label if isinstance(stage, Rate) else stage.kind


def _words(stage: JudgeStage[Any], judge: Judge, person: Profile) -> int:
    budget = stage.output.prompt.budget if isinstance(stage, Rate) else stage.a.prompt.budget if isinstance(stage, Compare) else None
    return sum(word_count(text) for text in _texts(stage, judge, person, _candidate_words(budget)))


def _candidate_words(budget: object) -> int:
    limits = (getattr(budget, "words", None), (getattr(budget, "phrases", None) or 0) * (getattr(budget, "phrase_words", None) or 0) + 12)
    return min(limit for limit in limits if limit)


def _texts(stage: JudgeStage[Any], judge: Judge, person: Profile, words: int) -> Iterator[str]:
    subject = subject_of(person, judge.sees, judge.posts)
    count = 1 if isinstance(stage, Rate) else 2
    candidates: Sequence[Candidate] = [Candidate(" ".join(["word"] * words))] * count
    request = JudgeRequest("", stage.by.rubric, subject, tuple(candidates), 0, request=" ".join(["word"] * 10))
    yield system_text(stage.by.rubric, "text")
    yield user_text(request)
