"""How much a prompt may hold, counted in METRICS' tokens of the whole prompt, query included. Source: VPTT, Methods; METRICS, VPRAG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.errors import ConfigError
from engine.keys import Json
from engine.nearest import did_you_mean
from engine.prompting.retrieval import RetrievalSettings
from engine.tokens import TOKEN_RULE, tokens


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on a prompt; None is no limit.

    `words` counts the whole prompt, query included; `phrases` the phrases beside the query; `phrase_words` each of those phrases.
    `q` and `tau` are the retrieval that goes with it, `score` the VPTT score that fits it ("V" or "V-c").
    """

    name: str
    words: int | None
    phrases: int | None
    phrase_words: int | None
    q: int
    tau: float
    score: Literal["V", "V-c"]

    def __post_init__(self) -> None:
        for field in ("words", "phrases", "phrase_words"):
            limit = getattr(self, field)
            if limit is not None and limit < 0:
                raise ConfigError(f"budget {self.name!r}: {field} is {limit}.", remedy="Use 0 or more, or leave it out.")

    @property
    def is_by_phrases(self) -> bool:
        """Whether a prompt is the query and some phrases, not a free text."""
        return self.phrases is not None or self.phrase_words is not None

    def retrieval(self) -> RetrievalSettings:
        """The retrieval of this budget: no more elements in all than the phrases it has room for."""
        return RetrievalSettings(q=self.q, tau=self.tau, total=self.phrases)

    def recipe(self) -> dict[str, Json]:
        """Everything that changes a prompt's length, for a fingerprint."""
        return {"tokens": TOKEN_RULE, "words": self.words, "phrases": self.phrases, "phrase_words": self.phrase_words}


def word_count(text: str) -> int:
    """Words of `text` as every budget counts them: METRICS' tokens."""
    return len(tokens(text))


PRESETS: dict[str, Budget] = {
    "q3": Budget("q3", words=150, phrases=None, phrase_words=None, q=3, tau=0.1, score="V"),
    "q1": Budget("q1", words=None, phrases=3, phrase_words=8, q=3, tau=0.1, score="V-c"),
    "q2": Budget("q2", words=None, phrases=3, phrase_words=8, q=3, tau=0.1, score="V-c"),
}
"""The paper's three experiments. Q1 and Q2 hold the query and at most three phrases of at most 8 tokens in all."""


def preset(name: str) -> Budget:
    """The preset called `name`. Raises ConfigError with the nearest name for an unknown one."""
    if name in PRESETS:
        return PRESETS[name]
    raise ConfigError(f"there is no budget {name!r}{did_you_mean(name.casefold(), PRESETS)}.")
