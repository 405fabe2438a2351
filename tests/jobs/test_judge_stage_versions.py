"""The promise of the judges' stages' versions (see `test_stage_versions`): recorded verdicts give the same rows, and what a judge is shown.

`golden/judge_stages.json` is written by MIEN_WRITE_GOLDEN=1 as there.
"""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from actors.scorer import VpttScorer
from actors.writer import TemplateWriter
from engine.config import CONTROLS, METHODS, Experiment
from engine.errors import ConfigError
from engine.judging.asking import system_text, user_text
from engine.judging.verdicts import Judged
from engine.outcome import Answered, Failed
from engine.profiles.validation import person_key
from engine.rows import inputs_digest, make_row
from engine.stage import Unit
from engine.store.folder import FolderBackend
from engine.store.plans import Shard, Subject
from engine.store.results import Results
from jobs.calling import Caller
from jobs.shard_runner import ShardRunner
from jobs.vptt import vptt
from tests.jobs.hand_made import PEOPLE, QUERIES, RecordedEncoder
from tests.jobs.test_image_stage_versions import MODELS as IMAGE_MODELS
from tests.jobs.test_image_stage_versions import RecordedRenderer, RecordedVision, numbers
from tests.jobs.test_stage_versions import digest

GOLDEN = Path(__file__).parent / "golden" / "judge_stages.json"
JUDGES = [
    {"name": "script-texts", "script": {}},
    {"name": "reader", "model": "smollm2", "looks": "descriptions", "sees": "full", "posts": 2},
    {"name": "seer", "model": {"engine": "vllm", "model": "recorded"}, "looks": "pictures", "sees": "references", "posts": 2},
]
MODELS = {
    **IMAGE_MODELS,
    "writer:template": TemplateWriter.id,
    "describer": "recorded-describer@1",
    **{f"judge:{judge['name']}": f"recorded-{judge['name']}@1" for judge in JUDGES},
    "judge-model:reader": "recorded@1",
    "judge-model:seer": "recorded@1",
}


class RecordedJudge:
    """Replays a verdict for every question, and keeps the questions."""

    def __init__(self):
        self.asked = []

    def judge(self, requests):
        self.asked += requests
        return [Answered(self._judged(request)) for request in requests]

    @staticmethod
    def _judged(request):
        drawn = numbers(user_text(request), 1)[0] + 0.3
        letters = ("A", "B", "tie") if request.rubric.question == "pair" else ("A", "B")
        decision = round(5 * drawn) * 1.0 if request.rubric.question == "rating" else letters[int(drawn * 0.999 * len(letters))]
        return Judged(decision, round(0.5 + drawn / 2, 1), f"because {drawn:.3f}", "{}", "recorded", 7, 3)


class RecordedDescriber:
    """Replays what would be told of an image of that name."""

    def describe(self, names):
        return [Answered(f"a picture like {name[-12:]}") for name in names]


def run(folder, people=PEOPLE, **judging):
    """(workflow, shard, results, judges by actor) of a run with recorded replies."""
    results = Results(FolderBackend(folder))
    choices = {
        "methods": ["baseline", "brag", "vprag"],
        "cross_fit": 0,
        "second_encoder": "",
        "images": {"gallery": 3, "quality": ["brisque"]},
        "judging": {"judges": JUDGES, "turing": True, **judging},
    }
    workflow = vptt(Experiment.model_validate(choices), MODELS, QUERIES)
    keyed = {person_key(profile): profile for profile in people}
    shard = Shard.of([Subject(key, profile.id, profile.cluster) for key, profile in keyed.items()])
    rows = [make_row(workflow.people, Unit(key, key), Answered(profile), inputs_digest([])) for key, profile in keyed.items()]
    results.commit(workflow.people, shard.key, rows)
    judges = {f"judge:{judge['name']}": RecordedJudge() for judge in JUDGES}
    actors = {
        "encoder": RecordedEncoder(),
        "writer:template": TemplateWriter(),
        "scorer": VpttScorer(workflow.ceilings.definition),
        "renderer:tiny-scenes": RecordedRenderer(),
        "vision": RecordedVision(),
        "describer": RecordedDescriber(),
        **judges,
    }
    ShardRunner(results, workflow.stages, Caller(actors.__getitem__), workflow.units).run(shard, {workflow.people.id: 0})
    return workflow, shard, results, judges


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    return run(tmp_path_factory.mktemp("store"))


