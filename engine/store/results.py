"""One immutable Parquet file per (stage, shard): its existence is its completion (STORAGE, rules 1, 2, 6 and 8)."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from engine.errors import CorruptObject, Missing, PlanMismatch, StoreError
from engine.keys import canonical, sha256
from engine.rows import OUTCOMES, ROW_VERSION, Row, row_schema, rows_to_table, table_to_rows
from engine.stage import Stage
from engine.store import names
from engine.store.backend import Backend
from engine.store.seal import KEY, UNSEALED, is_intact, sealed

V = TypeVar("V")

ROWS = "mien.rows"
"""Metadata key of the row schema's version: older ones read, newer ones are refused."""

OUTCOME_COUNTS = "mien.outcomes"
"""Metadata key of how many rows ended how, as JSON: what a resume needs to know, readable from the end of the file alone."""

MAX_BYTES = 64 * 2**20
_TAIL = 8192
_COUNTS = re.compile(OUTCOME_COUNTS.encode() + rb"[^{]{1,6}(\{[^{}]*\})")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Columns of a stage's result on a shard, "unit" being one always; `overlays` is the highest one."""

    stage: Stage[Any]
    shard: str
    overlays: int
    columns: Sequence[str]


class Results:
    """Reads and commits the results of stages.

    With `repair` a file that cannot be trusted is moved to quarantine, so that it is computed again: for the driver that holds the lease
    and its workers. Others only report it.
    """

    def __init__(self, backend: Backend, *, repair: bool = False, notice_untrusted: Callable[[], None] = lambda: None) -> None:
        """`notice_untrusted` is called when a file cannot be trusted and is not to be repaired here."""
        self.backend = backend
        self._repair, self._notice_untrusted = repair, notice_untrusted
        self._declared: set[str] = set()

    def declare(self, stage: Stage[Any]) -> None:
        """Write the stage's recipe beside its results. Raises PlanMismatch if another recipe stands under its name."""
        if stage.id in self._declared:
            return
        recipe = canonical(stage.recipe)
        if not self.backend.create(names.stage(stage.id), recipe) and self.backend.read(names.stage(stage.id)) != recipe:
            raise PlanMismatch(f"Stage {stage.id} is stored with another recipe.", remedy="Use another --store; this should not happen.")
        self._declared.add(stage.id)

    def done(self, stage: Stage[Any]) -> dict[str, int]:
        """Short shard name -> its highest overlay (0: none), from one listing; an overlay counts if those below it are there."""
        overlays: dict[str, set[int]] = {}
        for name in self.backend.list(names.results_prefix(stage.id)):
            parsed = names.parse(name)
            if parsed.kind == "result":
                overlays.setdefault(parsed.shard, set()).add(parsed.overlay)
        found: dict[str, int] = {}
        for shard, numbers in overlays.items():
            highest = next(n for n in itertools.count() if n not in numbers) - 1
            if highest >= 0:
                found[shard] = highest
        return found

    def highest(self, stage: Stage[Any], shard: str, *, known: int | None) -> int | None:
        """The highest overlay of one shard's result, looked up one by one above what is `known`; None if there is no result."""
        found = known
        for overlay in itertools.count(0 if known is None else known + 1):
            try:
                self.backend.tail(names.result(stage.id, shard, overlay), 1)
            except Missing:
                return found
            found = overlay
        raise AssertionError("unreachable")

    def failed_rows(self, stage: Stage[Any], shard: str) -> int | None:
        """How many rows of a result without overlays failed, from its last bytes; None if they do not say (an older file, a damaged one).

        A hint that saves reading: whoever reads the rows checks the whole file. Raises Missing.
        """
        match = _COUNTS.search(_footer(self.backend.tail(names.result(stage.id, shard), _TAIL)))
        if not match:
            return None
        try:
            return int(json.loads(match[1]).get("failed", 0))
        except ValueError:
            return None

    def commit(self, stage: Stage[V], shard: str, rows: Sequence[Row[V]], *, overlay: int = 0) -> list[Row[V]]:
        """Make `rows` THE result of `stage` on `shard`; returns the rows that are: the winner's, if another worker was first."""
        self.declare(stage)
        name = names.result(stage.id, shard, overlay)
        data = encode_result(stage, shard, rows, overlay=overlay)
        if self.backend.create(name, data):
            return list(rows)
        return table_to_rows(stage, self._table(stage, shard, overlay, self.backend.read(name)))

    def read(self, stage: Stage[V], shard: str, *, overlays: int, units: Collection[str] | None = None) -> dict[str, Row[V]]:
        """Unit key -> row, each from its highest overlay; checks the unit set against `units` if given.

        Raises Missing if there is no result, CorruptObject if it cannot be trusted.
        """
        rows: dict[str, Row[V]] = {}
        for table in self.tables(stage, shard, overlays=overlays, units=units):
            rows.update((row.unit, row) for row in table_to_rows(stage, table))
        return rows

    def tables(self, stage: Stage[Any], shard: str, *, overlays: int, units: Collection[str] | None = None) -> Iterator[pa.Table]:
        """A result and its overlays in order, checked as `read` does but not decoded. Raises Missing or CorruptObject."""
        for overlay in range(overlays + 1):
            data = self.backend.read(names.result(stage.id, shard, overlay))
            table = self._table(stage, shard, overlay, data)
            if overlay == 0 and units is not None and set(table["unit"].to_pylist()) != set(units):
                raise self._untrusted(stage, shard, overlay, data, "its units are not the shard's")
            yield table

    def merged(self, stage: Stage[Any], shard: str, *, overlays: int, columns: Sequence[str]) -> pa.Table:
        """The columns of a shard's rows, each unit from its highest overlay, sorted by unit: for reports, without decoding rows."""
        return next(self.merged_many([Wanted(stage, shard, overlays, columns)]))

    def merged_many(self, wanted: Iterable[Wanted]) -> Iterator[pa.Table]:
        """`merged` of many results, in the order given: files are read ahead while earlier ones are worked on, a few at a time."""
        ahead, behind = itertools.tee(wanted)
        files = self.backend.read_many(names.result(each.stage.id, each.shard, n) for each in ahead for n in range(each.overlays + 1))
        for each in behind:
            tables = []
            for overlay in range(each.overlays + 1):
                _, data = next(files)
                tables.append(self._table(each.stage, each.shard, overlay, data, ["unit", *each.columns]))
            yield _latest(tables)

    def _table(self, stage: Stage[Any], shard: str, overlay: int, data: bytes, columns: list[str] | None = None) -> pa.Table:
        def untrusted(reason: str) -> CorruptObject:
            return self._untrusted(stage, shard, overlay, data, reason)

        if not is_intact(data):
            raise untrusted("it is truncated or damaged")
        try:
            file = pq.ParquetFile(pa.BufferReader(data))
            table = file.read(columns=columns, use_threads=False)
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise untrusted(f"it cannot be read ({str(error).splitlines()[0][:120]})") from error
        metadata = {key.decode(): value.decode() for key, value in (file.schema_arrow.metadata or {}).items()}
        for key, expected in _metadata(stage, shard, overlay).items():
            if metadata.get(key) != expected and key not in (ROWS, KEY):
                raise untrusted(f"it belongs to {key} {metadata.get(key)!r}, not {expected!r}")
        if not metadata.get(ROWS, "").isdigit() or int(metadata[ROWS]) > ROW_VERSION:
            raise StoreError(f"A result of {stage.name} was written by a newer mien.", remedy="Upgrade this one.")
        units = table["unit"].to_pylist() if "unit" in table.column_names else []
        if len(set(units)) != len(units):
            raise untrusted("a unit stands in it twice")
        wanted = row_schema(stage)
        for field in table.schema:
            if field.name in wanted.names and wanted.field(field.name).type != field.type:
                raise untrusted(f"column {field.name} has type {field.type}, not {wanted.field(field.name).type}")
        return table

    def _untrusted(self, stage: Stage[Any], shard: str, overlay: int, judged: bytes | None, reason: str) -> CorruptObject:
        """The error for a file that cannot be trusted; with `repair` it is moved out of the way, its higher overlays too."""
        name = names.result(stage.id, shard, overlay)
        if not self._repair:
            self._notice_untrusted()
            return CorruptObject(f"{name} cannot be trusted: {reason}.", remedy="Run the experiment again: it will be computed anew.")
        moved = self._set_aside(name, judged)
        if moved:
            for number in itertools.count(overlay + 1):  # made from what cannot be trusted
                if not self._set_aside(names.result(stage.id, shard, number), None):
                    break
        where = "It is in quarantine now" if moved else "Another worker has taken it away"
        return CorruptObject(f"{name} cannot be trusted: {reason}. {where}.", remedy="It will be computed again.")

    def _set_aside(self, name: str, judged: bytes | None) -> bool:
        """Move a file to quarantine; False if there is none, or if it is no longer what was judged: another worker has mended it."""
        try:
            data = self.backend.read(name)
        except Missing:
            return False
        if judged is not None and data != judged:
            return False
        self.backend.create(names.quarantine(name, sha256(data)), data)
        self.backend.delete(name)
        return True


