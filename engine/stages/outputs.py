"""What is judged of an entrant: its prompt, its image, or what vision models saw in the image; and the same of the person's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.judging.asking import JudgeRequest
from engine.judging.candidates import Candidate
from engine.records import Profile
from engine.stage import Read, Stage, Unit
from engine.stages.describing import DescribeGallery, DescribeImage
from engine.stages.images import Galleries, Images
from engine.stages.prompt import Prompt


class Output(ABC):
    """What an entrant made for a unit, as a judge is shown it."""

    made: Stage[Any]
    """The stage that holds it."""
    own: Stage[Any] | None = None
    """The stage that holds the person's own pictures, or descriptions of them."""
    renderer = ""
    """Who drew it; "" for a text."""
    suffix = ""

    @property
    @abstractmethod
    def prompt(self) -> Prompt:
        """Where it begins: who the entrant is."""

    @property
    @abstractmethod
    def drawn_from(self) -> Stage[Any]:
        """The stage whose name tells entrants apart."""

    @abstractmethod
    def candidate(self, value: Any) -> Candidate:
        """The output from its row."""

    @property
    def label(self) -> str:
        """The method."""
        return self.prompt.label

    @property
    def name(self) -> str:
        """Unique within a run."""
        return f"{self.drawn_from.name.removeprefix(self.drawn_from.kind + '-')}{self.suffix}"

    @property
    def inputs(self) -> tuple[Stage[Any], ...]:
        """The stages that are read."""
        return (self.made, self.own) if self.own else (self.made,)

    def takes(self, unit: Unit) -> bool:
        """Whether there is an output for a unit."""
        return self.made.takes(unit)

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        """The row of a unit's output."""
        return (Read(self.made, self.made.row_key(unit)),)

    def reads_of_person(self, unit: Unit) -> tuple[Read, ...]:
        """Rows of the person's own pictures or descriptions."""
        return (Read(self.own, unit.subject),) if self.own else ()

    def hidden(self, value: Any, profile: Profile) -> Sequence[int]:
        """Captions of the person that are the output itself, by index: a judge who read them would know it."""
        return ()

    def with_person(self, question: JudgeRequest, own: Sequence[Any], posts: int) -> JudgeRequest:
        """The question with at most `posts` of the person's own, from rows of `reads_of_person`."""
        return question


@dataclass(frozen=True, eq=False)
class Text(Output):
    """A prompt, judged as it is."""

    made: Prompt

    @property
    def prompt(self) -> Prompt:
        return self.made

    @property
    def drawn_from(self) -> Stage[Any]:
        return self.made

    def candidate(self, value: Any) -> Candidate:
        return Candidate(value.prompt)

    def hidden(self, value: Any, profile: Profile) -> Sequence[int]:
        if not self.made.is_held_out:
            return ()
        told = value.captions()
        return [i for i, caption in enumerate(profile.captions) if caption.text in told]


@dataclass(frozen=True, eq=False)
class Drawn(Output):
    """Something of an image."""

    @property
    @abstractmethod
    def images(self) -> Images:
        """The images."""

    @property
    def prompt(self) -> Prompt:
        return self.images.prompt

    @property
    def drawn_from(self) -> Stage[Any]:
        return self.images

    @property
    def renderer(self) -> str:  # type: ignore[override]
        return self.images.by.name


@dataclass(frozen=True, eq=False)
class Picture(Drawn):
    """An image, judged by models that see; the person's gallery stands for their posts."""

    made: Images
    own: Galleries
    suffix = "-seen"

    @property
    def images(self) -> Images:
        return self.made

    def candidate(self, value: Any) -> Candidate:
        return Candidate(picture=value.object)

    def with_person(self, question: JudgeRequest, own: Sequence[Any], posts: int) -> JudgeRequest:
        pictures = tuple(image.object for image in own[0].images[:posts])
        return replace(question, subject=replace(question.subject, posts=(), pictures=pictures))


@dataclass(frozen=True, eq=False)
class Description(Drawn):
    """What vision models saw in an image, judged by models that read; the person's gallery is described alike."""

    made: DescribeImage
    own: DescribeGallery
    suffix = "-described"

    @property
    def images(self) -> Images:
        return self.made.images

    def candidate(self, value: Any) -> Candidate:
        return Candidate(value[0])

    def with_person(self, question: JudgeRequest, own: Sequence[Any], posts: int) -> JudgeRequest:
        return replace(question, subject=replace(question.subject, posts=tuple(own[0][:posts])))
