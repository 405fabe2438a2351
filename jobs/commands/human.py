"""`mien human ...`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from engine.errors import InputError, UsageError
from engine.human.blinding import Output, blank_sheets
from engine.human.checks import Checks, check
from engine.human.reading import HumanRead, Seen, kind_of, read_human
from engine.human.records import SCALE, Kind, Row
from engine.human.sheets import read_key, read_sheet, write_key, write_sheet
from engine.human.writing import write_human
from engine.images.encoding import encoded
from engine.images.opening import ImageFolder, open_picture
from engine.nearest import did_you_mean
from engine.outcome import Failed
from engine.rejects import Reject, checked_rows
from engine.report.wording import counted
from jobs.commands.people import refuse_existing
from jobs.console import Console


def sheet_command(
    outputs: Path,
    *,
    kind: str,
    out: Path,
    key: Path | None,
    annotators: Sequence[str],
    images: Path | None,
    seed: int,
    max_failed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Write blank sheets and their key; nothing is written if too many rows are bad."""
    key = key or out.with_name(f"{out.name}-key.json")
    if key.absolute().is_relative_to(out.absolute()):
        raise UsageError(f"{key} is inside of what annotators get.", remedy="Choose a --key outside of --out.")
    refuse_existing(out, force)
    refuse_existing(key, force)
    console, asked = Console(as_json=as_json), _kind(kind)
    read = list(checked_rows(outputs, Output, what="output", required=("profile", "method"), tables=True))
    refuse_bad([row for _, row in read if isinstance(row, Reject)], max_failed)
    try:
        sheets, made = blank_sheets([row for _, row in read if isinstance(row, Output)], asked, seed=seed, annotators=annotators)
    except ValueError as error:
        raise InputError(
            f"{error}.", file=str(outputs), remedy="Give one output of each method for each case, and each name once."
        ) from None
    if not made.items:
        raise InputError("leaves nothing to ask.", file=str(outputs), remedy="Give outputs of at least two methods for a case.")
    shown = {name: path for sheet in sheets for name, path in sheet.images.items()}
    folder = ImageFolder(images or outputs.parent)
    for path in shown.values():
        folder.find(path)
    (out / "images" if shown else out).mkdir(parents=True, exist_ok=True)
    with console.progress("writing images", "images") as bar:
        for number, (name, path) in enumerate(shown.items(), start=1):
            (out / name).write_bytes(_picture(folder, path))
            bar.set(number, len(shown))
    for number, sheet in enumerate(sheets, start=1):
        write_sheet(out / f"sheet-{number}.csv", sheet)
    write_key(key, made)
    console.say(f"{counted(len(made.items), 'question')} in {counted(len(sheets), 'sheet')} in {out}; keep {key} to yourself.")
    console.event("done", questions=len(made.items), sheets=len(sheets), images=len(shown), folder=str(out), key=str(key))


def import_command(
    files: Sequence[Path],
    *,
    out: Path,
    kind: str,
    key: Path | None,
    annotator: str,
    scale: str,
    max_failed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Write the usable answers of all files into one; nothing is written if too many rows are bad."""
    refuse_existing(out, force)
    console = Console(as_json=as_json)
    found = read_answers(files, kind, key, annotator, scale)
    refuse_bad(found.rejected, max_failed)
    if not found.rows:
        raise InputError("holds no answer.", file=str(files[0]), remedy="Check the files: nothing in them was usable.")
    write_human(out, found.kind, found.rows)
    left_out = "".join(
        f", {counted(count, noun)} left out" for count, noun in ((len(found.rejected), "bad row"), (found.blank, "blank row")) if count
    )
    console.say(f"{counted(len(found.rows), 'answer')} ({found.kind}){left_out}: {out}")
    checks = check(found.rows)
    for warning in checks.warnings:
        console.warn(warning)
    console.event("done", kind=found.kind, **_counts(found, checks), file=str(out))


def check_command(files: Sequence[Path], *, kind: str, key: Path | None, annotator: str, scale: str, as_json: bool) -> int:
    """Name every bad row and what is odd about the others; 0 if no row is bad, 2 otherwise."""
    console = Console(as_json=as_json)
    found = read_answers(files, kind, key, annotator, scale)
    for row in found.rejected:
        console.say(f"{row.told}. {row.remedy}")
        console.event("bad", file=row.file, line=row.line, field=row.field, code=row.code, reason=row.reason, remedy=row.remedy)
    checks = check(found.rows)
    for warning in checks.warnings:
        console.say(warning)
        console.event("odd", told=warning)
    blank = f", {found.blank} blank" if found.blank else ""
    console.say(f"{len(found.rows)} good, {len(found.rejected)} bad{blank}, {counted(len(checks.annotators), 'annotator')} ({found.kind})")
    console.event("done", kind=found.kind, **_counts(found, checks))
    return 2 if found.rejected else 0


def read_answers(files: Sequence[Path], kind: str, key: Path | None, annotator: str, scale: str) -> HumanRead:
    """All files as one. Raises UsageError if they are of different kinds."""
    seen: Seen = {}
    rows: list[Row] = []
    rejected: list[Reject] = []
    blank = 0
    asked = _kind(kind) if kind else None
    study = read_key(key) if key else None
    if study is not None and (scale != SCALE or asked not in (None, study.kind)):
        raise UsageError(f"The key is of {study.kind} answers on the scale {SCALE}.", remedy="Leave out --kind and --scale.")
    wanted = study.kind if study else asked or kind_of(files[0])
    for file in files:
        found = read_sheet(file, study, annotator, seen=seen) if study else read_human(file, wanted, scale=scale, seen=seen)
        rows += found.rows
        rejected += found.rejected
        blank += found.blank
    return HumanRead(wanted, tuple(rows), tuple(rejected), blank)


def _kind(name: str) -> Kind:
    try:
        return Kind(name)
    except ValueError:
        raise UsageError(f"'{name}' is no kind of question{did_you_mean(name, list(Kind))}.", remedy=f"Use {', '.join(Kind)}.") from None


@lru_cache(maxsize=64)
def _picture(folder: ImageFolder, path: str) -> bytes:
    """An image made anew from its pixels: a file may tell in its text what drew it. Raises InputError."""
    picture = open_picture(folder.read, path)
    if isinstance(picture, Failed):
        raise InputError(picture.message, code=picture.code, remedy="Name images below --images that can be opened.")
    return encoded(picture.value.pixels, "png")


def refuse_bad(rejected: Sequence[Reject], max_failed: int) -> None:
    """Raise InputError naming the first of them if there are more than `max_failed`."""
    if len(rejected) <= max_failed:
        return
    first = rejected[0]
    lines = [first.reason, *(f"  {row.told}" for row in rejected[1:10])]
    if len(rejected) > 10:
        lines.append(f"  and {len(rejected) - 10} more")
    remedy = f"{first.remedy} Or leave them out with --max-failed {len(rejected)}."
    told = "\n".join(lines) + ("\n" if len(lines) > 1 else ".")
    raise InputError(told, file=first.file, line=first.line, field=first.field, remedy=remedy, code=first.code)


def _counts(found: HumanRead, checks: Checks) -> dict[str, object]:
    straight = [one.id for one in checks.annotators if one.straight]
    return {
        "good": len(found.rows),
        "bad": len(found.rejected),
        "blank": found.blank,
        "annotators": len(checks.annotators),
        "straight": straight,
        "few": [one.id for one in checks.annotators if one.few],
        "incomplete": len(checks.incomplete),
    }
