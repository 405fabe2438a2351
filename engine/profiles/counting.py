"""How many rows a file of people holds, without checking them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from engine.errors import InputError


def count_rows(path: Path) -> int:
    """Rows of a Parquet file (from its footer), or lines of a JSONL file that are not blank. Raises InputError if it cannot be read."""
    try:
        if path.suffix.lower() == ".parquet":
            return int(pq.read_metadata(path).num_rows)
        with path.open("rb") as file:
            return sum(1 for line in file if line.strip())
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"cannot be read: {error}", file=str(path), remedy="Give Parquet or JSONL; see `mien profiles`.") from error
