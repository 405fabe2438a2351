"""From an actor's name in a stage to the object that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from engine.config import Experiment, OwnMethod
from engine.errors import ConfigError, InputError, ModelError
from engine.keys import file_sha256
from engine.metrics.definition import VpttDefinition
from jobs.gallery import Gallery
from jobs.judges import DESCRIBER, JUDGE, judge_ids, judge_options, make_describer, make_judge
from jobs.renderers import RENDERER, image_ids, image_options, make_renderer, make_vision
from jobs.workflow import Actors
from jobs.writers import make_writer, writer_ids, writer_options

WRITER = "writer:"
"""Begins the name of a writer's actor."""


def model_ids(experiment: Experiment) -> dict[str, str]:
    """The id with revision of each model, and the sha256 of each file of own prompts: part of every fingerprint.

    Raises ModelError if a model is not installed, InputError if a file is not there, ConfigError if both encoders are one.
    """
    from actors.encoders import encoder_id

    ids = {"encoder": encoder_id(experiment.encoder)}
    if experiment.second_encoder:
        ids["second"] = encoder_id(experiment.second_encoder)
        if ids["second"] == ids["encoder"]:
            raise ConfigError(
                f"second_encoder: {experiment.second_encoder} is the encoder that methods retrieve with, so it is no second space.",
                remedy='Name another one, or leave it out with second_encoder: "".',
            )
    ids |= writer_ids(experiment.writer_names(), experiment.language_models()) | image_ids(experiment) | judge_ids(experiment)
    for own in experiment.own_methods():
        ids[f"given:{own.name}"] = f"sha256:{_content(own)}"
    return ids


def _content(own: OwnMethod) -> str:
    if not own.file.is_file():
        raise InputError("there is no such file", file=str(own.file), field="methods.file", remedy="See `mien score --help`.")
    return file_sha256(own.file)


def actor_options(experiment: Experiment, store: str) -> dict[str, object]:
    """What every worker is told to make actors of: "encoder" and "second" (names or folders on this node), "threads" (of the encoder's
    process), "writers" (`writer_options`), "store", and those of `image_options` and `judge_options`."""
    return {
        "encoder": experiment.encoder,
        "second": experiment.second_encoder,
        "threads": experiment.execution.encoder.threads,
        "writers": writer_options(experiment),
        "store": store,
        **image_options(experiment),
        **judge_options(experiment),
    }


def actor_maker(options: Mapping[str, Any], models: Mapping[str, str], definition: VpttDefinition) -> Actors:
    """Makes a new actor by name: "encoder", "second", "retrieval", "writer:<name>", "renderer:<name>", "vision", "judge:<name>",
    "describer", "scorer". `options` as in `Vptt.actors`."""
    threads = int(options["threads"])
    makers: dict[str, Callable[[], Any]] = {
        "encoder": lambda: _encoder(str(options["encoder"]), models["encoder"], threads),
        "second": lambda: _second(_encoder(str(options["second"]), models["second"], threads)),
        "retrieval": lambda: _reidentifier(options, threads),
        **{name: partial(_writer, name, options, models) for name in models if name.startswith(WRITER)},
        **{name: partial(_renderer, name, options, models) for name in models if name.startswith(RENDERER)},
        "vision": lambda: make_vision(options, models),
        **{name: partial(_judge, name, options, models) for name in models if name.startswith(JUDGE)},
        DESCRIBER: lambda: make_describer(options, models[DESCRIBER]),
        "scorer": lambda: _scorer(definition),
    }
    return lambda name: makers[name]()


def _reidentifier(options: Mapping[str, Any], threads: int) -> Any:
    from actors.index_copy import ensure_local
    from actors.index_file import open_index
    from actors.reidentifier import Reidentifier
    from engine.store.opening import open_backend

    gallery = Gallery(**options["gallery"])
    backend = open_backend(str(options["store"]), proven=True)
    index = open_index(ensure_local(backend, gallery.index, gallery.sha256), verify=False)
    return Reidentifier(index, gallery.read_traits(backend), threads=threads)


def _second(encoder: Any) -> Any:
    from actors.second_space import SecondSpace

    return SecondSpace(encoder, VpttDefinition(encoder=encoder.id))


def _encoder(name: str, expected: str, threads: int) -> Any:
    from actors.encoders import make_encoder

    encoder = make_encoder(name, threads=threads)
    if encoder.id != expected:
        # A node with other weights would mix two metrics in one table.
        raise ModelError(f"The encoder here is {encoder.id}, the plan names {expected}.", remedy="Install the same weights on every node.")
    return encoder


def _writer(name: str, options: Mapping[str, Any], models: Mapping[str, str]) -> Any:
    return make_writer(name.removeprefix(WRITER), options, models[name])


def _renderer(name: str, options: Mapping[str, Any], models: Mapping[str, str]) -> Any:
    return make_renderer(name.removeprefix(RENDERER), options, models[name])


def _judge(name: str, options: Mapping[str, Any], models: Mapping[str, str]) -> Any:
    return make_judge(name.removeprefix(JUDGE), options, models[name])


def _scorer(definition: VpttDefinition) -> Any:
    from actors.scorer import VpttScorer

    return VpttScorer(definition)
