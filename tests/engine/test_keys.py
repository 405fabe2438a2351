"""Keys are RFC 8785, and golden."""

import pytest

from engine.keys import canonical, content_key, seed_of

# Five golden keys (ARCHITECTURE, the stage contract): the RFC 8785 text written by hand, and its sha256.
GOLDEN = [
    ({"subject": "s", "query": "q"}, '{"query":"q","subject":"s"}', "bc1e54864b9594c12c69ced037fd01f3277c21046ee0b0ab1c15722df7951769"),
    (
        {"tau": 0.1, "big": 1e21, "one": 1.0},
        '{"big":1e+21,"one":1,"tau":0.1}',
        "1f447b034459707833c2720081faff365b5af9ea7141db10ba39b4df45cb7f39",
    ),
    (
        {"text": 'é "quoted"\n€', "a": [True, None]},
        '{"a":[true,null],"text":"é \\"quoted\\"\\n€"}',
        "482d3c682fe79a4bffc872de7b1cbb87d83039e9e154f2b4593e517249aa5dd7",
    ),
    (["😀", "ﬁ", "नमस्ते"], '["😀","ﬁ","नमस्ते"]', "5c74e42f4ff8cebd2b578ab70b9c07c9c06c9e07cbc76fafbe43923bef913b3d"),
    ({"😀": 1, "ﬁ": 2}, '{"😀":1,"ﬁ":2}', "00ab868e70bbb0fb50d560d1a59c0c27c10e8ff0760c288249b824274d6b3133"),
]


@pytest.mark.parametrize(("value", "text", "key"), GOLDEN)
def test_golden_keys(value, text, key):
    assert canonical(value) == text.encode()
    assert content_key(value) == key


def test_seeds_are_63_bits_of_the_key():
    assert seed_of("unit", "fingerprint") == int("bc97e80c54f1a9b8", 16) >> 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [-float("inf")], "\ud800", {"a": "\udfff"}, 2**60])
def test_what_json_cannot_hold_is_refused(value):
    with pytest.raises(ValueError):
        canonical(value)
