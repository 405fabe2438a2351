"""What is judged of an entrant: its prompt, its image, or what vision models saw in the image; and the same of the person's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from engine.judging.asking import JudgeRequest
from engine.judging.candidates import Candidate
from engine.records import Profile
from engine.stage import Read, Stage, Unit
from engine.stages.describing import DescribeGallery, DescribeImage
from engine.stages.images import Galleries, Images
from engine.stages.prompt import Prompt


class Output(Protocol):
    """What an entrant made for a unit, as a judge is shown it."""

    @property
    def prompt(self) -> Prompt:
        """Where it begins: who the entrant is."""
        ...

    @property
    def label(self) -> str:
        """The method."""
        ...

    @property
    def name(self) -> str:
        """Unique within a run."""
        ...

    @property
    def inputs(self) -> tuple[Stage[Any], ...]:
        """The stages that are read."""
        ...

    @property
    def renderer(self) -> str:
        """Who drew it; "" for a text."""
        ...

    def takes(self, unit: Unit) -> bool:
        """Whether there is an output for a unit."""
        ...

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        """The row of a unit's output."""
        ...

    def reads_of_person(self, unit: Unit) -> tuple[Read, ...]:
        """Rows of the person's own pictures or descriptions."""
        ...

    def candidate(self, value: Any) -> Candidate:
        """The output from its row."""
        ...

    def hidden(self, value: Any, profile: Profile) -> Sequence[int]:
        """Captions of the person that are the output itself, by index: a judge who read them would know it."""
        ...

    def with_person(self, question: JudgeRequest, own: Sequence[Any], posts: int) -> JudgeRequest:
        """The question with at most `posts` of the person's own, from rows of `reads_of_person`."""
        ...


@dataclass(frozen=True)
class Text:
    """A prompt, judged as it is."""

    prompt: Prompt
    renderer = ""

    @property
    def label(self) -> str:
        return self.prompt.label

    @property
    def name(self) -> str:
        return self.prompt.name.removeprefix(f"{self.prompt.kind}-")

    @property
    def inputs(self) -> tuple[Stage[Any], ...]:
        return (self.prompt,)

    def takes(self, unit: Unit) -> bool:
        return self.prompt.takes(unit)

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.prompt, self.prompt.row_key(unit)),)

    def reads_of_person(self, unit: Unit) -> tuple[Read, ...]:
        return ()

    def candidate(self, value: Any) -> Candidate:
        return Candidate(value.prompt)

    def hidden(self, value: Any, profile: Profile) -> Sequence[int]:
        if not self.prompt.is_held_out:
            return ()
        told = value.captions()
        return [i for i, caption in enumerate(profile.captions) if caption.text in told]

    def with_person(self, question: JudgeRequest, own: Sequence[Any], posts: int) -> JudgeRequest:
        return question


@dataclass(frozen=True)
class Picture:
    """An image, judged by models that see; the person's gallery stands for their posts."""

    images: Images
    galleries: Galleries

    @property
    def prompt(self) -> Prompt:
        return self.images.prompt

    @property
    def renderer(self) -> str:
        return self.images.by.name

    @property
    def label(self) -> str:
        return self.prompt.label

    @property
    def name(self) -> str:
        return f"{self.images.name.removeprefix(self.images.kind + '-')}-seen"

    @property
    def inputs(self) -> tuple[Stage[Any], ...]:
        return (self.images, self.galleries)

    def takes(self, unit: Unit) -> bool:
        return self.images.takes(unit)

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.images, self.images.row_key(unit)),)

    def reads_of_person(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.galleries, unit.subject),)

    def candidate(self, value: Any) -> Candidate:
        return Candidate(picture=value.object)

    def hidden(self, value: Any, profile: Profile) -> Sequence[int]:
        return ()

    def with_person(self, question: JudgeRequest, own: Sequence[Any], posts: int) -> JudgeRequest:
        pictures = tuple(image.object for image in own[0].images[:posts])
        return replace(question, subject=replace(question.subject, posts=(), pictures=pictures))


@dataclass(frozen=True)
class Description:
    """What vision models saw in an image, judged by models that read; the person's gallery is described alike."""

    described: DescribeImage
    gallery: DescribeGallery

    @property
    def prompt(self) -> Prompt:
        return self.described.images.prompt

    @property
    def renderer(self) -> str:
        return self.described.images.by.name

    @property
    def label(self) -> str:
        return self.prompt.label

    @property
    def name(self) -> str:
        return f"{self.described.images.name.removeprefix(self.described.images.kind + '-')}-described"

    @property
    def inputs(self) -> tuple[Stage[Any], ...]:
        return (self.described, self.gallery)

    def takes(self, unit: Unit) -> bool:
        return self.described.takes(unit)

    def reads(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.described, self.described.row_key(unit)),)

    def reads_of_person(self, unit: Unit) -> tuple[Read, ...]:
        return (Read(self.gallery, unit.subject),)

    def candidate(self, value: Any) -> Candidate:
        return Candidate(value[0])

    def hidden(self, value: Any, profile: Profile) -> Sequence[int]:
        return ()

    def with_person(self, question: JudgeRequest, own: Sequence[Any], posts: int) -> JudgeRequest:
        return replace(question, subject=replace(question.subject, posts=tuple(own[0][:posts])))
