"""One pydantic model for an experiment file; precedence: command line > environment > file > default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from engine.config_names import expect_known_and_distinct, free_name
from engine.execution_config import Execution, count_or_share
from engine.image_config import BUILT_IN as BUILT_IN_RENDERERS
from engine.image_config import Images, Renderer
from engine.judge_config import Judge, Judging
from engine.keys import Json
from engine.nearest import did_you_mean
from engine.writer_config import BUILT_IN, TEMPLATE, WRITERS, AnyWriter, LanguageModel

TASKS = ("cultural-generation", "social-generation", "cultural-editing", "social-editing")
"""The four VPTT tasks of the built-in queries."""

METHODS = ("baseline", "persona", "brag", "vprag", "vprag-matched", "combined")
CONTROLS = ("stranger", "random", "own", "noise")
"""Run beside the methods, always (METRICS, Controls)."""

BUDGETS = ("q3", "q1", "q2")
MAX_SEED = 2**53 - 1
"""The largest integer that JSON carries everywhere (RFC 8785)."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class People(_Strict):
    """Who is evaluated: a file of profiles, or people that the grammar builder makes."""

    file: Path | None = Field(None, description="Profiles as Parquet or JSONL (see `mien profiles`)")
    grammar: int | None = Field(None, ge=1, le=10_000_000, description="Number of people to build with the grammar builder")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of the grammar builder")

    @model_validator(mode="before")
    @classmethod
    def _default_source(cls, values: Any) -> Any:
        return {"grammar": 100, **values} if isinstance(values, dict) and not {"file", "grammar"} & values.keys() else values

    @model_validator(mode="after")
    def _one_source(self) -> People:
        if (self.file is None) == (self.grammar is None):
            raise ValueError("give either `file: people.parquet` or `grammar: 100`")
        return self


class Queries(_Strict):
    """What is asked: the built-in pool of four tasks, or any prompt list."""

    file: Path | None = Field(None, description="A prompt list (.jsonl, .tsv, .csv, .txt) instead of the built-in pool")
    tasks: tuple[str, ...] = Field((), description="Tasks to run; empty: all of the pool")
    per_task: int = Field(1, ge=1, le=1000, description="Queries drawn for each person and task")
    assigned: bool = Field(
        False, description="Ask each person exactly what your own methods' files have a prompt of theirs for, and nobody else anything"
    )


class Retrieval(_Strict):
    """VPRAG's choices beside the budget's (METRICS, VPRAG)."""

    tau: float = Field(0.1, gt=0, le=100, description="Temperature of the softmax over caption similarities")
    matched_tau: float | None = Field(
        None, gt=0, le=100, description="Temperature of vprag-matched; none: the one known for the encoder (benchmarks/tau.py finds it)"
    )
    quota: Literal["ours", "paper"] = Field("ours", description="Quota rule: water-filling, or the paper's formula")


class OwnMethod(_Strict):
    """Anyone's own prompts beside the built-in methods."""

    name: str = Field(description="What it is called in every table")
    file: Path = Field(description="Prompts as JSONL, TSV or CSV with the fields person, query, prompt (see `mien score --help`)")
    family: str = Field("", description="The family of the model that wrote them, such as qwen: judges of the same one are pointed out")

    @field_validator("name")
    @classmethod
    def _free_name(cls, value: str) -> str:
        if value in (*METHODS, *CONTROLS):
            raise ValueError(f"'{value}' is a built-in method or control; give yours another name")
        return free_name(value, "method", dots=False)


METHOD_KINDS = ("<name>", "<own>")
"""How a validation error tells the two kinds of entries of `methods` apart."""


def _kind_of_method(value: Any) -> str:
    return METHOD_KINDS[0] if isinstance(value, str) else METHOD_KINDS[1]


AnyMethod = Annotated[Annotated[str, Tag(METHOD_KINDS[0])] | Annotated[OwnMethod, Tag(METHOD_KINDS[1])], Discriminator(_kind_of_method)]


