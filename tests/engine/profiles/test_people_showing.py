"""One person on a terminal: everything is there, and foreign text cannot drive it."""

from __future__ import annotations

import io

from rich.console import Console

from engine.profiles.showing import render_profile
from engine.profiles.validation import check_row
from engine.records import CATEGORIES, Profile

from .made_up_people import person


def shown(profile: Profile, **options: bool) -> str:
    console = Console(file=io.StringIO(), width=160, **options)  # type: ignore[arg-type]
    console.print(render_profile(profile))
    out = console.file
    assert isinstance(out, io.StringIO)
    return out.getvalue()


def profile(**changes: object) -> Profile:
    found = check_row(person(**changes), 1)
    assert isinstance(found, Profile)
    return found


def test_a_person_shows_d_both_summaries_the_lexicon_and_numbered_captions() -> None:
    text = shown(profile())
    for part in (
        "tram driver",
        "Lviv",
        "A tram driver who brews tea.",
        "Brews at home",
        "Captions (2)",
        "1. a brass samovar",
        "2. steam",
        "[tea]",
    ):
        assert part in text
    assert all(category in text for category in CATEGORIES)


def test_elements_are_highlighted_where_they_stand() -> None:
    coloured = shown(profile(), force_terminal=True)
    assert "\x1b[1;36mbrass samovar\x1b[0m" in coloured


def test_markup_and_control_characters_of_a_hostile_person_are_shown_and_not_obeyed() -> None:
    text = shown(profile(captions=["[bold red]loud[/] \x1b[2J wiped", "[/nothing]"]), force_terminal=True)
    assert "[bold red]loud[/]" in text
    assert "\x1b[2J" not in text
    assert "␛[2J" in text


def test_a_person_without_a_second_summary_says_what_stands_in() -> None:
    assert "mean caption" in shown(profile(summary_ref=""))
