"""The release's result files, and its way of counting wins."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.pipbench.pair_files import Pair
from engine.pipbench.results import EloScore, read_elo_scores, read_win_rates, win_rates, write_elo_scores, write_win_rates
from engine.pipbench.verdicts import Verdict, judged
from engine.ratings.pipbench import with_doubtful_ties


def test_wins_are_counted_as_the_release_counts_them() -> None:
    rng = np.random.Generator(np.random.PCG64(1))
    models = ["a", "b", "c", "d"]
    pairs, verdicts = [], []
    wins: dict[tuple[str, str], float] = defaultdict(float)
    matches: dict[tuple[str, str], int] = defaultdict(int)
    for number in range(300):
        one, other = (str(name) for name in rng.choice(models, 2, replace=False))
        pairs.append(Pair(str(number), one, other, "1.png", "2.png", str(number), ""))
        for judge in ("x", "y"):
            preferred, flipped = str(rng.choice(["img1", "img2", "tie"])), bool(rng.integers(2))
            confidence = float(rng.choice([0.5, 0.7, 0.71, 0.9]))
            verdicts.append(Verdict("f", number, judge, str(number), flipped, preferred, confidence))
            # The release: at most .7 is a tie; else a flipped img1 is model B.
            if preferred == "tie" or confidence <= 0.7:
                wins[one, other] += 0.5
                wins[other, one] += 0.5
            else:
                won = one if (preferred == "img1") != flipped else other
                wins[won, other if won == one else one] += 1
            matches[one, other] += 1
            matches[other, one] += 1
    found = judged(pairs, verdicts)
    battles = found.battles
    sure = replace(battles, result=with_doubtful_ties(battles.result, found.confidence))
    rates = win_rates(sure)
    assert [(rate.model, rate.opponent) for rate in rates] == [(i, j) for i in models for j in models if i != j]
    for rate in rates:
        assert (rate.wins, rate.matches) == (wins[rate.model, rate.opponent], matches[rate.model, rate.opponent])
        assert rate.win_rate == pytest.approx(rate.wins / rate.matches)


def test_result_files_are_read_again_as_they_were_written(tmp_path: Path) -> None:
    scores = [EloScore("b", 1400.5, 12.25), EloScore("none", math.nan, math.nan), EloScore("a", 1599.5, 12.25)]
    write_elo_scores(tmp_path / "elo_scores.json", scores)
    rows = json.loads((tmp_path / "elo_scores.json").read_text())
    assert rows == [
        {"model": "a", "elo": 1599.5, "ci95": 12.25},
        {"model": "b", "elo": 1400.5, "ci95": 12.25},
        {"model": "none", "elo": None, "ci95": None},
    ]
    again = read_elo_scores(tmp_path / "elo_scores.json")
    assert again[:2] == [scores[2], scores[0]]
    assert math.isnan(again[2].elo)
    pairs = [Pair("0", "a", "b", "1.png", "2.png", "0", "")]
    rates = win_rates(judged(pairs, [Verdict("f", 1, "x", "0", False, "img1", None)]).battles)
    write_win_rates(tmp_path / "win_rates.json", rates)
    assert json.loads((tmp_path / "win_rates.json").read_text())[0] == {
        "model": "a",
        "opponent": "b",
        "wins": 1.0,
        "matches": 1,
        "win_rate": 1.0,
    }
    assert read_win_rates(tmp_path / "win_rates.json") == rates


@pytest.mark.parametrize(
    ("text", "named"),
    [("{", "cannot be read"), ("{}", "no array"), ('[{"elo": 1, "ci95": 1}]', "model"), ('[{"model": "a", "elo": "x", "ci95": 1}]', "elo")],
)
def test_a_result_file_that_is_none_is_refused(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "elo_scores.json"
    path.write_text(text)
    with pytest.raises(InputError, match=named):
        read_elo_scores(path)
