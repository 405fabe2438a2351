"""`mien pairs ...`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from engine.errors import InputError, UsageError
from engine.images.opening import ImageFolder
from engine.nearest import did_you_mean
from engine.pipbench.making import Orders, make_pairs
from engine.pipbench.pair_files import read_people, write_pairs
from engine.report.wording import counted
from jobs.commands.people import refuse_existing
from jobs.console import Console


def make_command(
    data: Path,
    *,
    methods: Sequence[str],
    out: Path,
    metadata: Path | None,
    seed: int,
    orders: str,
    per_sample: int | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write the pairs of the methods' images; tells which samples lack an image, and which images are of no sample."""
    refuse_existing(out, force)
    console = Console(as_json=as_json)
    folders, wanted = _folders(methods), _orders(orders)
    people = read_people(metadata) if metadata else {}
    outputs = _outputs(data, folders)
    if metadata:
        unknown = sorted(set(outputs) - set(people))
        if unknown:
            console.warn(f"{counted(len(unknown), 'sample')} not in {metadata}, left out ({', '.join(unknown[:3])}).")
        outputs = {sample: outputs.get(sample, {}) for sample in people}
    else:
        console.warn("Without --metadata nobody knows whose the samples are: each counts as a person of its own.")
    short = sum(len(found) < len(folders) for found in outputs.values())
    if short:
        console.warn(f"{counted(short, 'sample')} without an image of every method.")
    pairs = make_pairs(outputs, people, seed=seed, orders=wanted, per_sample=per_sample)
    if not pairs:
        raise InputError("no two methods have an image of the same sample.", file=str(data), remedy="Check the folders of --method.")
    written = write_pairs(out, pairs)
    asked = sum(len(pair.flips) for pair in pairs)
    console.say(
        f"{counted(written, 'pair')} of {counted(len({pair.sample for pair in pairs}), 'sample')}, {counted(asked, 'question')}: {out}"
    )
    console.event("done", pairs=written, questions=asked, samples=len({pair.sample for pair in pairs}), short=short, file=str(out))


def _folders(methods: Sequence[str]) -> dict[str, str]:
    folders: dict[str, str] = {}
    for given in methods:
        name, equals, folder = given.partition("=")
        if not (name.strip() and equals and folder) or name.strip() in folders:
            raise UsageError(f"--method {given} is not NAME=FOLDER, or names a method twice.", remedy="Give each method once.")
        folders[name.strip()] = folder.strip("/")
    if len(folders) < 2:
        raise UsageError("One method has nothing to be compared with.", remedy="Give --method twice or more.")
    return folders


def _orders(name: str) -> Orders:
    try:
        return Orders(name)
    except ValueError:
        raise UsageError(f"'{name}' is no order{did_you_mean(name, list(Orders))}.", remedy=f"Use {' or '.join(Orders)}.") from None


def _outputs(data: Path, folders: dict[str, str]) -> dict[str, dict[str, str]]:
    """Image path by sample and method, samples in the order of numbers. Raises InputError for a folder that is none or leads out."""
    images, found = ImageFolder(data), defaultdict[str, dict[str, str]](dict)
    for method, folder in folders.items():
        if not (data / folder).is_dir():
            raise InputError("there is no such folder.", file=str(data / folder), remedy="Name a folder below DATA.")
        for file in (data / folder).glob("*.png"):
            name = f"{folder}/{file.name}"
            images.find(name)
            found[file.stem][method] = name
    return {sample: found[sample] for sample in sorted(found, key=lambda sample: (not sample.isdecimal(), sample.zfill(20)))}
