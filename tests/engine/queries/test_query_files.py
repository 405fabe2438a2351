"""Query files of every kind read as they are; bad ones say where and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.queries import read_queries
from engine.queries.reading import slug


def _write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_json_lines_keep_every_field(tmp_path: Path) -> None:
    row = {
        "id": "q1",
        "task": "social-editing",
        "family": "pet",
        "breadth": "narrow",
        "text": "Add a cat",
        "source_id": "s",
        "source_caption": "A sofa",
        "region": "the seat",
    }
    (query,) = read_queries(_write(tmp_path, "x.jsonl", json.dumps(row)))
    assert {name: getattr(query, name) for name in row} == row


def test_json_lines_of_geneval_shape_read_with_prompt_and_tag(tmp_path: Path) -> None:
    content = '{"tag": "two", "include": [{"class": "cow", "count": 1}], "prompt": "a cow"}\n\n{"tag": "two", "prompt": "a hen"}\n'
    first, second = read_queries(_write(tmp_path, "Gen Eval_v1.jsonl", content))
    assert (first.task, first.family, first.text, first.id) == ("gen-eval-v1", "two", "a cow", "gen-eval-v1-0001")
    assert (second.id, second.breadth) == ("gen-eval-v1-0002", "")


def test_a_text_file_is_a_prompt_a_line_in_any_script(tmp_path: Path) -> None:
    prompts = ["公园里的下午", "هواپیمای کاغذی", "உறவினர் விருந்து", "A line\u2028with a separator", "# not a comment"]
    found = read_queries(_write(tmp_path, "प्रश्न.txt", "\ufeff" + "\r\n\r\n".join(prompts)))
    assert [query.text for query in found] == prompts
    assert found[0].task == "प्रश्न"


def test_a_tab_separated_list_keeps_quotation_marks_and_reads_its_category(tmp_path: Path) -> None:
    content = 'Prompt\tCategory\tNote\n"Peace" on a wall\tSigns\tx\nDogs at "cards\tAnimals\t\n'
    found = read_queries(_write(tmp_path, "p.tsv", content))
    assert [(query.text, query.family) for query in found] == [('"Peace" on a wall', "Signs"), ('Dogs at "cards', "Animals")]


def test_a_csv_field_in_quotes_may_hold_commas_and_line_breaks(tmp_path: Path) -> None:
    found = read_queries(_write(tmp_path, "p.csv", 'text,category\n"one, two\nthree",a\nfour,b\n'))
    assert [query.text for query in found] == ["one, two\nthree", "four"]


@pytest.mark.parametrize(
    ("name", "content", "line", "field", "code"),
    [
        ("a.jsonl", '{"text": "x"}\n{"text": "  "}\n', 2, "text", "empty-text"),
        ("a.jsonl", '{"prompt": "…!"}\n', 1, "prompt", "empty-text"),
        ("a.jsonl", '{"family": "x"}\n', 1, "text", "empty-text"),
        ("a.jsonl", '{"text": "x"}\n\n{"text": \n', 3, "", "broken-json"),
        ("a.jsonl", '["x"]\n', 1, "", "broken-json"),
        ("a.jsonl", "[" * 200_000, 1, "", "broken-json"),
        ("a.jsonl", '{"text": "x", "n": ' + "9" * 5000 + "}", 1, "", "broken-json"),
        ("a.jsonl", '{"text": 5}\n', 1, "text", "input"),
        ("a.jsonl", '{"text": "x", "breadth": "wide"}\n', 1, "breadth", "input"),
        ("a.jsonl", '{"text": "half \\ud83d"}\n', 1, "text", "input"),
        ("a.jsonl", '{"text": "x", "id": "q"}\n{"text": "y", "id": "q"}\n', 2, "id", "duplicate-id"),
        ("a.jsonl", "\n \n", None, "", "no-rows"),
        ("a.txt", "", None, "", "no-rows"),
        ("a.txt", "fine\n" + "word " * 201, 2, "text", "too-long"),
        ("a.txt", b"fine\nfine\n\xff\xfe", 3, "", "not-utf-8"),
        ("a.tsv", "Prompt\tCategory\n", None, "", "no-rows"),
        ("a.tsv", "Words\tCategory\nx\ty\n", 1, "prompt", "no-prompt-column"),
        ("a.tsv", "Prompt\tCategory\n\tAbstract\n", 2, "prompt", "empty-text"),
        ("a.csv", "prompt\none, two\n", 2, "", "broken-table"),
        ("a.csv", 'prompt\n"one" two\n', 2, "", "broken-table"),
        ("a.csv", "prompt,note\n" + "x" * 200_000 + ",y\n", 2, "", "broken-table"),
        ("a.parquet", "x", None, "", "input"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(
    tmp_path: Path, name: str, content: str | bytes, line: int | None, field: str, code: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_queries(_write(tmp_path, name, content))
    error = caught.value
    assert (error.line, error.field, error.code) == (line, field, code)
    assert error.file.endswith(name)
    assert error.remedy


def test_exactly_200_words_are_allowed(tmp_path: Path) -> None:
    assert len(read_queries(_write(tmp_path, "a.txt", "word " * 200))) == 1


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path) -> None:
    (tmp_path / "folder.txt").mkdir()
    for name in ("none.txt", "folder.txt"):
        with pytest.raises(InputError, match="cannot be read"):
            read_queries(tmp_path / name)


def test_a_slug_is_never_empty() -> None:
    assert [slug(name) for name in ("Parti Prompts (v2)", "日本語", "***")] == ["parti-prompts-v2", "日本語", "queries"]
