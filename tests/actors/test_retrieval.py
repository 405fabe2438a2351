import numpy as np
import pytest
from made_up_memory import D, opened, people_with_ties

from actors import nearest
from actors.encoders import make_encoder
from actors.index_build import PersonVectors
from actors.nearest import CpuProposer, Nearest
from actors.retrieval import RetrievalActor
from engine.errors import InputError
from engine.profiles.grammar.builder import build_profile
from engine.prompting.retrieval import RetrievalSettings, cosines, distinct_elements, retrieve
from engine.queries.builtin import builtin_queries


@pytest.fixture(params=range(3))
def index(request, tmp_path):
    return opened(tmp_path, people_with_ties(request.param))


def queries_near(index, seed, count=30):
    """Random directions, exact captions (whose copies all tie at 1), and one query of zeros."""
    generator = np.random.default_rng(seed)
    queries = generator.normal(size=(count, index.dimension))
    queries[::3] = index.vectors[generator.integers(0, len(index.vectors), len(queries[::3]))]
    queries[1] = 0
    return queries


def brute_force(index, query, k, banned=()):
    """Every caption that may be found, sorted by cosine, then by row."""
    rows = [row for row in np.flatnonzero(index.usable) if index.people[index.owners(row)] not in banned]
    values = cosines(query, index.vectors[rows].astype(np.float64))
    ranked = sorted(zip(rows, values, strict=True), key=lambda each: (-each[1], each[0]))[:k]
    people = [int(index.owners(row)) for row, _ in ranked]
    captions = [int(row - index.offsets[person]) for (row, _), person in zip(ranked, people, strict=True)]
    return people, captions, [value for _, value in ranked]


def assert_found(hits, i, expected):
    people, captions, values = expected
    found = len(people)
    assert hits.people[i, :found].tolist() == people
    assert hits.captions[i, :found].tolist() == captions
    assert hits.cosines[i, :found].tolist() == values
    assert (hits.people[i, found:] == -1).all()
    assert (hits.captions[i, found:] == -1).all()
    assert np.isnan(hits.cosines[i, found:]).all()


@pytest.mark.parametrize("k", [1, 5, 40])
def test_a_search_over_all_is_exact_with_ties_to_the_lower_row(index, k):
    queries = queries_near(index, 7)
    hits = RetrievalActor(index).search(queries, k)
    for i, query in enumerate(queries):
        assert_found(hits, i, brute_force(index, query, k))


def test_a_search_leaves_out_each_querys_own_excluded_people(index):
    queries = queries_near(index, 8)
    excluded = [index.cluster_of(index.people[i % 40]) if i % 4 else () for i in range(len(queries))]
    assert {len(people) for people in excluded} == {0, 2}
    hits = RetrievalActor(index).search(queries, 6, exclude=excluded)
    for i, query in enumerate(queries):
        assert_found(hits, i, brute_force(index, query, 6, excluded[i]))


def test_more_equals_than_were_asked_for_are_found_in_order_by_a_scan(tmp_path):
    copies = np.tile(np.eye(4)[0], (3000, 1))
    people = [PersonVectors("other", "o", np.eye(4)[1:2]), *(PersonVectors(f"p{i}", f"c{i}", copies[:30]) for i in range(100))]
    actor = RetrievalActor(opened(tmp_path, people))
    hits = actor.search(np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0]]), 40, exclude=[("p0",), ()])
    assert hits.people[0].tolist() == [2] * 30 + [3] * 10
    assert hits.captions[0].tolist() == [*range(30), *range(10)]
    assert hits.people[1].tolist() == [0] + [1] * 30 + [2] * 9
    assert actor.scans == 2


def test_an_exclusion_larger_than_any_fetch_is_exact(index, monkeypatch):
    monkeypatch.setattr(nearest, "SCAN_ROWS", 64)
    monkeypatch.setattr(nearest, "MOST_FETCHED", 32)
    queries = queries_near(index, 9)
    excluded = [index.people[: 5 + i] for i in range(len(queries))]
    actor = RetrievalActor(index)
    hits = actor.search(queries, 7, exclude=excluded)
    assert actor.scans == len(queries)
    for i, query in enumerate(queries):
        assert_found(hits, i, brute_force(index, query, 7, excluded[i]))


def test_excluding_everyone_finds_nothing(index):
    hits = RetrievalActor(index).search(np.ones((1, D)), 3, exclude=[index.people])
    assert_found(hits, 0, ([], [], []))


def test_asking_for_more_than_there_is_gives_all_and_then_nothing(index):
    query = np.ones(D)
    k = len(index.vectors) + 5
    assert_found(RetrievalActor(index).search(query[None], k), 0, brute_force(index, query, k))


@pytest.mark.parametrize("fetched", [64, 1024])
def test_what_float32_cannot_tell_apart_is_still_ordered_exactly(tmp_path, monkeypatch, fetched):
    monkeypatch.setattr(nearest, "SCAN_ROWS", 64)
    monkeypatch.setattr(nearest, "MOST_FETCHED", fetched)
    generator = np.random.default_rng(2)
    common = generator.normal(size=384)
    people = [PersonVectors(f"p{i}", f"c{i}", common + 3e-6 * generator.normal(size=(30, 384))) for i in range(20)]
    index = opened(tmp_path, people)
    queries = common + 0.3 * generator.normal(size=(20, 384))
    values = cosines(queries[0], index.vectors.astype(np.float64))
    assert len(np.unique(index.vectors @ queries[0].astype(np.float32))) < len(np.unique(values)) == 600
    hits = RetrievalActor(index).search(queries, 30)
    for i, query in enumerate(queries):
        assert_found(hits, i, brute_force(index, query, 30))


