"""Makes `simulated_verdicts` and `rating_coverage`, which are benchmarks too, importable by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
