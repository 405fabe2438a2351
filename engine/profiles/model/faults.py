"""Why an answer, or a piece of one, cannot be used: typed, countable, and tellable to the model that is to mend it."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """What is wrong; the values stand in result files."""

    NO_JSON = "no-json"
    """No JSON, or cut off before its end."""
    SHAPE = "wrong-shape"
    """JSON without the fields that were asked for."""
    DECLINED = "declined"
    MISSING = "missing"
    """Fewer pieces than were asked for."""
    TOO_SHORT = "too-short"
    TOO_LONG = "too-long"
    CUT_OFF = "cut-off"
    """As long as the schema lets a text be, without a clause that ends before: constrained decoding ended it, not the model."""
    LOOPS = "loops"
    """One text that says the same words again."""
    REPEATED = "repeated"
    """Too like another text of this person."""
    ECHO = "echo"
    """Repeats what the model was shown: the example, or five words in a row of the persona seed."""
    SHARED_WORDS = "shared-words"
    """The two summaries have four words in a row in common."""
    DENIED = "denied"
    """Shows what the persona seed rejects."""
    NO_ELEMENT = "no-element"
    """A caption in which none of the person's elements stands: kept without any if it is not mended."""


class Rejected(Exception):
    """A piece that cannot be used; `about` quotes what is wrong with it, `told` is how the model hears of it.

    `spare` is what stands for the piece if no round brings a better one.
    """

    def __init__(self, fault: Fault, about: str = "", spare: object = None) -> None:
        super().__init__(f"{fault}: {about}")
        self.fault, self.about, self.spare = fault, about, spare

    @property
    def told(self) -> str:
        """One sentence for the model."""
        return _TOLD[self.fault].format(about=f'"{self.about}"')


_TOLD = {
    Fault.NO_JSON: "That was not one whole JSON object of the form that was asked for.",
    Fault.SHAPE: "The JSON lacks the field {about} in the form that was asked for.",
    Fault.DECLINED: "The people are invented; please answer.",
    Fault.MISSING: "Some were missing.",
    Fault.TOO_SHORT: "{about} says too little.",
    Fault.TOO_LONG: "{about} has too many words.",
    Fault.CUT_OFF: "{about} is too long and was cut off.",
    Fault.LOOPS: "{about} says the same words again and again.",
    Fault.REPEATED: "{about} is nearly the same as another one.",
    Fault.ECHO: "{about} only repeats what you were shown.",
    Fault.SHARED_WORDS: "Both descriptions contain the words {about}; use other words for the same.",
    Fault.DENIED: "{about} shows something that this person rejects.",
    Fault.NO_ELEMENT: "{about} uses none of the words that it should use, letter by letter.",
}