def _footer(tail: bytes) -> bytes:
    """The footer of a Parquet file, from its last bytes; b"" if it is not whole in them. Data pages before it can hold anything."""
    length = int.from_bytes(tail[-8:-4], "little")
    return tail[-8 - length : -8] if tail[-4:] == b"PAR1" and 0 < length <= len(tail) - 8 else b""


def _latest(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of a result and its overlays, each unit from the highest, sorted by unit as each file is."""
    if len(tables) == 1:
        return tables[0]
    latest = {unit: index for index, unit in enumerate(pa.chunked_array([t["unit"].combine_chunks() for t in tables]).to_pylist())}
    return pa.concat_tables(tables).take([latest[unit] for unit in sorted(latest)])


def encode_result(stage: Stage[V], shard: str, rows: Sequence[Row[V]], *, overlay: int = 0) -> bytes:
    """A result file's bytes: a pure function of the rows."""
    table = rows_to_table(stage, rows)
    counts = Counter(OUTCOMES[type(row.outcome)] for row in rows)
    metadata = {**_metadata(stage, shard, overlay), OUTCOME_COUNTS: json.dumps(counts, sort_keys=True)}
    table = table.replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    # Vectors do not compress and dictionary pages cost time; text does.
    floats = [f.name for f in table.schema if pa.types.is_list(f.type) and pa.types.is_floating(f.type.value_type)]
    compression = {_leaf(field): "NONE" if field.name in floats else "ZSTD" for field in table.schema}
    pq.write_table(
        table,
        sink,
        compression="ZSTD" if not floats else compression,
        use_dictionary=False,
        write_statistics=False,
    )
    data = sealed(sink.getvalue().to_pybytes())
    if len(data) > MAX_BYTES:
        raise StoreError(
            f"The result of {stage.name} on shard {names.short(shard)} has {len(data) >> 20} MiB; the limit is {MAX_BYTES >> 20} MiB.",
            remedy="Use a smaller shard_size.",
        )
    return data


def _leaf(field: pa.Field) -> str:
    return f"{field.name}.list.element" if pa.types.is_list(field.type) else str(field.name)


def _metadata(stage: Stage[Any], shard: str, overlay: int) -> dict[str, str]:
    return {
        "mien.stage": stage.name,
        "mien.fingerprint": stage.fingerprint,
        "mien.shard": shard,
        "mien.overlay": str(overlay),
        ROWS: str(ROW_VERSION),
        KEY: UNSEALED,
    }
