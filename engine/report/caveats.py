"""What a reader must know before trusting a figure."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.cases import POOLED
from engine.report.data import CONTROLS, RunFacts
from engine.report.rows import Retrieval
from engine.report.settings import others, settings, writer_name
from engine.report.summary import Summary, setting_of
from engine.report.wording import METRIC_LABEL, count, counted, figure, listed, share
from engine.statistics.estimates import FEW_CLUSTERS, FEWEST_CLUSTERS

STAND_IN = "tiny-trigrams@"
"""How the id of the encoder begins that has no weights (`actors.tiny`)."""
CAP_WARNS = 0.90
MISSING_WARNS = 0.01
CUT_OFF_WARNS = 0.1
SPANNED = ("v", "v_u", "v_literal", "v_c", "v_c_literal", "gs", "cp_unit", "cp_literal")
"""Metrics in which a mean above the person's own captions deserves a second look; any prompt may be more novel."""


def warnings(summary: Summary, facts: RunFacts, non_finite: int) -> Iterator[str]:
    """What a reader must know before trusting a figure."""
    if facts.encoder.startswith(STAND_IN):
        yield f"The encoder {facts.encoder} is a stand-in that only counts shared letters: the scores prove the machinery, not the science."
    if summary.setting is None:
        yield f"No row was written by {facts.writer} under {facts.budget}: the report has no default setting."
    backbones = {row.backbone for row in summary.outcomes if (row.writer, row.budget) == (facts.writer, facts.budget)}
    if summary.setting and len(backbones) > 1:
        yield f"{facts.writer} ran on {len(backbones)} backbones; verdict and charts show {summary.setting.backbone}, the first by name."
    if non_finite:
        yield f"{count(non_finite)} scores of answered units are not finite numbers and count as missing."
    yield from _few_clusters(summary)
    yield from _missing(summary)
    for name, other in others(summary):
        yield from (f"Prompts by {name}: {sentence[:1].lower()}{sentence[1:]}" for sentence in _missing(other))
    yield from _replies(summary)
    yield from _retrieval(summary)
    cut = [row for row in summary.of_setting(summary.words, task=POOLED) if row.truncated]
    if cut:
        told = listed([f"{row.method} {count(row.truncated)} of {count(row.n)}" for row in cut])
        yield f"Prompts longer than the encoder reads, cut before scoring: {told}."
    if not any(ceiling.metric == summary.metric for ceiling in summary.ceilings):
        yield f"No reference: what people's own captions score in {METRIC_LABEL[summary.metric]} is not known here."
    above = []
    for ceiling in summary.ceilings:
        if ceiling.metric in SPANNED:
            pooled = summary.of_setting(summary.results, task=POOLED, metric=ceiling.metric)
            methods = [row.method for row in pooled if _above(row.mean, ceiling.mean)]
            above += [f"{METRIC_LABEL[ceiling.metric]} ({listed(methods)})"] if methods else []
    if above:
        yield f"Means above those of people's own captions, where more need not be closer to the person: {listed(above)}."


def _few_clusters(summary: Summary) -> Iterator[str]:
    clusters = {row.clusters for row in summary.of_setting(summary.results, task=POOLED, metric=summary.metric)}
    if clusters and min(clusters) < FEWEST_CLUSTERS:
        yield f"Only {counted(min(clusters), 'cluster')} of people: under {FEWEST_CLUSTERS} no interval is given."
    elif clusters and min(clusters) < FEW_CLUSTERS:
        yield f"Only {counted(min(clusters), 'cluster')} of people: under {FEW_CLUSTERS} the intervals are bootstrap-t, and rough."


def _missing(summary: Summary) -> Iterator[str]:
    label = METRIC_LABEL[summary.metric]
    lacking = []
    for row in summary.of_setting(summary.results, task=POOLED, metric=summary.metric):
        part = row.missing / row.cases
        if part > MISSING_WARNS:
            lacking.append(f"{row.method} {share(part)}")
    if lacking:
        yield f"Units without a {label}: {listed(lacking)}. Means are over the rest, which need not be alike."
    scored = {row.method for row in summary.of_setting(summary.results, task=POOLED, metric=summary.metric)}
    for method in summary.methods():
        if method not in scored:
            yield f"{method}: no unit has a {label}."


def _replies(summary: Summary) -> Iterator[str]:
    """What is wrong with the replies of a language model: several models behind one name, replies that did not end."""
    for setting in settings(summary):
        rows = [row for row in summary.writing if setting_of(row) == setting]
        models = sorted({model for row in rows for model in row.models})
        name = writer_name(summary, setting)
        if len(models) > 1:
            yield f"Replies to {name} name {len(models)} models ({listed(models)}): its figures mix them. Pin `revision` to refuse others."
        counted, cut_off = sum(row.counted for row in rows), sum(row.cut_off for row in rows)
        if counted and cut_off > CUT_OFF_WARNS * counted:
            yield f"{share(cut_off / counted)} of the replies of {name} were longer than its `max_tokens` and are unfinished."


def _retrieval(summary: Summary) -> Iterator[str]:
    """What is wrong with retrieval, said once for the methods that share it; a control only repeats what its method does."""
    spread = summary.of_setting(summary.retrieval)
    told: dict[str, list[str]] = {}
    for method in dict.fromkeys(row.method for row in spread if row.method not in CONTROLS):
        for sentence in _spread_warnings({row.breadth: row for row in spread if row.method == method}):
            told.setdefault(sentence, []).append(method)
    for sentence, methods in told.items():
        yield f"{listed(methods)}: {sentence}"


def _spread_warnings(rows: dict[str, Retrieval]) -> Iterator[str]:
    known = [row for row in rows.values() if row.cap_share is not None]
    units = sum(row.n for row in known)
    capped = sum((row.cap_share or 0.0) * row.n for row in known) / units if units else 0.0
    if capped > CAP_WARNS:
        yield f"the cap of 2Q posts binds in {share(capped)} of units, so the entropy of retrieval decides almost nothing."
    broad, narrow = rows.get("broad"), rows.get("narrow")
    if broad and narrow and (broad.n_eff_median or 0.0) <= (narrow.n_eff_median or 0.0):
        medians = f"median n_eff {figure(broad.n_eff_median, 2)} and {figure(narrow.n_eff_median, 2)}"
        yield f"broad queries do not spread over more posts than narrow ones ({medians})."


def _above(mean: float | None, ceiling: float | None) -> bool:
    return mean is not None and ceiling is not None and mean > ceiling
