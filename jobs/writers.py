"""Writers by what an experiment says of them: ids for fingerprints without loading anything, then the writer itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.config import Experiment
from engine.errors import ModelError
from engine.writer_config import TEMPLATE, LanguageModel

if TYPE_CHECKING:
    from engine.generation.chat import ChatModel
    from engine.prompting.writing import Writer


def writer_ids(names: list[str], models: Mapping[str, LanguageModel]) -> dict[str, str]:
    """By "writer:<name>" everything that changes what a writer writes, by "model:<name>" each language model's id with revision.

    Raises ModelError if a model is not installed.
    """
    from actors.writer import TemplateWriter

    ids: dict[str, str] = {}
    for name in names:
        if name == TEMPLATE:
            ids[f"writer:{name}"] = TemplateWriter.id
        else:
            ids |= {f"model:{name}": model_id(models[name]), f"writer:{name}": writer_id(models[name])}
    return ids


def writer_id(config: LanguageModel) -> str:
    """Everything that changes what a language model writes: model, sampling, templates."""
    from actors.model_writer import writer_id

    return writer_id(config, model_id(config))


def model_id(config: LanguageModel) -> str:
    """The model with its revision. Raises ModelError if it should lie on this machine and does not."""
    if config.engine == "llamacpp":
        from actors.llamacpp import llamacpp_id
        from actors.models import resolve

        return llamacpp_id(resolve(config.model))
    if config.engine == "tiny":
        from actors.tiny_chat import TinyChat

        return TinyChat.id
    if config.engine == "vllm":
        from actors.hub_snapshot import hub_id
        from actors.models import resolve

        return hub_id(config.model, config.revision) if config.revision else resolve(config.model).id
    from actors.endpoints.calls import served_id

    # An endpoint tells no revision before it is asked; each row keeps the model that its reply names.
    return served_id(config)


@dataclass(frozen=True, slots=True)
class Seat:
    """What a language model finds where it runs: threads, how many processes share its limits of rate, the store, and for models that see
    how many pictures a call has at most and the memory in which they are kept."""

    threads: int = 1
    processes: int = 1
    store: str = ""
    pictures: int = 0
    picture_cache_gb: float = 0


def writer_options(experiment: Experiment) -> dict[str, object]:
    """What workers need to make the language models of an experiment: configurations and seats, by name; no secret is among them."""
    found: dict[str, object] = {}
    for name, config in experiment.language_models().items():
        pool = experiment.execution.pool_of_writer(name)
        found[name] = {"config": config.model_dump(mode="json"), "threads": pool.threads, "processes": pool.max}
    return found


def make_writer(name: str, options: Mapping[str, Any], expected: str) -> Writer:
    """The writer called `name`. Raises ModelError if what is here is not what the plan names."""
    if name == TEMPLATE:
        from actors.writer import TemplateWriter

        return TemplateWriter()
    from actors.model_writer import ModelWriter

    given = options["writers"][name]
    config = LanguageModel.model_validate(given["config"])
    if (found := writer_id(config)) != expected:
        raise ModelError(f"The writer '{name}' is {found} here, the plan names {expected}.", remedy="Install the same model on every node.")
    seat = Seat(int(given["threads"]), int(given["processes"]), str(options["store"]))
    return ModelWriter(chat_model(config, seat), config.sampling(), found)


def chat_model(config: LanguageModel, seat: Seat) -> ChatModel:
    """The language model itself. Raises ModelError if it is not here, ConfigError without the key that its endpoint wants."""
    return _ENGINES[config.engine](config, seat)


def _llamacpp(config: LanguageModel, seat: Seat) -> ChatModel:
    from actors.llamacpp import LlamaCpp
    from actors.models import resolve

    return LlamaCpp(resolve(config.model), context=config.context, threads=seat.threads)


def _vllm(config: LanguageModel, seat: Seat) -> ChatModel:
    from actors.hub_snapshot import hub_snapshot
    from actors.models import resolve
    from actors.vllm_engine import VllmEngine

    return VllmEngine(
        hub_snapshot(config.model, config.revision) if config.revision else resolve(config.model).folder,
        id=model_id(config),
        context=config.context,
        dtype=config.dtype,
        tensor=config.parallel.tensor,
        pipeline=config.parallel.pipeline,
        threads=seat.threads,
        pictures=seat.pictures,
        picture_cache_gb=seat.picture_cache_gb,
    )


def _openai(config: LanguageModel, seat: Seat) -> ChatModel:
    from actors.endpoints.openai_chat import OpenAiChat

    return _batched(config, seat) if config.endpoint.batch else OpenAiChat(config, processes=seat.processes)


def _anthropic(config: LanguageModel, seat: Seat) -> ChatModel:
    from actors.endpoints.anthropic_messages import AnthropicMessages

    return _batched(config, seat) if config.endpoint.batch else AnthropicMessages(config, processes=seat.processes)


def _batched(config: LanguageModel, seat: Seat) -> ChatModel:
    from actors.endpoints.batches import BatchedChat
    from engine.store.batch_ledger import BatchLedger
    from engine.store.opening import open_backend

    return BatchedChat(config, BatchLedger(open_backend(seat.store, proven=True)), processes=seat.processes)


def _tiny(config: LanguageModel, seat: Seat) -> ChatModel:
    from actors.tiny_chat import TinyChat

    return TinyChat()


_ENGINES: dict[str, Callable[[LanguageModel, Seat], ChatModel]] = {
    "llamacpp": _llamacpp,
    "vllm": _vllm,
    "openai": _openai,
    "anthropic": _anthropic,
    "tiny": _tiny,
}
