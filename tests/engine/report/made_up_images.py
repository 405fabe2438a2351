"""Image rows of a made-up run: methods that differ in known ways, and a few units that went wrong."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa

from engine.metrics.images import ImageDefinition
from engine.report.images.data import GALLERIES_SCHEMA, ImageFacts, images_schema, metrics_of

DEFINITION = ImageDefinition("conse@1", "dino@1", "lpips@1", ("sharpness-1",), 0.95)
FACTS = ImageFacts(DEFINITION, ("tiny-scenes",), 2, ("tiny-scenes", "conse"))
LEADS = {"baseline": 0.0, "persona": 2.0, "vprag": 5.0}
"""What each method's DIS-R has over the baseline's."""


def made_up_images(people: int = 40, prompt: str = "a harbour at dusk") -> pa.Table:
    """One query a person, three methods, one renderer; vprag fails for one person and is refused for another."""
    rng = np.random.Generator(np.random.PCG64(5))
    rows: list[dict[str, Any]] = []
    for person in range(people):
        subject = hashlib.sha256(str(person).encode()).hexdigest()
        own = rng.normal(0, 3)
        for method, lead in LEADS.items():
            figures = {name: 50 + own + lead + rng.normal(0, 1) for name in metrics_of(DEFINITION)}
            figures["lpips_r"] = 0.6 - lead / 50 + rng.normal(0, 0.01)
            row: dict[str, Any] = {
                "subject": subject,
                "person": f"P{person}",
                "cluster": f"c{person}",
                "query": f"q{person % 12}",
                "family": f"f{person % 12}",
                "task": "social-generation",
                "breadth": "broad",
                "method": method,
                "writer": "template",
                "backbone": "template-1",
                "budget": "q3",
                "renderer": "tiny-scenes",
                "extractive": False,
                "outcome": "answered",
                "prompt": prompt,
                "object": f"objects/i/{subject[:2]}/{subject}.png",
                "thumbnail": f"objects/i/{subject[:2]}/{subject}{method}.jpeg",
                **figures,
            }
            if method == "vprag" and person < 2:
                row |= dict.fromkeys((*figures, "object", "thumbnail"))
                row |= {"outcome": "failed", "code": "blank-image"} if person == 0 else {"outcome": "refused", "message": "safety filter"}
            rows.append(row)
    return pa.Table.from_pylist(rows, schema=images_schema(DEFINITION))


def made_up_galleries(people: int = 40) -> pa.Table:
    """Galleries of two images a person, nearer to each other than to strangers'."""
    rng = np.random.Generator(np.random.PCG64(6))
    rows = []
    for person in range(people):
        subject = hashlib.sha256(str(person).encode()).hexdigest()
        figures = {"within": 0.3 + rng.normal(0, 0.02), "within_lpips": 0.4, "between": 0.5 + rng.normal(0, 0.02)}
        shown = [f"objects/g/{subject[:2]}/{subject}{number}.jpeg" for number in range(2)]
        keys = {"subject": subject, "cluster": f"c{person}", "outcome": "answered", "renderer": "tiny-scenes"}
        rows.append({**keys, "thumbnails": shown, **figures})
    return pa.Table.from_pylist(rows, schema=GALLERIES_SCHEMA)