class Imprecise(CpuProposer):
    """A device that multiplies with ten bits, as tensor cores may."""

    def propose(self, queries, k):
        rough = (queries.view(np.int32) & np.int32(~0x1FFF)).view(np.float32)
        return super().propose(rough, k)


def test_a_device_less_precise_than_float32_changes_no_answer(index):
    queries = queries_near(index, 10)
    some = [np.zeros(0, np.int64)] * len(queries)
    exact, rough = (Nearest(index.vectors, index.flat, kind(index.vectors, 1)) for kind in (CpuProposer, Imprecise))
    for one, other in zip(exact.find(queries, 5, some), rough.find(queries, 5, some), strict=True):
        np.testing.assert_array_equal(one, other)
    assert rough.scans > exact.scans


def test_batches_order_and_threads_change_nothing(index):
    queries = queries_near(index, 11)
    whole = RetrievalActor(index, threads=2).search(queries, 5)
    actor = RetrievalActor(index)
    for i, query in enumerate(queries):
        alone = actor.search(query[None], 5)
        assert_found(whole, i, (alone.people[0].tolist(), alone.captions[0].tolist(), alone.cosines[0].tolist()))


def test_within_one_person_is_exact_with_ties_to_the_lower_caption(index):
    queries = queries_near(index, 12)
    actor = RetrievalActor(index)
    for person in index.people[:10]:
        hits = actor.within(person, queries, 4)
        others = [other for other in index.people if other != person]
        for i, query in enumerate(queries):
            assert_found(hits, i, brute_force(index, query, 4, others))


def test_pairs_in_any_order_get_what_each_gets_alone(index):
    queries = queries_near(index, 13)
    persons = [index.people[(7 * i) % 11] for i in range(len(queries))]
    actor = RetrievalActor(index)
    together = actor.within_many(persons, queries, 3)
    for i, (person, query) in enumerate(zip(persons, queries, strict=True)):
        alone = actor.within(person, query[None], 3)
        np.testing.assert_array_equal(together.captions[i], alone.captions[0])
        np.testing.assert_array_equal(together.cosines[i], alone.cosines[0])


@pytest.mark.parametrize("model", ["tiny-trigrams", "minilm-l6-v2"])
def test_within_finds_the_posts_that_vprag_retrieves(tmp_path, model):
    encoder = make_encoder(model)
    profiles = [build_profile(index, 5) for index in range(3)]
    memories = [encoder.encode([caption.text for caption in profile.captions]).vectors for profile in profiles]
    elements = [encoder.encode(distinct_elements(profile)).vectors for profile in profiles]
    index = opened(tmp_path, [PersonVectors(p.id, p.cluster, rows) for p, rows in zip(profiles, memories, strict=True)])
    actor = RetrievalActor(index)
    vectors = encoder.encode([query.text for query in builtin_queries()[:60]]).vectors
    encoder.close()
    for profile, memory, element in zip(profiles, memories, elements, strict=True):
        np.testing.assert_array_equal(index.captions(profile.id), memory)
        hits = actor.within(profile.id, vectors, 6)
        for i, vector in enumerate(vectors):
            posts = retrieve(profile, vector, memory, element, RetrievalSettings()).posts
            assert tuple(hits.captions[i, : len(posts)]) == posts


def test_copying_names_the_nearest_caption_and_whether_it_is_ones_own(tmp_path):
    rows = np.eye(5)
    shared = rows[4:]
    index = opened(
        tmp_path,
        [
            PersonVectors("ann", "a", np.concatenate([rows[:2], shared])),
            PersonVectors("bob", "b", np.concatenate([rows[2:4], shared])),
            PersonVectors("cid", "c", np.zeros((2, 5))),
        ],
    )
    prompts = np.array([[1, 0, 0, 0.1, 0], [0, 0, 1.0, 0.2, 0.1], [0, 0, 0, 0, 3.0], [0, 1.0, 0, 0, 0]])
    copies = RetrievalActor(index).copying(prompts, ["ann", "ann", "bob", "cid"])
    assert copies.nearest.people[:, 0].tolist() == [0, 1, 0, 0]
    assert copies.nearest.captions[:, 0].tolist() == [0, 0, 2, 1]
    assert copies.is_own.tolist() == [True, False, True, False]  # bob holds the very same caption as ann
    assert np.isnan(copies.own_cosine[3])


@pytest.mark.parametrize(
    ("vectors", "field"),
    [(np.ones((1, D + 1)), "vectors"), (np.ones(D), "vectors"), (np.full((1, D), np.nan), "vectors"), (np.full((1, D), np.inf), "vectors")],
)
def test_vectors_that_do_not_fit_are_refused(index, vectors, field):
    actor = RetrievalActor(index)
    for ask in (lambda: actor.search(vectors, 1), lambda: actor.within_many(["person-000"], vectors, 1)):
        with pytest.raises(InputError) as refused:
            ask()
        assert refused.value.field == field


def test_unknown_people_uneven_lists_and_no_captions_asked_for_are_refused(index):
    actor = RetrievalActor(index)
    with pytest.raises(InputError, match="no person 'nobody'"):
        actor.within("nobody", np.ones((1, D)), 1)
    with pytest.raises(InputError, match="no person 'nobody'"):
        actor.search(np.ones((1, D)), 1, exclude=[("nobody",)])
    with pytest.raises(InputError, match="1 queries came with 2 persons"):
        actor.within_many(["person-000", "person-001"], np.ones((1, D)), 1)
    with pytest.raises(InputError, match="0 captions"):
        actor.search(np.ones((1, D)), 0)


def test_no_queries_get_no_hits(index):
    assert RetrievalActor(index).search(np.zeros((0, D)), 4).cosines.shape == (0, 4)
