"""Ranks against a plain loop in float64, and against chance by simulation."""

import numpy as np
import pytest
from made_up_memory import opened, people_with_ties

from actors import reidentifying
from actors.index_build import PersonVectors
from actors.retrieval import RetrievalActor
from engine.errors import InputError
from engine.metrics.reidentification import Gallery, gallery_order, hard_gallery
from engine.prompting.retrieval import cosines


def score(index, query, person, allowed):
    span = index.span(index.place(person))
    rows = index.vectors[span][index.usable[span] & allowed[span]].astype(np.float64)
    if not len(rows):
        return None
    best = sorted(cosines(query, rows))[-3:]
    return sum(best) / len(best)


def by_loop(index, query, person, gallery, allowed):
    """(better, tied, size), one person after the other."""
    cluster = dict(zip(index.people, index.clusters, strict=True))
    order = gallery_order(index.people, gallery.seed)
    if gallery.alike is not None:
        order = [other for other in order if other in gallery.alike.get(person, ())]
    scores = {other: score(index, query, other, allowed) for other in order if cluster[other] != cluster[person]}
    others = [value for value in scores.values() if value is not None][: gallery.size - 1]
    own = score(index, query, person, allowed)
    if own is None or not others:
        return 0, 0, 0
    return sum(value > own for value in others), sum(value == own for value in others), 1 + len(others)


def cases(index, seed):
    generator = np.random.default_rng(seed)
    persons = [index.people[i] for i in generator.integers(0, len(index.people), 60)]
    queries = generator.normal(size=(60, index.dimension))
    for i in range(0, 60, 2):
        queries[i] = index.captions(persons[i])[0]
    queries[1] = 0
    return queries, persons


def gallery_of(kind, index):
    if kind == "hard":
        return hard_gallery({person: index.people[i % 7 :: 3] for i, person in enumerate(index.people) if i % 9})
    return Gallery(str(kind), kind, seed=3)


@pytest.mark.parametrize("kind", [2, 10, 1000, "hard"])
@pytest.mark.parametrize("half", [False, True])
def test_ranks_are_those_of_a_loop_over_people(tmp_path, monkeypatch, kind, half):
    monkeypatch.setattr(reidentifying, "QUERIES", 17)
    monkeypatch.setattr(reidentifying, "CAPTIONS", 50)
    people = people_with_ties(4)
    people[9] = PersonVectors("copy", "of its own", people[4].vectors[::-1])
    index = opened(tmp_path, people)
    queries, persons = cases(index, 5)
    allowed = np.random.default_rng(6).random(len(index.vectors)) < (0.5 if half else 2)
    gallery = gallery_of(kind, index)
    ranks = RetrievalActor(index).reidentify(queries, persons, gallery, allowed=allowed if half else None)
    expected = [by_loop(index, query, person, gallery, allowed) for query, person in zip(queries, persons, strict=True)]
    assert list(zip(ranks.better, ranks.tied, ranks.size, strict=True)) == expected
    assert (ranks.tied > 0).any() or kind == 2


def test_a_copy_of_the_right_person_ties_whatever_the_order_of_its_captions(tmp_path):
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(20, 48))
    index = opened(tmp_path, [PersonVectors("one", "a", rows), PersonVectors("two", "b", rows[::-1])])
    ranks = RetrievalActor(index).reidentify(generator.normal(size=(50, 48)), ["one"] * 50, Gallery("2", 2))
    assert ranks.tied.tolist() == [1] * 50
    assert ranks.recall(1) == ranks.chance(1) == 0.5


def people_around_topics(count, dimension=32, captions=12):
    generator = np.random.default_rng(21)
    topics = generator.normal(size=(count, dimension))
    rows = [topic + generator.normal(size=(captions, dimension)) for topic in topics]
    return [PersonVectors(f"p{i}", f"c{i}", each) for i, each in enumerate(rows)], topics


@pytest.mark.parametrize("size", [100, 200])
def test_a_strangers_prompts_are_at_chance_and_ones_own_far_above(tmp_path, size):
    people, topics = people_around_topics(300)
    actor = RetrievalActor(opened(tmp_path, people))
    generator = np.random.default_rng(22)
    right, writers = generator.integers(0, 300, 4000), generator.integers(0, 300, 4000)
    persons = [f"p{i}" for i in right]
    stranger = actor.reidentify(topics[writers] + generator.normal(size=(4000, 32)), persons, Gallery("g", size))
    own = actor.reidentify(topics[right] + generator.normal(size=(4000, 32)), persons, Gallery("g", size))
    assert (stranger.size == size).all()
    assert stranger.chance(1) == pytest.approx(1 / size)
    # 4,000 draws: standard errors of .0016 and .0011 for recall@1 at 1 in 100 and 200, of .0046 for the percentile.
    assert stranger.recall(1) == pytest.approx(1 / size, abs=0.006)
    assert stranger.percentile() == pytest.approx(0.5, abs=0.02)
    assert own.recall(1) > 0.8


def test_a_copied_caption_of_half_a_does_not_win_on_half_b(tmp_path):
    generator = np.random.default_rng(1)
    people = [PersonVectors(f"p{i}", f"c{i}", generator.normal(size=(8, 64))) for i in range(60)]
    index = opened(tmp_path, people)
    shown = np.tile([True, True, True, True, False, False, False, False], 60)
    pasted = index.vectors[::8]
    actor = RetrievalActor(index)
    assert actor.reidentify(pasted, index.people, Gallery("g", 50)).recall(1) > 0.9
    assert actor.reidentify(pasted, index.people, Gallery("g", 50), allowed=~shown).recall(1) < 0.1


def test_every_method_meets_the_same_distractors(tmp_path):
    """With nothing but the right person removed from the order: who ranks above does not depend on the prompts of a batch."""
    index = opened(tmp_path, people_with_ties(7))
    queries, persons = cases(index, 8)
    actor = RetrievalActor(index)
    whole = actor.reidentify(queries, persons, Gallery("g", 12))
    for i in range(0, 60, 7):
        alone = actor.reidentify(queries[i : i + 1], persons[i : i + 1], Gallery("g", 12))
        assert (alone.better[0], alone.tied[0], alone.size[0]) == (whole.better[i], whole.tied[i], whole.size[i])


def test_a_mask_that_does_not_fit_and_an_unknown_person_are_refused(tmp_path):
    index = opened(tmp_path, people_with_ties(9))
    actor = RetrievalActor(index)
    query = np.ones((1, index.dimension))
    for mask in (np.ones(3, np.bool_), np.ones(len(index.vectors))):
        with pytest.raises(InputError) as refused:
            actor.reidentify(query, ["person-001"], Gallery("g", 5), allowed=mask)
        assert refused.value.field == "allowed"
    with pytest.raises(InputError, match="nobody"):
        actor.reidentify(query, ["nobody"], Gallery("g", 5))
    with pytest.raises(InputError, match="nobody"):
        actor.reidentify(query, ["person-001"], hard_gallery({"person-001": ["nobody"]}))


def test_no_prompts_have_no_ranks(tmp_path):
    index = opened(tmp_path, people_with_ties(10))
    ranks = RetrievalActor(index).reidentify(np.zeros((0, index.dimension)), [], Gallery("g", 5))
    assert np.isnan(ranks.recall(1))
