"""How large a person may be: beyond these a row is refused by name instead of slowing everything after it (VPTT, imports)."""

from __future__ import annotations

MAX_LINE_BYTES = 8 * 2**20
"""Bytes of one JSONL line; the rest of a longer line is skipped unread."""

MAX_ID_CHARACTERS = 128
MAX_TEXT_CHARACTERS = 20_000
"""Characters of any one text (a summary, a scenario, a caption, a sentence of a persona sheet)."""

MAX_CAPTIONS = 200
MAX_CAPTION_WORDS = 500
"""Words of one caption, by the token rule of `engine.tokens`."""

MAX_ELEMENT_CHARACTERS = 200
MAX_ELEMENTS_PER_CAPTION = 200
MAX_ELEMENTS = 5_000
"""Elements of one person, those that only captions name included."""

MAX_INTERESTS = 100
MAX_SENTENCES = 100
"""Sentences of one persona sheet."""

BATCH_ROWS = 256
"""Rows read from, or written to, a Parquet file at a time."""
