"""Charts and axes: marks lie where their values say."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.report.axis import Axis, axis_over
from engine.report.charts import SHAPES, Line, Mark, Point, bars, dots, scatter, shape
from engine.report.data import Operations
from engine.report.figures import time_chart


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
@settings(deadline=None)
def test_an_axis_holds_its_values_and_has_a_handful_of_ticks(values: list[float]) -> None:
    axis = axis_over(values, "x")
    near = 1e-6 * (axis.high - axis.low)
    assert axis.low <= min(values) + near
    assert axis.high >= max(values) - near
    ticks = axis.ticks()
    assert 4 <= len(ticks) <= 6
    assert ticks[0] == pytest.approx(axis.low)
    assert ticks[-1] == pytest.approx(axis.high)
    assert len({axis.text(tick) for tick in ticks}) == len(ticks)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.235, 0.53], ["0.2", "0.3", "0.4", "0.5", "0.6"]),
        ([0.0, 147.0], ["0", "50", "100", "150"]),
        ([0.88, 0.999], ["0.875", "0.900", "0.925", "0.950", "0.975", "1.000"]),
        ([-0.04, 0.41], ["\u22120.25", "0.00", "0.25", "0.50"]),
    ],
)
def test_ticks_are_round_and_no_value_lies_beyond_the_last(values: list[float], texts: list[str]) -> None:
    axis = axis_over(values, "x")
    assert [axis.text(tick) for tick in axis.ticks()] == texts


def test_time_is_charted_by_kind_of_stage_with_whole_names_and_without_the_phases_that_contain_stages() -> None:
    seconds = {"embedding-vprag-template-q3": 2.0, "embedding-brag-template-q3": 3.0, "memory": 4.0, "driver: evaluating": 99.0}
    chart = time_chart(Operations(stage_seconds=seconds), "")
    assert chart is not None
    assert re.findall(r'class="label"[^>]*>([^<]*)<', chart) == ["embedding", "memory"]
    assert "embedding 5.0; memory 4.0" in chart
    assert time_chart(Operations(), "") is None


def test_an_axis_without_values_still_draws() -> None:
    axis = axis_over([None, float("nan")], "x")
    assert axis.low < axis.high


def test_marks_are_placed_in_proportion() -> None:
    axis = Axis(0.0, 1.0, 0.5, "V")
    chart = dots("t", [Mark("a", 0.0, None, None), Mark("b", 0.5, 0.25, 0.75), Mark("c", 1.0, None, None)], axis)
    left, middle, right = (float(x) + 5 for x in re.findall(r'class="dot m0" d="M([\d.]+) ', chart))
    assert middle == pytest.approx((left + right) / 2, abs=0.2)
    low, high = re.findall(r'class="ci m0" d="M([\d.]+) [\d.]+H([\d.]+)"', chart)[0]
    assert float(low) == pytest.approx(left + (right - left) / 4, abs=0.2)
    assert float(high) == pytest.approx(left + 3 * (right - left) / 4, abs=0.2)


def test_a_mark_without_an_interval_draws_none() -> None:
    assert 'class="ci' not in dots("t", [Mark("a", 0.5, None, None)], Axis(0.0, 1.0, 0.5, "V"))


def test_methods_differ_in_shape_as_well_as_colour() -> None:
    drawn = [re.sub(r" m\d", "", shape(10, 10, kind)) for kind in range(len(SHAPES))]
    assert len(set(drawn)) == len(SHAPES)


def test_labels_are_escaped_and_long_ones_are_cut_in_the_drawing_but_whole_in_the_words() -> None:
    name = "<b>a very long name of a method that nobody would type</b>"
    chart = bars("t", [Mark(name, 3.0, 2.0, 4.0, hollow=True)], Axis(0.0, 5.0, 1.0, "s"), line=Line("chance <i>", 2.0))
    assert "<b>" not in chart
    assert "<i>" not in chart
    assert "nobody would type" in chart.split("viewBox")[0]
    assert "nobody would type" not in chart.split("viewBox")[1]


def test_names_of_close_points_do_not_cover_each_other() -> None:
    points = [Point(f"method-{index}", 50.0, 0.5 + index / 1000, None, None, ()) for index in range(4)]
    chart = scatter("t", points, Axis(0.0, 100.0, 50.0, "words"), Axis(0.0, 1.0, 0.5, "V"))
    heights = sorted(float(y) for y in re.findall(r'class="label halo" x="[\d.]+" y="([\d.]+)"', chart))
    assert len(heights) == 4
    assert min(b - a for a, b in pairwise(heights)) >= 12
