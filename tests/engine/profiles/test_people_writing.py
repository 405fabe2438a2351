"""People written to Parquet are whole or not there, and come back byte for byte."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import InputError, StoreUnusable
from engine.profiles.reading import read_people
from engine.profiles.validation import check_row
from engine.profiles.writing import write_people
from engine.records import PROFILE_SCHEMA, Profile

from .made_up_people import jsonl, person

SCRIPTS = [
    "قهوة عند النافذة",
    "窗边的铜壶，暮色",
    "बारिश में साइकिल",
    "ψωμί & ελιές",
    "नमस्ते 👩🏽‍🚀🚋 e\u0301 vs é",
    "ไม้ไผ่ริมน้ำ",
    "\u202eright to left\u202c",
    "tab\tand\nline",
    "zero\u200dwidth \u00a0 space",
    "𒀀𒁀 and 𝒻ancy",
]


def checked(raw: object) -> Profile:
    found = check_row(raw, 1)
    assert isinstance(found, Profile), found
    return found


def people(path: Path) -> list[Profile]:
    return [found for _, found in read_people(path) if isinstance(found, Profile)]


def test_every_script_passes_from_jsonl_through_parquet_unharmed(tmp_path: Path) -> None:
    captions = [{"text": text, "scenario": text, "elements": {"objects": [text]}} for text in SCRIPTS]
    raw = person(
        id="名前-é", summary_given=SCRIPTS[0], demographics={"region": SCRIPTS[1], "interests": SCRIPTS}, captions=captions, elements={}
    )
    source = jsonl(tmp_path / "p.jsonl", [json.dumps(raw, ensure_ascii=False).encode()])
    (first,) = people(source)
    assert write_people([first], tmp_path / "p.parquet") == 1
    (second,) = people(tmp_path / "p.parquet")
    assert second == first
    assert [caption.text.encode() for caption in second.captions] == [text.encode() for text in SCRIPTS]
    assert second.id == "名前-é"


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40).filter(str.strip), min_size=1, max_size=5))
def test_any_text_survives_the_round_trip(tmp_path: Path, texts: list[str]) -> None:
    first = checked(person(captions=texts))
    write_people([first], tmp_path / "p.parquet")
    assert people(tmp_path / "p.parquet") == [first]


def test_the_file_has_the_profile_schema_and_progress_counts_up(tmp_path: Path) -> None:
    seen: list[int] = []
    assert write_people((checked(person(i)) for i in range(300)), tmp_path / "p.parquet", progress=seen.append) == 300
    assert seen == [256, 300]
    schema = pq.read_schema(tmp_path / "p.parquet")
    assert (schema.names, schema.metadata) == (PROFILE_SCHEMA.names, PROFILE_SCHEMA.metadata)
    assert pq.ParquetFile(tmp_path / "p.parquet").metadata.row_group(0).column(0).compression == "ZSTD"


def test_another_file_type_and_no_people_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Parquet"):
        write_people([checked(person())], tmp_path / "p.jsonl")
    with pytest.raises(InputError, match="no people"):
        write_people([], tmp_path / "p.parquet")
    assert os.listdir(tmp_path) == []


def test_a_failure_on_the_way_leaves_nothing_and_keeps_the_older_file(tmp_path: Path) -> None:
    def failing() -> Iterator[Profile]:
        for i in range(400):
            yield checked(person(i))
        raise InputError("line 401 is no text", line=401)

    with pytest.raises(InputError, match="401"):
        write_people(failing(), tmp_path / "new.parquet")
    assert os.listdir(tmp_path) == []
    write_people([checked(person())], tmp_path / "p.parquet")
    before = (tmp_path / "p.parquet").read_bytes()
    with pytest.raises(InputError):
        write_people(failing(), tmp_path / "p.parquet")
    assert os.listdir(tmp_path) == ["p.parquet"]
    assert (tmp_path / "p.parquet").read_bytes() == before


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    def interrupted() -> Iterator[Profile]:
        yield checked(person())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_people(interrupted(), tmp_path / "p.parquet")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable) as caught:
        write_people([checked(person())], tmp_path / "none" / "p.parquet")
    assert "folder that exists" in caught.value.remedy
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(InputError, match="folder"):
        write_people([checked(person())], tmp_path / "folder.parquet")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The temporary file becomes the kernel's always-full device: the real writer meets the real error.
    opened = Path.open
    monkeypatch.setattr(
        Path, "open", lambda path, mode="r", **how: opened(Path("/dev/full"), "wb", **how) if mode == "xb" else opened(path, mode, **how)
    )
    with pytest.raises(StoreUnusable) as caught:
        write_people([checked(person(i)) for i in range(300)], tmp_path / "p.parquet")
    assert "space" in caught.value.remedy
    assert os.listdir(tmp_path) == []
