"""A reply that declines is told from a prompt that only holds such words."""

from __future__ import annotations

import pytest

from engine.generation.refusals import is_refusal

DECLINES = """
I can't help with that.
I'm sorry, but I can't assist with that request.
I’m sorry, but I can’t create that image.
I cannot fulfill this request.
I am unable to generate images of real people.
As an AI language model, I cannot see pictures.
I'm sorry, but as an AI, I can't generate images.
Sorry, I can't do that.
I'm sorry, I cannot.
I must decline.
I must respectfully decline this request.
Unfortunately, I'm not able to write this prompt.
I apologize, but I won't be able to help with this.
I understand, but I cannot write this prompt.
I can't comply with this.
I'm not comfortable writing that content.
"I can't help with that."
**I'm sorry**, but I can't help you with this.
I won't write such content.
This request violates our content policy.
I'm sorry for any confusion, but as a digital AI assistant, I'm unable to draw.
Thank you for asking, but I can't provide that content.
I cannot assist you with creating this prompt.
I'm afraid I can't help with this one.
Es tut mir leid, aber dabei kann ich nicht helfen.
Es tut mir leid. Ich kann diesen Prompt nicht schreiben.
Je suis désolé, mais je ne peux pas répondre à cette demande.
Lo siento, pero no puedo ayudar con eso.
Sinto muito, mas não posso ajudar com isso.
Mi dispiace, ma non posso aiutarti.
К сожалению, я не могу помочь с этим.
抱歉，我无法提供这方面的帮助。
很抱歉，我不能生成这样的内容。
申し訳ありませんが、そのご依頼にはお応えできません。
죄송하지만 도와드릴 수 없습니다.
عذرًا، لا أستطيع مساعدتك في ذلك.
क्षमा करें, मैं इसमें मदद नहीं कर सकता।
""".strip().splitlines()

WRITES = """
I can't stop laughing at something off camera
I can't wait for the weekend, a packed bag by the door
A neon sign that says "I can't help falling in love"
I can't help falling in love, in neon pink over a karaoke booth
I'm sorry card on a wooden table, dried flowers
Sorry, said in chalk on a pavement, a child's hand
A weaver at her loom who cannot see the light
As an AI researcher, she sits at a desk of brass
An afternoon in the park; a retired weaver, with brass samovar
I won the race, medals on a blue ribbon
I am unable to look away from the low winter light on the rug
Unfortunately the rain came, umbrellas over a street market
Apologies written in icing on a simple round cake
A robot with a placard: I cannot assist you
A cat that refuses to leave the warm sill
I will not forget the lake, mist, a red canoe
As an airy room with tall windows
A sign: sorry, we can't serve you today, over a closed bakery
Replace the plate by a banana leaf, and do not change the table
Leider geil, graffiti on a concrete wall
Es tut mir leid, a handwritten letter on a desk
Lo siento, una carta sobre la mesa
抱歉，写在纸条上的字
すみません、と書かれた木の札
I cannot write without tea: a desk, a samovar, steam
I can't do handstands, but my dog can, on a beach
The request line of a radio studio at night
Here is an image of a person who can't help with the dishes
I appreciate the light in this room, a linen curtain
I can't make the picture frame straight, a crooked hallway
I could not see the band for the crowd, phones held high
""".strip().splitlines()


@pytest.mark.parametrize("reply", DECLINES)
def test_a_reply_that_begins_by_declining_is_a_refusal(reply: str) -> None:
    assert is_refusal(reply)
    assert is_refusal(f"\n  {reply}\n\nPlease ask for something else.")


@pytest.mark.parametrize("reply", [*WRITES, "", "🎈", "I"])
def test_a_prompt_that_only_holds_such_words_is_none(reply: str) -> None:
    assert not is_refusal(reply)


@pytest.mark.parametrize("reply", DECLINES)
def test_a_refusal_quoted_inside_a_prompt_is_none(reply: str) -> None:
    assert not is_refusal(f"A wooden sign over a closed bakery that reads: {reply}")
