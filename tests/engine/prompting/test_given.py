"""Files of prompts: what is read, what is refused and where, and what becomes a failure of the method."""

import json

import pytest

from engine.errors import InputError
from engine.outcome import Answered, Failed
from engine.prompting.given import EMPTY_PROMPT, LONG_PROMPT, NO_PROMPT, named, outcome_of, read_given
from engine.queries import builtin_queries
from engine.queries.assigned import assign

POOL = builtin_queries()[:3]
KNOWN = {query.id for query in POOL}


def row(person="p1", query="q1", prompt="a red kite", **more):
    return {"person": person, "query": query, "prompt": prompt, **more}


def written(tmp_path, *rows, name="prompts.jsonl"):
    path = tmp_path / name
    path.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.jsonl", '{"Person": "p1", "QUERY": "q1", "prompt": "a red kite, at dawn"}\n\n{"person": "p2", "query": "q1", "prompt": "b"}\n'),
        ("p.csv", 'person,Query,PROMPT\np1,q1,"a red kite, at dawn"\np2,q1,b\n'),
        ("p.tsv", "person\tquery\tprompt\np1\tq1\ta red kite, at dawn\np2\tq1\tb\n"),
    ],
)
def test_every_kind_of_file_gives_the_same_prompts(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    prompts = read_given(path).prompts("mine", {"q1"})
    assert {pair: each.prompt for pair, each in prompts.items()} == {("p1", "q1"): "a red kite, at dawn", ("p2", "q1"): "b"}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (['{"person": "p1", '], ["prompts.jsonl:1", "JSON"]),
        ([row(), row(person="")], ["prompts.jsonl:2", "person"]),
        ([row(), row(query=None)], ["prompts.jsonl:2", "query"]),
        ([row(), {"person": "p", "query": "q"}], ["prompts.jsonl:2", "prompt"]),
        ([row(prompt=["a"])], ["prompts.jsonl:1", "prompt", "string"]),
        ([row(person=7)], ["prompts.jsonl:1", "person", "string"]),
        (['{"person": "p", "query": "q", "prompt": "\\ud800"}'], ["prompts.jsonl:1", "prompt", "surrogate"]),
        ([row(method="a"), row(query="q2")], ["prompts.jsonl:2", "method"]),
        ([], ["prompts.jsonl", "no prompt"]),
    ],
    ids=["json", "person", "query", "prompt", "list", "number", "surrogate", "method", "empty"],
)
def test_a_bad_row_is_named_by_file_line_and_field_with_a_remedy(tmp_path, rows, expected):
    with pytest.raises(InputError) as caught:
        read_given(written(tmp_path, *rows))
    for text in expected:
        assert text in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(("name", "text"), [("p.txt", "a red kite\n"), ("p.csv", "person,query,text\np1,q1,x\n"), ("p", "x")])
def test_a_file_without_prompts_by_its_kind_or_header_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError):
        read_given(tmp_path / name)


def test_a_person_and_query_may_stand_once_a_method(tmp_path):
    file = read_given(written(tmp_path, row(method="a"), row(method="b"), row(method="b")))
    assert len(file.prompts("a", {"q1"})) == 1
    with pytest.raises(InputError) as caught:
        file.prompts("b", {"q1"})
    assert (caught.value.line, caught.value.field, caught.value.code) == (3, "query", "duplicate-prompt")
    assert "line 2" in caught.value.message


def test_the_same_query_by_its_words_in_two_ways_is_a_duplicate(tmp_path):
    file = read_given(written(tmp_path, row(query="a cosy dinner"), row(query="", query_text="a cosy dinner")))
    with pytest.raises(InputError, match=":2"):
        file.prompts("mine", set())


def test_a_method_that_no_row_names_is_refused_with_the_nearest_one(tmp_path):
    with pytest.raises(InputError, match="did you mean 'alpha'") as caught:
        read_given(written(tmp_path, row(method="alpha"), row(method="beta"))).of("alhpa")
    assert "beta" in caught.value.remedy


def test_what_is_no_prompt_is_a_typed_failure_never_a_score(tmp_path):
    rows = read_given(written(tmp_path, row(), row("p2", prompt=""), row("p3", prompt="!?"), row("p4", prompt="word " * 2001))).rows
    good, *bad = (outcome_of(each, "mine") for each in (*rows, None))
    assert isinstance(good, Answered)
    assert (good.value.prompt, good.value.words) == ("a red kite", 3)
    assert [each.code for each in bad if isinstance(each, Failed)] == [EMPTY_PROMPT, EMPTY_PROMPT, LONG_PROMPT, NO_PROMPT]
    assert "line 2" in bad[0].message


def test_lines_are_told_a_few_at_a_time(tmp_path):
    rows = read_given(written(tmp_path, *(row(f"p{number}") for number in range(5)))).rows
    assert named(rows[:1]) == "line 1"
    assert named(rows) == "lines 1, 2, 3, ..."


def test_people_are_assigned_the_queries_of_their_rows_and_no_others(tmp_path):
    file = read_given(
        written(
            tmp_path,
            row("p1", POOL[0].id),
            row("p1", "A cosy dinner with friends"),
            row("p2", "own-1", query_text="A city street", task="my-generation", family="city"),
            row("p2", POOL[1].id, text=POOL[1].text),
        )
    )
    found = assign([file], POOL)
    assert {person: [query.text for query in queries] for person, queries in found.queries.items()} == {
        "p1": [POOL[0].text, "A cosy dinner with friends"],
        "p2": [POOL[1].text, "A city street"],
    }
    assert {(query.id, query.task, query.family) for query in found.pool} >= {("own-1", "my-generation", "city")}
    asked = {(person, query.id) for person, queries in found.queries.items() for query in queries}
    assert set(file.prompts("mine", KNOWN)) == asked


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row(query=POOL[0].id[:-2] + "x")], "did you mean"),
        ([row(query=POOL[0].id, text="other words")], "other words than"),
        ([row(query="q", text="one thing"), row("p2", query="q", text="another thing")], "another query"),
        ([row(query="word " * 201)], "201 words"),
    ],
    ids=["typo", "other words", "two queries", "long"],
)
def test_a_query_that_means_nothing_or_two_things_is_refused(tmp_path, rows, expected):
    with pytest.raises(InputError, match=expected) as caught:
        assign([read_given(written(tmp_path, *rows))], POOL)
    assert caught.value.line == len(rows)
    assert caught.value.remedy
