"""What the stand-in of `model_server` says to which request: fixed rules, so that a test knows every reply and every token beforehand."""

import base64
import hashlib
import json

CONTEXT = 4096
PICTURE = 85
"""Tokens of a picture."""
FORBIDDEN = {
    "[policy]": ("content_policy_violation", "Your request was rejected as a result of our safety system."),
    "[azure]": ("content_filter", "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."),
    "[bad request]": ("invalid_value", "Invalid value: something about this request."),
}
"""Marks in a request's text for which it is answered with 400 and this code; `reply_text` and `choice` know the others."""


def tokens_of(text):
    """This server's tokens: four bytes each, as in English prose."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def text_of(content):
    """The text of a message: all of it, or its text parts."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content if part["type"] == "text")


def has_empty_text(content):
    """Whether a message is an empty text, or has an empty text part."""
    return not content if isinstance(content, str) else any(part["type"] == "text" and not part["text"] for part in content)


def shown(content):
    """The files of a message's pictures, in either provider's words."""
    parts = () if isinstance(content, str) else content
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    sources = [part["source"] for part in parts if part["type"] == "image"]
    urls += [f"data:{source['media_type']};{source['type']},{source['data']}" for source in sources]
    return [base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True) for url in urls]


def input_tokens(messages):
    """Of all messages, three more a message for its marks, and of their pictures."""
    return sum(3 + tokens_of(text_of(message["content"])) + PICTURE * len(shown(message["content"])) for message in messages)


def reply_text(asked, *, number=0, schema=None, most=256):
    """The reply to a request's last message and whether it was cut: some words that only this text gets, or JSON that fits the schema."""
    if "[empty]" in asked:
        return "", False
    digest = hashlib.sha256(f"{number} {asked}".encode("utf-8", "surrogatepass")).hexdigest()
    text = " ".join(["a quiet portrait of", digest[:12], *(f"detail-{digest[i : i + 3]}" for i in range(0, 30, 3))])
    if schema is not None:
        text = "Sure! Here is no JSON." if "[malformed]" in asked else json.dumps(fitting(schema, text))
    cut = text.encode()[: 4 * most].decode()
    return cut, cut != text


def fitting(schema, text):
    """A value that fits a schema of objects and strings."""
    if schema.get("type") == "object":
        return {name: fitting(inner, text) for name, inner in schema.get("properties", {}).items()}
    return text


def choice(asked, text, cut):
    """A choice of a chat reply, refused or filtered where the request's text says so."""
    message, finish = {"role": "assistant", "content": text, "refusal": None}, "length" if cut else "stop"
    if "[refuse]" in asked:
        message |= {"content": None, "refusal": "I can't help with that."}
    elif "[filter]" in asked:
        message["content"], finish = None, "content_filter"
    elif "[abort]" in asked:
        finish = "abort"
    elif "[parts]" in asked:
        message["content"] = [{"type": "text", "text": text[:5]}, {"type": "text", "text": text[5:]}]
    return {"message": message, "finish_reason": finish}


def vector_of(text, dimensions):
    """The vector of a text: numbers that only this text gets."""
    if "[zero]" in text:
        return [0.0] * dimensions
    vector = [byte / 255 - 0.5 for byte in hashlib.shake_256(text.encode()).digest(dimensions)]
    return [None, *vector[1:]] if "[nan]" in text else vector
