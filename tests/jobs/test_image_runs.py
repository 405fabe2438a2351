"""Whole runs with images on a real local Ray: drawn, looked at and reported; killed and resumed, every image stands once."""

import json
from pathlib import Path

import pytest

from engine.images.decoding import decode
from engine.outcome import Answered
from tests.jobs.running import Experiment, kill_when

PEOPLE, SHARD_SIZE = 4, 2
METHODS = ["baseline", "vprag"]
CHOICES = """
methods: [baseline, vprag]
queries: {tasks: [cultural-generation, social-editing]}
second_encoder: ''
cross_fit: 0
images: {gallery: 2}
"""


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    return Experiment(tmp_path_factory.mktemp("images"), PEOPLE, SHARD_SIZE, CHOICES)


@pytest.fixture(scope="module")
def undisturbed(experiment):
    code, output = experiment.run("undisturbed")
    assert code == 0, output
    return "undisturbed"


def pictures(store: Path) -> dict[str, tuple[int, bytes]]:
    """Every image in a store by its name: when it was written, and its bytes."""
    found = sorted((store / "objects").rglob("*.png"))
    return {str(path.relative_to(store)): (path.stat().st_mtime_ns, path.read_bytes()) for path in found}


@pytest.mark.slow
def test_every_prompt_and_gallery_is_drawn_measured_and_shown(experiment, undisturbed):
    run = experiment.opened(undisturbed)
    progress, seen = run.progress(), 0
    for score in run.workflow.drawings.scores:
        for shard in run.plan.shards:
            overlays = progress.overlays(score, shard)
            rows = run.results.read(score, shard.key, overlays=overlays).values()
            assert all(isinstance(row.outcome, Answered) for row in rows)
            seen += len(rows)
    assert seen == PEOPLE * 2 * len(METHODS)
    drawn = json.loads(experiment.report(undisturbed, "images.json"))["drawn"][0]
    assert dict(drawn["outcomes"]) == {method: [PEOPLE * 2, 0, 0, 0] for method in METHODS}
    page = experiment.report(undisturbed, "images.html").decode()
    # Two methods a case, the gallery's two, and the source of each edit.
    assert page.count("<img ") == PEOPLE * 2 * (len(METHODS) + 2) + PEOPLE
    assert "images.html" in experiment.report(undisturbed, "index.html").decode()


@pytest.mark.slow
def test_a_run_that_is_killed_half_way_keeps_every_image_it_had_and_ends_with_the_same_bytes(experiment, undisturbed):
    whole = pictures(experiment.folder / undisturbed)
    store = experiment.folder / "killed"
    kill_when(experiment.start("killed"), store, len(whole) // 2, 200, count=lambda store: len(pictures(store)))
    before = pictures(store)
    assert len(whole) // 2 <= len(before) < len(whole)
    code, output = experiment.run("killed")
    assert code == 0, output
    after = pictures(store)
    assert {name: after[name] for name in before} == before
    assert {name: data for name, (_, data) in after.items()} == {name: data for name, (_, data) in whole.items()}
    assert experiment.report("killed", "images.json") == experiment.report(undisturbed, "images.json")


@pytest.mark.slow
def test_images_hold_no_word_of_what_they_were_drawn_from(experiment, undisturbed):
    for _, data in pictures(experiment.folder / undisturbed).values():
        assert isinstance(decode(data), Answered)
        assert b"tEXt" not in data
        assert b"iTXt" not in data
