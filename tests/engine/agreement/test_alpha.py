"""Krippendorff's alpha: his own worked example, identities, and resamples."""

from __future__ import annotations

import numpy as np
import pytest

from engine.agreement.alpha import MOST_RATINGS, Level, krippendorff_alpha
from engine.statistics.cluster_bootstrap import ClusterBootstrap

_ = np.nan
# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: 12 units, 4 observers, missing data.
EXAMPLE = np.array(
    [
        (1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _),
        (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3),
        (_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _),
        (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _),
    ]
).T


@pytest.mark.parametrize(("level", "expected"), [(Level.NOMINAL, 0.743), (Level.ORDINAL, 0.815), (Level.INTERVAL, 0.849)])
def test_alpha_matches_krippendorffs_example(level: Level, expected: float) -> None:
    found = krippendorff_alpha(ClusterBootstrap(12, 1), np.arange(12), EXAMPLE, level)
    assert found.value == pytest.approx(expected, abs=5e-4)
    assert (found.n, found.clusters) == (11, 11)  # one unit has a single rating
    assert found.low < found.value < found.high <= 1.0


@pytest.mark.parametrize("level", Level)
def test_each_resample_is_the_alpha_of_its_repeated_units(level: Level) -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    ratings = rng.integers(0, 6, size=(30, 4)).astype(float)
    ratings[:, :3] = np.round((ratings[:, :3] + 2 * ratings[:, :1]) / 3)
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    bootstrap = ClusterBootstrap(30, seed=2, resamples=200)
    found = krippendorff_alpha(bootstrap, np.arange(30), ratings, level)
    alone = ClusterBootstrap(1, seed=1, resamples=1)
    draws = []
    for weights in bootstrap.weights:
        again = np.repeat(ratings, weights, axis=0)
        draws.append(krippendorff_alpha(alone, np.zeros(len(again), dtype=np.int64), again, level).value)
    assert np.min(draws) <= found.low < np.quantile(draws, 0.1)
    assert np.quantile(draws, 0.9) < found.high <= np.max(draws)


def test_ordinal_and_interval_agree_where_ratings_are_their_own_ranks() -> None:
    # Each of 0..5 equally often, so that midranks are evenly spaced.
    ratings = np.stack([np.tile(np.arange(6.0), 5), np.tile(np.roll(np.arange(6.0), 1), 5)], axis=1)
    values = [krippendorff_alpha(ClusterBootstrap(30, 1), np.arange(30), ratings, level).value for level in (Level.ORDINAL, Level.INTERVAL)]
    assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_full_agreement_is_one_and_a_single_rating_throughout_is_undefined() -> None:
    cluster, bootstrap = np.arange(6), ClusterBootstrap(6, 1)
    agreed = np.tile(np.arange(6.0)[:, None], 3)
    for level in Level:
        assert krippendorff_alpha(bootstrap, cluster, agreed, level).value == 1.0
        assert np.isnan(krippendorff_alpha(bootstrap, cluster, np.full((6, 3), 2.0), level).value)
        assert krippendorff_alpha(bootstrap, cluster, np.full((6, 3), np.nan), level).n == 0


def test_people_who_guess_have_an_interval_around_zero() -> None:
    guessed = np.random.Generator(np.random.PCG64(3)).integers(0, 6, size=(200, 3)).astype(float)
    found = krippendorff_alpha(ClusterBootstrap(50, 1), np.arange(200) % 50, guessed, Level.ORDINAL)
    assert found.low < 0 < found.high
    assert found.clusters == 50


def test_a_continuous_scale_is_no_ordinal_one() -> None:
    scores = np.random.Generator(np.random.PCG64(4)).normal(size=(40, 2))
    with pytest.raises(ValueError, match=f"at most {MOST_RATINGS}"):
        krippendorff_alpha(ClusterBootstrap(40, 1), np.arange(40), scores, Level.ORDINAL)
    assert np.isfinite(krippendorff_alpha(ClusterBootstrap(40, 1), np.arange(40), scores, Level.INTERVAL).low)
