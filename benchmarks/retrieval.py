"""What the retrieval actor costs: over all people against bare FAISS, within a person against a loop, memory of a node, a VPRAG query.

    python benchmarks/retrieval.py [--people 10000] [--captions 30] [--batch 256] [--threads 1] [--repeats 5]

The index holds made-up unit vectors, clustered by person; the VPRAG queries are asked of grammar people with the real encoder. Times
are medians of repetitions in which both sides take turns. The last line is one JSON object:

    retrieval_ratio   queries/s of `search` over all, divided by those of a bare IndexFlatIP (same batch, k and threads), which is run
                      with FAISS's default threshold for matrix products and with the actor's: the quicker one counts
    retrieval_ratio_default  the same against FAISS as it comes
    within_speedup    a Python loop over all people and captions, divided by `within_many`
    person_loop_speedup  the same for a loop that knows where the person's captions are
    replica_mb        memory of a node with two processes that search the same index: the sum of their PSS growth
    second_process_mb what of it one process alone has, beside the shared pages
    vprag_ms_p50, p95 one query on one core: embed, search within the person, evidence, prompt by the template writer
"""

# ruff: noqa: E402

from __future__ import annotations

import os

# Before numpy loads: FAISS alone is given `--threads`.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from actors.encoders import make_encoder
from actors.index_build import PersonVectors, build_index
from actors.index_file import CaptionIndex, open_index
from actors.nearest import BLAS_FROM
from actors.retrieval import RetrievalActor
from actors.writer import TemplateWriter
from engine.keys import seed_of
from engine.outcome import Answered
from engine.profiles.grammar.builder import build_profile
from engine.prompting.budget import preset
from engine.prompting.methods import method_named
from engine.prompting.retrieval import distinct_elements, retrieve
from engine.prompting.writing import request_for
from engine.queries.builtin import builtin_queries

MODEL = "minilm-l6-v2"
DIMENSION = 384
K = 10
WRITTEN = """
import json, sys
sys.path.insert(0, {benchmarks!r})
from retrieval import search_and_measure
search_and_measure({path!r})
"""


def made_up_people(people: int, captions: int) -> Iterator[PersonVectors]:
    """Captions whose cosines are about .4 within a person and .2 between people."""
    generator = np.random.default_rng(seed_of("benchmark", "retrieval"))
    common = generator.normal(size=DIMENSION)
    for number in range(people):
        topic = common + generator.normal(size=DIMENSION)
        yield PersonVectors(f"person-{number:06d}", f"cluster-{number:06d}", topic + 1.75 * generator.normal(size=(captions, DIMENSION)))


def near_queries(index: CaptionIndex, count: int) -> tuple[list[str], np.ndarray]:
    """A person and a vector near one of their captions, `count` times."""
    generator = np.random.default_rng(seed_of("benchmark", "retrieval", "queries"))
    rows = generator.integers(0, len(index.vectors), count)
    vectors = index.vectors[rows] + 0.05 * generator.normal(size=(count, DIMENSION))
    return [index.people[place] for place in index.owners(rows)], vectors.astype(np.float32)


def in_turn(repeats: int, clock: Callable[[], float], *ways: Callable[[], object]) -> list[list[float]]:
    """Seconds of each way in each repetition, which runs them one after the other; a first round warms up.

    On one thread they are CPU seconds of this process, so that its neighbours on the machine do not count.
    """
    seconds: list[list[float]] = [[] for _ in ways]
    for repetition in range(repeats + 1):
        for way, times in zip(ways, seconds, strict=True):
            began = clock()
            way()
            if repetition:
                times.append(clock() - began)
    return seconds


def ratio(slow: list[float], fast: list[float]) -> float:
    """Within one repetition, whose parts ran next to each other."""
    return statistics.median(s / f for s, f in zip(slow, fast, strict=True))


