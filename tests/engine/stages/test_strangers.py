"""Strangers are other usable people of the same shard who share nothing with the person, drawn by the unit's key alone."""

from collections import Counter

from engine.stage import Unit
from engine.stages.strangers import STRANGERS, strangers_of
from engine.store.plans import Shard, Subject


def key(number):
    return f"{number:064x}"


def shard_of(*numbers, twins=(), bad=()):
    return Shard.of([Subject(key(n), f"p{n}", "twins" if n in twins else f"c{n}", n in bad) for n in numbers])


def unit(number, name="u"):
    return Unit(f"{name}-{number}", key(number))


def test_nobody_is_their_own_stranger_nor_a_twins_nor_is_a_bad_row_anybodys():
    shard = shard_of(*range(8), twins=(0, 1), bad=(2,))
    drawn = Counter(other for n in range(300) for other in strangers_of(unit(0, f"u{n}"), shard))
    assert set(drawn) == {key(n) for n in (3, 4, 5, 6, 7)}
    # 180 of 300 expected, sd 8.5: each as often as any other.
    assert all(145 < count < 215 for count in drawn.values())


def test_strangers_are_distinct_and_at_most_three():
    for size in range(1, 9):
        found = strangers_of(unit(0), shard_of(*range(size)))
        assert len(found) == len(set(found)) == min(STRANGERS, size - 1)


def test_they_follow_from_the_unit_and_the_set_of_people_whatever_their_order():
    one, other = shard_of(*range(8)), shard_of(*reversed(range(8)))
    assert strangers_of(unit(3), one) == strangers_of(unit(3), other)
    assert len({strangers_of(unit(3, f"u{n}"), one) for n in range(50)}) > 25


def test_alone_or_among_twins_and_bad_rows_there_is_none():
    assert strangers_of(unit(0), shard_of(0)) == ()
    assert strangers_of(unit(0), shard_of(0, 1, 2, twins=(0, 1), bad=(2,))) == ()