def rows_of(ran, kinds):
    workflow, shard, results, _ = ran
    stages = {stage.id: stage for stage in workflow.judgements.stages if stage.kind in kinds}
    return [(stage, workflow.units(shard, stage), results.read(stage, shard.key, overlays=0)) for stage in stages.values()]


KINDS = ("description", "description-gallery", "rating", "pair", "turing", "turing-sense")


def test_every_unit_is_answered_and_extractive_prompts_are_not_judged(ran):
    found = {stage.name: (stage, units, rows) for stage, units, rows in rows_of(ran, KINDS)}
    # Two methods that are not extractive: three judges rate both and compare them; one tests them, and itself. Two images and the gallery
    # are described.
    assert sorted(stage.kind for stage, _, _ in found.values()) == sorted(
        ["description"] * 2 + ["description-gallery"] + ["rating"] * 6 + ["pair"] * 3 + ["turing"] * 2 + ["turing-sense"]
    )
    assert not any("brag" in name for name in found)
    for stage, units, rows in found.values():
        assert len(rows) == len(units) == {"person": 5, "task": 20}[stage.per]
        assert all(isinstance(row.outcome, Answered) for row in rows.values()), stage.name


def test_the_output_of_a_stage_changes_only_with_its_version(ran):
    found = {f"{stage.name} version {stage.version}": digest(stage, rows) for stage, _, rows in rows_of(ran, KINDS)}
    found = dict(sorted(found.items()))
    if os.environ.get("MIEN_WRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    assert found == json.loads(GOLDEN.read_text()), "raise the version or restore the behaviour"


def test_both_orders_are_one_unit_and_preferences_are_told_of_entrants_not_of_sides(ran):
    for _, _, rows in rows_of(ran, ("pair",)):
        for row in rows.values():
            assert [each.first for each in row.outcome.value.asked] == ["a", "b"]
    asked = [request for request in ran[3]["judge:script-texts"].asked if request.rubric.question == "pair"]
    assert all(first.candidates == second.candidates[::-1] for first, second in zip(asked[::2], asked[1::2], strict=True))
    assert len({request.key for request in asked}) == len(asked)
    units, rows = next((units, rows) for stage, units, rows in rows_of(ran, ("pair",)) if stage.by.name == "script-texts")
    for forward, backward, unit in zip(asked[::2], asked[1::2], units, strict=True):
        row = rows[unit.key]
        sides = [RecordedJudge._judged(forward).decision, RecordedJudge._judged(backward).decision]
        told = [each.preferred for each in row.outcome.value.asked]
        assert told == [{"A": "a", "B": "b"}.get(sides[0], "tie"), {"A": "b", "B": "a"}.get(sides[1], "tie")]


def test_a_seeded_swap_asks_once_and_all_judges_alike(tmp_path):
    ran = run(tmp_path, orders="swapped")
    firsts = [[row.outcome.value.asked[0].first for row in rows.values()] for _, _, rows in rows_of(ran, ("pair",))]
    assert all(len(row.outcome.value.asked) == 1 for _, _, rows in rows_of(ran, ("pair",)) for row in rows.values())
    assert {"a", "b"} == set(firsts[0])
    # Texts, descriptions and pictures are other outputs, so their orders are draws of their own.
    assert len(firsts) == 3


def test_a_share_of_pairs_is_the_same_for_every_run(tmp_path):
    half, most = (
        {unit.key for _, units, _ in rows_of(run(tmp_path / str(share), share=share), ("pair",))[:1] for unit in units}
        for share in (0.3, 0.8)
    )
    assert half < most
    assert 0 < len(half) < len(most) < 20


def test_judges_see_no_method_no_file_and_no_person_by_name(ran):
    hidden = {*METHODS, *CONTROLS, "template", "tiny-scenes", *(profile.id for profile in PEOPLE)} - {"own", "persona"}
    for judge in ran[3].values():
        assert judge.asked
        for request in judge.asked:
            words = f"{system_text(request.rubric, 'text')} {user_text(request)}".lower()
            assert not [name for name in hidden if name in words]
            assert "objects/" not in words


def test_the_held_post_is_what_a_method_never_saw(ran):
    workflow, shard, results, judges = ran
    profiles = {person_key(profile): profile for profile in PEOPLE}
    for stage in workflow.judgements.fools:
        prompts = results.read(stage.prompt, shard.key, overlays=0)
        for key, profile in profiles.items():
            own, _ = stage.candidates(Unit(key, key), (profile, prompts[key].outcome.value))
            written = prompts[key].outcome.value
            assert own.text in {caption.text for caption in profile.captions}
            assert not any(own.text == piece.text for piece in written.pieces)
    asked = [request for request in judges["judge:script-texts"].asked if request.rubric.question == "turing"]
    assert len(asked) == 5 * 2 * 3
    for request in asked:
        held = [each.text for each in request.candidates if each.text in {c.text for profile in PEOPLE for c in profile.captions}]
        assert held
        assert not set(held) & set(request.subject.posts)


def test_pictures_and_descriptions_come_with_the_persons_own(ran):
    for request in ran[3]["judge:seer"].asked:
        assert len(request.subject.pictures) == 2
        assert request.subject.posts == ()
        assert all(each.picture and not each.text for each in request.candidates)
    for request in ran[3]["judge:reader"].asked:
        assert all(post.startswith("a picture like") for post in request.subject.posts)
        assert request.subject.facts


def test_methods_that_paste_what_judges_see_are_no_choice(tmp_path):
    with pytest.raises(ConfigError, match="'brag' pastes"):
        run(tmp_path, methods=["brag"])


def test_a_judge_of_the_control_own_does_not_see_the_captions_that_it_is_made_of(tmp_path):
    ran = run(tmp_path, methods=["own", "vprag"])
    texts = {caption.text for profile in PEOPLE for caption in profile.captions}
    for request in ran[3]["judge:script-texts"].asked:
        if request.rubric.question != "turing":
            made_of = {text for text in texts for each in request.candidates if text in each.text}
            assert not made_of & set(request.subject.posts)
    own = [each for request in ran[3]["judge:script-texts"].asked for each in request.candidates if each.text in texts]
    assert own, "nothing was made of captions, or the test shows nothing"


def test_a_judge_of_images_who_is_to_see_the_persona_alone_sees_no_gallery(tmp_path):
    judges = [{**judge, "sees": "persona"} for judge in JUDGES[1:]]
    ran = run(tmp_path, judges=judges, turing=False)
    for judge in ("reader", "seer"):
        assert all(not request.subject.pictures and not request.subject.posts for request in ran[3][f"judge:{judge}"].asked)


def test_a_person_without_moments_fails_the_turing_test_by_name_and_nothing_else(tmp_path):
    bare = replace(PEOPLE[0], captions=tuple(replace(caption, scenario="") for caption in PEOPLE[0].captions))
    ran = run(tmp_path, people=[bare, *PEOPLE[1:]])
    for stage, _, rows in rows_of(ran, KINDS):
        failed = [row.outcome for row in rows.values() if not isinstance(row.outcome, Answered)]
        assert len(failed) == (1 if stage.kind.startswith("turing") else 0), stage.name
        assert all(isinstance(outcome, Failed) and outcome.code.endswith("no-held-post") for outcome in failed)
