import hashlib

import numpy as np
import pytest
from made_up_memory import D, opened, people_with_ties
from safetensors import safe_open

from actors.index_build import PersonVectors, build_index
from actors.index_file import DATA_AT, open_index
from engine.errors import CorruptObject, InputError, Missing, StoreError
from engine.keys import file_sha256
from engine.metrics.memory import unit_rows


def test_an_index_gives_back_its_people_and_their_unit_vectors(tmp_path):
    people = people_with_ties(1)
    index = opened(tmp_path, people)
    assert index.people == tuple(person.key for person in people)
    assert index.clusters == tuple(person.cluster for person in people)
    assert index.encoder == "made-up@1"
    assert index.digests is None
    for person in people:
        rows, nonzero, _ = unit_rows(person.vectors, 1e-12)
        np.testing.assert_array_equal(index.captions(person.key), rows.astype(np.float32))
        np.testing.assert_array_equal(index.usable[index.span(index.place(person.key))], nonzero)
    assert index.cluster_of("person-003") == ("person-002", "person-003")


def test_vectors_that_an_encoder_made_unit_stay_bit_for_bit(tmp_path):
    generator = np.random.default_rng(0)
    rows = unit_rows(generator.integers(-3, 4, (400, 8)) + 0.5, 1e-12)[0].astype(np.float32)
    again = unit_rows(rows, 1e-12)[0].astype(np.float32)
    assert (again != rows).any()  # few numbers a row: dividing once more would move some
    index = opened(tmp_path, [PersonVectors("a", "x", rows), PersonVectors("b", "y", 2 * rows)])
    np.testing.assert_array_equal(index.captions("a"), rows)
    np.testing.assert_array_equal(index.captions("b"), again)


def test_the_same_people_give_the_same_bytes(tmp_path):
    first, second = (build_index(tmp_path / name, people_with_ties(2), encoder="e@1") for name in ("a", "b"))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert first == second == file_sha256(tmp_path / "a")
    assert build_index(tmp_path / "c", people_with_ties(2), encoder="e@2") != first
    assert build_index(tmp_path / "d", people_with_ties(2)[::-1], encoder="e@1") != first


def test_any_safetensors_reader_opens_it(tmp_path):
    digests = [hashlib.sha256(bytes([i])).digest() for i in range(3)]
    index = opened(tmp_path, [PersonVectors("a", "x", np.eye(3), digests), PersonVectors("b", "y", np.zeros((0, 3)), [])])
    with safe_open(index.path, framework="np") as file:
        assert set(file.keys()) == {"vectors", "offsets", "flat", "digests", "people"}
        np.testing.assert_array_equal(file.get_tensor("vectors"), np.eye(3, dtype=np.float32))
        np.testing.assert_array_equal(file.get_tensor("offsets"), [0, 3, 3])
        assert file.metadata()["encoder"] == "made-up@1"
    assert [row.tobytes() for row in index.digests] == digests


def test_rows_lie_in_the_mapped_file_and_cannot_be_written(tmp_path):
    index = opened(tmp_path, people_with_ties(3))
    assert not index.captions("person-000").flags.writeable
    assert not index.captions("person-000").flags.owndata
    assert index.vectors.ctypes.data % 64 == 0


def test_a_person_without_captions_is_kept(tmp_path):
    index = opened(tmp_path, [PersonVectors("a", "x", np.zeros((0, D))), PersonVectors("b", "y", np.ones((2, D)))])
    assert index.captions("a").shape == (0, D)
    assert index.owners(np.array([0, 1])).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("people", "field"),
    [
        ([], ""),
        ([("a", np.ones((1, 3))), ("a", np.ones((1, 3)))], "key"),
        ([("a", np.ones((1, 3))), ("b", np.ones((1, 4)))], "vectors"),
        ([("a", np.ones(3))], "vectors"),
        ([("a", np.array([[1.0, np.nan]]))], "vectors"),
        ([("a", np.array([[1.0, np.inf]]))], "vectors"),
        ([("a", np.ones((2, 3)), [b"x" * 32])], "digests"),
        ([("a", np.ones((1, 3)), [b"short"])], "digests"),
        ([("a", np.ones((1, 3)), [b"x" * 32]), ("b", np.ones((1, 3)))], "digests"),
        ([("a", np.ones((1, 3))), ("b", np.ones((1, 3)), [b"x" * 32])], "digests"),
        ([("\ud800", np.ones((1, 3)))], "key"),
    ],
)
def test_people_that_make_no_index_are_refused_and_leave_no_file(tmp_path, people, field):
    made = [PersonVectors(key, "c", *rest) for key, *rest in people]
    with pytest.raises(InputError) as refused:
        build_index(tmp_path / "index", made, encoder="e@1")
    assert refused.value.field == field
    assert list(tmp_path.iterdir()) == []


def test_a_build_that_is_cut_short_leaves_the_file_that_was_there(tmp_path):
    index = opened(tmp_path, people_with_ties(4))
    before = index.path.read_bytes()
    with pytest.raises(InputError):
        build_index(index.path, [*people_with_ties(5), people_with_ties(5)[0]], encoder="e@1")
    assert index.path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [index.path]


def test_every_flipped_bit_is_noticed(tmp_path):
    path = opened(tmp_path, people_with_ties(6, count=3)).path
    good = path.read_bytes()
    used = len(good[:DATA_AT].rstrip(b" "))
    for place in [*range(used + 20), DATA_AT - 1, *range(DATA_AT, len(good), 97), len(good) - 1]:
        for bit in (0x01, 0x08, 0x40):
            damaged = bytearray(good)
            damaged[place] ^= bit
            path.write_bytes(damaged)
            with pytest.raises(CorruptObject, match=r"index\.safetensors"):
                open_index(path)


@pytest.mark.parametrize("keep", [0, 7, 100, DATA_AT - 1, DATA_AT, -1])
def test_a_truncated_file_is_refused_even_unverified(tmp_path, keep):
    path = opened(tmp_path, people_with_ties(7, count=3)).path
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(CorruptObject):
        open_index(path, verify=False)


def test_an_encoder_id_that_does_not_fit_is_refused(tmp_path):
    with pytest.raises(InputError, match="5000 characters"):
        build_index(tmp_path / "index", people_with_ties(0), encoder="e" * 5000)


def test_longer_foreign_and_missing_files_are_refused(tmp_path):
    path = opened(tmp_path, people_with_ties(8, count=3)).path
    good = path.read_bytes()
    for other in (good + b"x", b"PAR1" * 2000, good[:8].ljust(DATA_AT, b"["), good.replace(b"mien.caption-index", b"mien.another-index")):
        path.write_bytes(other)
        with pytest.raises(CorruptObject):
            open_index(path, verify=False)
    with pytest.raises(Missing):
        open_index(tmp_path / "nothing")
    with pytest.raises(StoreError):
        open_index(tmp_path)
