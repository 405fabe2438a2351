"""`mien profiles check --quality`, whole: real people, the real encoder, every figure beside its band."""

import json

import pytest

from engine.profiles.grammar import build_profiles
from engine.profiles.quality import BANDS
from engine.profiles.writing import write_people
from jobs.cli import exit_code
from jobs.commands.quality import quality_command
from tests.engine.profiles.quality.spoiled_people import few_skeletons, near_duplicates, without_elements


@pytest.fixture(scope="module")
def people():
    return list(build_profiles(8, 0))


def checked(capsys, *arguments):
    """(exit code, stdout, stderr) of `mien profiles check --quality`."""
    code = exit_code(["profiles", "check", "--quality", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_every_figure_is_told_beside_its_band_and_two_prompt_lists(people, tmp_path, capsys):
    prompts = tmp_path / "own.txt"
    prompts.write_text("".join(f"an oil painting of a fox with {n} hats\n" for n in range(60)), encoding="utf-8")
    file = tmp_path / "people.parquet"
    write_people(people, file)
    code, out, err = checked(capsys, file, "--against", prompts, "--json")
    events = [json.loads(line) for line in out.splitlines()]
    figures = {event["band"]: event for event in events if event["event"] == "figure"}
    assert list(figures) == [band.name for band in BANDS]
    assert 0.05 < figures["between people"]["value"] < figures["within a person"]["value"] < 0.6
    assert figures["between people"]["beside"]["PartiPrompts"] == 0.1291
    assert figures["within a person"]["beside"]["own.txt"] > 0.5
    assert figures["author found"]["state"] == "not judged"
    (realism,) = [event for event in events if event["event"] == "realism"]
    assert realism["auc"] > 0.99
    assert events[-1]["event"] == "quality"
    assert code == (4 if events[-1]["failed"] else 0)
    for name in events[-1]["failed"]:
        assert f"failed      {name}" in err
        assert figures[name]["remedy"] in err


@pytest.mark.parametrize(
    ("spoil", "band", "shown"),
    [
        (few_skeletons, "commonest skeleton", "there is a _ near the _ again ."),
        (near_duplicates, "near-duplicate people", "have a twin of g0-00000"),
        (without_elements, "captions with elements", "g0-000000: "),
    ],
)
def test_spoiled_people_end_with_code_4_and_name_the_band_and_an_example(people, tmp_path, capsys, spoil, band, shown):
    file = tmp_path / "spoiled.parquet"
    write_people(spoil(people), file)
    assert quality_command(file, against=None, as_json=False, encoder="tiny-trigrams") == 4
    out = capsys.readouterr().out
    assert f"failed      {band}" in out
    assert shown in out
    assert band in out.splitlines()[-1]


def test_a_bad_row_ends_the_check_before_anything_is_measured(tmp_path, capsys):
    file = tmp_path / "bad.jsonl"
    file.write_text('{"id": "a", "captions": 3}\n', encoding="utf-8")
    code, out, _ = checked(capsys, file)
    assert code == 2
    assert "0 good, 1 bad" in out
    assert "band" not in out


def test_a_list_without_quality_is_refused(tmp_path, capsys):
    assert exit_code(["profiles", "check", "people.parquet", "--against", "list.txt"]) == 2
    assert "--quality" in capsys.readouterr().err
