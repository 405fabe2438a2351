"""A judge's rows: read as the release writes them, the flip undone, each bad row named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.pipbench.pair_files import Pair
from engine.pipbench.verdicts import Verdict, judged, read_verdicts, write_verdicts
from engine.ratings.battles import FIRST, SECOND, TIE

PAIRS = tuple(Pair(str(n), "a", "b" if n % 2 else "c", f"a/{n}.png", f"b/{n}.png", str(n // 2), f"p{n // 4}") for n in range(8))


def row(id_: object = 0, preferred: object = "img1", confidence: object = 0.9, flipped: object = False, **changes: Any) -> dict[str, Any]:
    decision = {"preferred_image": preferred, "confidence": confidence}
    return {"id": id_, "flipped": flipped, "result": {"comparison_and_choice": {"final_decision": decision}}} | changes


def jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in rows), encoding="utf-8")
    return path


def verdict(
    pair: str, preferred: str, flipped: bool = False, judge: str = "gpt", confidence: float | None = None, line: int = 1
) -> Verdict:
    return Verdict("v.jsonl", line, judge, pair, flipped, preferred, confidence)


def test_a_result_is_read_as_an_object_and_as_its_json_with_whatever_else_the_judge_said(tmp_path: Path) -> None:
    said = row(1, "tie", None)["result"] | {"image_analysis": {"img1": "warm"}}
    bare = {"id": 2, "result": {"comparison_and_choice": {"reasoning": "...", "final_decision": {"preferred_image": "img2"}}}}
    found = read_verdicts(jsonl(tmp_path / "gpt-5.jsonl", row(), row(1, result=json.dumps(said), flipped=True), bare))
    assert found.rejected == ()
    assert [(one.judge, one.pair, one.preferred, one.confidence, one.flipped) for one in found.verdicts] == [
        ("gpt-5", "0", "img1", 0.9, False),
        ("gpt-5", "1", "tie", None, True),
        ("gpt-5", "2", "img2", None, False),
    ]


@pytest.mark.parametrize(
    ("bad", "field", "code"),
    [
        ("{broken", "", "unreadable-row"),
        ("7", "", "not-an-object"),
        (row(preferred="left"), "result.comparison_and_choice.final_decision.preferred_image", "literal-error"),
        (row(preferred=None), "result.comparison_and_choice.final_decision.preferred_image", "literal-error"),
        (row(confidence=85), "result.comparison_and_choice.final_decision.confidence", "less-than-equal"),
        (row(confidence="NaN"), "result.comparison_and_choice.final_decision.confidence", "less-than-equal"),
        (row(confidence=True), "result.comparison_and_choice.final_decision.confidence", "no-number"),
        (row(result="I prefer the first"), "result", "broken-json"),
        (row(result={"comparison_and_choice": {}}), "result.comparison_and_choice.final_decision", "missing"),
        (row(result=None), "result", "model-type"),
        ({"flipped": False}, "id", "missing"),
        (row(flipped="perhaps"), "flipped", "bool-parsing"),
    ],
)
def test_a_malformed_row_is_named_and_never_a_verdict(tmp_path: Path, bad: object, field: str, code: str) -> None:
    path = jsonl(tmp_path / "gpt.jsonl", bad, row(3))
    found = read_verdicts(path)
    assert [one.pair for one in found.verdicts] == ["3"]
    assert [(one.line, one.field, one.code) for one in found.rejected] == [(1, field, code)]
    assert found.rejected[0].remedy


def test_a_flip_is_undone_for_the_entrants_and_kept_for_the_sides() -> None:
    found = judged(PAIRS, [verdict("1", "img1"), verdict("1", "img1", flipped=True), verdict("3", "img2", flipped=True)])
    battles = found.battles
    shown = [(battles.entrants[one], battles.entrants[two]) for one, two in zip(battles.first, battles.second, strict=True)]
    assert shown == [("a", "b"), ("b", "a"), ("b", "a")]
    assert battles.result.tolist() == [FIRST, FIRST, SECOND]  # the first side twice: no preference of an entrant; then a
    assert battles.pair.tolist() == [0, 0, -1]


def test_people_are_the_clusters_and_samples_are_kept_apart() -> None:
    found = judged(PAIRS, [verdict(pair.id, "tie") for pair in PAIRS])
    assert found.battles.clusters == ("person p0", "person p1")
    assert found.battles.cluster.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert [found.samples[index] for index in found.sample] == ["0", "0", "1", "1", "2", "2", "3", "3"]
    assert set(found.battles.result) == {TIE}
    assert found.nobody == 0


def test_pairs_of_the_release_get_their_people_from_the_datas_list_and_a_sample_without_one_is_told() -> None:
    released = tuple(Pair(pair.id, pair.model_a, pair.model_b, pair.image_a, pair.image_b, pair.sample, "") for pair in PAIRS)
    found = judged(released, [verdict("0", "tie"), verdict("7", "tie")], {"0": "9", "1": "9", "2": "9"})
    assert found.battles.clusters == ("person 9", "sample 3")
    assert found.nobody == 1


def test_confidence_stays_beside_the_verdict_and_is_not_applied() -> None:
    found = judged(PAIRS, [verdict("0", "img1", confidence=0.2), verdict("1", "img1")])
    assert found.battles.result.tolist() == [FIRST, FIRST]
    assert found.confidence[0] == 0.2
    assert np.isnan(found.confidence[1])


def test_every_judge_counts_for_itself_and_a_second_answer_to_one_order_is_refused() -> None:
    rows = [
        verdict("0", "img1", line=1),
        verdict("0", "img2", line=2),
        verdict("0", "img2", judge="qwen", line=3),
        verdict("99", "tie", line=4),
    ]
    found = judged(PAIRS, rows)
    assert found.battles.judges == ("gpt", "qwen")
    assert found.battles.result.tolist() == [FIRST, SECOND]
    assert [(one.line, one.code) for one in found.rejected] == [(2, "duplicate-verdict"), (4, "unknown-pair")]
    assert "v.jsonl:1" in found.rejected[0].reason


def test_no_verdicts_are_no_battles() -> None:
    found = judged(PAIRS, [])
    assert len(found.battles) == 0
    assert found.battles.entrants == ("a", "b", "c")


def test_an_id_with_leading_zeros_stays_the_same_pair(tmp_path: Path) -> None:
    path = tmp_path / "gpt.jsonl"
    write_verdicts(path, [verdict(pair, "img1") for pair in ("007", "7", "\u0667")])
    assert [one.pair for one in read_verdicts(path).verdicts] == ["007", "7", "\u0667"]
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == ["007", 7, "\u0667"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "gpt.jsonl"
    rows = [verdict("0", "img1", True, confidence=0.75), verdict("x", "tie")]
    assert write_verdicts(path, rows) == 2
    again = read_verdicts(path).verdicts
    assert [(one.pair, one.preferred, one.flipped, one.confidence) for one in again] == [
        ("0", "img1", True, 0.75),
        ("x", "tie", False, None),
    ]
    assert json.loads(path.read_text().splitlines()[0])["id"] == 0
