"""Images by a name that came from data: from a folder that no name may leave, or from any other place that hands out bytes."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import InputError, Missing
from engine.images.decoding import decode
from engine.images.picture import Picture
from engine.outcome import Answered, Failed

MISSING = "image-missing"
"""Failed, permanent: there is no image of that name."""

OUTSIDE = "image-outside-folder"
"""Failed, permanent: the name leads out of the data's folder: absolute, by `..` or by a link."""

UNREADABLE = "image-unreadable"
"""Failed, permanent: something of that name is there, but no file that may be read, or one larger than any image."""

CODES = (MISSING, OUTSIDE, UNREADABLE)

MAX_BYTES = 1 << 28
"""Of a file; an uncompressed image of `decoding.MAX_PIXELS` is smaller."""


class ImageFolder:
    """Reads the images below a folder by their relative names, with `/` between parts."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def read(self, name: str) -> bytes:
        """The bytes of the file called `name`. Raises as `find`."""
        with _named(name):
            return self._file(name).read_bytes()

    def find(self, name: str) -> Path:
        """The file called `name`, unread. Raises InputError with the codes above; the message holds the name, never the folder."""
        with _named(name):
            return self._file(name)

    def _file(self, name: str) -> Path:
        # What a link or `..` leads to decides, not how the name is spelled.
        file = (self._root / name).resolve()
        if Path(name).is_absolute() or not file.is_relative_to(self._root):
            raise InputError("The name leads out of the folder of the data.", file=name, code=OUTSIDE)
        status = file.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise InputError(f"This is no file of at most {MAX_BYTES} bytes.", file=name, code=UNREADABLE)
        return file


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Turn what the system says of a file into an error that names it."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError("There is no such image.", file=name, code=MISSING) from error
    except PermissionError as error:
        raise InputError("This may not be read.", file=name, code=UNREADABLE) from error
    except (OSError, ValueError, RuntimeError) as error:
        # Too long a name, a NUL, a lone surrogate, a loop of links.
        raise InputError(f"This is no name of a file ({type(error).__name__}).", file=ascii(name)[:200], code=MISSING) from error


def fetched(read: Callable[[str], bytes], name: str) -> bytes | Failed:
    """The bytes that `read` finds under `name`. A name that is missing or forbidden is a named failure; other errors are raised."""
    try:
        return read(name)
    except Missing:
        return Failed(MISSING, f"{name}: There is no such image.")
    except InputError as error:
        return Failed(error.code, error.message)


def open_picture(read: Callable[[str], bytes], name: str) -> Answered[Picture] | Failed:
    """The picture that `read` finds under `name`, or the failure of `fetched` or of `decode`."""
    data = fetched(read, name)
    if isinstance(data, Failed):
        return data
    outcome = decode(data)
    return Failed(outcome.code, f"{name}: {outcome.message}") if isinstance(outcome, Failed) else outcome
