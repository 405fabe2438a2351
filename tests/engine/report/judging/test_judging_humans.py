"""Human answers find the outputs they are about, by the person's and the query's id, and what finds none is counted."""

from dataclasses import replace

import pytest
from made_up_judging import WRITERS, made_up_rows, summary

from engine.human.records import Best, Choice, Rating
from engine.report.judging.humans import humans_of


@pytest.fixture(scope="module")
def rows():
    return made_up_rows(people=6, writers=WRITERS)


def rating(**changes):
    known = {"profile": "P1", "query": "cultural-generation-q1", "method": "vprag", "annotator": "h1", "score": 4}
    return Rating(**(known | changes))


def test_a_rating_and_a_choice_find_their_outputs(rows):
    choice = Choice(
        profile="P1", query="cultural-editing-q1", first="vprag", second="baseline", choice="first", annotator="h1", writer="template"
    )
    found = humans_of([rating(writer="template"), choice], rows.ratings, rows.pairs)
    (one,), (two,) = found.ratings.to_pylist(), found.pairs.to_pylist()
    subject = next(row["subject"] for row in rows.ratings.to_pylist() if row["person"] == "P1")
    assert (one["subject"], one["backbone"], one["budget"], one["score"]) == (subject, "template-1", "q1", 4)
    assert (two["subject"], two["preferred"]) == (subject, "first")
    assert found.unmatched == 0


def test_what_fits_several_writers_or_nothing_is_counted_and_told(rows):
    best = Best(profile="P1", query="cultural-generation-q1", options="vprag|baseline", choice="vprag", annotator="h1", writer="template")
    strange = [rating(), rating(writer="nobody"), rating(profile="P99", writer="template"), best]
    found = humans_of(strange, rows.ratings, rows.pairs)
    assert found.unmatched == 4
    assert len(found.ratings) == 0
    warned = summary(replace(rows, humans=found)).warnings
    assert any(each.kind == "unmatched" and "4 rows" in each.sentence for each in warned)


def test_a_run_of_one_writer_needs_none_named():
    rows = made_up_rows(people=6)
    assert len(humans_of([rating()], rows.ratings, rows.pairs).ratings) == 1
