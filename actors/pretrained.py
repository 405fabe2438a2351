"""Models of `transformers` from folders on this machine: whole or not at all, and without a word on the console."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from engine.errors import ModelError

Model = TypeVar("Model")


def pretrained(architecture: type[Model], folder: Path | None, **options: Any) -> Model:
    """An `architecture` with the weights of `folder`, or with `config` and `state_dict` given as options.

    Raises ModelError if weights are missing or of another shape, which the library would fill at random.
    """
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    of = folder or "the file"
    try:
        loaded: Model
        loaded, told = architecture.from_pretrained(folder, local_files_only=True, output_loading_info=True, **options)  # type: ignore[attr-defined]
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(f"{of} holds no {architecture.__name__}: {str(error)[:300]}.", remedy=_REMEDY, code="model-unsupported") from error
    lacking = sorted(map(str, [*told["missing_keys"], *told["mismatched_keys"]]))
    if lacking:
        raise ModelError(f"{of} holds no whole {architecture.__name__}: {len(lacking)} weights lack, first {lacking[0]}.", remedy=_REMEDY)
    return loaded


_REMEDY = "Give a folder that `save_pretrained` wrote, or install the model again."
