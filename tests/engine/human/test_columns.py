"""Human ratings as arrays: blocks, battles, choices."""

from __future__ import annotations

import numpy as np
import pytest

from engine.agreement.alpha import Level, krippendorff_alpha
from engine.agreement.concordance import concordance
from engine.agreement.orders import mean_order, order_tau
from engine.human.columns import HUMAN, battles, blocks, choices, places
from engine.human.records import Best, Choice, Rating
from engine.ratings.battles import FIRST, SECOND, TIE
from engine.ratings.swapped import swap_pairs
from engine.statistics.cluster_bootstrap import ClusterBootstrap

METHODS = ["baseline", "brag", "persona", "vprag"]


def test_ratings_become_blocks_that_every_agreement_takes() -> None:
    # METRICS, Kendall's W: (4,3,2,1),(4,2,3,1),(3,4,2,1) 7/9
    given = {"a": (4, 3, 2, 1), "b": (4, 2, 3, 1), "c": (3, 4, 2, 1)}
    rows = [
        Rating(profile="p1", method=METHODS[m], annotator=who, score=score) for who, row in given.items() for m, score in enumerate(row)
    ]
    rows.append(Rating(profile="p0", query="q", method="vprag", annotator="b", score=5))
    clusters = places(rows)
    found = blocks(rows, clusters)
    assert (found.annotators, found.methods) == (("a", "b", "c"), tuple(METHODS))
    assert found.cases == (("p0", "q", "", "", "", ""), ("p1", "", "", "", "", ""))
    assert found.mean[1].tolist() == pytest.approx([11 / 3, 3, 7 / 3, 1])
    assert np.isnan(found.mean[0][:3]).all()
    assert found.mean[0][3] == 5
    bootstrap = ClusterBootstrap(2, 1)
    w = concordance(bootstrap, found.cluster, found.ratings)
    assert (w.mean.value, w.incomplete) == (pytest.approx(7 / 9), 1)
    cluster, units = found.units
    assert units.shape == (8, 3)
    assert cluster.tolist() == [0] * 4 + [1] * 4
    assert krippendorff_alpha(bootstrap, cluster, units, Level.ORDINAL).n == 4


def test_people_of_one_cluster_are_counted_as_one_in_every_file() -> None:
    rating = [Rating(profile=p, method="brag", annotator="a", score=1) for p in ("p2", "p1")]
    choice = [Choice(profile="p3", first="brag", second="vprag", choice="tie", annotator="a")]
    assert places(rating, choice) == {"p1": 0, "p2": 1, "p3": 2}
    merged = places(rating, choice, cluster_of={"p1": "twins", "p3": "twins"})
    assert merged["p1"] == merged["p3"] != merged["p2"]
    assert blocks(rating, merged).cluster.tolist() == [merged["p1"], merged["p2"]]
    assert len(battles(choice, merged)[0].clusters) == 2


def test_choices_of_two_are_battles_of_each_annotator_or_of_humans_as_one_judge() -> None:
    rows = [
        Choice(profile="p1", first="brag", second="vprag", choice="second", annotator="a"),
        Choice(profile="p1", first="vprag", second="brag", choice="first", annotator="a"),
        Choice(profile="p1", first="vprag", second="brag", choice="tie", annotator="b"),
        Choice(profile="p2", query="q2", first="vprag", second="brag", choice="first", annotator="b"),
    ]
    clusters = places(rows)
    apart, case = battles(rows, clusters)
    assert (apart.judges, apart.entrants, apart.clusters) == (("a", "b"), ("brag", "vprag"), ("p1", "p2"))
    assert apart.result.tolist() == [SECOND, FIRST, TIE, FIRST]
    assert apart.pair.tolist() == [0, 0, -1, -1]
    assert case.tolist() == [0, 0, 0, 1]
    together, _ = battles(rows, clusters, together=True)
    assert together.judges == (HUMAN,)
    pairs = swap_pairs(together)
    assert pairs.consistent.tolist() == [True]


def test_no_choices_are_no_battles() -> None:
    found, case = battles([], {})
    assert len(found) == len(case) == 0


def test_best_of_k_gives_counts_and_an_order_that_chance_does_not_bend() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    strength = dict(zip(METHODS, (0.0, 1.0, 0.5, 2.0), strict=True))
    best, ratings = [], []
    for person in range(60):
        # vprag is only offered among all four, where chance is against it.
        options = METHODS if person % 2 else [name for name in METHODS if name != "vprag"]
        drawn = {name: strength[name] + rng.gumbel() for name in options}
        best.append(Best(profile=f"p{person:02d}", options=tuple(options), choice=max(drawn, key=lambda name: drawn[name]), annotator="a"))
        for name in METHODS:
            score = float(np.clip(np.round(1 + strength[name] + rng.normal(0, 0.7)), 0, 5))
            ratings.append(Rating(profile=f"p{person:02d}", method=name, annotator="b", score=score))
    clusters = places(best, ratings)
    found, blocked = choices(best, clusters), blocks(ratings, clusters)
    assert found.counts["vprag"][1] == 30
    assert sum(chosen for chosen, _ in found.counts.values()) == 60
    bootstrap = ClusterBootstrap(60, 2)
    chosen, rated = found.order(bootstrap, METHODS), mean_order(bootstrap, blocked.cluster, blocked.mean)
    assert int(np.argmax(chosen.value)) == METHODS.index("vprag")
    tau = order_tau(chosen, rated)
    assert tau.value > 0.6
    assert tau.low < tau.value <= tau.high <= 1.0
    assert (tau.n, tau.clusters) == (4, 60)


def test_a_method_that_was_never_offered_has_no_place_in_the_order() -> None:
    rows = [Best(profile=f"p{n}", options=("brag", "persona"), choice="brag", annotator="a") for n in range(8)]
    bootstrap = ClusterBootstrap(8, 1)
    order = choices(rows, places(rows)).order(bootstrap, METHODS)
    assert np.isnan(order.value[[0, 3]]).all()
    assert order.value[[1, 2]].tolist() == [2.0, 0.0]
    assert np.isnan(order_tau(order, mean_order(bootstrap, np.arange(8), np.full((8, 4), np.nan))).value)
