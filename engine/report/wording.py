"""How the report names metrics and writes figures; the same words on the page, in Markdown and in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from engine.config import TASKS
from engine.report.cases import KINDS, POOLED

METRIC_LABEL = {
    "v": "V",
    "v_u": "V-u",
    "v_literal": "V (literal CP)",
    "v_mean_caption": "V (PA by captions)",
    "v_c": "V-c",
    "v_c_literal": "V-c (literal CP)",
    "v_c_mean_caption": "V-c (PA by captions)",
    "pa": "PA",
    "pa_mean_caption": "PA (by captions)",
    "gs": "GS",
    "cp_unit": "CP",
    "cp_literal": "CP (literal)",
    "nv": "NV",
    "nv_union": "NV-union",
    "gain": "personal gain in V",
    "gain_u": "personal gain in V-u",
    "gain_c": "personal gain in V-c",
    "gain_pa": "personal gain in PA",
    "gain_gs": "personal gain in GS",
    "gain_cp": "personal gain in CP",
    "gain_nv": "personal gain in NV",
    "cross_v": "cross-fitted V",
    "cross_v_u": "cross-fitted V-u",
    "cross_v_c": "cross-fitted V-c",
    "cross_gs": "cross-fitted GS",
    "matched_v": "matched in-sample V",
    "matched_v_u": "matched in-sample V-u",
    "matched_v_c": "matched in-sample V-c",
    "matched_gs": "matched in-sample GS",
    "second_v": "V in the second space",
    "second_v_u": "V-u in the second space",
    "second_v_c": "V-c in the second space",
    "second_gain": "personal gain in V in the second space",
    "second_gain_c": "personal gain in V-c in the second space",
    "reid_100": "re-identified among 100",
    "reid_1000": "re-identified among 1,000",
    "reid_hard": "re-identified among people alike",
    "reid_masked": "re-identified among 1,000, summary masked",
    "words": "words",
}

METRIC_MEANING = {
    "v": ".20 PA + .30 GS + .30 CP + .20 NV",
    "v_u": "V with NV-union in the place of NV: pasting whole captions no longer counts as novel",
    "v_literal": "V with the paper's CP formula read literally",
    "v_mean_caption": "V with PA against the mean caption instead of the reference summary",
    "v_c": "(PA + GS + CP) / 3, the score of the three-phrase budget; never on one axis with V",
    "v_c_literal": "V-c with the paper's CP formula read literally",
    "v_c_mean_caption": "V-c with PA against the mean caption instead of the reference summary",
    "pa_mean_caption": "cosine of the prompt with the mean of the person's captions",
    "pa": "persona alignment: cosine of the prompt with the summary that no method sees",
    "gs": "Gram-Schmidt fidelity: length of the prompt's projection onto the span of the person's captions",
    "cp_unit": "closeness to the nearest topic cluster of the captions, on unit vectors (ours, the headline)",
    "cp_literal": "the same by the paper's formula read literally, which rewards short projections",
    "nv": "novelty: 1 - the largest share of the prompt's trigrams found in one caption",
    "nv_union": "novelty against all captions together",
    "gain": "V of a prompt less the mean V of the same prompt scored on strangers: what of it is personal",
    "gain_u": "the same in V-u",
    "gain_c": "the same in V-c",
    "gain_pa": "the same in PA",
    "gain_gs": "the same in GS",
    "gain_cp": "the same in CP",
    "gain_nv": "the same in NV: below 0 where a prompt repeats the person's own words",
    "cross_v": "V of prompts made from one half of the captions and scored on the other, NV on the half that was seen; mean of both ways",
    "cross_v_u": "the same with NV-union",
    "cross_v_c": "the same for V-c",
    "cross_gs": "the same for GS: the span of captions that the method did not see",
    "matched_v": "V of the same prompts scored on the half that they were made from: beside the cross-fitted one, never beside V",
    "matched_v_u": "the same with NV-union",
    "matched_v_c": "the same for V-c",
    "matched_gs": "the same for GS",
    "second_v": "V in an embedding space that no method retrieves or writes with",
    "second_v_u": "the same with NV-union",
    "second_v_c": "the same for V-c",
    "second_gain": "personal gain in V there",
    "second_gain_c": "personal gain in V-c there",
    "reid_100": "how often the right person's other half of captions is nearest to the prompt among 100 people; chance is 1 %",
    "reid_1000": "the same among 1,000 people; chance is .1 %",
    "reid_hard": "the same among people of the person's culture or trade",
    "reid_masked": "the same among 1,000 people, with the words of the summary taken out of the prompt",
}

REFERENCE = "Own captions, left one out (reference)"
REFERENCE_MEANING = (
    "Each of a person's own captions, scored with itself removed. A reference, not a limit: a method can exceed it, since a longer prompt "
    "spans more of the captions' space than a single caption does."
)

NOTHING = "–"


def figure(value: float | None, digits: int = 3) -> str:
    """A number for people; a dash if there is none."""
    return NOTHING if value is None else f"{value:.{digits}f}".replace("-", "\u2212")


def signed(value: float | None, digits: int = 3) -> str:
    """A difference with its sign."""
    return NOTHING if value is None else f"{value:+.{digits}f}".replace("-", "\u2212")


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """A 95 % interval in brackets, or the words that there is none."""
    return "no interval" if low is None or high is None else f"[{figure(low, digits)}, {figure(high, digits)}]"


def signed_interval(mean: float | None, low: float | None, high: float | None, digits: int = 3) -> str:
    """A difference with its interval, all with their signs."""
    ends = "no interval" if low is None or high is None else f"[{signed(low, digits)}, {signed(high, digits)}]"
    return f"{signed(mean, digits)} {ends}"


def count(number: int) -> str:
    """A whole number with thousands separated."""
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """A number of things: "1 unit", "2 units", "3 people"."""
    plural = "people" if noun == "person" else f"{noun}s"
    return f"{count(number)} {noun if number == 1 else plural}"


def share(value: float | None) -> str:
    """A share as a percentage with one decimal."""
    return NOTHING if value is None else f"{100 * value:.1f} %"


def task_label(task: str) -> str:
    """The name of a task or group of tasks as a heading; a task that is not one of VPTT's four is named as it is."""
    words = task_words(task)
    return words if words == task and task not in KINDS else words[:1].upper() + words[1:]


def task_words(task: str) -> str:
    """The name of a task or group of tasks inside a sentence; a task that is not one of VPTT's four is named as it is."""
    if task == POOLED:
        return "all tasks"
    if task in KINDS:
        return f"all {task}"
    return task.replace("-", " ") if task in TASKS else task


def first_upper(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def listed(words: Sequence[str]) -> str:
    """Words joined as in a sentence."""
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1] if words else "none"