def over_all(index: CaptionIndex, batch: int, threads: int, repeats: int) -> dict[str, float]:
    """The actor against an index of FAISS's own in the same process; both must find the same."""
    import faiss

    default = faiss.cvar.distance_compute_blas_threshold
    actor = RetrievalActor(index, threads=threads)
    bare = faiss.IndexFlatIP(DIMENSION)
    bare.add(index.vectors)
    faiss.omp_set_num_threads(threads)
    _, vectors = near_queries(index, batch)
    hits = actor.search(vectors, K)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    scores, _ = bare.search(unit, K)
    difference = float(np.abs(hits.cosines - scores).max())
    assert difference < 1e-5, f"the actor and FAISS differ by {difference}"
    tuned = BLAS_FROM * DIMENSION

    def bare_with(threshold: int) -> Callable[[], object]:
        def search() -> object:
            faiss.cvar.distance_compute_blas_threshold = threshold
            return bare.search(unit, K)

        return search

    clock = time.process_time if threads == 1 else time.perf_counter
    search = partial(actor.search, vectors, K)
    ours, quick = in_turn(3 * repeats, clock, search, bare_with(tuned))
    beside, plain = in_turn(repeats, clock, search, bare_with(default))
    actor.close()
    return {
        "retrieval_ratio": round(min(ratio(plain, beside), ratio(quick, ours)), 3),
        "retrieval_ratio_default": round(ratio(plain, beside), 3),
        "queries_per_s": round(batch / statistics.median(ours), 1),
        "bare_queries_per_s": round(batch / min(statistics.median(plain), statistics.median(quick)), 1),
        "bare_default_queries_per_s": round(batch / statistics.median(plain), 1),
        "scanned_queries": actor.scans,
        "max_abs_difference": difference,
    }


def loop_over_all(index: CaptionIndex, persons: list[str], unit: np.ndarray, k: int) -> list[list[int]]:
    """Every person and caption in turn, comparing where the person is the right one."""
    found = []
    for wanted, query in zip(persons, unit, strict=True):
        scores = []
        for place, person in enumerate(index.people):
            for row in range(index.offsets[place], index.offsets[place + 1]):
                if person == wanted:
                    scores.append((-float(np.dot(index.vectors[row], query)), row))
        found.append([row for _, row in sorted(scores)[:k]])
    return found


def loop_over_person(index: CaptionIndex, persons: list[str], unit: np.ndarray, k: int) -> list[list[int]]:
    """The right person's captions in turn."""
    found = []
    for person, query in zip(persons, unit, strict=True):
        span = index.span(index.place(person))
        scores = [(-float(np.dot(index.vectors[row], query)), row) for row in range(span.start, span.stop)]
        found.append([row for _, row in sorted(scores)[:k]])
    return found


def within_person(index: CaptionIndex, repeats: int) -> dict[str, float]:
    """Pairs of a person and a vector: a loop over everyone is timed on fewer of them."""
    actor = RetrievalActor(index)
    persons, vectors = near_queries(index, 1000)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    few = 4
    hits = actor.within_many(persons, vectors, K)
    rows = index.offsets[hits.people] + hits.captions
    assert loop_over_all(index, persons[:few], unit[:few], K) == rows[:few].tolist(), "the loop finds other captions"
    batch, everyone, person = in_turn(
        repeats,
        time.process_time,
        lambda: actor.within_many(persons, vectors, K),
        lambda: loop_over_all(index, persons[:few], unit[:few], K),
        lambda: loop_over_person(index, persons, unit, K),
    )
    pairs = [seconds / len(persons) for seconds in batch]
    return {
        "within_speedup": round(ratio([seconds / few for seconds in everyone], pairs), 1),
        "person_loop_speedup": round(ratio([seconds / len(persons) for seconds in person], pairs), 2),
        "within_us": round(statistics.median(pairs) * 1e6, 1),
    }


