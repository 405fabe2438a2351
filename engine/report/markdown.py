"""`report.md`: the essentials of a run as Markdown, the same bytes for the same rows.

Every cell and sentence passes through `escaped`: prompts are hostile input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.report import methods_text, pair_tables, tables, trust_tables, writer_tables
from engine.report.cases import POOLED
from engine.report.comparison import ORDERING
from engine.report.data import RunFacts
from engine.report.published import caution, published_tables
from engine.report.settings import settings
from engine.report.slices import KINDS_OF_SLICE
from engine.report.summary import Summary
from engine.report.tables import Table
from engine.report.verdict import controls, personal
from engine.report.wording import METRIC_LABEL, NOTHING, REFERENCE, count, figure

SAMPLES_SHOWN = 3
TRUST = (
    trust_tables.survival,
    trust_tables.second,
    trust_tables.orders,
    trust_tables.cross_fitted,
    trust_tables.equal_length,
    trust_tables.reidentified,
    trust_tables.copying,
    trust_tables.bounds,
)
"""What stands beside the score, in this order."""
# Everything that CommonMark or a table could read as markup, and what a mail or chat client could read as a link.
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~$^=:@-])")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    """`text` on one line, with nothing in it that Markdown or HTML reads as markup."""
    flat = " ".join(_UNSEEN.sub(" ", text).split())
    return _SPECIAL.sub(r"\\\1", flat).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown(summary: Summary, facts: RunFacts) -> str:
    """The report as Markdown; no time, host, path or cost stands in it."""
    return "\n".join(_lines(summary, facts)) + "\n"


def _lines(summary: Summary, facts: RunFacts) -> Iterator[str]:
    label = METRIC_LABEL[summary.metric]
    yield f"# {_plain(summary.name)}: VPTT report"
    yield ""
    yield f"Run `{re.sub(r'[^0-9A-Za-z._-]', '', summary.run)}`, {', '.join(_plain(word) for word in methods_text.status(summary))}."
    yield from _distrust(summary)
    yield from _heading("Personal gain", summary)
    yield from (f"* {_plain(sentence)}" for sentence in (*personal.personalised(summary), *personal.share_of_leads(summary)))
    yield ""
    yield from _table(trust_tables.gains(summary))
    yield from _heading("Verdict", summary)
    yield from (f"* {_plain(sentence)}" for sentence in summary.verdict)
    if summary.warnings:
        yield from _heading("Warnings", summary)
        yield from (f"* {_plain(sentence)}" for sentence in summary.warnings)
    yield from _heading("Controls", summary)
    yield from _table(trust_tables.control_checks(summary))
    yield from _heading(f"Scoreboard: {label}, higher is better", summary)
    if summary.extractive:
        yield from ("† extractive under this writer: captions are pasted, not written; not judged.", "")
    for task in tables.scored_tasks(summary):
        yield from _table(tables.scoreboard(summary, task))
    yield from _table(tables.outcomes(summary))
    yield from _table(tables.other_settings(summary))
    yield from _writers(summary)
    yield from _heading("Components", summary)
    for task in tables.scored_tasks(summary):
        for table in tables.components(summary, task):
            yield from _table(table)
    yield from _heading("Differences, wins and effect", summary)
    yield from _table(pair_tables.pairs(summary))
    yield from _table(pair_tables.other_scores(summary))
    yield from _table(pair_tables.pairs(summary, controls=True))
    yield from _table(pair_tables.slices(summary, KINDS_OF_SLICE[:2]))
    for among in ("all", "verdict"):
        yield from _table(tables.win_share(summary, POOLED, among))
    for metric in ORDERING[summary.metric]:
        yield from _table(tables.cohens_d(summary, metric))
    yield from _heading("Can it be trusted?", summary)
    for made in (*TRUST, trust_tables.gain_parts):
        yield from _table(made(summary))
    yield from _heading(REFERENCE, summary)
    yield from _table(tables.ceilings(summary))
    yield from _heading("Words and retrieval", summary)
    yield from _table(tables.words(summary))
    yield from _table(tables.retrieval(summary))
    yield from _heading("Sample prompts", summary)
    yield from _samples(summary, label)
    yield from _heading("Units without an answer", summary)
    if not summary.failures:
        yield f"None of {count(summary.rows)} rows."
    yield from _table(tables.failures(summary))
    yield from _heading("Beside the paper", summary)
    yield from (_plain(caution()), "")
    for table in published_tables(summary, judging=facts.judging):
        yield from _table(table)
    yield from _heading("Methods", summary)
    for paragraph in methods_text.paragraphs(summary, facts):
        yield from (_plain(paragraph), "")
    yield from _table(Table("Metrics", ("metric", "meaning", "id"), tuple(methods_text.definitions(summary, facts))))


def _writers(summary: Summary) -> Iterator[str]:
    if not writer_tables.are_worth_a_section(summary):
        return
    yield from _heading("Writers", summary)
    if len(settings(summary)) > 1:
        for made in (writer_tables.scale_table, writer_tables.scale_details, writer_tables.scale_by_task, writer_tables.orders):
            yield from _table(made(summary))
    yield from _table(writer_tables.writers(summary))
    yield from _table(writer_tables.writing(summary))


def _distrust(summary: Summary) -> Iterator[str]:
    for sentence in controls.distrust(summary):
        yield from ("", f"**{_plain(sentence)}**")


def _heading(text: str, summary: Summary) -> Iterator[str]:
    yield from ("", f"## {_plain(text)}{' (PARTIAL)' if summary.partial else ''}", "")


def _table(table: Table) -> Iterator[str]:
    if not table.rows:
        return
    yield from (f"### {_plain(table.title)}", "")
    yield "| " + " | ".join(_plain(head) for head in table.columns) + " |"
    yield "|" + "---|" * len(table.columns)
    for row in table.rows:
        yield "| " + " | ".join(_plain(cell) for cell in row) + " |"
    yield ""
    if table.note:
        yield from (_plain(table.note), "")


def _samples(summary: Summary, label: str) -> Iterator[str]:
    for sample in summary.samples[:SAMPLES_SHOWN]:
        yield from (f"### {escaped(sample.person)}: {escaped(sample.query)}", "")
        for prompt in sample.prompts:
            told = prompt.note if prompt.prompt is None else f"{count(prompt.words or 0)} words, {label} {figure(prompt.score)}"
            yield f"* **{escaped(prompt.method)}** ({escaped(told)}): {escaped(prompt.prompt if prompt.prompt is not None else NOTHING)}"
        yield ""


def _plain(text: str) -> str:
    """Escaped like all text, but readable as source where a mark is harmless inside a sentence."""
    return re.sub(r"\\([()=:+-])", r"\1", escaped(text))
