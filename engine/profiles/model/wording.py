"""The wording of a step: a text file of named sections, pinned by the sha256 of its bytes.

A line `== name` begins a section; lines that begin with `#` are notes. `{name}` in an `ask` section is filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from engine.generation.chat import Message
from engine.keys import sha256

_HEAD = "== "


@dataclass(frozen=True, slots=True)
class Template:
    """Section -> text, and what pins them."""

    sections: Mapping[str, str]
    sha256: str

    def fill(self, section: str, **values: object) -> str:
        """A section with its places filled. Raises KeyError for a section or value that is not there."""
        return self.sections[section].format_map(values)

    def messages(self, ask: str, example: str = "example") -> tuple[Message, ...]:
        """The call that asks `ask`: the rules, one worked example, then the question itself."""
        return (
            Message("system", self.sections["system"]),
            Message("user", self.sections[f"{example} ask"]),
            Message("assistant", self.sections[f"{example} answer"]),
            Message("user", ask),
        )

    def shown(self, example: str = "example") -> str:
        """The example's answer: what no person may repeat."""
        return self.sections[f"{example} answer"]


@cache
def template(name: str) -> Template:
    """The template file called `name`."""
    data = files("engine.profiles.model").joinpath("templates", f"{name}.txt").read_bytes()
    sections: dict[str, list[str]] = {}
    for line in data.decode("utf-8").splitlines():
        if line.startswith(_HEAD):
            sections[line.removeprefix(_HEAD).strip()] = lines = []
        elif not line.startswith("#"):
            lines.append(line)
    return Template({section: "\n".join(lines).strip() for section, lines in sections.items()}, sha256(data))
