"""`random-llava`: a LLaVA with random weights, for the path of pictures through vLLM only: `python -m actors.random_llava FOLDER`.

It sees (another picture gives another reply) and understands nothing: its replies mean nothing. The architecture is LLaVA's with a tiny
CLIP and a tiny Llama, the tokenizer is SmolLM2's with a token for pictures.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

from actors.made_folder import make_once
from actors.models import ModelFiles, resolve
from engine.errors import MienError
from engine.keys import Json

NAME = "random-llava"
VERSION = "1"
SOURCE = "random-llava.json"
"""Names what a folder was made from; folders appear whole, so one that has it is complete."""

SEED = 7
TOKENIZER = "smollm2-135m-instruct"
IMAGE_TOKEN = "<image>"
SIDE_PX, PATCH_PX = 56, 14
PICTURE_TOKENS = (SIDE_PX // PATCH_PX) ** 2
"""Tokens of a picture in a prompt, whatever its size: one a patch."""
CONTEXT = 2048

SPREAD = 0.3
"""Deviation of the language model's weights: wide enough that pictures and words change what is said."""

_ARCHITECTURE = "TransformersMultiModalForCausalLM"
"""What vLLM calls transformers' own implementation of any VLM. Its own LLaVA shares a module with Pixtral, and that one wants torchvision,
which does not work beside a CPU build of torch."""

_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}"
    "{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write(folder: Path) -> Path:
    """The folder, made unless it is there already; seconds and about 30 MB. Raises ModelError if it holds something else."""
    files = resolve(TOKENIZER).of_kind("gguf")
    made_by: dict[str, Json] = {name: importlib.metadata.version(name) for name in ("torch", "transformers")}
    source = {"model": f"{NAME}@{VERSION}", "seed": SEED, "tokenizer": files.id, **made_by}
    return make_once(folder, SOURCE, source, lambda made: _write(files, made))


def _write(files: ModelFiles, folder: Path) -> None:
    import torch
    from transformers import AutoTokenizer, LlavaForConditionalGeneration, LlavaProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = AutoTokenizer.from_pretrained(files.folder, gguf_file=files.weights, local_files_only=True)
    tokenizer.add_special_tokens({"additional_special_tokens": [IMAGE_TOKEN]})
    # The template is the processor's alone, as with the models that it stands for.
    tokenizer.chat_template = None
    crop = {"height": SIDE_PX, "width": SIDE_PX}
    processor = LlavaProcessor(  # type: ignore[no-untyped-call]
        image_processor=CLIPImageProcessorPil(size={"shortest_edge": SIDE_PX}, crop_size=crop),
        tokenizer=tokenizer,
        patch_size=PATCH_PX,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        image_token=IMAGE_TOKEN,
        chat_template=_TEMPLATE,
    )
    torch.manual_seed(SEED)
    model = LlavaForConditionalGeneration(_config(tokenizer)).eval()  # type: ignore[no-untyped-call]
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    config = folder / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text("utf-8")) | {"architectures": [_ARCHITECTURE]}, indent=2) + "\n", "utf-8")


def _config(tokenizer: Any) -> Any:
    from transformers import CLIPVisionConfig, LlamaConfig, LlavaConfig

    vision = CLIPVisionConfig(
        hidden_size=64,
        intermediate_size=128,
        projection_dim=64,
        num_hidden_layers=3,
        num_attention_heads=2,
        image_size=SIDE_PX,
        patch_size=PATCH_PX,
    )
    text = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        initializer_range=SPREAD,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return LlavaConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=tokenizer.convert_tokens_to_ids(IMAGE_TOKEN),
        image_seq_length=PICTURE_TOKENS,
        vision_feature_layer=-2,
        vision_feature_select_strategy="default",
        tie_word_embeddings=True,
    )


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m actors.random_llava", description="Write a LLaVA with random weights.")
    parser.add_argument("folder", type=Path, help="the folder to make; one that was made before is left as it is")
    given = parser.parse_args(arguments)
    try:
        print(write(given.folder))
    except MienError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
