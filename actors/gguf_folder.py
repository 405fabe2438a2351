"""A GGUF file as a Hugging Face folder that vLLM serves: `python -m actors.gguf_folder smollm2-135m-instruct FOLDER`.

Quantised weights become the float32 numbers that they stand for; nothing is quantised anew. The folder is kept only if, greedily, it
writes what llama.cpp writes from the file: the two round differently, so their texts part company somewhere, but not at once.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from actors.gguf_header import GgufHeader
from actors.llamacpp import LlamaCpp
from actors.made_folder import make_once
from actors.models import ModelFiles, resolve
from engine.errors import MienError, ModelError
from engine.generation.chat import ChatRequest, Message, Sampling
from engine.keys import Json
from engine.outcome import Answered

SOURCE = "gguf-source.json"
"""Names what a folder was made from; folders appear whole, so one that has it is complete."""

VERSION = "gguf-folder-1"

LEAST = 8
"""Tokens that transformers and llama.cpp must have in common at the start of each reply; SmolLM2's have all of `TOKENS`."""
TOKENS = 24
QUESTIONS = ("Why is the sky blue?", "Name three things to pack for 12 days in Kraków — and why.", "Write one line about the sea.")


def convert(files: ModelFiles, folder: Path) -> Path:
    """The folder, made of a GGUF unless it is there already. About a minute and 4 bytes a parameter for SmolLM2-135M.

    Raises ModelError if the folder holds something else, a package is missing, or the copy writes other text than the file.
    """
    source: dict[str, Json] = {"model": files.of_kind("gguf").id, "sha256": files.sha256, "made_by": VERSION}
    return make_once(folder, SOURCE, source, lambda made: _write(files, made))


def _write(files: ModelFiles, folder: Path) -> None:
    try:
        import gguf  # noqa: F401 - transformers reads GGUF by it
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
        from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint
    except ImportError as error:
        raise ModelError(f"Converting needs {error.name}.", remedy="Run `pip install mien[laptop]`.", code="model-missing") from error
    file = files.folder / files.weights
    tokenizer = AutoTokenizer.from_pretrained(files.folder, gguf_file=files.weights, local_files_only=True)
    tokenizer.chat_template = GgufHeader.read(file).chat_template
    config = AutoConfig.from_pretrained(files.folder, gguf_file=files.weights, local_files_only=True)
    # `from_pretrained` would want accelerate, and a note in the configuration that the weights are quantised, which they no longer are.
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()  # type: ignore[no-untyped-call]
    tensors = load_gguf_checkpoint(str(file), return_tensors=True, model_to_load=model, torch_dtype=torch.float32)["tensors"]  # type: ignore[no-untyped-call]
    missing, unknown = model.load_state_dict(tensors, strict=False)
    tied = {"lm_head.weight"} if config.tie_word_embeddings else set()
    if unknown or set(missing) - tied:
        raise ModelError(f"{file} does not fit its architecture: missing {missing}, unknown {unknown}.", code="model-unsupported")
    model.tie_weights()
    _check(files, tokenizer, model)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)


def _check(files: ModelFiles, tokenizer: Any, model: Any) -> None:
    """Raises ModelError unless both read the questions as equally many tokens, and begin to answer them alike."""
    import torch

    engine = LlamaCpp(files, context=512)
    try:
        for question in QUESTIONS:
            request = ChatRequest(question, (Message("user", question),), Sampling(max_tokens=TOKENS, fixed_length=True), seed=0)
            (said,) = engine.chat([request])
            if not isinstance(said, Answered):
                raise ModelError(f"llama.cpp did not answer: {said}", code="model-unsupported")
            ids = tokenizer.apply_chat_template(
                [{"role": "user", "content": question}], add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
            read = ids["input_ids"].shape[1]
            with torch.inference_mode():
                made = model.generate(**ids, max_new_tokens=TOKENS, min_new_tokens=TOKENS, do_sample=False)[0, read:].tolist()
            alike = agreement(made, tokenizer.encode(said.value.choices[0].text, add_special_tokens=False))
            if read != said.value.input_tokens or alike < LEAST:
                raise ModelError(
                    f"As a folder {files.name} reads {question!r} as {read} tokens, llama.cpp as {said.value.input_tokens}, and they agree "
                    f"for {alike} tokens.",
                    remedy="transformers does not read this file right: fetch the model's original checkpoint.",
                    code="model-unsupported",
                )
    finally:
        engine.close()


def agreement(ours: list[int], theirs: list[int]) -> int:
    """How many tokens two replies have in common at their start."""
    return next((index for index, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m actors.gguf_folder", description="Make a Hugging Face folder of a GGUF model.")
    parser.add_argument("model", help="a registered name, or the path of a .gguf file")
    parser.add_argument("folder", type=Path, help="the folder to make; one that was made before is left as it is")
    given = parser.parse_args(arguments)
    try:
        print(convert(resolve(given.model), given.folder))
    except MienError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
