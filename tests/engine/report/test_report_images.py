"""The images' part of a report: known leads are found, bad units are no figures, hostile text stays text, the file keeps its budget."""

import json
import re

import numpy as np
import pyarrow as pa
import pytest
from made_up_images import FACTS, LEADS, made_up_galleries, made_up_images

from engine.report.data import Setting
from engine.report.images.page import FOLDER, single_page
from engine.report.images.summarising import SHOWN, summarise_images
from engine.report.images.write import write_images

SETTING = Setting("template", "template-1", "q3")
HOSTILE = "<script>alert(1)</script> \"'><img src=x onerror=alert(2)> --> </p></style> {{ 7*7 }}"


def summary(images=None, galleries=None, **changes):
    known = {"run": "0" * 16, "name": "made-up", "partial": False, "complete": True, "setting": SETTING} | changes
    return summarise_images(FACTS, made_up_images() if images is None else images, galleries or made_up_galleries(), **known)


@pytest.fixture(scope="module")
def whole():
    return summary()


def written(summary, thumbnail=b"\xff\xd8 a picture"):
    files = {}
    write_images(files.__setitem__, summary, lambda name: thumbnail + name.encode())
    return files


def test_leads_are_found_within_their_intervals(whole):
    (drawn,) = whole.drawn
    for row in drawn.differences:
        if row.metric == "dis_r":
            true = LEADS[row.method] - LEADS[row.other]
            assert row.family_low < true < row.family_high
            assert row.holm < 0.05


def test_the_perceptual_distance_is_lower_for_the_method_that_is_nearer(whole):
    means = {row.method: row.mean for row in whole.drawn[0].results if (row.metric, row.task) == ("lpips_r", "all")}
    assert means["vprag"] < means["persona"] < means["baseline"]


def test_a_unit_without_an_image_is_counted_and_gives_no_figure(whole):
    (drawn,) = whole.drawn
    assert dict(drawn.outcomes)["vprag"] == (38, 1, 0, 1)
    rows = [row for row in drawn.results if row.metric == "dis_r" and row.task == "all"]
    assert {row.method: row.n for row in rows} == dict.fromkeys(LEADS, 38)
    notes = {picture.note for case in drawn.cases for picture in case.pictures}
    assert {"failed: blank-image", "refused: safety filter"} <= notes


def test_cases_come_by_their_gap(whole):
    gaps = [case.gap for case in whole.drawn[0].cases]
    assert len(gaps) == min(SHOWN, 40)
    assert gaps == sorted(gaps, reverse=True)


def test_galleries_are_more_alike_within_a_person_than_between_people(whole):
    within, lpips, between = whole.drawn[0].galleries
    assert within.high < between.low
    assert lpips.mean == pytest.approx(0.4)
    assert within.people == 40


def test_the_order_of_rows_changes_nothing(whole):
    images = made_up_images()
    shuffled = images.take(pa.array(np.random.Generator(np.random.PCG64(1)).permutation(len(images))))
    assert summary(shuffled).to_json() == whole.to_json()


def test_the_folder_holds_every_picture_that_the_page_shows(whole):
    files = written(whole)
    page = files["images.html"].decode()
    sources = re.findall(r'<img loading="lazy" src="([^"]*)"', page)
    assert len(sources) > 3 * 38
    assert set(sources) == {name for name in files if name.startswith(FOLDER)}
    assert json.loads(files["images.json"])["definition_id"] == FACTS.definition.id


def test_the_single_file_needs_nothing_beside_it(whole):
    page = written(whole)["images-single.html"].decode()
    sources = re.findall(r'<img loading="lazy" src="([^"]*)"', page)
    assert sources
    assert all(source.startswith("data:image/jpeg;base64,") for source in sources)
    assert 'href="index.html"' not in page


def test_the_single_file_keeps_its_budget_and_says_what_it_left_out(whole):
    thumbnails = dict.fromkeys(whole.thumbnails(), b"\xff\xd8" + bytes(20_000))
    small, large = single_page(whole, thumbnails, 500_000), single_page(whole, thumbnails, 50_000_000)
    assert small.count("data:image/jpeg") * 20_002 <= 500_000
    assert "did not fit" in small
    assert "did not fit" not in large


def test_a_picture_that_is_gone_from_the_store_spoils_no_page(whole):
    files = {}
    write_images(files.__setitem__, whole, lambda name: None)
    assert "<img" not in files["images.html"].decode()


def test_hostile_text_stays_text():
    page = written(summary(made_up_images(prompt=HOSTILE), name=HOSTILE))["images.html"].decode()
    assert "<script" not in page
    assert "<img src=x" not in page
    assert "onerror=alert(2)&gt;" in page
    assert "{{ 7*7 }}" in page


def test_stand_ins_and_a_partial_run_are_marked():
    page = written(summary(partial=True))["images.html"].decode()
    assert "stand-in tiny-scenes" in page
    assert page.count("PARTIAL") > 5
