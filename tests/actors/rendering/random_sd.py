"""`random-sd`: a Stable Diffusion pipeline of the real classes, tiny and never trained, for the code path alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from diffusers import (
    AutoencoderKL,
    DDIMScheduler,
    EulerAncestralDiscreteScheduler,
    StableDiffusionInstructPix2PixPipeline,
    StableDiffusionPipeline,
    UNet2DConditionModel,
)
from diffusers.pipelines.stable_diffusion import StableDiffusionSafetyChecker
from safetensors.torch import save_file
from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPTextConfig, CLIPTextModel, CLIPTokenizer

NAME = "random-sd"
WIDTH = 32
TOKENS = 16


def build(folder: Path, *, edits: bool = False, filters: bool | None = None, ancestral: bool = False) -> Path:
    """Writes the pipeline to `folder`/random-sd and returns that.

    `edits`: an InstructPix2Pix pipeline. `filters`: with a safety filter that takes everything away, or nothing. `ancestral`: a scheduler
    that draws noise in every step.
    """
    torch.manual_seed(0)
    noise = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "steps_offset": 1}
    parts: dict[str, Any] = {
        "unet": _unet(channels=8 if edits else 4),
        "vae": AutoencoderKL(
            block_out_channels=(16, 16),
            down_block_types=("DownEncoderBlock2D",) * 2,
            up_block_types=("UpDecoderBlock2D",) * 2,
            latent_channels=4,
            norm_num_groups=8,
        ),
        "text_encoder": _text_encoder(),
        "tokenizer": _tokenizer(),
        "scheduler": EulerAncestralDiscreteScheduler(**noise) if ancestral else DDIMScheduler(**noise, clip_sample=False),
        "safety_checker": None if filters is None else _filter(filters),
        "feature_extractor": CLIPImageProcessorPil(size={"shortest_edge": 30}, crop_size={"height": 30, "width": 30}),
    }
    kind = StableDiffusionInstructPix2PixPipeline if edits else StableDiffusionPipeline
    pipeline = kind(**parts, requires_safety_checker=filters is not None)
    pipeline.save_pretrained(folder / NAME)
    return folder / NAME


def lora(file: Path) -> Path:
    """A LoRA for the attention of `build`'s UNet, as diffusers writes them."""
    generator = torch.Generator().manual_seed(1)
    weights = {}
    for name, module in _unet(4).named_modules():
        if name.endswith(("attn2.to_q", "attn2.to_v")):
            into, out = module.in_features, module.out_features
            weights[f"unet.{name}.lora.down.weight"] = torch.randn(4, into, generator=generator)
            weights[f"unet.{name}.lora.up.weight"] = torch.randn(out, 4, generator=generator)
    save_file(weights, file)
    return file


def _unet(channels: int) -> UNet2DConditionModel:
    return UNet2DConditionModel(
        sample_size=16,
        in_channels=channels,
        out_channels=4,
        layers_per_block=1,
        block_out_channels=(32, 64),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=WIDTH,
        attention_head_dim=8,
        norm_num_groups=8,
    )


def _text_encoder() -> CLIPTextModel:
    return CLIPTextModel(
        CLIPTextConfig(
            vocab_size=len(_tokenizer()),
            hidden_size=WIDTH,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=TOKENS,
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=1,
            initializer_factor=20.0,  # so that an untrained encoder tells prompts apart
        )
    )


def _tokenizer() -> CLIPTokenizer:
    """One token a letter, with and without the mark of a word's end."""
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    vocabulary = ["<|startoftext|>", "<|endoftext|>", *letters, *(f"{letter}</w>" for letter in letters)]
    return CLIPTokenizer(vocab={token: number for number, token in enumerate(vocabulary)}, merges=[], model_max_length=TOKENS)


def _filter(takes_all: bool) -> StableDiffusionSafetyChecker:
    config = CLIPConfig(
        text_config={"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1},
        vision_config={
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 30,
            "patch_size": 15,
        },
        projection_dim=8,
    )
    checker = StableDiffusionSafetyChecker(config)
    checker.concept_embeds_weights.fill_(-2.0 if takes_all else 2.0)  # a cosine is above the one and below the other
    checker.special_care_embeds_weights.fill_(2.0)
    return checker
