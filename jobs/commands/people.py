"""`mien profiles ...`."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator
from pathlib import Path

from engine.errors import InputError, UsageError
from engine.nearest import did_you_mean
from engine.profiles.importing import ImportResult, import_people
from engine.profiles.reading import read_people
from engine.profiles.showing import render_profile
from engine.profiles.validation import BadRow
from engine.profiles.writing import write_people
from engine.records import Profile
from jobs.console import Console


def build_command(n: int, seed: int, out: Path, *, force: bool, as_json: bool) -> None:
    """Build people into a Parquet file."""
    from engine.profiles.grammar import build_profile, build_profiles  # reads a lexicon

    refuse_existing(out, force)
    console = Console(as_json=as_json)
    with console.progress("building people", "people") as bar:
        written = write_people(build_profiles(n, seed), out, progress=lambda done: bar.set(done, n))
    console.say(f"{written} people in {out}. Look at one: mien profiles show {build_profile(0, seed).id} --people {shlex.quote(str(out))}")
    console.event("done", people=written, file=str(out))


def import_command(file: Path, out: Path, *, seed: int, max_failed: int, force: bool, as_json: bool) -> None:
    """Import profiles or persona seeds into a Parquet file; nothing is written if too many rows are bad."""
    refuse_existing(out, force)
    console = Console(as_json=as_json)
    imported = import_people(file, seed=seed)
    with console.progress("importing people", "people") as bar:
        written = write_people(_guarded(imported, file, max_failed), out, progress=lambda done: bar.set(done, imported.distinct))
    left_out = f", {len(imported.bad)} bad rows left out" if imported.bad else ""
    console.say(
        f"{imported.rows} rows, {imported.distinct} distinct people ({imported.merged} merged){left_out}: {written} people in {out}"
    )
    console.event("done", rows=imported.rows, distinct=imported.distinct, merged=imported.merged, people=written, file=str(out))


def refuse_existing(out: Path, force: bool) -> None:
    """A file that is there may be what a run was planned with."""
    if out.exists() and not force:
        raise UsageError(f"{out} exists already.", remedy="Choose another --out, or replace it with --force.")


def _guarded(imported: ImportResult, file: Path, max_failed: int) -> Iterator[Profile]:
    """The people; raises at their end if too many rows were bad, before the written file takes its name."""
    yield from imported.profiles
    refuse_bad_rows(file, imported.bad, max_failed)


def check_command(file: Path, *, as_json: bool) -> int:
    """Name every bad row; 0 if there is none, 2 otherwise."""
    console = Console(as_json=as_json)
    good = bad = plain = 0
    with console.progress("checking people", "people") as bar:
        for line, person in read_people(file):
            if isinstance(person, BadRow):
                bad += 1
                where = f"{file}:{line}: {person.field}" if person.field else f"{file}:{line}"
                console.say(f"{where}: {person.reason}. {person.remedy}")
                console.event("bad", line=line, id=person.id, field=person.field, reason=person.reason, remedy=person.remedy)
            else:
                good += 1
                plain += not any(caption.elements for caption in person.captions)
            if (good + bad) % 100 == 0:
                bar.set(good + bad, 0)
    if plain:
        console.say(f"{plain} have no caption with elements: vprag retrieves nothing for them, and combined is brag.")
    console.say(f"{good} good, {bad} bad")
    console.event("done", good=good, bad=bad, without_elements=plain)
    return 2 if bad else 0


def show_command(person: str, file: Path | None) -> None:
    """Print one person."""
    from rich.console import Console as RichConsole

    RichConsole().print(render_profile(_from_file(person, file) if file else _from_grammar(person)))


def _from_file(person: str, file: Path) -> Profile:
    seen: list[str] = []
    for profile in _good(file):
        if profile.id == person:
            return profile
        seen.append(profile.id)
    raise UsageError(f"There is no person '{person}' in {file}{did_you_mean(person, itertools.islice(seen, 5000))}.")


def _good(file: Path) -> Iterator[Profile]:
    return (profile for _, profile in read_people(file) if isinstance(profile, Profile))


def _from_grammar(person: str) -> Profile:
    """A person that the grammar builder makes, from an id such as g0-000042."""
    from engine.profiles.grammar import build_profile

    seed, _, index = person.removeprefix("g").partition("-")
    if not (person.startswith("g") and seed.isdigit() and index.isdigit()):
        raise UsageError(f"'{person}' is no id of the grammar builder.", remedy="Use one such as g0-000042, or give --people FILE.")
    return build_profile(int(index), int(seed))


def refuse_bad_rows(file: Path, bad: list[BadRow], max_failed: int) -> None:
    """Raise InputError naming the first of them if there are more than `max_failed`."""
    if len(bad) <= max_failed:
        return
    first = bad[0]
    lines = [first.reason, *(f"  {row.told}" for row in bad[1:10])]
    if len(bad) > 10:
        lines.append(f"  and {len(bad) - 10} more (`{shlex.join(['mien', 'profiles', 'check', str(file)])}` names them all)")
    raise InputError(
        "\n".join(lines) + ("\n" if len(lines) > 1 else "."),
        file=str(file),
        line=first.line,
        field=first.field,
        remedy=f"Mend them, or leave them out with --max-failed {len(bad)}.",
    )