def memory_kb() -> dict[str, int]:
    """What this process holds: PSS divides shared pages by those who share them, anonymous memory is no file's and its own alone."""
    found = dict(line.split()[:2] for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    return {name.casefold(): int(found[f"{name}:"]) for name in ("Pss", "Rss", "Anonymous")}


def search_and_measure(path: str) -> None:
    """One process of a node: says what it holds before it opens the index and, when all have searched it, afterwards."""
    import faiss  # noqa: F401 (its code is no part of the index)

    np.ones((64, 64)) @ np.ones((64, 64))
    sys.stdin.readline()
    print(json.dumps(memory_kb()), flush=True)
    index = open_index(Path(path))
    actor = RetrievalActor(index)
    _, vectors = near_queries(index, 32)
    actor.search(vectors, K)
    print("searched", flush=True)
    sys.stdin.readline()
    print(json.dumps(memory_kb()), flush=True)
    sys.stdin.readline()


def node_memory(path: Path, processes: int = 2) -> dict[str, float]:
    """The growth of two processes that search one index, measured while both hold it."""
    code = WRITTEN.format(benchmarks=str(Path(__file__).parent), path=str(path))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen([sys.executable, "-c", code], **pipes) for _ in range(processes)]

    def told() -> list[str]:
        for process in running:
            process.stdin.write("\n")
            process.stdin.flush()
        return [process.stdout.readline() for process in running]

    before = [json.loads(line) for line in told()]
    assert [process.stdout.readline() for process in running] == ["searched\n"] * processes
    after = [json.loads(line) for line in told()]
    for process in running:
        process.communicate("\n")
    grown = [{name: (late[name] - early[name]) / 1024 for name in late} for early, late in zip(before, after, strict=True)]
    return {
        "replica_mb": round(sum(each["pss"] for each in grown), 1),
        "second_process_mb": round(grown[-1]["anonymous"], 1),
        "second_process_rss_mb": round(grown[-1]["rss"], 1),
    }


def vprag_times(folder: Path, people: int) -> dict[str, float]:
    """Each built-in query once, of people in turn, from its text to the prompt; nothing of it was encoded before."""
    encoder, writer, method, budget = make_encoder(MODEL), TemplateWriter(), method_named("vprag"), preset("q3")
    profiles = [build_profile(number, seed_of("benchmark", "vprag") % 1000) for number in range(people)]
    captions = [encoder.encode([caption.text for caption in profile.captions]).vectors for profile in profiles]
    elements = [encoder.encode(distinct_elements(profile)).vectors for profile in profiles]
    path = folder / "people.safetensors"
    build_index(path, [PersonVectors(p.id, p.cluster, rows) for p, rows in zip(profiles, captions, strict=True)], encoder=encoder.id)
    index = open_index(path)
    actor = RetrievalActor(index)
    first: dict[str, object] = {}
    for query in builtin_queries():
        first.setdefault(query.text, query)
    encoder.encode(["warm up"])
    times = []
    for number, query in enumerate(first.values()):
        who = number % people
        profile = profiles[who]
        began = time.perf_counter()
        vector = encoder.encode([query.text]).vectors
        hits = actor.within(profile.id, vector, 2 * budget.q)
        evidence = retrieve(profile, vector[0], index.captions(profile.id), elements[who], budget.retrieval())
        [written] = writer.write([request_for(query.id, method, profile, query, evidence, budget)])
        times.append((time.perf_counter() - began) * 1e3)
        assert isinstance(written, Answered)
        assert tuple(hits.captions[0, : len(evidence.posts)]) == evidence.posts
    assert len(times) >= 200
    p50, p95 = np.percentile(times, [50, 95])
    return {"vprag_ms_p50": round(float(p50), 2), "vprag_ms_p95": round(float(p95), 2), "vprag_queries": len(times)}


def main() -> None:
    """Build, compare, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=10_000, help="made-up people of the index")
    parser.add_argument("--captions", type=int, default=30, help="captions of each")
    parser.add_argument("--batch", type=int, default=256, help="queries in one search over all")
    parser.add_argument("--threads", type=int, default=1, help="FAISS's threads, on both sides")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "made-up.safetensors"
        began = time.perf_counter()
        build_index(path, made_up_people(options.people, options.captions), encoder="made-up@1")
        built = time.perf_counter()
        memory = node_memory(path)  # before this process maps the file, too
        mapped = time.perf_counter()
        index = open_index(path)
        opened = time.perf_counter()
        figures = {
            **over_all(index, options.batch, options.threads, options.repeats),
            **within_person(index, options.repeats),
            **memory,
            **vprag_times(folder, 20),
            "build_s": round(built - began, 2),
            "open_verified_s": round(opened - mapped, 2),
            "index_mb": round(path.stat().st_size / 2**20, 1),
            "vectors": len(index.vectors),
            "threads": options.threads,
            "batch": options.batch,
        }
    for figure in ("retrieval_ratio", "within_speedup", "replica_mb", "vprag_ms_p50", "vprag_ms_p95"):
        print(f"{figure:16} {figures[figure]}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
