"""Small caption memories with what goes wrong in large ones: people of 1 to 30 captions, exact ties, copies, rows of zeros."""

import numpy as np

from actors.index_build import PersonVectors, build_index
from actors.index_file import open_index

D = 24


def people_with_ties(seed, count=40, dimension=D):
    """Captions around a topic a person; many are exact copies of one's own or of somebody else's, one in fifty is zero."""
    generator = np.random.default_rng(seed)
    pool = generator.normal(size=(12, dimension))
    people = []
    for number in range(count):
        captions = int(generator.integers(1, 31))
        topic = generator.normal(size=dimension)
        vectors = topic + 0.7 * generator.normal(size=(captions, dimension))
        copied = generator.random(captions) < 0.3
        vectors[copied] = pool[generator.integers(0, len(pool), copied.sum())]
        vectors[generator.random(captions) < 0.02] = 0
        people.append(PersonVectors(f"person-{number:03d}", f"cluster-{number // 2}", vectors.astype(np.float32)))
    return people


def opened(folder, people, name="index.safetensors"):
    """The index of these people, through its file."""
    build_index(folder / name, people, encoder="made-up@1")
    return open_index(folder / name)
