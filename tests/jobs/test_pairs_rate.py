"""`mien pairs rate` as it is typed: the release's files in, a leaderboard out, and the release's result files."""

from __future__ import annotations

import json
import math
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from engine.pipbench.pair_files import Pair, write_pairs
from engine.pipbench.results import read_elo_scores, read_win_rates
from engine.pipbench.verdicts import Verdict, write_verdicts
from jobs.cli import exit_code

STRENGTH = {"fusion": 1.2, "joint": 0.4, "plain": 0.0}
PEOPLE, SAMPLES = 40, 3


def mien(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = exit_code([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def events(out: str, kind: str) -> list[dict[str, Any]]:
    return [event for line in out.splitlines() if (event := json.loads(line))["event"] == kind]


def pairs() -> list[Pair]:
    """All pairs of three models for the samples of 40 people, as the release has them: it does not say whose a sample is."""
    asked = [(sample, one, two) for sample in range(PEOPLE * SAMPLES) for one, two in combinations(sorted(STRENGTH), 2)]
    return [Pair(str(n), a, b, f"{a}/{sample}.png", f"{b}/{sample}.png", "", "") for n, (sample, a, b) in enumerate(asked)]


def said(judge: str, seed: int, confidence: float = 0.9) -> list[Verdict]:
    """A judge that prefers by strength, in both orders."""
    draw = random.Random(seed)
    found = []
    for pair in pairs():
        for flipped in (False, True):
            a_wins = draw.random() < 1 / (1 + math.exp(STRENGTH[pair.model_b] - STRENGTH[pair.model_a]))
            found.append(Verdict("", 0, judge, pair.id, flipped, "img1" if a_wins != flipped else "img2", confidence))
    return found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Pairs, whose the samples are, and the verdicts of two judges."""
    write_pairs(tmp_path / "pairs.jsonl", pairs())
    (tmp_path / "metadata.json").write_text(json.dumps([{"id": n, "image_id": n // SAMPLES} for n in range(PEOPLE * SAMPLES)]))
    for seed, judge in enumerate(("gpt", "qwen")):
        write_verdicts(tmp_path / f"{judge}.jsonl", said(judge, seed))
    return tmp_path


def test_judges_are_rated_apart_and_together_with_intervals_over_people(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = (files / "pairs.jsonl", files / "gpt.jsonl", files / "qwen.jsonl", "--metadata", files / "metadata.json")
    code, out, err = mien(capsys, "pairs", "rate", *given, "--json")
    assert code == 0, err
    models = events(out, "model")
    assert [row["judge"] for row in models] == ["gpt"] * 3 + ["qwen"] * 3 + [""] * 3
    together = {row["model"]: row for row in models if not row["judge"]}
    assert list(together) == ["fusion", "joint", "plain"]
    mean = sum(STRENGTH.values()) / len(STRENGTH)
    for model, row in together.items():
        assert row["low"] <= 1500 + (STRENGTH[model] - mean) * 400 / math.log(10) <= row["high"]
        assert (row["people"], row["verdicts"]) == (PEOPLE, PEOPLE * SAMPLES * 2 * 2 * 2)
        assert row["pipbench"] == pytest.approx(row["rating"], abs=3)
        assert row["pipbench_half"] > 0
    assert "pipbench" not in next(row for row in models if row["judge"] == "gpt")
    assert {row["judge"]: (row["pairs"], row["both"]) for row in events(out, "judge")} == dict.fromkeys(("gpt", "qwen"), (360, 360))
    done = events(out, "done")[0]
    assert (done["verdicts"], done["left_out"], done["people"], done["nobody"]) == (1440, 0, PEOPLE, 0)
    assert done["pipbench"].startswith("pipbench-elo/")
    assert events(out, "caution") == []


def test_the_releases_result_files_are_written_and_not_replaced_unasked(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("pairs", "rate", files / "pairs.jsonl", files / "gpt.jsonl", "--metadata", files / "metadata.json", "--out", files / "out")
    code, out, err = mien(capsys, *given)
    assert code == 0, err
    assert "PIPBench" in out
    scores = read_elo_scores(files / "out" / "elo_scores.json")
    assert [score.model for score in scores] == ["fusion", "joint", "plain"]
    assert sum(score.elo for score in scores) / 3 == pytest.approx(1500)
    assert list(json.loads((files / "out" / "elo_scores.json").read_text())[0]) == ["model", "elo", "ci95"]
    rates = {(rate.model, rate.opponent): rate for rate in read_win_rates(files / "out" / "win_rates.json")}
    assert len(rates) == 6
    one, other = rates["fusion", "plain"], rates["plain", "fusion"]
    assert one.matches == other.matches == one.wins + other.wins == PEOPLE * SAMPLES * 2
    code, _, err = mien(capsys, *given)
    assert code == 2
    assert "--force" in err
    assert mien(capsys, *given, "--force")[0] == 0


def test_a_doubtful_verdict_is_a_tie_for_pipbench_and_a_verdict_for_the_headline(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_verdicts(files / "unsure.jsonl", said("unsure", 0, confidence=0.5))
    given = (files / "pairs.jsonl", files / "unsure.jsonl", "--metadata", files / "metadata.json", "--json", "--out", files / "out")
    code, out, _ = mien(capsys, "pairs", "rate", *given)
    assert code == 0
    rated = {row["model"]: row for row in events(out, "model")}
    assert rated["fusion"]["rating"] > 1550
    assert rated["fusion"]["pipbench"] == pytest.approx(1500)
    assert {rate.win_rate for rate in read_win_rates(files / "out" / "win_rates.json")} == {0.5}


BAD = [
    ("{broken", "unreadable-row", "", "4"),
    ('{"id": "0", "result": "no idea"}', "broken-json", "result", "4"),
    ('{"id": "999", "result": {"comparison_and_choice": {"final_decision": {"preferred_image": "tie"}}}}', "unknown-pair", "id", "4"),
    ('{"id": "0", "result": {"comparison_and_choice": {"final_decision": {"preferred_image": "tie"}}}}', "duplicate-verdict", "id", "4"),
    (
        '{"id": "2", "result": {"comparison_and_choice": {"final_decision": {"preferred_image": "both"}}}}',
        "literal-error",
        "preferred_image",
        "4",
    ),
]


@pytest.mark.parametrize(("row", "code", "field", "line"), BAD, ids=[bad[1] for bad in BAD])
def test_a_bad_row_stops_it_unless_it_may_be_left_out_and_is_counted_by_its_reason(
    files: Path, capsys: pytest.CaptureFixture[str], row: str, code: str, field: str, line: str
) -> None:
    lines = (files / "gpt.jsonl").read_text().splitlines()
    (files / "bad.jsonl").write_text("\n".join([*lines[:3], row, *lines[6:]]) + "\n")
    given = ("pairs", "rate", files / "pairs.jsonl", files / "bad.jsonl", "--metadata", files / "metadata.json", "--out", files / "out")
    ended, _, err = mien(capsys, *given)
    assert ended == 2
    assert f"bad.jsonl:{line}" in err
    assert field in err
    assert "--max-failed 1" in err
    assert not (files / "out").exists()
    ended, out, err = mien(capsys, *given, "--max-failed", 1)
    assert ended == 0, err
    assert "717 of 718 verdicts used" in out
    assert f"1 row left out, {code}: {files / 'bad.jsonl'}:{line}" in out


def test_a_bad_pair_is_named_and_its_verdicts_belong_to_none(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (files / "pairs.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    (files / "pairs.jsonl").write_text("\n".join([json.dumps(first | {"model_B": first["model_A"]}), *lines[1:]]) + "\n")
    given = ("pairs", "rate", files / "pairs.jsonl", files / "gpt.jsonl", "--metadata", files / "metadata.json", "--json")
    assert mien(capsys, *given)[0] == 2
    code, out, _ = mien(capsys, *given, "--max-failed", 3)
    assert code == 0
    assert [row["code"] for row in events(out, "bad")] == ["same-model", "unknown-pair", "unknown-pair"]
    assert events(out, "done")[0]["verdicts"] == 718


def test_without_metadata_it_is_told_that_nobody_knows_whose_the_samples_are(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = mien(capsys, "pairs", "rate", files / "pairs.jsonl", files / "gpt.jsonl")
    assert code == 0
    assert "120 samples of 120" in err
    assert "--metadata" in err


def test_what_a_rating_cannot_be_believed_for_is_said_in_words(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    best = [
        Verdict("", 0, "", pair.id, False, "img1" if STRENGTH[pair.model_a] > STRENGTH[pair.model_b] else "img2", 0.9) for pair in pairs()
    ]
    write_verdicts(files / "sure.jsonl", best)
    code, out, _ = mien(capsys, "pairs", "rate", files / "pairs.jsonl", files / "sure.jsonl", "--metadata", files / "metadata.json")
    assert code == 0
    assert "Beware: fusion never lost or tied" in out
    assert "no interval" in out


def test_one_name_may_be_given_to_a_judge_of_several_files_and_another_study_is_refused(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (files / "gpt.jsonl").read_text().splitlines(keepends=True)
    parts = [files / f"part-{n}.jsonl" for n in range(2)]
    for n, part in enumerate(parts):
        part.write_text("".join(lines[n * 360 : (n + 1) * 360]))
    code, out, _ = mien(capsys, "pairs", "rate", files / "pairs.jsonl", *parts, "--judge", "gpt-5", "--json")
    assert code == 0
    assert [(row["judge"], row["pairs"]) for row in events(out, "judge")] == [("gpt-5", 360)]
    (files / "other.jsonl").write_text(lines[0].replace('"id": 0', '"id": 99999'))
    code, _, err = mien(capsys, "pairs", "rate", files / "pairs.jsonl", files / "other.jsonl", "--max-failed", 1)
    assert code == 2
    assert "no verdict on these pairs" in err
