"""How a vLLM engine is started: what it may not reach, its threads and memory, and how its GPUs are joined."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GIB = 2**30


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """One engine. What can change a reply (`context`, `dtype`) is part of the writer's identity, the rest is not.

    `context` in tokens, 0: what the model was made for. `cache_gib`: memory for keys and values; on a CPU it is reserved at once, on a
    GPU 0 takes nine tenths of what the device has. `share_prefixes` keeps the keys and values of text that requests begin with alike.
    `pictures`: of a call at most, 0 for a model that only reads; `picture_cache_gb`: memory for pictures that were processed, taken up to
    twice, here and in the engine.
    """

    folder: Path
    id: str
    context: int = 0
    dtype: str = "auto"
    tensor: int = 1
    pipeline: int = 1
    threads: int = 1
    cache_gib: float = 0
    share_prefixes: bool = True
    pictures: int = 0
    picture_cache_gb: float = 4

    @property
    def workers(self) -> int:
        """Processes that hold a part of the model."""
        return self.tensor * self.pipeline


def prepare_process(settings: EngineSettings) -> None:
    """Set the environment of this process and the engine's children; before vllm is imported.

    Nothing is fetched or reported, and nothing listens beyond this machine where one process holds the model.
    """
    fixed = {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_DO_NOT_TRACK": "1",
        # Ray sets it to the CPUs that were asked for; vLLM by itself pins threads to cores that the node's other engines pin, too.
        "OMP_NUM_THREADS": str(settings.threads),
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "TOKENIZERS_PARALLELISM": "false",
    }
    if settings.workers == 1:
        fixed |= {"VLLM_HOST_IP": "127.0.0.1", "VLLM_LOOPBACK_IP": "127.0.0.1", "GLOO_SOCKET_IFNAME": "lo"}
    os.environ.update(fixed)
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")


def engine_arguments(settings: EngineSettings, *, cpu: bool) -> dict[str, Any]:
    """Keyword arguments of vLLM's `AsyncEngineArgs`, and of its `LLM`."""
    arguments: dict[str, Any] = {
        "model": str(settings.folder),
        "served_model_name": settings.id,
        "trust_remote_code": False,
        "dtype": settings.dtype,
        "tensor_parallel_size": settings.tensor,
        "pipeline_parallel_size": settings.pipeline,
        "enable_prefix_caching": settings.share_prefixes,
        # Compiling takes a CPU minutes and gains little with the small models that are run there.
        "enforce_eager": cpu,
        "disable_log_stats": True,
        "seed": 0,
    }
    if settings.context:
        arguments["max_model_len"] = settings.context
    if settings.pictures:
        arguments["limit_mm_per_prompt"] = {"image": settings.pictures, "video": 0, "audio": 0}
        arguments["mm_processor_cache_gb"] = settings.picture_cache_gb
    if settings.workers > 1:
        # On GPUs the workers are Ray actors in the placement group that this process sits in: it holds no GPU itself.
        arguments["distributed_executor_backend"] = "mp" if cpu else "ray"
    cache_gib = settings.cache_gib or (1 if cpu else 0)
    if cache_gib:
        arguments["kv_cache_memory_bytes"] = int(cache_gib * GIB)
    return arguments
