"""`tiny-scenes` as a diffusers pipeline: text to image, and a source image drawn anew in part (SDEdit, on the same weights).

    pipe = TinyScenesPipeline.from_pretrained(WEIGHTS_FOLDER)
    pipe(["a cobalt lantern on the beach, at night"], generator=[torch.Generator().manual_seed(7)]).images

Source: Song et al., DDIM; Ho and Salimans, classifier-free guidance; Meng et al., SDEdit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from diffusers import DDIMScheduler, DiffusionPipeline, ImagePipelineOutput, UNet2DConditionModel
from PIL.Image import Image, Resampling, fromarray
from torch import Tensor
from torch.nn import functional

from actors.tiny_scenes.reader import PromptReader
from actors.tiny_scenes.states import TokenStates

WEIGHTS_FOLDER = Path(__file__).parent / "weights"
STEPS = 20
GUIDANCE = 2.0


class TinyScenesPipeline(DiffusionPipeline):  # type: ignore[misc]
    """Prompts are read by the packaged MiniLM (`minilm-l6-v2`), whose weights are no part of the folder.

    It draws at one size, `unet.config.sample_size` times the pixels that one place holds; other sizes are scaled from that.
    """

    model_cpu_offload_seq = "reader->unet"

    def __init__(self, unet: UNet2DConditionModel, scheduler: DDIMScheduler, reader: PromptReader) -> None:
        super().__init__()
        self.register_modules(unet=unet, scheduler=scheduler, reader=reader)
        self.unshuffle = int((unet.config.in_channels // 3) ** 0.5)
        self.size = unet.config.sample_size * self.unshuffle

    @cached_property
    def text_states(self) -> TokenStates:
        """The text encoder, loaded when the first prompt is read. Raises ModelError."""
        return TokenStates()

    @torch.no_grad()
    def __call__(
        self,
        prompt: str | Sequence[str],
        negative_prompt: str | Sequence[str] | None = None,
        image: Image | Sequence[Image] | None = None,
        strength: float = 0.6,
        num_inference_steps: int = STEPS,
        guidance_scale: float = GUIDANCE,
        height: int | None = None,
        width: int | None = None,
        generator: torch.Generator | Sequence[torch.Generator] | None = None,
        output_type: Literal["pil", "np", "pt"] = "pil",
    ) -> ImagePipelineOutput:
        """One image a prompt; with `image`, each prompt's source is noised by `strength` (0 to 1) of the steps and drawn anew from there.

        Returns `images`: PIL images, or (n, height, width, 3) or (n, 3, height, width) from 0 to 1.
        Raises ValueError for lists of unequal length and a strength outside 0 to 1.
        """
        prompts = [prompt] if isinstance(prompt, str) else list(prompt)
        n = len(prompts)
        negative = [negative_prompt] * n if negative_prompt is None or isinstance(negative_prompt, str) else list(negative_prompt)
        generators = [generator] * n if generator is None or isinstance(generator, torch.Generator) else list(generator)
        sources = None if image is None else [image] if isinstance(image, Image) else list(image)
        if len(negative) != n or len(generators) != n or (sources is not None and len(sources) != n):
            raise ValueError(f"{n} prompts need as many negative prompts, generators and images")
        if not 0 <= strength <= 1:
            raise ValueError(f"strength is {strength}, not from 0 to 1")
        tokens = self._read(prompts)
        if guidance_scale != 1:
            tokens = torch.cat([self._read([text or "" for text in negative]), tokens])
        self.scheduler.set_timesteps(num_inference_steps, device=self.device)
        times = self.scheduler.timesteps
        noise = torch.cat([self._noise(each) for each in generators])
        if sources is None:
            drawn = noise * self.scheduler.init_noise_sigma
        else:
            times = times[num_inference_steps - round(num_inference_steps * strength) :]
            drawn = self._places(sources)
            if len(times):
                drawn = self.scheduler.add_noise(drawn, noise, times[:1].expand(n))
        for time in self.progress_bar(times):
            drawn = self.scheduler.step(self._predicted(drawn, time, tokens, guidance_scale), time, drawn).prev_sample
        return ImagePipelineOutput(images=self._images(drawn, height or self.size, width or self.size, output_type))

    def _read(self, texts: Sequence[str]) -> Tensor:
        """(n, attributes, code): what texts say, zeros for an empty one, as captions were dropped in training."""
        read: Tensor = self.reader.read([each.to(self.device) for each in self.text_states.of(texts)])
        says = torch.tensor([bool(text.strip()) for text in texts], device=self.device)
        return (read * says[:, None, None]).to(self.unet.dtype)

    def _predicted(self, drawn: Tensor, time: Tensor, tokens: Tensor, guidance: float) -> Tensor:
        copies = len(tokens) // len(drawn)
        seen = torch.cat([drawn] * copies).to(self.unet.dtype)
        found: Tensor = self.unet(seen, time, tokens, class_labels=tokens.flatten(1)).sample.float()
        if copies == 1:
            return found
        without, with_prompt = found.chunk(2)
        return without + guidance * (with_prompt - without)

    def _noise(self, generator: torch.Generator | None) -> Tensor:
        """(1, channels, grid, grid): one image's, from its own generator, on the generator's device."""
        grid = self.unet.config.sample_size
        device = generator.device if generator is not None else self.device
        return torch.randn((1, self.unet.config.in_channels, grid, grid), generator=generator, device=device).to(self.device)

    def _places(self, sources: Sequence[Image]) -> Tensor:
        """Source images as the denoiser sees them."""
        fitted = [np.asarray(each.convert("RGB").resize((self.size, self.size), Resampling.BICUBIC)) for each in sources]
        pixels = torch.from_numpy(np.stack(fitted)).to(self.device).permute(0, 3, 1, 2).float() / 127.5 - 1
        return functional.pixel_unshuffle(pixels, self.unshuffle)

    def _images(self, drawn: Tensor, height: int, width: int, output_type: str) -> Any:
        pixels = functional.pixel_shuffle(drawn, self.unshuffle)
        if (height, width) != (self.size, self.size):
            pixels = functional.interpolate(pixels, (height, width), mode="bicubic", align_corners=False)
        pixels = (pixels / 2 + 0.5).clamp(0, 1)
        if output_type == "pt":
            return pixels
        channels_last = pixels.permute(0, 2, 3, 1).cpu().numpy()
        return channels_last if output_type == "np" else [fromarray((each * 255).round().astype(np.uint8)) for each in channels_last]
