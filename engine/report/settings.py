"""The settings of a run beside the default one: which there are, what they are called, and the summary seen as each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.report.comparison import ORDERING, disagreements
from engine.report.controls import checks
from engine.report.data import Setting
from engine.report.summary import Summary, setting_of


def settings(summary: Summary) -> list[Setting]:
    """The settings under the default's budget, in the order in which the run names its writers."""
    if summary.setting is None:
        return []
    found = dict.fromkeys(setting_of(row) for row in summary.writing)
    return [setting for setting in found if setting.budget == summary.setting.budget]


def writer_name(summary: Summary, setting: Setting) -> str:
    """What a setting's writer is called: with its backbone where it ran on several, and with the mark of a stand-in."""
    several = sum(each.writer == setting.writer for each in settings(summary)) > 1
    name = f"{setting.writer} on {setting.backbone}" if several else setting.writer
    return f"{name} (stand-in)" if any(row.stand_in for row in summary.scale if setting_of(row) == setting) else name


def under(summary: Summary, setting: Setting) -> Summary:
    """The summary with `setting` as the one that sentences, marks and tables are about. Slices and samples are the default's alone."""
    extractive = tuple(row.method for row in summary.writing if setting_of(row) == setting and row.extractive)
    turned = disagreements([row for row in summary.results if setting_of(row) == setting], ORDERING[summary.metric])
    seen = replace(summary, setting=setting, extractive=extractive, disagreements=tuple(turned), slices=(), samples=(), checks=())
    return replace(seen, checks=tuple(checks(seen)))


def others(summary: Summary) -> Iterator[tuple[str, Summary]]:
    """Every other writer by name, and the summary as its own."""
    for setting in settings(summary):
        if setting != summary.setting:
            yield writer_name(summary, setting), under(summary, setting)
