"""One pydantic model for an experiment file; precedence: command line > environment > file > default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from engine.image_config import BUILT_IN as BUILT_IN_RENDERERS
from engine.image_config import TINY_SCENES, AnyRenderer, Renderer
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


def _count_or_share(value: Any, wanted: str) -> str:
    text = "" if value is None else str(value).strip()
    if text and (not re.fullmatch(r"[1-9][0-9]*|(100|[1-9]?[0-9](\.[0-9]+)?)%", text) or float(text.rstrip("%")) == 0):
        raise ValueError(f"'{text}' is no limit; give {wanted}")
    return text


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

    @field_validator("name")
    @classmethod
    def _free_name(cls, value: str) -> str:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,30}", value):
            raise ValueError(f"'{value}' cannot be a method's name; use lower-case letters, digits and dashes, 31 at most")
        if value in (*METHODS, *CONTROLS):
            raise ValueError(f"'{value}' is a built-in method or control; give yours another name")
        return value


METHOD_KINDS = ("<name>", "<own>")
"""How a validation error tells the two kinds of entries of `methods` apart."""


def _kind_of_method(value: Any) -> str:
    return METHOD_KINDS[0] if isinstance(value, str) else METHOD_KINDS[1]


AnyMethod = Annotated[Annotated[str, Tag(METHOD_KINDS[0])] | Annotated[OwnMethod, Tag(METHOD_KINDS[1])], Discriminator(_kind_of_method)]


class Images(_Strict):
    """Prompts drawn and looked at: an experiment without this section stays with text."""

    renderers: Annotated[
        tuple[AnyRenderer, ...],
        Field(min_length=1, description="Who draws: tiny-scenes, or an image model: {name, model, steps, ...}"),
    ] = (TINY_SCENES,)
    methods: tuple[str, ...] = Field((), description="Methods and controls whose prompts are drawn; empty: all methods, no control")
    gallery: int = Field(4, ge=2, le=30, description="Captions of each person that are drawn as references")
    image_text: str = Field(
        "conse-efficientnet-minilm", description="Encoder of images and texts (CLS-T, CLS-R): a laptop model, or a CLIP folder"
    )
    self_supervised: str = Field("dinov2-s-saliency", description="Encoder of images alone (DIS-R): a laptop model, or a DINOv2 folder")
    perceptual: str = Field("lpips-alex", description="Perceptual distance (LPIPS-R): lpips-alex or lpips-vgg")
    quality: tuple[str, ...] = Field((), description="Figures that an image has by itself: brisque, or an aesthetic head (.safetensors)")
    precision: Literal["float32", "float16", "bfloat16"] = Field(
        "float32", description="What vision models compute in; halves have ids of their own"
    )
    copying: float = Field(0.95, gt=0, le=1, description="Cosine from which an image counts as the copy of a reference")


class Pool(_Strict):
    """How many processes hold an actor, and what each takes. Never changes a result."""

    min: int = Field(1, ge=1, description="Processes at least")
    max: int = Field(2, ge=1, description="Processes at most")
    cpus: float = Field(1, ge=0, description="Ray CPUs of a process")
    gpus: float = Field(0, ge=0, description="Ray GPUs of a process")
    threads: int = Field(1, ge=1, description="Threads of a process's model")
    shards: int = Field(1, ge=1, le=64, description="Shards that a process works on at once; more keep a large model's batches full")

    @model_validator(mode="after")
    def _ordered(self) -> Pool:
        if self.min > self.max:
            raise ValueError(f"min ({self.min}) is larger than max ({self.max})")
        return self


class Execution(_Strict):
    """How the work is spread. Provenance only: never part of a fingerprint."""

    encoder: Pool = Pool()
    writer: Pool | None = Field(None, description="A pool of its own for writers; without one they share the encoder's processes")
    writers: dict[str, Pool] = Field({}, description="A pool of its own for one writer, by its name, such as one that needs GPUs")
    renderer: Pool | None = Field(None, description="A pool of its own for renderers; without one they share the encoder's processes")
    vision: Pool | None = Field(None, description="A pool of its own for vision models; without one they share the encoder's processes")
    stuck_after_s: float = Field(
        900,
        gt=0,
        le=86_400,
        description="End the process of a model call that gets no further for so long; its units are then tried one by one",
    )
    stop_after_failed: str = Field(
        "20%", description='Stop early once so many rows failed by themselves, "500" or a share "20%" (of 200 or more seen); empty: never'
    )
    ray_address: str = Field("", description='Ray cluster: "" starts a local one, "auto" joins the one this machine is in')
    no_progress_timeout_s: int = Field(
        1800, ge=60, description="Give up after so long without a finished task (spot capacity may take long)"
    )

    def pool_of_writer(self, name: str) -> Pool:
        """Where a writer runs: its own pool, that of all writers, or the encoder's."""
        return self.writers.get(name) or self.writer or self.encoder

    @field_validator("stop_after_failed", mode="before")
    @classmethod
    def _usable_budget(cls, value: Any) -> str:
        return _count_or_share(value, "a number of rows (500) or a share (20%)")


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
        return _count_or_share(value, "a number of people (50) or a share (10%)")

    @field_validator("images")
    @classmethod
    def _known_renderers(cls, images: Images | None) -> Images | None:
        for value in images.renderers if images else ():
            if isinstance(value, str) and value not in BUILT_IN_RENDERERS:
                raise ValueError(f"unknown renderer '{value}'{did_you_mean(value, BUILT_IN_RENDERERS)}")
        names = [value if isinstance(value, str) else value.name for value in (images.renderers if images else ())]
        if len(set(names)) != len(names):
            raise ValueError("a renderer stands twice")
        return images

    @field_validator("methods", "writers", "budgets")
    @classmethod
    def _known_and_distinct(
        cls, values: tuple[str | OwnMethod | LanguageModel, ...], info: Any
    ) -> tuple[str | OwnMethod | LanguageModel, ...]:
        known = {"methods": METHODS, "writers": WRITERS, "budgets": BUDGETS}[info.field_name]
        for value in values:
            if isinstance(value, str) and value not in known:
                raise ValueError(f"unknown {info.field_name[:-1]} '{value}'{did_you_mean(value, known)}")
        names = [value if isinstance(value, str) else value.name for value in values]
        if len(set(names)) != len(names):
            raise ValueError("an entry stands twice")
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
        own = [{"name": each.name, "file": models[f"given:{each.name}"]} for each in self.own_methods()]
        pinned["methods"] = [*self.method_names(), *own]
        pinned["writers"] = [w if isinstance(w, str) else w.pinned(models[f"model:{w.name}"]) for w in self.writers]
        if self.people.file:
            pinned["people"] = {"file": people}
        if self.queries.file:
            pinned["queries"]["file"] = queries
        if not self.queries.assigned:
            del pinned["queries"]["assigned"]
        if self.images:
            pinned["images"]["renderers"] = [
                each if isinstance(each, str) else each.pinned(models[f"renderer:{each.name}"]) for each in self.images.renderers
            ]
        else:
            del pinned["images"]
        return pinned
