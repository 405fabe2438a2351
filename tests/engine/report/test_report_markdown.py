"""`report.md`: whatever people wrote stays text, and nothing of the machine enters it."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_scores import made_up_facts, made_up_scores

from engine.report.data import SCORES_SCHEMA
from engine.report.markdown import escaped, markdown
from engine.report.summarising import summarise

HOSTILE = "<img src=x onerror=alert(1)> | **bold** [a](http://x) `code`\n# heading\n\n* item ![i](u) \u202eright to left"


@pytest.fixture(scope="module")
def text() -> str:
    scores, ceilings = made_up_scores(34, tasks=("social-generation",))
    rows = [row | {"prompt": HOSTILE, "person": HOSTILE} for row in scores.to_pylist()]
    facts = made_up_facts(command="mien run /home/someone/exp.yaml", experiment={"store": "/home/someone"}, partial=True, total_people=100)
    return markdown(summarise(facts, pa.Table.from_pylist(rows, schema=SCORES_SCHEMA), ceilings), facts)


def test_hostile_prompts_stay_text(text: str) -> None:
    assert "<img" not in text
    assert "&lt;img src\\=x" in text
    assert "\n# heading" not in text
    assert not re.search(r"(?<!\\)\]\(", text)
    assert "\u202e" not in text


def test_every_table_row_has_as_many_cells_as_its_head(text: str) -> None:
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in text.split("\n") if line.startswith("|")]
    heads = [line for line in text.split("\n") if line.startswith("|---")]
    assert len(heads) > 8
    width = 0
    for line in text.split("\n"):
        if not line.startswith("|"):
            width = 0
            continue
        now = len(re.findall(r"(?<!\\)\|", line))
        assert width in (0, now)
        width = now
    assert max(cells) > 5


def test_no_path_and_no_command_enters_the_markdown(text: str) -> None:
    assert "/home" not in text


def test_every_section_of_a_partial_run_is_marked(text: str) -> None:
    headings = re.findall(r"^## .*$", text, re.MULTILINE)
    assert len(headings) >= 10
    assert all(heading.endswith("(PARTIAL)") for heading in headings)


def test_figures_carry_their_interval_and_n(text: str) -> None:
    assert re.search(r"^\| vprag \| 0\.\d{3} \\\[0\.\d{3}, 0\.\d{3}\\\] \| 3\d \| \d+ \| \d \|$", text, re.MULTILINE)


@given(st.text())
@settings(deadline=None)
def test_escaped_text_is_one_line_without_live_markup(text: str) -> None:
    safe = escaped(text)
    assert "\n" not in safe
    assert "<" not in safe
    assert ">" not in safe
    bare = re.sub(r"\\.", "", safe)
    assert not set(bare) & set("\\`*_{}[]()#+!|~")
