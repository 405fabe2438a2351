"""What is judged: a text, a picture, or what vision models saw in a picture."""

from __future__ import annotations

from dataclasses import dataclass

from engine.tokens import tokens


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of what is judged. `text` is shown as it is; `picture` names an image object of the store, "" for none.

    Neither a method's nor a file's name is in it: a picture reaches a judge as bytes.
    """

    text: str = ""
    picture: str = ""

    @property
    def words(self) -> int:
        """METRICS' tokens of the text: a judge that likes long answers shows in them."""
        return len(tokens(self.text))
