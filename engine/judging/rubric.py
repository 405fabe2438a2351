"""A rubric: what a judge is asked, as a file with criteria, one line a level, and the form of the reply."""

from __future__ import annotations

import json
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from jsonschema import Draft202012Validator, SchemaError
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from engine.errors import ConfigError
from engine.keys import Json, content_key

Question = Literal["rating", "pair", "turing"]

QUESTIONS: tuple[Question, ...] = ("rating", "pair", "turing")

LOWEST, HIGHEST = 0, 5
"""The scale of ratings (VPTT, Judging); figures on other scales are never mixed with them."""

CHOICES: dict[Question, tuple[str, ...]] = {"pair": ("A", "B", "tie"), "turing": ("A", "B")}

CONFIDENCE = "confidence"
REASON = "reason"


class Rubric(BaseModel):
    """What a judge is asked. `{thing}` in its words becomes what is judged: a text or a picture."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,30}$")
    version: int = Field(ge=1)
    question: Question
    introduction: str = Field(min_length=1)
    criteria: tuple[str, ...] = Field(min_length=1)
    levels: dict[int, str] = {}
    closing: str = Field(min_length=1)
    reply: dict[str, Any]
    verdict: str

    @model_validator(mode="after")
    def _holds_together(self) -> Rubric:
        if self.question == "rating" and sorted(self.levels) != list(range(LOWEST, HIGHEST + 1)):
            raise ValueError(f"'levels' needs one line for each of {LOWEST} to {HIGHEST}")
        if self.question != "rating" and self.levels:
            raise ValueError(f"'levels' is for ratings, not for question {self.question}")
        try:
            Draft202012Validator.check_schema(self.reply)
        except SchemaError as error:
            raise ValueError(f"'reply' is no JSON schema: {error.message}") from None
        fields = self.reply.get("properties", {})
        if "$ref" in json.dumps(self.reply) or not all(isinstance(field, dict) for field in fields.values()):
            raise ValueError("'reply' must say of each property what it is, without $ref")
        field = fields.get(self.verdict, {})
        if self.question == "rating":
            bounds = field.get("type"), field.get("minimum"), field.get("maximum")
            if bounds not in (("integer", LOWEST, HIGHEST), ("number", LOWEST, HIGHEST)):
                raise ValueError(f"'reply': {self.verdict} must be an integer or a number with minimum {LOWEST} and maximum {HIGHEST}")
        elif set(map(str, field.get("enum", []))) != set(CHOICES[self.question]):
            raise ValueError(f"'reply': {self.verdict} must be one of {', '.join(CHOICES[self.question])}")
        if CONFIDENCE in fields and not _is_share(fields[CONFIDENCE]):
            raise ValueError(f"'reply': {CONFIDENCE} must be a number with minimum 0 and maximum 1, or some of them")
        required = self.reply.get("required", [])
        if self.verdict not in required or not set(required) <= set(self.reply["properties"]):
            raise ValueError(f"'reply': 'required' must name {self.verdict} and only what stands in 'properties'")
        return self

    @cached_property
    def schema_text(self) -> str:
        """The form of the reply, as JSON text; what is required comes first and in that order, so that reasons come before the verdict."""
        named: list[str] = self.reply["required"]
        fields = self.reply["properties"]
        order = [*named, *sorted(set(fields) - set(named))]
        return json.dumps({**self.reply, "properties": {name: fields[name] for name in order}}, ensure_ascii=False)

    @cached_property
    def sha256(self) -> str:
        """Pins every word."""
        recipe: dict[str, Json] = self.model_dump(mode="json")
        return content_key(recipe)

    @property
    def id(self) -> str:
        """Name, version and the digest of its words, such as `pair-1.ab12cd34`."""
        return f"{self.name}-{self.version}.{self.sha256[:8]}"


def _is_share(field: dict[str, Any]) -> bool:
    listed = field.get("enum")
    if listed is not None:
        return all(isinstance(each, int | float) and not isinstance(each, bool) and 0 <= each <= 1 for each in listed)
    return (field.get("type"), field.get("minimum"), field.get("maximum")) == ("number", 0, 1)


def built_in(question: Question) -> Rubric:
    """The rubric that comes with the project."""
    return _read(files("engine.judging").joinpath("rubrics", f"{question}.yaml").read_text(encoding="utf-8"), f"{question}.yaml", question)


def rubric_of(file: Path | None, question: Question) -> Rubric:
    """The rubric of a file, or the built-in one. Raises ConfigError naming file, field and remedy."""
    if file is None:
        return built_in(question)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"There is no rubric {file}.", remedy=f"Give a file, or leave out judging.rubrics.{question}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", remedy="A rubric is a YAML file in UTF-8.") from None
    return _read(text, str(file), question)


def _read(text: str, file: str, question: Question) -> Rubric:
    remedy = "Begin with a copy of one in engine/judging/rubrics (docs/judging.md)."
    try:
        rubric = Rubric.model_validate(YAML(typ="safe", pure=True).load(text))
    except YAMLError as error:
        line = mark.line + 1 if (mark := getattr(error, "problem_mark", None)) else 1
        raise ConfigError(f"{file}, line {line}: this is no YAML.", remedy=remedy) from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the file"
        raise ConfigError(f"{file}, {field}: {first['msg'].removeprefix('Value error, ')}.", remedy=remedy) from None
    if rubric.question != question:
        raise ConfigError(f"{file} asks for a {rubric.question}, not for a {question}.", remedy=remedy)
    return rubric
