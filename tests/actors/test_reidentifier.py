"""People are found by their own captions, a stranger's at chance, and only among captions of the half that was asked for."""

import numpy as np
import pytest
from made_up_memory import opened

from actors.index_build import PersonVectors
from actors.reidentifier import Reidentifier
from engine.errors import InputError
from engine.metrics.search import Search
from engine.prompting.view import OTHER, half_of

PEOPLE, CAPTIONS, D = 240, 12, 48


@pytest.fixture(scope="module")
def memory():
    """Person -> captions (12, 48) around a topic of their own."""
    rng = np.random.default_rng(5)
    return {f"person-{n:03d}": rng.normal(size=D) + 0.9 * rng.normal(size=(CAPTIONS, D)) for n in range(PEOPLE)}


@pytest.fixture(scope="module")
def index(memory, tmp_path_factory):
    people = [PersonVectors(key, f"c-{key}", vectors) for key, vectors in memory.items()]
    return opened(tmp_path_factory.mktemp("index"), people)


def finder(index, traits=None):
    return Reidentifier(index, traits or {})


def both(subject, vectors, masked=None):
    """A request as the stage makes it: half A's prompt is looked for in half B, and the other way round."""
    return [Search(subject, OTHER[half], vectors[half], (masked or vectors)[half]) for half in ("a", "b")]


def own_of_half(memory, person):
    return {half: memory[person][half_of(person, CAPTIONS, half)].mean(axis=0) for half in ("a", "b")}


def values(outcomes):
    return [outcome.value for outcome in outcomes]


def test_what_a_half_says_finds_its_person_by_the_other_half(memory, index):
    found = values(finder(index).find([both(person, own_of_half(memory, person)) for person in memory]))
    assert np.mean([each.reid_100 for each in found]) > 0.9
    assert {(each.size_100, each.size_1000) for each in found} == {(100, PEOPLE)}
    assert np.mean([each.reid_1000 for each in found]) <= np.mean([each.reid_100 for each in found])


def test_a_strangers_prompt_is_at_chance(memory, index):
    keys = list(memory)
    others = [both(person, own_of_half(memory, keys[(place + 7) % PEOPLE])) for place, person in enumerate(keys)]
    found = values(finder(index).find(others * 3))
    # Chance is .01 of 720 requests of two searches; the same stranger is met by both halves.
    assert np.mean([each.reid_100 for each in found]) < 0.05


def test_a_caption_copied_from_a_half_wins_nothing_from_being_a_copy(index, tmp_path):
    """Without a topic of one's own a copy is found where it stands, and is no better than any text in the other half."""
    rng = np.random.default_rng(6)
    people = {f"person-{n:03d}": rng.normal(size=(CAPTIONS, D)) for n in range(120)}
    without = Reidentifier(opened(tmp_path, [PersonVectors(key, key, rows) for key, rows in people.items()]), {})
    copies = {key: {half: rows[half_of(key, CAPTIONS, half)[0]] for half in ("a", "b")} for key, rows in people.items()}
    crossed = values(without.find([both(key, copies[key]) for key in people]))
    straight = values(without.find([[Search(key, half, copies[key][half], copies[key][half]) for half in ("a", "b")] for key in people]))
    assert np.mean([each.reid_100 for each in straight]) > 0.9
    assert np.mean([each.reid_100 for each in crossed]) < 0.06
    # What was copied is told beside it, from all captions.
    assert min(each.near_own for each in crossed) == pytest.approx(1, abs=1e-5)
    assert max(each.near_other for each in crossed) < 0.9


def test_the_masked_prompt_is_searched_for_apart(memory, index):
    person = "person-003"
    nothing = {"a": np.zeros(D), "b": np.zeros(D)}
    (found,) = values(finder(index).find([both(person, own_of_half(memory, person), masked=nothing)]))
    assert found.reid_1000 == 1
    assert found.reid_masked == pytest.approx(1 / PEOPLE), "a prompt of which nothing is left is everybody's"
    (found,) = values(finder(index).find([both(person, nothing, masked=own_of_half(memory, person))]))
    assert (found.reid_1000, found.reid_masked) == (pytest.approx(1 / PEOPLE), 1)


def test_the_hard_gallery_holds_those_of_the_same_culture_or_trade(memory, index):
    keys = list(memory)
    traits = {key: ["north", ""] if place < 10 else ["", "baker"] if place < 15 else ["", ""] for place, key in enumerate(keys)}
    traits[keys[0]] = ["north", "baker"]
    asked = [both(key, own_of_half(memory, key)) for key in (keys[0], keys[1], keys[12], keys[20])]
    found = values(finder(index, traits).find(asked))
    assert [each.size_hard for each in found] == [15, 10, 6, 0]
    assert found[3].reid_hard is None, "nobody is like them"
    assert found[3].reid_100 == 1


def test_a_batch_answers_each_request_as_if_it_were_alone(memory, index):
    actor = finder(index, {key: ["all", ""] for key in memory})
    rng = np.random.default_rng(8)
    asked = [both(person, {half: rng.normal(size=D) for half in ("a", "b")}) for person in list(memory)[:12]]
    together = values(actor.find(asked))
    assert together == [values(actor.find([each]))[0] for each in asked]


def test_who_has_too_few_captions_to_split_has_no_rank_and_is_nobodys_distractor(memory, tmp_path):
    few = {**{key: memory[key] for key in list(memory)[:20]}, "few": memory["person-050"][:3]}
    actor = Reidentifier(opened(tmp_path, [PersonVectors(key, key, rows) for key, rows in few.items()]), {})
    one, other = values(
        actor.find([both("few", dict.fromkeys(("a", "b"), few["few"][0])), both("person-001", own_of_half(memory, "person-001"))])
    )
    assert (one.reid_100, one.size_100) == (None, 0)
    assert (other.reid_100, other.size_100) == (1, 20)


def test_a_person_who_is_not_in_the_gallery_is_refused_by_name(index):
    with pytest.raises(InputError, match="nobody"):
        finder(index).find([both("nobody", {"a": np.ones(D), "b": np.ones(D)})])
