"""Which writers stand in for a real one, and which writer of a run its report is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.writer_config import TEMPLATE

_SMALL = {
    "smollm2": "SmolLM2-135M, and a 135M model's opinions are worth little",
    "tiny-chat": "strung-together words for a language model",
}
"""What the id of a stand-in holds, and what it is."""


def stand_ins(writers: Sequence[str], models: Mapping[str, str]) -> dict[str, str]:
    """For each writer that stands in for a real language model, what it is. `models`: ids of a plan, language models as "model:<name>"."""
    found = {}
    for writer in writers:
        model = models.get(f"model:{writer}", "").lower()
        told = next((told for part, told in _SMALL.items() if part in model), "")
        if writer == TEMPLATE:
            found[writer] = "template writer for a language model"
        elif told:
            found[writer] = f"{writer}: {told}"
    return found


def main_writer(writers: Sequence[str], standing_in: Mapping[str, str]) -> str:
    """Whom the sentences and charts are about: brag and combined can be judged only where a language model writes, and a stand-in's
    prompts say less. So: the first language model that is no stand-in, else the first language model, else the first."""
    language_models = [writer for writer in writers if writer != TEMPLATE]
    real = [writer for writer in language_models if writer not in standing_in]
    return next(iter([*real, *language_models, *writers]))
