from actors.bounded_cache import BoundedCache


def test_the_least_recently_used_goes_first():
    cache = BoundedCache(10)
    for key in "abc":
        cache.put(key, key.upper(), 3)
    assert cache.get("a") == "A"
    cache.put("d", "D", 3)
    assert [key for key in "abcd" if key in cache] == ["a", "c", "d"]
    assert cache.bytes == 9


def test_what_is_larger_than_the_bound_is_not_kept_and_drives_nothing_out():
    cache = BoundedCache(10)
    cache.put("a", 1, 9)
    cache.put("b", 2, 11)
    assert (cache.get("a"), cache.get("b"), cache.bytes) == (1, None, 9)


def test_a_value_put_again_counts_once():
    cache = BoundedCache(10)
    cache.put("a", 1, 6)
    cache.put("a", 2, 7)
    assert (cache.get("a"), cache.bytes) == (2, 7)
    cache.clear()
    assert (cache.get("a"), cache.bytes) == (None, 0)
