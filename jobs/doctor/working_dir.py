"""How large the folder is that `ray job submit --working-dir .` would upload."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

from jobs.doctor.finding import Finding

LIMIT_BYTES = 100 * 2**20
"""What Ray uploads at most; what .gitignore excludes is left out, `.git` is not."""
MOST_FILES = 200_000
SHOWN = 3


def check_working_dir(folder: Path | None = None) -> Finding:
    """The size of a working directory without what .gitignore excludes, and its largest parts."""
    folder = folder or Path.cwd()
    sizes, whole = _sizes(folder)
    total = sum(sizes.values())
    told = f"{'' if whole else 'over '}{total / 2**20:.0f} MiB would be uploaded from {folder}"
    if whole and total <= LIMIT_BYTES:
        return Finding("working dir", "ok", f"{told}.")
    largest = ", ".join(
        f"{name} {size / 2**20:.0f} MiB" for name, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
    )
    remedy = "Ray uploads at most 100 MiB: submit from a smaller folder, or exclude parts ('excludes' of the runtime_env, .gitignore)."
    return Finding("working dir", "warn", f"{told}: {largest}.", remedy)


def _sizes(folder: Path) -> tuple[dict[str, int], bool]:
    """Bytes by first part of the path, and whether every file was counted."""
    sizes: Counter[str] = Counter()
    count = 0
    for path in _files(folder):
        try:
            sizes[path.relative_to(folder).parts[0]] += path.lstat().st_size
        except OSError:
            continue  # deleted since it was listed
        count += 1
        if count >= MOST_FILES:
            return dict(sizes), False
    return dict(sizes), True


def _files(folder: Path) -> list[Path]:
    """Files that git does not ignore and those of `.git`; all files where there is no git."""
    command = ["git", "-C", str(folder), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return _all_files(folder)
    return [folder / os.fsdecode(name) for name in listed.split(b"\0") if name] + _all_files(folder / ".git")


def _all_files(top: Path) -> list[Path]:
    found: list[Path] = []
    for base, _, files in os.walk(top):
        found.extend(Path(base) / file for file in files)
        if len(found) >= MOST_FILES:
            break
    return found
