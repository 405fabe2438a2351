"""What the language models' actors cost under Ray, against the bare engines; and what sharing prefixes gains.

    python benchmarks/writer.py [--model .venv-vllm/smollm2] [--requests 128] [--tokens 32] [--rounds 3] [--people 16] [--queries 8]

In the environment of `make test-vllm`, which has both engines; what is not installed is left out. One thread each, greedy, every
reply exactly `--tokens` tokens long (the end-of-text token is passed over), engines warm, no prompt asked twice. All processes have one
priority (Ray gives its own a lower one). The last line is one JSON object:

    vllm_ratio        tokens/s of a Ray actor that answers one `chat` of all requests, from the driver's call to its answer, divided by
                      those of vLLM's own `LLM` with the same engine arguments; in each round bare, actor, bare; medians
    xllamacpp_ratio   the same for llama.cpp's server
    prefix_gain       tokens/s of the vLLM actor with prefix sharing divided by those without: `--people` profiles of some 600 tokens,
                      `--queries` requests about each; in a round without, with
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from engine.generation.chat import ChatModel, ChatRequest, Message, Sampling
from engine.outcome import Answered
from engine.profiles.grammar.builder import build_profile
from engine.queries.builtin import builtin_queries

SMOLLM2 = "smollm2-135m-instruct"
CONTEXT = 2048
CACHE_GIB = 2
PROFILE_WORDS = 430
"""Some 600 tokens."""

Timed = Callable[[Sequence[ChatRequest]], int]
"""Answers requests; returns the tokens written."""


class Answering:
    """A Ray actor that holds one engine."""

    def __init__(self, make: Callable[[], ChatModel]) -> None:
        self._model = make()

    def tokens(self, requests: list[ChatRequest]) -> int:
        """Tokens of the replies to one `chat`."""
        return written(self._model, requests)


def written(model: ChatModel, requests: Sequence[ChatRequest]) -> int:
    """Tokens of the replies to one `chat`; each must be answered."""
    outcomes = model.chat(requests)
    replies = [outcome.value for outcome in outcomes if isinstance(outcome, Answered)]
    assert len(replies) == len(outcomes), "every request of this benchmark is answered"
    return sum(reply.output_tokens for reply in replies)


def main() -> None:
    """Measure what is installed here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=Path(".venv-vllm/smollm2"), help="folder that vLLM serves")
    parser.add_argument("--requests", type=int, default=128)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--people", type=int, default=16)
    parser.add_argument("--queries", type=int, default=8)
    parser.add_argument("--only", choices=["vllm", "xllamacpp", "prefix"], nargs="*", default=["vllm", "xllamacpp", "prefix"])
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ.setdefault("RAY_worker_niceness", "0")
    figures: dict[str, Any] = {"vllm_ratio": None, "xllamacpp_ratio": None, "prefix_gain": None}
    if "vllm" in options.only and importlib.util.find_spec("vllm"):
        figures |= against_bare("vllm", options, bare_vllm(options.model), lambda: vllm(options.model))
    if "xllamacpp" in options.only and importlib.util.find_spec("xllamacpp"):
        figures |= against_bare("xllamacpp", options, bare_llamacpp(), llamacpp)
    if "prefix" in options.only and importlib.util.find_spec("vllm"):
        figures |= prefix_gain(options)
    print(json.dumps(figures | {name: getattr(options, name) for name in ("requests", "tokens", "rounds", "people", "queries")}))


def against_bare(name: str, options: argparse.Namespace, bare: Timed, make: Callable[[], ChatModel]) -> dict[str, Any]:
    """Bare, actor, bare in each round, both loaded and warm."""
    import ray

    ray.init(address="local", num_cpus=2, object_store_memory=128 * 2**20, include_dashboard=False, log_to_driver=False)
    actor = ray.remote(Answering).options(num_cpus=1).remote(make)

    def in_actor(requests: Sequence[ChatRequest]) -> int:
        return int(ray.get(actor.tokens.remote(list(requests))))

    fresh = questions(options.tokens)
    for way in (bare, in_actor):
        way([next(fresh) for _ in range(4)])
    paces: dict[Timed, list[float]] = {bare: [], in_actor: []}
    for _ in range(options.rounds):
        for way in (bare, in_actor, bare):
            paces[way].append(pace(way, [next(fresh) for _ in range(options.requests)], options.tokens))
    ray.kill(actor)
    ray.shutdown()
    actors, alone = (statistics.median(paces[way]) for way in (in_actor, bare))
    print(f"{name}: actor under Ray {actors:.1f} tokens/s, bare {alone:.1f}")
    return {f"{name}_ratio": round(actors / alone, 3), f"{name}_actor_tokens_s": round(actors, 1), f"{name}_bare_tokens_s": round(alone, 1)}


