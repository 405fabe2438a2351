"""Coverage on simulated people with known truth: the benchmark in small, seeded."""

from __future__ import annotations

import numpy as np
import pytest
from rating_coverage import coverage, the_truth

STUDIES = 120


@pytest.mark.parametrize("people", [20, 60])
def test_intervals_by_people_cover_the_truth_and_intervals_by_rows_do_not(people: int) -> None:
    rng = np.random.Generator(np.random.PCG64([11, people]))
    truth = the_truth(rng, person_sd=0.6, swap_correlation=0.6, people=20_000)
    found = coverage(rng, truth, people, 0.6, 0.6, STUDIES, resamples=400)
    assert 0.91 <= found["ratings"].mean() <= 0.985
    assert 0.91 <= found["pairs"].mean() <= 0.985
    assert found["rows"].mean() < 0.88


def test_people_that_scatter_flatten_the_limit_that_fits_tend_to() -> None:
    rng = np.random.Generator(np.random.PCG64(12))
    alike, scattered = (the_truth(rng, sd, 0.0, people=20_000).beta for sd in (0.0, 0.6))
    assert alike[:4] == pytest.approx([0.6, 0.2, -0.2, -0.6], abs=0.02)
    assert scattered[0] < alike[0] - 0.02
