"""Which way up a photograph was taken, from the EXIF block that cameras write (EXIF 2.32, tag 0x0112)."""

from __future__ import annotations

ORIENTATION = 0x0112
_SHORT = 3
_MARK = b"Exif\0\0"


def orientation(exif: bytes) -> int:
    """1 to 8 as EXIF numbers them; 1 (upright) where the block says nothing or cannot be read.

    Read here and not by Pillow, which warns about damaged blocks: no filter of warnings holds for one thread alone.
    """
    block = exif.removeprefix(_MARK)
    order = {b"II": "little", b"MM": "big"}.get(block[:2])
    if order is None:
        return 1

    def number(at: int, size: int) -> int:
        return int.from_bytes(block[at : at + size], "little" if order == "little" else "big")

    directory = number(4, 4)
    # A directory that runs past the block ends where the block does.
    for at in range(directory + 2, min(directory + 2 + 12 * number(directory, 2), len(block) - 11), 12):
        if number(at, 2) == ORIENTATION and number(at + 2, 2) == _SHORT:
            value = number(at + 8, 2)
            return value if 1 <= value <= 8 else 1
    return 1
