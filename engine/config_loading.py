"""From a file, the environment and the command line to an `Experiment`, with the origin of every value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from engine.config import METHOD_KINDS, Experiment
from engine.errors import ConfigError
from engine.image_config import RENDERER_KINDS
from engine.judge_config import JUDGE_KINDS, RUBRIC_KINDS
from engine.nearest import did_you_mean
from engine.writer_config import WRITER_KINDS

ENVIRONMENT_PREFIX = "MIEN_"
NOT_SETTINGS = {"MIEN_STORE", "MIEN_CALL_LOG"}
"""Environment variables of ours that are no experiment fields."""

OPTIONS = {"limit": "--limit", "name": "--name", "max_failed": "--max-failed", "people.file": "--people"}
"""Fields that have an option of their own."""

Path_ = tuple[str, ...]

KINDS = {*METHOD_KINDS, *WRITER_KINDS, *RENDERER_KINDS, *JUDGE_KINDS, *RUBRIC_KINDS}
"""What pydantic puts into the place of an error beside our fields."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """An experiment and where each of its values comes from ("people.seed" -> "default", "laptop.yaml:4", "MIEN_SEED", "--limit")."""

    experiment: Experiment
    origins: Mapping[str, str]


def load(file: Path | None, environment: Mapping[str, str], options: Mapping[str, Any]) -> Loaded:
    """The experiment of a file (None: the embedded default), overridden by MIEN_* variables, then by options ("people.seed": 3).

    Raises ConfigError naming file, line, field and the nearest valid name.
    """
    values, origins = _from_file(file) if file else ({}, {})
    for variable, text in sorted(environment.items()):
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in NOT_SETTINGS:
            path = tuple(variable.removeprefix(ENVIRONMENT_PREFIX).lower().split("__"))
            _set(values, origins, path, _scalar(text), variable)
    for dotted, value in options.items():
        _set(values, origins, tuple(dotted.split(".")), value, OPTIONS.get(dotted, f"--set {dotted}"))
    try:
        experiment = Experiment.model_validate(values)
    except ValidationError as error:
        raise _readable(error, origins) from None
    flat = dict(flatten(experiment.model_dump(mode="json")))
    return Loaded(experiment, {".".join(path): origins.get(path, "default") for path in flat})


def flatten(values: Mapping[str, Any], path: Path_ = ()) -> list[tuple[Path_, Any]]:
    """Leaves of nested mappings with their paths, in order."""
    leaves: list[tuple[Path_, Any]] = []
    for key, value in values.items():
        leaves += flatten(value, (*path, key)) if isinstance(value, Mapping) else [((*path, key), value)]
    return leaves


def _from_file(file: Path) -> tuple[dict[str, Any], dict[Path_, str]]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"There is no file {file}.", remedy="Try experiments/laptop.yaml, or `mien demo`.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", remedy="An experiment is a YAML file in UTF-8.") from None
    try:
        document = YAML(typ="rt").load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{file}:{line}: {error.problem or 'this is no YAML'}.", remedy="Mend the YAML there.") from None
    except YAMLError as error:
        raise ConfigError(f"{file}: {error}.", remedy="Mend the YAML there.") from None
    if document is None:
        document = CommentedMap()
    if not isinstance(document, CommentedMap):
        raise ConfigError(f"{file}:1: an experiment is a mapping of fields.", remedy="See experiments/laptop.yaml.")
    values, origins = _plain(document, file, ())
    for field in ("people", "queries"):
        section = values.get(field)
        if isinstance(section, dict) and isinstance(section.get("file"), str):
            section["file"] = str(file.parent / Path(section["file"]).expanduser())  # relative to the experiment file
    methods = values.get("methods")
    values |= {"methods": [_beside(file, method) for method in methods]} if isinstance(methods, list) else {}
    return values, origins


def _beside(file: Path, method: object) -> object:
    """A method of one's own with its file relative to the experiment file."""
    if isinstance(method, dict) and isinstance(method.get("file"), str):
        return {**method, "file": str(file.parent / Path(method["file"]).expanduser())}
    return method


def _plain(node: CommentedMap, file: Path, path: Path_) -> tuple[dict[str, Any], dict[Path_, str]]:
    """Plain values and "file:line" by path."""
    values: dict[str, Any] = {}
    origins: dict[Path_, str] = {}
    for key, value in node.items():
        here = (*path, str(key))
        line = node.lc.key(key)[0] if key in node.lc.data else node.lc.line  # a merged key (<<) has no line of its own
        origins[here] = f"{file}:{line + 1}"
        if isinstance(value, CommentedMap):
            values[str(key)], inner = _plain(value, file, here)
            origins |= inner
        else:
            values[str(key)] = list(value) if isinstance(value, list) else value
    return values, origins


def _scalar(text: str) -> Any:
    """A value of the environment or of --set: YAML, so that lists and numbers can be given."""
    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError:
        return text


def parse_set(pairs: list[str]) -> dict[str, Any]:
    """Options from `--set field=value` pairs. Raises ConfigError for a pair without "="."""
    options: dict[str, Any] = {}
    for pair in pairs:
        field, separator, text = pair.partition("=")
        if not separator or not field:
            raise ConfigError(f"--set {pair}: this is not field=value.", remedy="For example --set people.seed=3.")
        options[field.strip()] = _scalar(text)
    return options


def _set(values: dict[str, Any], origins: dict[Path_, str], path: Path_, value: Any, origin: str) -> None:
    node = values
    for key in path[:-1]:
        if not isinstance(node.get(key), dict):
            node[key] = {}
        node = node[key]
    node[path[-1]] = value
    if path[0] == "people" and path[-1] in ("file", "grammar"):
        # The two sources exclude each other: naming one replaces the other.
        node.pop("grammar" if path[-1] == "file" else "file", None)
    origins[path] = origin


def _origin(path: Path_, origins: Mapping[Path_, str]) -> str:
    """Where a value, or the innermost given value that holds it, comes from."""
    for length in range(len(path), 0, -1):
        if path[:length] in origins:
            return origins[path[:length]]
    return "default"


def _readable(error: ValidationError, origins: Mapping[Path_, str]) -> ConfigError:
    problems, found = [], error.errors()
    deeper = {item["loc"][:length] for item in found for length in range(len(item["loc"]))}
    for item in found:
        if item["type"] == "too_short" and item["loc"] in deeper:
            continue  # only because its entries are wrong, as is told
        path = tuple(str(part) for part in item["loc"] if not isinstance(part, int) and part not in KINDS)
        origin = _origin(path, origins) if path else ""
        message = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            message = f"there is no such field{did_you_mean(path[-1], _fields(path[:-1]))}"
        elif item["type"] != "value_error":
            message = f"{message[0].lower()}{message[1:]}, not {item['input']!r}"
        problems.append(": ".join(part for part in (origin, ".".join(path), message) if part))
    return ConfigError("\n".join(problems), remedy="See `mien schema` for every field.")


def _fields(path: Path_) -> list[str]:
    model: type[BaseModel] = Experiment
    for part in path:
        if part in model.model_fields:  # any other part is a key of a mapping, such as a writer's name
            model = next(_models_in(model.model_fields[part].annotation))
    return sorted(model.model_fields)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that an annotation names, however deep."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for each in get_args(annotation):
        yield from _models_in(each)
