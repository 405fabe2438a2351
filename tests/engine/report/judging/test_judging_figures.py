"""The judges' figures: known strengths and habits are recovered, bad units are no figures, pools stay apart."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from made_up_judging import LENGTH, POSITION, STRENGTH, WRITERS, facts, made_up_rows, summary

from engine.agreement.equivalence import Standing
from engine.ratings.scale import POINTS
from engine.report.judging.data import PAIRS_SCHEMA


@pytest.fixture(scope="module")
def whole():
    return summary()


@pytest.fixture(scope="module")
def with_humans():
    return summary(made_up_rows(writers=WRITERS, human=True), facts())


def shuffled(table):
    return table.take(pa.array(np.random.Generator(np.random.PCG64(1)).permutation(len(table))))


def test_strengths_are_recovered_within_simultaneous_intervals(whole):
    (pool,) = whole.pools
    for board in pool.compared.boards:
        swayed = LENGTH[board.judge] / 2  # a stronger method also writes more, and the board does not take length out
        for lead in board.leads:
            true = (STRENGTH[lead.method] - STRENGTH[lead.other]) * (1 + swayed) * POINTS
            assert lead.low < true < lead.high


def test_positions_and_length_effects_are_recovered(whole):
    for habit in whole.pools[0].compared.habits:
        assert habit.position.low < POSITION[habit.judge] < habit.position.high
        assert habit.length.low < LENGTH[habit.judge] < habit.length.high


def test_each_judge_has_its_own_mean_and_none_is_merged(whole):
    rows = [row for row in whole.pools[0].ratings.results if (row.task, row.method) == ("all", "vprag")]
    assert [row.metric for row in rows] == ["script-even", "script-sided", "value:metric"]
    assert {row.metric: row.n for row in rows} == {"script-even": 80, "script-sided": 77, "value:metric": 80}


def test_units_without_an_answer_are_counted_and_give_no_rating(whole):
    (row,) = [row for row in whole.asked if (row.judge, row.question) == ("script-sided", "rating")]
    assert (row.answered, row.refused, row.unparsed, row.failed) == (237, 1, 1, 1)
    assert row.codes == (("judge-died", 1),)
    assert sum(sum(spread.counts) for spread in whole.pools[0].ratings.spreads if spread.judge == "script-sided") == 237


def test_a_pair_in_both_orders_is_one_unit(whole):
    units = {row.judge: row.units for row in whole.asked if row.question == "pair"}
    assert units == dict.fromkeys(POSITION, 80 * 3)


def test_the_turing_test_passes_nobody_by_a_mere_failure_to_reject(whole):
    even, sided = whole.pools[0].tests
    assert even.discerns
    assert {row.method: row.standing for row in even.methods}["baseline"] == Standing.TOLD_APART
    assert {row.method: row.standing for row in even.methods}["vprag"] == Standing.UNDECIDED
    assert not sided.discerns
    assert {row.standing for row in sided.methods} == {Standing.NOT_INTERPRETABLE}
    assert (even.methods[0].words_own, even.methods[0].words_other) == (20, 30)


def test_pools_of_two_writers_stay_apart_and_the_verdict_is_about_one(with_humans):
    assert [pool.pool.writer for pool in with_humans.pools] == ["smollm2", "template"]
    assert all("template" in said.sentence for said in with_humans.verdict)


def test_the_same_family_effect_on_ratings_is_recovered(with_humans):
    (row,) = with_humans.kin_ratings
    assert row.effect.low < 0.5 < row.effect.high
    assert row.effect.low > 0


def test_methods_that_the_writers_did_not_write_are_in_no_same_family_effect_on_ratings(with_humans):
    def from_elsewhere(row):
        return {**row, "score": float(row["writer"] != "smollm2")} if row["method"] == "baseline" and row["score"] is not None else row

    rows = made_up_rows(writers=WRITERS)
    spoiled = pa.Table.from_pylist([from_elsewhere(row) for row in rows.ratings.to_pylist()], schema=rows.ratings.schema)
    known = facts(method_families=(("baseline", ""),))
    (row,), (other,) = (summary(each, known).kin_ratings for each in (rows, replace(rows, ratings=spoiled)))
    assert row == other
    assert row.effect.low < 0.5 < row.effect.high
    assert row.effect.n == with_humans.kin_ratings[0].effect.n - 80
    assert summary(rows, facts(method_families=tuple((method, "") for method in STRENGTH))).kin_ratings == ()


def test_tagged_methods_give_a_same_family_effect_on_pairs():
    known = facts(method_families=(("vprag", "qwen"), ("persona", "smollm")))
    found = summary(known=known).pools[0].compared
    assert found.kin_note == ""
    assert found.kin.low < 0 < found.kin.high  # these judges know no kin
    assert summary().pools[0].compared.kin is None


def test_people_calibrate_judges_and_tell_how_often_they_are_right(with_humans):
    trust = with_humans.pools[0].trust
    assert trust.human_raters == 3
    assert {row.judge: row.calibrated or bool(row.reason) for row in trust.calibrations} == dict.fromkeys(POSITION, True)
    right = {row.judge: dict(row.rules)["accuracy-decided"].mean for row in trust.accuracies}
    assert right["script-even"] > right["script-sided"]
    assert {row.score for row in trust.tops} == {*POSITION, "value:metric"}


def test_agreement_is_told_at_three_levels(whole):
    trust = whole.pools[0].trust
    assert {(row.one, row.other) for row in trust.orders} == {
        ("script-even", "script-sided"), ("script-even", "value:metric"), ("script-sided", "value:metric"),
    }  # fmt: skip
    assert all(row.case.low < row.case.mean < row.case.high for row in trust.orders)
    assert trust.together[0].w.n == 77
    assert 0 < trust.kappas[0].kappa.mean < 1
    assert not trust.accuracies


def test_the_order_of_rows_changes_nothing(whole):
    rows = made_up_rows()
    mixed = replace(rows, **{name: shuffled(getattr(rows, name)) for name in ("ratings", "pairs", "turing", "metric")})
    assert summary(mixed).to_json() == whole.to_json()


def test_pairs_in_one_order_have_no_flips(whole):
    rows = made_up_rows()
    once = pa.Table.from_pylist(rows.pairs.to_pylist()[::2], schema=PAIRS_SCHEMA)
    found = summary(replace(rows, pairs=once), facts(orders="swapped"))
    assert found.pools[0].compared.habits[0].flip.mean is None
    assert whole.pools[0].compared.habits[0].flip.mean > 0


def test_a_run_that_asks_one_question_alone_has_a_summary():
    rows = made_up_rows()
    nothing = {name: getattr(rows, name).slice(0, 0) for name in ("ratings", "pairs", "turing")}
    rated = summary(replace(rows, pairs=nothing["pairs"], turing=nothing["turing"]))
    assert rated.pools[0].compared is None
    paired = summary(replace(rows, ratings=nothing["ratings"], turing=nothing["turing"]))
    assert paired.pools[0].ratings is None
    tested = summary(replace(rows, ratings=nothing["ratings"], pairs=nothing["pairs"]))
    assert [test.judge for test in tested.pools[0].tests] == list(POSITION)
    assert summary(replace(rows, **nothing)).pools == ()


def test_the_json_holds_no_nan(whole):
    document = json.loads(whole.to_json(), parse_constant=lambda name: pytest.fail(f"{name} in judging.json"))
    assert document["pools"][0]["pool"]["writer"] == "template"
