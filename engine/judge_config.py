"""Who judges, and what: language models, a nearest-neighbour judge, and scripted ones, as experiment files name them.

What changes a verdict (model, sampling, rubric, what is shown) is a judge's identity; where it runs and what it costs is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from engine.config_names import expect_known_and_distinct, free_name
from engine.judging.rubric import QUESTIONS, Question, Rubric, rubric_of
from engine.judging.subject import Sees
from engine.keys import Json
from engine.nearest import did_you_mean
from engine.writer_config import BUILT_IN as BUILT_IN_WRITERS
from engine.writer_config import LanguageModel

Looks = Literal["texts", "descriptions", "pictures"]
"""What a judge judges: prompts; what vision models saw in the images; the images themselves."""

Orders = Literal["both", "swapped"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Script(_Strict):
    """How a scripted judge answers: a stand-in with known habits, to check that a report finds them. It reads the grade of a candidate from
    the words "grade N" in it, and the family of its writer from "by FAMILY"; without a grade all are alike to it.

    Preference follows Bradley-Terry with Davidson's ties: d = scale (grade_first - grade_second) + position + length log2(words_first /
    words_second) + kin (of the judge's family first - second).
    """

    scale: float = Field(1, ge=0, le=20, description="Log-odds of a grade")
    tie: float = Field(0.5, ge=0, le=20, description="Davidson's nu: how readily it ties")
    position: float = Field(0, ge=-5, le=5, description="Log-odds that it adds to what comes first")
    length: float = Field(0, ge=-5, le=5, description="Log-odds of twice as many words")
    kin: float = Field(0, ge=-5, le=5, description="Log-odds of its own family's text")
    noise: float = Field(0.5, ge=0, le=5, description="Deviation of a rating around its grade")
    refuses: float = Field(0, ge=0, le=1, description="Share of questions that it declines")
    garbles: float = Field(0, ge=0, le=1, description="Share of replies that are cut, so that no verdict can be read")
    dies: float = Field(0, ge=0, le=1, description="Share of questions that end its process")
    always: Literal["", "A", "B", "tie"] = Field("", description="What it says whatever it is shown")


class Judge(_Strict):
    """A judge: exactly one of `model`, `nearest` and `script`."""

    name: str = Field(description="What the judge is called in every table")
    model: LanguageModel | None = Field(None, description="A language model or VLM: {engine, model, ...}, or a built-in one's name")
    nearest: str = Field("", description="A sentence encoder: it prefers what lies closer to the person's posts")
    script: Script | None = Field(None, description="A stand-in with known habits, to check a report with")
    looks: Looks = Field(
        "texts", description="texts: prompts; descriptions: what vision models saw in the images; pictures: the images (VLMs)"
    )
    sees: Sees = Field("captions", description="persona: the summary; captions: and posts; full: and the questionnaire; references: posts")
    posts: int = Field(10, ge=0, le=30, description="Posts of the person that are shown, or pictures of theirs")
    family: str = Field("", description="The judge's family, such as qwen; empty: by the model's name")
    max_pixels: int = Field(1_048_576, ge=1024, description="Larger images are made smaller before a VLM sees them")
    pictures: int = Field(16, ge=1, le=64, description="Images of a call at most: what vLLM sets room aside for")
    picture_cache_gb: float = Field(4, ge=0, description="Memory in which vLLM keeps images that it has read")

    @model_validator(mode="before")
    @classmethod
    def _names_its_model(cls, values: Any) -> Any:
        """`model: smollm2` is the built-in writer's model; a model without a name has the judge's."""
        if not isinstance(values, Mapping):
            return values
        model = values.get("model")
        if isinstance(model, str):
            if model not in BUILT_IN_WRITERS:
                raise ValueError(f"unknown model '{model}'{did_you_mean(model, BUILT_IN_WRITERS)}; or give {{engine, model, ...}}")
            return {**values, "model": BUILT_IN_WRITERS[model]}
        return {**values, "model": {"name": values.get("name"), **model}} if isinstance(model, Mapping) else values

    @field_validator("name")
    @classmethod
    def _free_name(cls, value: str) -> str:
        return free_name(value, "judge")

    @model_validator(mode="after")
    def _one_kind(self) -> Judge:
        if sum((self.model is not None, bool(self.nearest), self.script is not None)) != 1:
            raise ValueError("give exactly one of 'model', 'nearest' and 'script'")
        if self.looks == "pictures" and (self.model is None or self.model.engine in ("llamacpp", "tiny")):
            raise ValueError("only a VLM looks at pictures: a 'model' with engine vllm, openai or anthropic; others can read descriptions")
        if self.looks == "pictures" and self.posts + 2 > self.pictures:
            raise ValueError(
                f"{self.posts} of the person's pictures and two to compare are more than 'pictures' ({self.pictures}) of a call"
            )
        if self.nearest and (self.sees == "persona" or not self.posts):
            raise ValueError("'nearest' compares with posts: give sees: captions and posts above 0")
        if self.script and not self.name.startswith("script"):
            raise ValueError(f"'{self.name}': a scripted judge is a stand-in and carries its name: begin it with 'script'")
        return self

    def pinned(self, model_id: str) -> dict[str, Json]:
        """The part that can change a verdict, itself a valid judge."""
        kept: dict[str, Any] = self.model_dump(mode="json", exclude={"model", "pictures", "picture_cache_gb"}, exclude_defaults=True)
        if self.model is not None:
            kept["model"] = self.model.pinned(model_id)
        return {**kept, "name": self.name}


RUBRIC_KINDS = ("<file>", "<rubric>")
"""How a validation error tells the two kinds of rubrics apart."""


def _kind_of_rubric(value: Any) -> str:
    return RUBRIC_KINDS[1] if isinstance(value, Rubric | Mapping) else RUBRIC_KINDS[0]


AnyRubric = Annotated[Annotated[Path, Tag(RUBRIC_KINDS[0])] | Annotated[Rubric, Tag(RUBRIC_KINDS[1])], Discriminator(_kind_of_rubric)]


class Rubrics(_Strict):
    """What judges are asked: a file, or the rubric itself; empty: those that come with the project."""

    rating: AnyRubric | None = Field(None, description="A rubric for ratings from 0 to 5")
    pair: AnyRubric | None = Field(None, description="A rubric for pairs")
    turing: AnyRubric | None = Field(None, description="A rubric for the Turing test")

    def of(self, question: Question) -> Rubric:
        """The rubric of a question. Raises ConfigError for a file that is none, naming file, field and remedy."""
        given: Path | Rubric | None = getattr(self, question)
        return given if isinstance(given, Rubric) else rubric_of(given, question)

    def pinned(self) -> dict[str, Json]:
        """Those that do not come with the project, whole, so that a plan needs no file."""
        own = [question for question in QUESTIONS if getattr(self, question) is not None]
        return {question: self.of(question).model_dump(mode="json") for question in own}


SMOLLM2 = "smollm2"
BUILT_IN: dict[str, Judge] = {
    judge.name: judge
    for judge in (
        Judge(name=SMOLLM2, model=BUILT_IN_WRITERS["smollm2"], posts=6),
        Judge(name="socratic-smollm2", model=BUILT_IN_WRITERS["smollm2"], looks="descriptions", sees="references", posts=4),
        Judge(name="nearest-wordllama", nearest="wordllama-l2-256", posts=10),
    )
}
"""Judges that a laptop has. A 135M model's opinions are worth little, and the nearest-neighbour judge knows nothing but words: they prove
the machinery. `socratic-smollm2` reads what small vision models saw in an image."""

JUDGE_KINDS = ("<name>", "<judge>")
"""How a validation error tells the two kinds of entries of `judges` apart."""


def _kind_of_judge(value: Any) -> str:
    return JUDGE_KINDS[0] if isinstance(value, str) else JUDGE_KINDS[1]


AnyJudge = Annotated[Annotated[str, Tag(JUDGE_KINDS[0])] | Annotated[Judge, Tag(JUDGE_KINDS[1])], Discriminator(_kind_of_judge)]


class Judging(_Strict):
    """Outputs judged: an experiment without this section asks nobody."""

    judges: Annotated[
        tuple[AnyJudge, ...],
        Field(min_length=1, description="Who judges: smollm2, socratic-smollm2, nearest-wordllama, or a judge: {name, model, ...}"),
    ] = (SMOLLM2,)
    methods: tuple[str, ...] = Field(
        (), description="Methods and controls that are judged; empty: all methods that are not extractive, no control"
    )
    rate: bool = Field(True, description="Rate each output from 0 to 5")
    pairs: bool = Field(True, description="Compare the outputs for one request, two at a time, within a writer, budget and renderer")
    orders: Orders = Field("both", description="both: each pair in both orders, as one unit; swapped: once, in a seeded random order")
    share: float = Field(1, gt=0, le=1, description="Share of each pair's units that are asked, drawn by their keys")
    turing: bool = Field(False, description="Hold a post out, make one for its moment by each method, and ask which one the person shared")
    rubrics: Rubrics = Rubrics()

    @field_validator("judges")
    @classmethod
    def _known_and_distinct(cls, values: tuple[str | Judge, ...]) -> tuple[str | Judge, ...]:
        expect_known_and_distinct(values, BUILT_IN, "judge")
        return values

    @model_validator(mode="after")
    def _asks_something(self) -> Judging:
        if not (self.rate or self.pairs or self.turing):
            raise ValueError("nothing is asked: set 'rate', 'pairs' or 'turing'")
        return self

    def by_name(self) -> dict[str, Judge]:
        """The judges."""
        found = [BUILT_IN[each] if isinstance(each, str) else each for each in self.judges]
        return {judge.name: judge for judge in found}

    def questions(self) -> tuple[Question, ...]:
        """What is asked."""
        asked: dict[Question, bool] = {"rating": self.rate, "pair": self.pairs, "turing": self.turing}
        return tuple(question for question, wanted in asked.items() if wanted)