def pace(way: Timed, requests: Sequence[ChatRequest], tokens: int) -> float:
    """Tokens/s of one call."""
    began = time.perf_counter()
    told = way(requests)
    seconds = time.perf_counter() - began
    assert told == tokens * len(requests), f"{told} tokens instead of {tokens * len(requests)}"
    return told / seconds


def prefix_gain(options: argparse.Namespace) -> dict[str, Any]:
    """The same requests without and with prefix sharing, in each round about other people."""
    people = count()
    models = {shares: vllm(options.model, shares) for shares in (False, True)}
    paces: dict[bool, list[float]] = {False: [], True: []}
    for model in models.values():
        written(model, about(people, 1, 2, options.tokens))
    for _ in range(options.rounds):
        requests = about(people, options.people, options.queries, options.tokens)
        for shares, model in models.items():
            paces[shares].append(pace(lambda requests, model=model: written(model, requests), requests, options.tokens))
    for model in models.values():
        model.close()
    apart, shared = (statistics.median(paces[shares]) for shares in (False, True))
    print(f"prefixes shared {shared:.1f} tokens/s, not shared {apart:.1f}")
    return {"prefix_gain": round(shared / apart, 2)}


def questions(tokens: int) -> Iterator[ChatRequest]:
    """Short requests, each another one."""
    for number in count():
        text = f"Describe a photograph of object number {number} in one sentence."
        yield ChatRequest(str(number), (Message("user", text),), Sampling(max_tokens=tokens, fixed_length=True), seed=number)


def about(people: Iterator[int], how_many: int, queries: int, tokens: int) -> list[ChatRequest]:
    """Requests about the next people, in an order that keeps nobody's together."""
    shown = {}
    for _ in range(how_many):
        profile = build_profile(next(people), 0)
        words = " ".join(caption.text for caption in profile.captions).split()[:PROFILE_WORDS]
        shown[profile.id] = f"This is what a person likes: {' '.join(words)}"
    return [
        ChatRequest(
            f"{query.id} {person}",
            (Message("system", text), Message("user", f"Write a prompt for them: {query.text}")),
            Sampling(max_tokens=tokens, fixed_length=True),
            seed=0,
            prefix=person,
        )
        for query in builtin_queries()[:queries]
        for person, text in shown.items()
    ]


def vllm(folder: Path, share_prefixes: bool = True) -> ChatModel:
    """The actor's vLLM engine."""
    from actors.vllm_engine import VllmEngine

    settings = {"context": CONTEXT, "dtype": "float32", "threads": 1, "cache_gib": CACHE_GIB, "share_prefixes": share_prefixes}
    return VllmEngine(folder, id=SMOLLM2, **settings)


def bare_vllm(folder: Path) -> Timed:
    """vLLM by itself, with the same arguments."""
    from bare_engines import BareVllm

    from actors.vllm_arguments import EngineSettings

    return BareVllm(EngineSettings(folder, SMOLLM2, CONTEXT, "float32", threads=1, cache_gib=CACHE_GIB)).tokens


def llamacpp() -> ChatModel:
    """The actor's llama.cpp."""
    from actors.llamacpp import LlamaCpp
    from actors.models import resolve

    return LlamaCpp(resolve(SMOLLM2), context=CONTEXT)


def bare_llamacpp() -> Timed:
    """llama.cpp by itself, with the same settings."""
    from bare_engines import BareLlamaCpp

    from actors.models import resolve

    return BareLlamaCpp(resolve(SMOLLM2), CONTEXT).tokens


if __name__ == "__main__":
    main()
