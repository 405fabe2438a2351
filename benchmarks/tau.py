"""Finds the softmax temperature at which VPRAG's median effective sample size of narrow queries is 4, for any encoder.

    python benchmarks/tau.py [--encoder minilm-l6-v2]

On 200 built people of a seed that no experiment uses (METRICS, VPRAG, tau-matched). The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
from math import exp

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from actors.encoders import Encoder, make_encoder
from engine.profiles.grammar import build_profiles
from engine.profiles.validation import person_key
from engine.prompting.retrieval import cosines, entropy, softmax_weights
from engine.prompting.tau import MEDIAN_N_EFF
from engine.queries import builtin_queries, draw

PEOPLE, SEED = 200, 7_919_000


def main() -> None:
    """Print the matched temperature and what n_eff is at it and at the paper's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", default="minilm-l6-v2")
    encoder = make_encoder(parser.parse_args().encoder, threads=2)
    similarities = _similarities(encoder)
    tau = float(brentq(lambda tau: median_n_eff(similarities["narrow"], tau) - MEDIAN_N_EFF, 1e-4, 1.0, xtol=1e-5))
    told = {f"median_n_eff_{breadth}_tau_{t:g}": round(median_n_eff(of, t), 2) for breadth, of in similarities.items() for t in (0.1, tau)}
    print(json.dumps({"encoder": encoder.id, "people": PEOPLE, "tau": round(tau, 4), **told}))


def median_n_eff(similarities: list[NDArray[np.float64]], tau: float) -> float:
    """Over queries, each with a person's similarities (m,)."""
    return float(np.median([exp(entropy(softmax_weights(row, tau))) for row in similarities]))


def _similarities(encoder: Encoder) -> dict[str, list[NDArray[np.float64]]]:
    """By breadth of the query: the cosines of each person's queries with their captions."""
    pool = builtin_queries()
    tasks = tuple(dict.fromkeys(query.task for query in pool))
    found: dict[str, list[NDArray[np.float64]]] = {"narrow": [], "broad": []}
    for person in build_profiles(PEOPLE, SEED):
        queries = draw(pool, person_key(person), tasks, 1, 0)
        captions = [caption.text for caption in person.captions]
        vectors = encoder.encode([*captions, *(query.text for query in queries)]).vectors.astype(np.float64)
        for query, vector in zip(queries, vectors[len(captions) :], strict=True):
            found[query.breadth].append(cosines(vector, vectors[: len(captions)]))
    return found


if __name__ == "__main__":
    main()
