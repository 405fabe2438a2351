"""Who writes prompts: the template, a language model in the process, or an endpoint, as experiment files name them.

What changes a prompt (model, revision, sampling) is the writer's identity; where it runs and what it costs is not.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from engine.config_names import free_name
from engine.generation.chat import Sampling
from engine.keys import Json

TEMPLATE = "template"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Price(_Strict):
    """Dollars per million tokens; batch endpoints are billed at `batch_share` of it."""

    input: float = Field(0, ge=0, description="Dollars per million input tokens")
    output: float = Field(0, ge=0, description="Dollars per million output tokens")
    batch_share: float = Field(0.5, ge=0, le=1, description="Share of the price that a provider's batch endpoint takes")


class Endpoint(_Strict):
    """Where a served model is reached, and how fast; never part of a result's identity."""

    base_url: str = Field("", description="Such as http://127.0.0.1:8000/v1; empty: the provider's own")
    key_env: str = Field("", description="Environment variable with the API key; empty: the provider's usual one; never the key itself")
    requests_per_minute: float = Field(0, ge=0, description="0: no limit")
    tokens_per_minute: float = Field(0, ge=0, description="Input and output tokens; 0: no limit")
    concurrency: int = Field(64, ge=1, le=4096, description="Requests in flight at once, per process")
    timeout_s: float = Field(120, gt=0, description="For one request")
    give_up_s: float = Field(600, gt=0, description="For one row, all tries and waits together")
    batch: bool = Field(False, description="Use the provider's batch endpoint: half price, up to a day")
    poll_s: float = Field(30, gt=0, description="Seconds between looks at an open batch")

    @field_validator("base_url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        if value and not re.fullmatch(r"https?://[^@\s]+", value):
            raise ValueError("give an http(s) address without a user or password in it")
        return value.rstrip("/")


class Parallel(_Strict):
    """How many GPUs one copy of a model takes (vLLM); never part of a result's identity."""

    tensor: int = Field(1, ge=1, le=64, description="GPUs that share each layer")
    pipeline: int = Field(1, ge=1, le=64, description="Groups of layers on GPUs of their own")

    @property
    def gpus(self) -> int:
        """GPUs of one copy."""
        return self.tensor * self.pipeline


class LanguageModel(_Strict):
    """A language model that writes prompts."""

    name: str = Field(description="What the writer is called in every table")
    engine: Literal["llamacpp", "vllm", "openai", "anthropic", "tiny"] = Field(
        description="llamacpp, vllm: in the workers' own processes; openai: any OpenAI-compatible endpoint; anthropic: its messages; "
        "tiny: a stand-in without weights"
    )
    model: str = Field(min_length=1, description="A laptop model's name, a folder or file, or the endpoint's name of the model")
    revision: str = Field(
        "",
        description="For endpoints: the exact model that replies must name, such as gpt-4o-mini-2024-07-18. For vllm: the commit of a "
        "hub's model, which is then looked for in the hub's cache and need not be where a run is planned",
    )
    api: Literal["chat", "completions"] = Field("chat", description="For openai: the endpoint's kind")
    temperature: float = Field(0.0, ge=0, le=2, description="0: greedy")
    top_p: float = Field(1.0, gt=0, le=1)
    max_tokens: int = Field(256, ge=1, le=32_768, description="Tokens of an answer at most")
    context: int = Field(0, ge=0, description="Tokens of a whole call at most; 0: what the model was made for")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field("auto", description="For vllm")
    endpoint: Endpoint = Endpoint()
    parallel: Parallel = Parallel()
    price: Price = Price()

    @field_validator("name")
    @classmethod
    def _free_name(cls, value: str) -> str:
        if value == TEMPLATE:
            raise ValueError("'template' is the built-in writer; give yours another name")
        return free_name(value, "writer")

    @model_validator(mode="after")
    def _fits_its_engine(self) -> LanguageModel:
        served = self.engine in ("openai", "anthropic")
        if not served and self.endpoint != Endpoint():
            raise ValueError(f"'endpoint' is for served models, not for engine {self.engine}")
        if self.revision and not served and self.engine != "vllm":
            raise ValueError(f"'revision' is for served models and for vllm, not for engine {self.engine}")
        if self.revision and self.engine == "vllm" and not re.fullmatch("[0-9a-f]{40}", self.revision):
            raise ValueError(f"'{self.revision}' is no commit; a branch or a tag may move, so give its 40 hex digits")
        if self.engine != "vllm" and self.parallel != Parallel():
            raise ValueError("'parallel' is for engine vllm")
        if self.engine != "openai" and self.api != "chat":
            raise ValueError("'api' is for engine openai")
        if self.endpoint.batch and self.api != "chat":
            raise ValueError("a batch endpoint needs api: chat")
        return self

    def sampling(self) -> Sampling:
        """How tokens are drawn."""
        return Sampling(max_tokens=self.max_tokens, temperature=self.temperature, top_p=self.top_p)

    def sampling_recipe(self) -> dict[str, Json]:
        """How tokens are drawn and cut, for a fingerprint."""
        return {"temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.max_tokens, "context": self.context}

    def pinned(self, model_id: str) -> dict[str, Json]:
        """The part that can change a prompt, itself a valid writer: the model by its id, not by its path."""
        kept: dict[str, Any] = self.model_dump(mode="json", exclude={"endpoint", "parallel", "price"})
        return {**kept, "model": model_id}


SMOLLM2 = "smollm2-135m-instruct"
BUILT_IN: dict[str, LanguageModel] = {
    writer.name: writer
    for writer in (
        LanguageModel(name="smollm2", engine="llamacpp", model=SMOLLM2, context=4096),
        LanguageModel(name="smollm2-sampled", engine="llamacpp", model=SMOLLM2, context=4096, temperature=0.7, top_p=0.95),
        LanguageModel(name="tiny-chat", engine="tiny", model="tiny-chat", temperature=1),
    )
}
"""Writers that a laptop has: SmolLM2-135M greedy, and sampled; a 135M model's prose is worth little, it proves the machinery. And a
stand-in without weights that strings words together, to rehearse a cluster and to test."""

WRITERS = (TEMPLATE, *BUILT_IN)
WRITER_KINDS = ("<name>", "<model>")
"""How a validation error tells the two kinds of entries of `writers` apart."""


def _kind_of_writer(value: Any) -> str:
    return WRITER_KINDS[0] if isinstance(value, str) else WRITER_KINDS[1]


AnyWriter = Annotated[Annotated[str, Tag(WRITER_KINDS[0])] | Annotated[LanguageModel, Tag(WRITER_KINDS[1])], Discriminator(_kind_of_writer)]
