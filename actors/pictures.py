"""Pictures in a call, for every language model alike: none that does not see passes over them in silence."""

from __future__ import annotations

from engine.generation.chat import ENDPOINT_REFUSED, ChatRequest
from engine.outcome import Failed


def pictures_of(request: ChatRequest) -> tuple[bytes, ...]:
    """All pictures of a call, in order."""
    return tuple(picture for message in request.messages for picture in message.pictures)


def unseen(request: ChatRequest, model: str) -> Failed | None:
    """The outcome of a call with pictures to a model that does not see; None for a call without."""
    if count := len(pictures_of(request)):
        return Failed(ENDPOINT_REFUSED, f"{model} does not see, and {count} pictures are shown. Give a model that takes pictures.")
    return None


def misplaced(request: ChatRequest) -> Failed | None:
    """The outcome of a call with a picture outside of the user's turns, which no chat model takes; None for any other."""
    for message in request.messages:
        if message.pictures and message.role != "user":
            return Failed(ENDPOINT_REFUSED, f"A picture stands in a turn of the {message.role}: only the user can show one.")
    return None
