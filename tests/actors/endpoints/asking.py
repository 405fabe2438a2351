"""Requests as the tests of this folder make them."""

from engine.generation.chat import ChatRequest, Message, Sampling


def asking(text, *, schema="", seed=7, **sampling):
    """One request with a system message and `text`."""
    messages = (Message("system", "Write one prompt."), Message("user", text))
    return ChatRequest(text, messages, Sampling(**{"max_tokens": 64} | sampling), seed, schema)
