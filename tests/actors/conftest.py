"""Lets the tests of this folder import `made_up_memory`, which lies beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
