"""People made of seeded random vectors around topics, and the slow but obvious way to a ceiling."""

import numpy as np

from engine.metrics.definition import VpttDefinition
from engine.metrics.memory import PersonMemory, unit_rows
from engine.metrics.person import prepare
from engine.metrics.vptt import SCORE_FIGURES, score_prompts
from engine.tokens import tokens

DEFINITION = VpttDefinition("random@1")
WORDS = [f"{onset}{vowel}{coda}" for onset in ("b", "d", "gr", "k", "m", "st", "v") for vowel in "aeiou" for coda in ("n", "r", "lt")]


def person(seed: int, captions: int = 30, dimension: int = 48, *, reference: bool = True, repeated: int = 0) -> PersonMemory:
    """A person whose captions lie around four topics; the last `repeated` captions repeat the first ones, text and vector."""
    rng = np.random.default_rng(seed)
    topics = rng.normal(size=(4, dimension))
    vectors = topics[rng.integers(0, 4, captions)] + rng.normal(size=(captions, dimension))
    texts = [" ".join(rng.choice(WORDS, rng.integers(4, 20))) for _ in range(captions)]
    for index in range(repeated):
        texts[-1 - index], vectors[-1 - index] = texts[index], vectors[index]
    summary = topics.sum(axis=0) + rng.normal(size=dimension) if reference else None
    return PersonMemory(f"person-{seed}", tuple(texts), vectors, summary)


def prompts(memory: PersonMemory, count: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Texts that borrow from the captions, and vectors near them."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(count):
        borrowed = str(rng.choice(memory.captions)).split()[: rng.integers(0, 8)]
        texts.append(" ".join([*borrowed, *rng.choice(WORDS, rng.integers(1, 12))]))
    return texts, memory.vectors[rng.integers(0, len(memory.vectors), count)] + rng.normal(size=(count, memory.dimension))


def figures_of(memory: PersonMemory, texts: list[str], vectors: np.ndarray, definition: VpttDefinition = DEFINITION) -> np.ndarray:
    """The table of figures of prompts scored one by one."""
    rows = []
    for text, vector in zip(texts, vectors, strict=True):
        units, _, _ = unit_rows(vector[None], definition.zero_norm)
        score = score_prompts(prepare(memory, definition), [tokens(text)], units, definition)[0]
        rows.append([getattr(score, name) for name in SCORE_FIGURES])
    return np.array(rows)


def left_out_one_by_one(memory: PersonMemory, definition: VpttDefinition = DEFINITION) -> np.ndarray:
    """Drop each caption, build the memory anew, score the caption."""
    tables = []
    for index, text in enumerate(memory.captions):
        others = memory.only([other for other in range(len(memory.captions)) if other != index], f"-{index}")
        tables.append(figures_of(others, [text], memory.vectors[index : index + 1], definition))
    return np.concatenate(tables)
