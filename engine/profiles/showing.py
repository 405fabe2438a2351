"""One person, readably: demographics, both summaries, E by category, and every caption with its elements marked."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from engine.records import CATEGORIES, Caption, Profile

_STYLES = dict(
    zip(CATEGORIES, ("yellow", "bright_black", "green", "bold cyan", "bold magenta", "bright_blue", "bright_red", "italic"), strict=True)
)


def render_profile(profile: Profile) -> RenderableType:
    """A rich renderable of `profile`. Foreign text is shown as it is, never read as markup; control characters show as symbols."""
    return Group(
        _heading(f"{profile.id}"),
        _facts(profile),
        _heading("Elements"),
        _lexicon(profile),
        _heading(f"Captions ({len(profile.captions)})"),
        *(Padding(_caption(i, caption), (0, 0, 0, 2)) for i, caption in enumerate(profile.captions, start=1)),
    )


def _heading(title: str) -> Text:
    return Text(f"\n{_visible(title)}", style="bold")


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _facts(profile: Profile) -> Table:
    d = profile.demographics
    facts = {
        "age band": d.age_band,
        "region": d.region,
        "culture": d.culture,
        "occupation": d.occupation,
        "interests": ", ".join(d.interests),
        "summary (given)": profile.summary_given,
        "summary (reference)": profile.summary_ref or "none: PA uses the mean caption",
        "cluster": profile.cluster,
        "source": profile.source,
        "media": profile.media,
    }
    grid = _grid()
    for name, value in facts.items():
        grid.add_row(f"  {name}", Text(_visible(value) or "not known"))
    return grid


def _lexicon(profile: Profile) -> Table:
    grid = _grid()
    for category in CATEGORIES:
        texts = [element.text for element in profile.elements if element.category == category]
        grid.add_row(f"  {category}", Text(_visible("; ".join(texts)) or "none", style=_STYLES[category]))
    return grid


def _caption(number: int, caption: Caption) -> Text:
    # Escaping is one character for one, so the places found in the raw text still hold.
    shown = Text(_visible(caption.text))
    folded = caption.text.lower() if len(caption.text.lower()) == len(caption.text) else caption.text
    for element in sorted(caption.elements, key=lambda element: -len(element.text)):
        at = folded.find(element.text.lower())
        if at >= 0:
            shown.stylize(_STYLES[element.category], at, at + len(element.text))
    line = Text(f"{number:>2}. ", style="dim") + shown
    if caption.scenario:
        line.append(f"  [{_visible(caption.scenario)}]", style="dim")
    return line


def _visible(text: str) -> str:
    """`text` with control characters as their symbols, one for one, so that a hostile profile cannot drive the terminal."""
    return "".join(chr(0x2400 + ord(c)) if ord(c) < 32 else "\N{REPLACEMENT CHARACTER}" if 127 <= ord(c) < 160 else c for c in text)
