"""How fast the sentence encoder can be without the engine: the bare baseline that the pipeline's rate is divided by.

    python benchmarks/bare_encoder.py captions.jsonl --threads 1 --processes 2

Reads JSON lines (a string, a list of strings, or an object whose `--field` holds one of these) or plain lines, encodes the distinct
texts in buckets of equal length, and ends with one JSON line. No Ray, no cache, nothing stored. Try `--processes 1 --threads 2` too,
and take the better as the baseline.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Share:
    """What one process did: seconds for imports, for the weights, for encoding; word pieces read; sha256 of each text's vector."""

    import_s: float
    load_s: float
    encode_s: float
    pieces: int
    digests: list[bytes]


def texts_of(path: Path, field: str) -> list[str]:
    """The distinct texts of a file, in its order."""
    found: dict[str, None] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            text = line.rstrip("\r\n")
            found.update(dict.fromkeys(_strings(json.loads(text), field) if path.suffix == ".jsonl" else [text]))
    return list(found)


def _strings(value: object, field: str) -> Iterator[str]:
    if isinstance(value, dict):
        value = value.get(field)
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, str):
            raise SystemExit(f"expected text, found {item!r}: name the field that holds it with --field")
        yield item


def encode(texts: list[str], model: str, threads: int, batch_tokens: int) -> Share:
    """Encode one process's share of the texts."""
    began = time.perf_counter()
    import torch  # noqa: F401

    from actors.encoder import SentenceEncoder

    imported = time.perf_counter()
    encoder = SentenceEncoder(model, threads=threads, cache=0, batch_tokens=batch_tokens)
    loaded = time.perf_counter()
    done = encoder.encode(texts)
    encoded = time.perf_counter()
    pieces = int(done.pieces.clip(max=encoder.max_pieces).sum())
    digests = [hashlib.sha256(vector.tobytes()).digest() for vector in done.vectors]
    return Share(imported - began, loaded - imported, encoded - loaded, pieces, digests)


def shares(texts: list[str], processes: int) -> list[list[str]]:
    """The texts dealt out by descending length, so that all shares hold about the same work."""
    ordered = sorted(texts, key=lambda text: (-len(text), text))
    return [ordered[i::processes] for i in range(processes)]


def main() -> None:
    began = time.perf_counter()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="JSON lines (.jsonl) or one text a line")
    parser.add_argument("--field", default="text", help="the field of a JSON object that holds the text or texts")
    parser.add_argument("--model", default="minilm-l6-v2", help="a registered name or a folder")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of each process")
    parser.add_argument("--processes", type=int, default=1, choices=range(1, 65), metavar="N", help="processes, each with its own weights")
    parser.add_argument("--batch-tokens", type=int, default=2048, help="word pieces in one forward pass")
    options = parser.parse_args()
    work = shares(texts_of(options.file, options.field), options.processes)
    arguments = (options.model, options.threads, options.batch_tokens)
    if options.processes == 1:
        parts = [encode(work[0], *arguments)]
    else:
        # OpenMP reads this once, when torch is first imported.
        os.environ["OMP_NUM_THREADS"] = str(options.threads)
        with ProcessPoolExecutor(options.processes, mp_context=multiprocessing.get_context("spawn")) as pool:
            parts = [future.result() for future in [pool.submit(encode, share, *arguments) for share in work]]
    total = time.perf_counter() - began
    texts, pieces = sum(map(len, work)), sum(part.pieces for part in parts)
    for number, part in enumerate(parts):
        print(
            f"process {number}: import {part.import_s:.2f} s, load {part.load_s:.2f} s, encode {part.encode_s:.2f} s, {part.pieces} pieces"
        )
    slowest = max(part.encode_s for part in parts)
    print(
        json.dumps(
            {
                "benchmark": "bare_encoder",
                "model": options.model,
                "processes": options.processes,
                "threads": options.threads,
                "batch_tokens": options.batch_tokens,
                "texts": texts,
                "pieces": pieces,
                "import_s": round(max(part.import_s for part in parts), 3),
                "load_s": round(max(part.load_s for part in parts), 3),
                "encode_s": round(slowest, 3),
                "total_s": round(total, 3),
                "texts_per_s": round(texts / total, 1),
                "texts_per_s_encoding": round(texts / slowest, 1) if texts else 0.0,
                # Independent of order and of how the texts were dealt out: equal figures mean bit-equal vectors.
                "vectors_sha256": hashlib.sha256(b"".join(sorted(digest for part in parts for digest in part.digests))).hexdigest(),
            }
        )
    )


if __name__ == "__main__":
    main()
