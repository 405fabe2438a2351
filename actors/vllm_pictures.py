"""Pictures into vLLM: by its renderer, which has the model's own chat template and image processor.

Prompts are made past the cache by which vLLM spares sending an engine what it has: that cache takes a picture for sent once its prompt is
made, and a prompt that turns out too long never is, so that later calls with the picture would miss it. What is kept is kept on this side.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from actors.encoder import decodable
from actors.pictures import misplaced, pictures_of
from actors.vllm_arguments import EngineSettings
from engine.errors import ModelError
from engine.generation.chat import ENDPOINT_REFUSED, ChatRequest, Message
from engine.images.decoding import decode
from engine.outcome import Failed

IN_FLIGHT = 256
"""Pictures that are on their way at once; as an image processor gives it, one of a megapixel takes 12 to 25 MB."""


class PicturePrompts:
    """Makes the prompts of one engine; `prompt` runs on the engine's loop, for so many calls at once as `IN_FLIGHT` lets in."""

    def __init__(self, engine: Any, settings: EngineSettings) -> None:
        from vllm.renderers import ChatParams

        self._renderer, self._most = engine.renderer, settings.pictures
        self._chat = ChatParams(chat_template_kwargs={"add_generation_prompt": True})
        # Templates write a model's special tokens themselves; lengths are checked where the outcome has a name.
        self._text = replace(self._renderer.default_chat_tok_params, add_special_tokens=False, max_total_tokens=None)
        self.places = asyncio.Semaphore(max(1, IN_FLIGHT // settings.pictures))

    def refused(self, request: ChatRequest) -> Failed | None:
        """The outcome of a request with more pictures than the engine was started for, or with one in a turn that is not the user's."""
        count = len(pictures_of(request))
        if count > self._most:
            return Failed(ENDPOINT_REFUSED, f"{count} pictures are shown, and the engine has room for {self._most}. Raise `pictures`.")
        return misplaced(request)

    async def prompt(self, request: ChatRequest) -> Any | Failed:
        """What the engine takes, with the tokens of all pictures; or why there can be nothing."""
        shown = await asyncio.to_thread(_conversation, request)
        if isinstance(shown, Failed):
            return shown
        try:
            _, (prompt,) = await self._renderer.render_chat_async([shown], self._chat, self._text, skip_mm_cache=True)
        except Exception as error:  # noqa: BLE001 - templates and image processors raise whatever they stumble over
            said = " ".join(str(error).split())[:300]
            return Failed(ENDPOINT_REFUSED, f"The model does not take these messages: {type(error).__name__}: {said}")
        return prompt


def expect_sight(config: Any, settings: EngineSettings) -> None:
    """Raises ModelError unless the model of vLLM's `config` takes as many pictures a call, and has a chat template."""
    from vllm.multimodal import MULTIMODAL_REGISTRY
    from vllm.renderers.hf import resolve_chat_template
    from vllm.tokenizers import cached_tokenizer_from_config

    model = config.model_config
    if not model.is_multimodal_model:
        raise ModelError(f"The model in {settings.folder} does not see.", remedy="Give a VLM, or no pictures.", code="model-unsupported")
    most = MULTIMODAL_REGISTRY.get_processing_info(model).allowed_mm_limits.get("image", 0)
    if most < settings.pictures:
        raise ModelError(
            f"The model in {settings.folder} takes {most} pictures a call, not {settings.pictures}.",
            remedy="Lower `pictures`.",
            code="model-unsupported",
        )
    if resolve_chat_template(cached_tokenizer_from_config(model), None, None, model_config=model) is None:
        raise ModelError(f"The model in {settings.folder} has no chat template.", remedy="Give a chat model.", code="model-unsupported")


def _conversation(request: ChatRequest) -> list[dict[str, Any]] | Failed:
    """The messages with pictures decoded, as vLLM's renderer takes them."""
    turns: list[dict[str, Any]] = []
    for message in request.messages:
        content = _content(message)
        if isinstance(content, Failed):
            return content
        turns.append({"role": message.role, "content": content})
    return turns


def _content(message: Message) -> str | list[dict[str, Any]] | Failed:
    from PIL import Image

    parts: list[dict[str, Any]] = []
    for picture in message.pictures:
        opened = decode(picture)
        if isinstance(opened, Failed):
            return opened
        parts.append({"type": "image_pil", "image_pil": Image.fromarray(opened.value.pixels)})
    text = decodable(message.content)
    return [*parts, {"type": "text", "text": text}] if parts and text else parts or text