class Experiment(_Strict):
    """A whole experiment: what is evaluated, on whom, with what."""

    name: str = Field("laptop", description="Name of the run; bound to one plan for good")
    benchmark: Literal["vptt"] = "vptt"
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of every draw")
    people: People = People(grammar=100)
    limit: str = Field("", description='People at most, "50" or "10%"; empty: all')
    queries: Queries = Queries()
    methods: Annotated[
        tuple[AnyMethod, ...],
        Field(min_length=1, description="Built-in methods by name, and your own: {name: mine, file: prompts.jsonl}"),
    ] = METHODS
    writers: Annotated[
        tuple[AnyWriter, ...],
        Field(min_length=1, description="Who writes: template, smollm2, smollm2-sampled, or a language model: {name, engine, model, ...}"),
    ] = (TEMPLATE,)
    budgets: Annotated[tuple[str, ...], Field(min_length=1, description="q3: 150 words, 3 elements a category; q1, q2: three phrases")] = (
        "q3",
    )
    encoder: str = Field("minilm-l6-v2", description="Sentence encoder: a laptop model's name or a folder")
    second_encoder: str = Field(
        "wordllama-l2-256", description="Encoder of the second space, in which every score is repeated and no method retrieves; empty: none"
    )
    cross_fit: float = Field(
        0.25, ge=0, le=1, description="Share of the people whose scores are cross-fitted and re-identified; 0: nobody's"
    )
    retrieval: Retrieval = Retrieval()
    images: Images | None = Field(None, description="Draw the prompts and measure the images; empty: text only")
    judging: Judging | None = Field(None, description="Have the outputs judged; empty: nobody is asked")
    shard_size: int = Field(8, ge=1, le=64, description="People in a shard")
    max_failed: int = Field(0, ge=0, description="Failed rows that are tolerated")
    execution: Execution = Execution()

    @field_validator("name")
    @classmethod
    def _usable_name(cls, value: str) -> str:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,50}", value):
            raise ValueError(f"'{value}' cannot be a run name; use lower-case letters, digits and dashes, 51 at most")
        return value

    @field_validator("limit", mode="before")
    @classmethod
    def _usable_limit(cls, value: Any) -> str:
        return count_or_share(value, "a number of people (50) or a share (10%)")

    @field_validator("methods", "writers", "budgets")
    @classmethod
    def _known_and_distinct(
        cls, values: tuple[str | OwnMethod | LanguageModel, ...], info: Any
    ) -> tuple[str | OwnMethod | LanguageModel, ...]:
        known = {"methods": METHODS, "writers": WRITERS, "budgets": BUDGETS}[info.field_name]
        expect_known_and_distinct(values, known, info.field_name.removesuffix("s"))
        return values

    @model_validator(mode="after")
    def _pools_of_writers(self) -> Experiment:
        for name in self.execution.writers:
            if name not in self.writer_names():
                raise ValueError(f"execution.writers: there is no writer '{name}'{did_you_mean(name, self.writer_names())}")
        for name, model in self.language_models().items():
            if model.parallel.gpus > 1 and (name not in self.execution.writers or self.execution.writers[name].gpus != model.parallel.gpus):
                raise ValueError(f"writer '{name}' takes {model.parallel.gpus} GPUs: give execution.writers.{name}.gpus as many")
        return self

    @model_validator(mode="after")
    def _assigned_by_a_file(self) -> Experiment:
        if self.queries.assigned and not self.own_methods():
            raise ValueError("queries.assigned needs a method of your own: methods: [vprag, {name: mine, file: prompts.jsonl}]")
        if self.queries.assigned and self.queries.tasks:
            raise ValueError("queries.assigned asks what the files ask; leave out queries.tasks")
        return self

    def method_names(self) -> list[str]:
        """The built-in methods of this experiment."""
        return [method for method in self.methods if isinstance(method, str)]

    def own_methods(self) -> list[OwnMethod]:
        """The methods of this experiment whose prompts come from files."""
        return [method for method in self.methods if isinstance(method, OwnMethod)]

    def writer_names(self) -> list[str]:
        """What each writer is called."""
        return [writer if isinstance(writer, str) else writer.name for writer in self.writers]

    def language_models(self) -> dict[str, LanguageModel]:
        """The writers that are language models, by name."""
        given = [BUILT_IN.get(writer) if isinstance(writer, str) else writer for writer in self.writers]
        return {writer.name: writer for writer in given if writer}

    @model_validator(mode="after")
    def _images_of_methods(self) -> Experiment:
        known = (*self.method_names(), *(own.name for own in self.own_methods()), *CONTROLS)
        for method in self.images.methods if self.images else ():
            if method not in known:
                raise ValueError(f"images.methods: nothing here is called '{method}'{did_you_mean(method, known)}")
        return self

    @model_validator(mode="after")
    def _judges_of_methods(self) -> Experiment:
        if self.judging is None:
            return self
        known = (*self.method_names(), *(own.name for own in self.own_methods()), *CONTROLS)
        for method in self.judging.methods:
            if method not in known:
                raise ValueError(f"judging.methods: nothing here is called '{method}'{did_you_mean(method, known)}")
        judges = self.judges()
        for name in self.execution.judges:
            if name not in judges:
                raise ValueError(f"execution.judges: there is no judge '{name}'{did_you_mean(name, judges)}")
        for name, judge in judges.items():
            if judge.looks != "texts" and self.images is None:
                raise ValueError(f"judge '{name}' looks at images: give the experiment a section 'images'")
            gpus = judge.model.parallel.gpus if judge.model else 1
            if gpus > 1 and self.execution.pool_of_judge(name).gpus != gpus:
                raise ValueError(f"judge '{name}' takes {gpus} GPUs: give execution.judges.{name}.gpus as many")
        return self

    def judges(self) -> dict[str, Judge]:
        """Who judges, by name; nobody in an experiment without judging."""
        return self.judging.by_name() if self.judging else {}

    def renderers(self) -> dict[str, Renderer]:
        """Who draws, by name; nobody in an experiment without images."""
        given = self.images.renderers if self.images else ()
        found = [BUILT_IN_RENDERERS[each] if isinstance(each, str) else each for each in given]
        return {renderer.name: renderer for renderer in found}

    def run_name(self) -> str:
        """The run's name: a limited run is another plan, so it has another name."""
        return self.name + (f"-limit-{self.limit.replace('%', 'p').replace('.', '-')}" if self.limit else "")

    def people_limit(self, total: int) -> int:
        """How many of `total` people this run takes, in file order."""
        if not self.limit:
            return total
        if self.limit.endswith("%"):
            return max(1, round(total * float(self.limit[:-1]) / 100))
        return min(total, int(self.limit))

    def pinned(self, people: str, queries: str, models: Mapping[str, str]) -> dict[str, Json]:
        """The part that can change a result or the set of units, itself a valid experiment: files and models by content, not by path.

        `models` has the sha256 of each file as "given:<name>" and the id of each language model as "model:<name>".
        """
        pinned: dict[str, Any] = self.model_dump(mode="json", exclude={"name", "execution", "max_failed", "encoder", "second_encoder"})
        own = [
            {"name": each.name, "file": models[f"given:{each.name}"], **({"family": each.family} if each.family else {})}
            for each in self.own_methods()
        ]
        pinned["methods"] = [*self.method_names(), *own]
        pinned["writers"] = [w if isinstance(w, str) else w.pinned(models[f"model:{w.name}"]) for w in self.writers]
        if self.people.file:
            pinned["people"] = {"file": people}
        if self.queries.file:
            pinned["queries"]["file"] = queries
        if not self.queries.assigned:
            del pinned["queries"]["assigned"]
        if self.images:
            del pinned["images"]["format"]
            pinned["images"]["renderers"] = [
                each if isinstance(each, str) else each.pinned(models[f"renderer:{each.name}"]) for each in self.images.renderers
            ]
        else:
            del pinned["images"]
        if self.judging:
            asked = {"judges": [judge.pinned(models.get(f"judge-model:{name}", "")) for name, judge in self.judges().items()]}
            pinned["judging"] |= {**asked, "rubrics": self.judging.rubrics.pinned()}
        else:
            del pinned["judging"]
        return pinned
