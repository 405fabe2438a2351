"""One question to a judge, and the messages that ask it. The person comes first, so that questions about one person begin alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.judging.candidates import Candidate
from engine.judging.rubric import HIGHEST, LOWEST, Rubric
from engine.judging.subject import Subject

VERSION = "judge-messages-2"

LETTERS = ("A", "B")


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One question. `key` is unique in a batch; `request` is what the person asked for, `edited` the caption of what was to be edited.

    Requests with an equal `prefix` show the same person in the same way.
    """

    key: str
    rubric: Rubric
    subject: Subject
    candidates: tuple[Candidate, ...]
    seed: int
    request: str = ""
    edited: str = ""
    prefix: str = ""

    @property
    def pictures(self) -> tuple[str, ...]:
        """The image objects that are shown, in order: the person's, then the candidates'."""
        return (*self.subject.pictures, *(each.picture for each in self.candidates if each.picture))


def system_text(rubric: Rubric, thing: str) -> str:
    """Who is asked to do what, by which criteria and levels."""
    lines = [_filled(rubric.introduction, thing), "", "Criteria:", *(f"- {_filled(each, thing)}" for each in rubric.criteria)]
    if rubric.levels:
        lines += ["", "Levels:", *(f"{level}: {rubric.levels[level]}" for level in range(LOWEST, HIGHEST + 1))]
    return "\n".join([*lines, "", _filled(rubric.closing, thing), "Reply with one JSON object and nothing else."])


def user_text(request: JudgeRequest) -> str:
    """The person, what was asked for, and the candidates. Each piece of data stays on one line, so none can pass for another part."""
    subject = request.subject
    lines = ["The person:", *(f"- {_line(fact)}" for fact in subject.facts)]
    if subject.posts:
        lines += ["", "What they shared:", *(f"- {_line(post)}" for post in subject.posts)]
    if subject.pictures:
        lines += ["", f"The first {len(subject.pictures)} pictures are theirs."]
    if request.request:
        lines += ["", f"They asked for: {_line(request.request)}"]
    if request.edited:
        lines += [f"as an edit of a picture of: {_line(request.edited)}"]
    return "\n".join([*lines, *_candidates(request)])


def is_of_pictures(request: JudgeRequest) -> bool:
    """Whether pictures are judged."""
    return any(each.picture for each in request.candidates)


def _candidates(request: JudgeRequest) -> Iterable[str]:
    named = LETTERS if len(request.candidates) > 1 else ("",)
    number = len(request.subject.pictures)
    for letter, candidate in zip(named, request.candidates, strict=True):
        name = f"Candidate {letter}".rstrip()
        number += bool(candidate.picture)
        shown = [f"picture {number}"] * bool(candidate.picture) + [_line(candidate.text)] * bool(candidate.text)
        yield ""
        yield f"{name}: {'; '.join(shown)}"


def _filled(text: str, thing: str) -> str:
    return _line(text.replace("{thing}", thing))


def _line(text: str) -> str:
    return " ".join(text.split())
