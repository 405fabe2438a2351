"""Bands: what passes, what fails, what is not judged and what is excepted (VPTT, "Quality of people")."""

import math

import pytest

from engine.profiles.quality.bands import Allowance, Band, Figure, judge
from engine.profiles.quality.partiprompts import FIGURES
from engine.profiles.quality.standard import BANDS, EXCEPTIONS

BAND = Band("likeness", "cosine", 0.25, 0.5, "cosine", "Because.", "Do this.")


def state(value, *, band=BAND, people=1000, exceptions=()):
    (verdict,) = judge([band], {"cosine": Figure(value)}, people, exceptions)
    return verdict


@pytest.mark.parametrize(("value", "expected"), [(0.25, "passed"), (0.5, "passed"), (0.249, "failed"), (0.501, "failed")])
def test_limits_belong_to_the_band(value, expected):
    assert state(value).state == expected


def test_a_figure_that_cannot_be_measured_is_never_a_pass():
    assert state(math.nan).state == "not judged"


def test_a_band_that_depends_on_the_number_of_people_is_not_judged_on_few_and_says_so():
    band = Band("words", "cosine", 6000, None, "words", "", "", needs_people=1000)
    assert state(5000, band=band, people=999).state == "not judged"
    assert "1,000" in state(5000, band=band, people=999).why
    assert state(5000, band=band, people=1000).state == "failed"


def test_an_exception_is_said_with_its_reason_and_holds_only_within_its_own_limit():
    allowance = Allowance("likeness", 0.2, None, "Sheets are short.")
    excepted = state(0.22, exceptions=[allowance])
    assert excepted.state == "excepted"
    assert "Sheets are short." in excepted.why
    assert ">= 0.2" in excepted.why
    assert state(0.19, exceptions=[allowance]).state == "failed"
    assert state(0.3, exceptions=[allowance]).state == "passed"


def test_every_band_has_a_reason_and_every_judged_one_a_remedy():
    for band in BANDS:
        assert band.reason.endswith((".", "judged."))
        assert band.remedy or band.limits == "no band"
    assert len({band.name for band in BANDS}) == len(BANDS)


def test_exceptions_and_reference_figures_name_bands_that_exist():
    names = {band.name for band in BANDS}
    assert {allowance.band for allowances in EXCEPTIONS.values() for allowance in allowances} <= names
    assert set(FIGURES) <= {band.figure for band in BANDS}
