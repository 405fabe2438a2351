"""What judges are asked in a VPTT run, as a list of stages: ratings, pairs, and the Turing test."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from engine.config import CONTROLS, Experiment
from engine.errors import ConfigError
from engine.judge_config import Judge
from engine.judging.rubric import Question
from engine.prompting.view import HELD_POST
from engine.stage import Stage, with_inputs
from engine.stages.describing import DescribeGallery, DescribeImage
from engine.stages.images import Galleries, Images
from engine.stages.judging import Compare, JudgedBy, Rate
from engine.stages.outputs import Description, Output, Picture, Text
from engine.stages.people import People
from engine.stages.prompt import Prompt, WritePrompt
from engine.stages.turing import Fool, Sense
from jobs.drawings import Drawings
from jobs.judges import DESCRIBER, JUDGE


@dataclass(frozen=True)
class Judgements:
    """Everything that is asked. Empty in an experiment without judging."""

    ratings: tuple[Rate, ...] = ()
    pairs: tuple[Compare, ...] = ()
    fools: tuple[Fool, ...] = ()
    senses: tuple[Sense, ...] = ()

    @property
    def finals(self) -> Iterator[Stage[Any]]:
        """Stages in which every failure shows."""
        yield from self.ratings
        yield from self.pairs
        yield from self.fools
        yield from self.senses

    @property
    def outputs(self) -> Iterator[Output]:
        """What judges are shown, as often as they are asked."""
        for stage in self.ratings:
            yield stage.output
        for pair in self.pairs:
            yield from (pair.a, pair.b)

    @property
    def stages(self) -> Iterator[Stage[Any]]:
        """All of them after what they read; shared ones come with each."""
        for stage in self.finals:
            yield from with_inputs(stage)


def judgements_of(
    experiment: Experiment, models: Mapping[str, str], people: People, prompts: Sequence[Prompt], drawings: Drawings
) -> Judgements:
    """The stages of an experiment's judging. `models` as in `Vptt.models`."""
    wanted = experiment.judging
    if wanted is None:
        return Judgements()
    shown = [prompt for prompt in prompts if is_judged(prompt, wanted.methods)]
    for method in wanted.methods or ("",):
        if not any(method in ("", prompt.label) for prompt in shown):
            what = f"'{method}' pastes" if method else "all methods paste"
            raise ConfigError(
                f"judging.methods: {what} the person's own captions with these writers, so there is nothing to judge.",
                remedy="Name a method that does not, or a writer that is a language model.",
            )
    ratings: list[Rate] = []
    pairs: list[Compare] = []
    fools: list[Fool] = []
    senses: list[Sense] = []
    for judge in experiment.judges().values():
        outputs = _outputs(judge, models, shown, drawings)

        def by(question: Question, judge: Judge = judge) -> JudgedBy:
            rubric = wanted.rubrics.of(question)
            return JudgedBy(judge.name, models[JUDGE + judge.name], rubric, judge.sees, judge.posts)

        if wanted.rate:
            ratings += [Rate(people, output, by("rating")) for output in outputs]
        if wanted.pairs:
            for pool in _pools(outputs):
                pairs += [Compare(people, a, b, by("pair"), wanted.orders, wanted.share) for a, b in combinations(pool, 2)]
        held = [prompt.seeing(HELD_POST) for prompt in shown if isinstance(prompt, WritePrompt) and not prompt.view.stranger]
        if wanted.turing and judge.looks == "texts" and held:
            fools += [Fool(people, prompt, by("turing")) for prompt in held]
            senses.append(Sense(people, by("turing")))
    return Judgements(tuple(ratings), tuple(pairs), tuple(fools), tuple(senses))


def is_judged(prompt: Prompt, methods: Collection[str]) -> bool:
    """Whether a prompt is shown to judges: of those that are named, or of every method; never one that pastes the person's own captions,
    which judges see as well."""
    return not prompt.is_extractive and (prompt.label in methods if methods else prompt.label not in CONTROLS)


def _outputs(judge: Judge, models: Mapping[str, str], prompts: Sequence[Prompt], drawings: Drawings) -> list[Output]:
    """What a judge is shown of each entrant, in the order of the prompts."""
    if judge.looks == "texts":
        return [Text(prompt) for prompt in prompts]
    found: list[Output] = []
    for images, galleries in _drawn(drawings):
        if images.prompt not in prompts:
            continue
        if judge.looks == "pictures":
            found.append(Picture(images, galleries))
        else:
            describer = models[DESCRIBER]
            found.append(Description(DescribeImage(images, describer), DescribeGallery(galleries, describer)))
    return found


def _drawn(drawings: Drawings) -> Iterator[tuple[Images, Galleries]]:
    for score in drawings.scores:
        yield score.look.images, score.galleries.galleries


def _pools(outputs: Sequence[Output]) -> list[list[Output]]:
    """Outputs that may be compared: of one writer, budget and renderer. Ratings of different pools are never subtracted."""
    pools: dict[tuple[str, str, str], list[Output]] = {}
    for output in outputs:
        pools.setdefault((output.prompt.writer, output.prompt.budget.name, output.renderer), []).append(output)
    return list(pools.values())
