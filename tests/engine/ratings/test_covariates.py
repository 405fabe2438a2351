"""Length and same-family effects: known ones are recovered, and what cannot be told is not told."""

import numpy as np
import pytest

from engine.ratings.battles import FIRST, SECOND, Battles
from engine.ratings.covariates import effect_of_kin, effect_of_length, fit_effects

STUDIES = 200
LENGTH, KIN = 0.5, 0.8
JUDGE_FAMILIES, ENTRANT_FAMILIES = ("x", "y"), ("x", "y", "x", "y")


def studied(seed, people=60):
    """Verdicts of two judges, with positions .4 and -.4, on four entrants; a row's log2 ratio of words beside them."""
    rng = np.random.default_rng(seed)
    theta = np.linspace(-0.6, 0.6, 4)
    pairs = np.array([(a, b) for a in range(4) for b in range(4) if a != b])
    grid = np.stack(np.meshgrid(np.arange(people), np.arange(2), np.arange(len(pairs)), indexing="ij"), axis=-1).reshape(-1, 3)
    person, judge, (first, second) = grid[:, 0], grid[:, 1], pairs[grid[:, 2]].T
    log_words = rng.normal(np.linspace(0, 1, 4), 0.6, (people, 4))
    lengths = log_words[person, first] - log_words[person, second]
    of_judge, of_entrant = np.array(JUDGE_FAMILIES)[judge], np.array(ENTRANT_FAMILIES)
    kin = (of_entrant[first] == of_judge) * 1.0 - (of_entrant[second] == of_judge)
    d = theta[first] - theta[second] + 0.4 * (1 - 2 * judge) + LENGTH * lengths + KIN * kin
    weights = np.stack([np.exp(d / 2), np.full(len(d), 0.5), np.exp(-d / 2)], axis=1)
    shares = (weights / weights.sum(axis=1, keepdims=True)).cumsum(axis=1)
    result = (rng.random(len(d))[:, None] > shares).sum(axis=1)
    names = tuple(map(str, range(people)))
    battles = Battles(("a", "b", "c", "d"), ("j", "k"), names, person, judge, first, second, result, np.full(len(d), -1))
    return battles, lengths


def covered(estimates, truth):
    return estimates.low[0] <= truth <= estimates.high[0]


def test_intervals_cover_known_effects_as_often_as_they_say():
    hits = np.zeros(2)
    for seed in range(STUDIES):
        battles, lengths = studied(seed)
        hits += (
            covered(effect_of_kin(battles, lengths, JUDGE_FAMILIES, ENTRANT_FAMILIES).estimates, KIN),
            covered(effect_of_length(battles.of_judge(0), lengths[battles.judge == 0]).estimates, LENGTH),
        )
    # 190 of 200 are expected; 181 to 198 holds over 99 % of a binomial share of .95.
    assert hits.min() >= 181
    assert hits.max() <= 198


def test_the_interval_widens_where_verdicts_on_a_person_repeat():
    battles, lengths = studied(1)
    once = effect_of_length(battles, lengths).estimates
    twice = Battles(
        battles.entrants,
        battles.judges,
        battles.clusters,
        *(np.tile(column, 2) for column in (battles.cluster, battles.judge, battles.first, battles.second, battles.result, battles.pair)),
    )
    again = effect_of_length(twice, np.tile(lengths, 2)).estimates
    assert again.mean[0] == pytest.approx(once.mean[0], abs=1e-6)
    assert again.high[0] - again.low[0] == pytest.approx(once.high[0] - once.low[0], rel=1e-3)


def test_a_term_that_is_a_position_by_another_name_is_not_told():
    battles, _ = studied(2)
    assert "cannot be told" in fit_effects(battles, np.where(battles.judge == 0, 1.0, 0.0)[:, None], ("again",)).reason


def test_the_unit_of_a_term_changes_nothing_but_its_unit():
    battles, lengths = studied(3)
    bits, thousandths = (fit_effects(battles, lengths[:, None] * unit, ("length",)).estimates for unit in (1.0, 1000.0))
    assert thousandths.mean[0] * 1000 == pytest.approx(bits.mean[0])
    assert thousandths.low[0] * 1000 == pytest.approx(bits.low[0])


def test_a_length_that_is_the_same_for_every_pair_of_methods_is_not_told():
    battles, _ = studied(4)
    fixed = np.array([0.0, 1.0, 2.0, 3.0])
    found = effect_of_length(battles, fixed[battles.first] - fixed[battles.second])
    assert np.isnan(found.estimates.mean[0])
    assert "cannot be told" in found.reason


def test_a_judge_that_always_says_first_has_no_length_effect():
    battles, lengths = studied(5)
    always = Battles(
        battles.entrants, battles.judges, battles.clusters, battles.cluster, battles.judge, battles.first, battles.second,
        np.full(len(battles), FIRST), battles.pair,
    )  # fmt: skip
    found = effect_of_length(always, lengths)
    assert np.isnan(found.estimates.mean[0])
    assert "no bound" in found.reason


def test_a_one_sided_judge_spoils_no_other_judges_same_family_effect():
    battles, lengths = studied(6)
    first = np.where(battles.judge == 1, FIRST, battles.result)
    sided = Battles(
        battles.entrants, battles.judges, battles.clusters, battles.cluster, battles.judge, battles.first, battles.second, first,
        battles.pair,
    )  # fmt: skip
    alone = effect_of_kin(battles.of_judge(0), lengths[battles.judge == 0], JUDGE_FAMILIES, ENTRANT_FAMILIES)
    assert effect_of_kin(sided, lengths, JUDGE_FAMILIES, ENTRANT_FAMILIES).reason == alone.reason


def test_few_people_give_no_interval():
    battles, lengths = studied(7, people=4)
    found = effect_of_length(battles, lengths)
    assert np.isfinite(found.estimates.mean[0])
    assert np.isnan(found.estimates.low[0])


def test_a_judge_of_another_mind_and_no_family_does_not_tilt_the_same_family_effect():
    battles, lengths = studied(8)
    other = battles.of_judge(0)
    together = Battles(
        battles.entrants,
        (*battles.judges, "l"),
        battles.clusters,
        np.concatenate([battles.cluster, other.cluster]),
        np.concatenate([battles.judge, np.full(len(other), 2)]),
        np.concatenate([battles.first, other.first]),
        np.concatenate([battles.second, other.second]),
        np.concatenate([battles.result, np.where(other.first > other.second, SECOND, other.result)]),
        np.concatenate([battles.pair, other.pair]),
    )
    both = np.concatenate([lengths, lengths[battles.judge == 0]])
    alone = effect_of_kin(battles, lengths, JUDGE_FAMILIES, ENTRANT_FAMILIES).estimates
    beside = effect_of_kin(together, both, (*JUDGE_FAMILIES, ""), ENTRANT_FAMILIES).estimates
    assert beside.mean[0] == pytest.approx(alone.mean[0])
