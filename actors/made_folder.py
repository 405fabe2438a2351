"""Model folders that this project makes: one appears whole or not at all, and says what it was made from."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.errors import ModelError
from engine.keys import Json


def make_once(folder: Path, mark: str, source: Mapping[str, Json], write: Callable[[Path], None]) -> Path:
    """The folder, filled by `write` unless it is there already; its file `mark` holds `source`, the `model` and all else it depends on.

    Several processes may be at it. Raises ModelError if the folder holds something else, and what `write` raises.
    """
    if folder.exists():
        return _existing(folder, mark, source)
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        write(temporary)
        (temporary / mark).write_text(json.dumps(source, indent=1) + "\n", "utf-8")
        temporary.chmod(0o755)
        os.rename(temporary, folder)
    except OSError:
        if folder.exists():  # another process was first
            return _existing(folder, mark, source)
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _existing(folder: Path, mark: str, source: Mapping[str, Json]) -> Path:
    try:
        found = json.loads((folder / mark).read_text("utf-8"))
    except (OSError, ValueError):
        found = None
    if found != source:
        raise ModelError(f"{folder} exists and was not made from {source['model']}.", remedy="Give another folder, or remove that one.")
    return folder
