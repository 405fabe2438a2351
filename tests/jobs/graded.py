"""People and prompts whose worth is known: each own method's prompts carry a grade that scripted judges read, and a number of words."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from jobs.cli import exit_code

GRADES = {"one": 1, "two": 2, "three": 3, "four": 4}
"""Own methods and the grade of their prompts."""

KIN = ("two", "four")
"""Methods whose prompts say that a model of the family `acme` wrote them."""

TASKS = ["cultural-generation"]


def graded(folder: Path, people: int) -> dict[str, Any]:
    """Choices of an experiment with four own methods over `people` people, its files in `folder`."""
    profiles, file = folder / "people.parquet", folder / "graded.yaml"
    assert exit_code(["profiles", "build", "--n", str(people), "--out", str(profiles)]) == 0
    own = [{"name": name, "file": str(folder / f"{name}.jsonl"), **({"family": "acme"} if name in KIN else {})} for name in GRADES]
    choices = {"people": {"file": str(profiles)}, "queries": {"tasks": TASKS}, "methods": ["baseline", *own]}
    file.write_text(json.dumps({"name": "graded", **choices, "methods": ["baseline"]}))
    assert exit_code(["queries", str(file), "--out", str(folder / "queries.jsonl")]) == 0
    asked = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    random = Random(2)
    for name, grade in GRADES.items():
        with (folder / f"{name}.jsonl").open("w") as out:
            for each in asked:
                filler = " ".join(["more"] * int(random.random() * 30))
                kin = "by acme" if name in KIN else "by nobody"
                row = {"person": each["person"], "query": each["query"], "prompt": f"{each['text']}, grade {grade}, {kin} {filler}".strip()}
                out.write(json.dumps(row) + "\n")
    return choices
