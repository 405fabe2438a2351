"""The prompt is taken out of what a model says around it, and is otherwise left as it is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.prompting.extraction import phrases_in, prompt_in
from engine.tokens import tokens

KITE = "A red kite over green hills, low sun"
REPLIES = {
    f"Sure! Here is a prompt: {KITE}": KITE,
    f'Certainly! Here\'s the personalized prompt for you:\n\n"{KITE}"\n\nI hope this helps!': KITE,
    f"I'd be happy to help with that!\n\n{KITE}": KITE,
    f"Based on the person's taste, here is the rewritten prompt:\n{KITE}": KITE,
    f"**Prompt:** {KITE}": KITE,
    f"### Personalized Prompt\n\n{KITE}": KITE,
    f"Final image prompt (7 words): {KITE} (8 words)": KITE,
    f"<think>The user likes tea.\nPrompt: no</think>\n\n{KITE}": KITE,
    f"thinking without an opening mark</think>{KITE}": KITE,
    f"```text\n{KITE}\n```\nLet me know if you want changes.": KITE,
    f"Here you go:\n```\n{KITE}": KITE,
    f"> {KITE}": KITE,
    f"*{KITE}*": KITE,
    f"<prompt>{KITE}</prompt>": KITE,
    f"<|im_start|>assistant\n{KITE}<|im_end|>\nmore": KITE,
    f"- {KITE}": KITE,
    f"1. {KITE}\n2. A blue boat": KITE,
    f"Here are three prompts:\n\n1. **{KITE}**\n2. A blue boat\n3. A dog": KITE,
    f"**Option 1:**\n{KITE}\n\n**Option 2:**\nA blue boat": KITE,
    f"Let me offer two.\n\nPrompt A: {KITE}\nPrompt B: A blue boat": KITE,
    f"{KITE}\n\nOr:\n\nA blue boat": KITE,
    f"{KITE}\n\n---\n\nA remark": KITE,
    f'"{KITE}"\n\n"A blue boat"': KITE,
    f"{KITE}. This prompt captures the person's love of kites.": f"{KITE}.",
    f"{KITE}.\n\nNote: the kite is red.": f"{KITE}.",
    f"{KITE}.\n\nNegative prompt: blurry": f"{KITE}.",
    f"{KITE}. Would you like another one?": f"{KITE}.",
    f"The person likes kites, so I will use one.\n\nPrompt: {KITE}": KITE,
    f'"{KITE}".': f"{KITE}.",
    f"好的，这是提示词：{KITE}": KITE,
    f"Natürlich! Hier ist der Prompt:\n{KITE}": KITE,
    f"A hill with:\n- {KITE}\n- a dog": f"A hill with: {KITE}; a dog",
    "A red kite over\ngreen hills": "A red kite over green hills",
}
UNTOUCHED = [
    'Portrait: a weaver at her loom, a sign that says "Open"',
    '"Open" sign in the window, and a board that reads "Closed"',
    "'Twas the weavers' fair, brass samovars at 3:45",
    "Two panels: left, a kite; right, a boat (both red)",
    "Of all things, a red kite. Here is where it landed: a green hill",
    "This is our old kitchen: version of 1950, tiles of cobalt",
    "Sure-footed goats on a ridge, 4.5 m of rope * two hooks",
    "Prompt replies pinned on a cork board",
    "Replace the plate by a banana leaf. Note the grain of the table.",
    "A kite: the prompt of a child's story, told twice",
    "2 dogs on a sofa",
    "गरम चाय, धूप वाला आँगन।",
    "茶壶：黄铜，红色地毯",
    "Okay sign of a diver, blue water",
]
NOTHING = ["", " \n ", "Sure!", "<think>never closed", "🎈", "``````", '""', "I hope this helps!", "---"]


@pytest.mark.parametrize("reply", REPLIES)
def test_what_a_model_says_around_a_prompt_goes(reply: str) -> None:
    assert prompt_in(reply) == REPLIES[reply]


@pytest.mark.parametrize("prompt", UNTOUCHED)
def test_a_prompt_with_colons_quotes_and_numbers_stays_as_it_is(prompt: str) -> None:
    assert prompt_in(prompt) == prompt


@pytest.mark.parametrize("reply", NOTHING)
def test_a_reply_without_a_prompt_gives_none(reply: str) -> None:
    assert prompt_in(reply) is None
    assert phrases_in(reply) == ()


@pytest.mark.parametrize("pair", ['""', "''", "“”", "‘’", "„“", "«»", "»«", "「」", "『』", "‹›", "``"])
def test_matching_quotes_of_any_script_go_and_an_apostrophe_inside_does_not_matter(pair: str) -> None:
    assert prompt_in(f"{pair[0]}The weaver's loom, O’Neil's rug{pair[1]}") == "The weaver's loom, O’Neil's rug"


parts = st.sampled_from(
    ["Sure! ", "Here is a prompt: ", "Prompt:", "\n", "\n\n", '"', "“", "”", "'", "**", "*", "- ", "1. ", "2. ", "> ", "# ", "```",
     "<think>", "</think>", "Option 1:", "Note: ", "I hope this helps!", "Or:", "---", "red kite",
     "weaver's", "，", "；", "茶", ".", ":", ";", "(9 words)"]
)  # fmt: skip
replies = st.one_of(st.lists(parts, max_size=14).map("".join), st.lists(parts, max_size=14).map(" ".join), st.text(max_size=60))


@given(replies)
@settings(deadline=None, max_examples=500)
def test_a_prompt_taken_out_twice_is_the_same_on_one_line_and_nothing_is_invented(reply: str) -> None:
    prompt = prompt_in(reply)
    if prompt is not None:
        assert prompt_in(prompt) == prompt
        assert len(prompt.splitlines()) == 1
        left = iter(reply)
        assert all(character in left for character in prompt if character not in " ;")


words = st.lists(
    st.sampled_from(["red", "kite", "weaver's", "茶壶", "f/2.8", "low", "sun", "Café", "sign:", '"open"']), min_size=2, max_size=12
)


@given(
    words.map(lambda found: "a " + " ".join(found) + " hill"),
    st.sampled_from(["Sure! Here is your prompt:\n\n{}", "**Prompt:** {}", "<think>x</think>{}"]),
)
@settings(deadline=None)
def test_any_prompt_survives_its_wrapping(prompt: str, wrapping: str) -> None:
    assert prompt_in(wrapping.replace("{}", prompt)) == prompt
    assert prompt_in(prompt) == prompt


LISTS = {
    "- red kite\n- tea, hot\n- wool rug": ("red kite", "tea, hot", "wool rug"),
    "1. red kite\n2. tea\n3. rug": ("red kite", "tea", "rug"),
    "1. red kite 2. tea 3. rug": ("red kite", "tea", "rug"),
    "red kite; tea, hot; rug": ("red kite", "tea, hot", "rug"),
    "red kite, tea, and a rug.": ("red kite", "tea", "a rug"),
    "red kite\ntea\nrug": ("red kite", "tea", "rug"),
    'Sure! Here are three phrases:\n\n1. "red kite"\n2. **tea**\n3. rug.\n\nThese phrases capture the person.': ("red kite", "tea", "rug"),
    "Phrases: red kite; tea; rug": ("red kite", "tea", "rug"),
    "Phrase 1: red kite\nPhrase 2: tea": ("red kite", "tea"),
    "<think>tea?</think>\n• red kite\n• tea": ("red kite", "tea"),
    "红色风筝；热茶；地毯": ("红色风筝", "热茶", "地毯"),
    "红色风筝，热茶": ("红色风筝", "热茶"),
    "red kite": ("red kite",),
    "A perfect weekend:\n- light: low sun\n- objects: brass samovar; wool rug\n- tea": ("low sun", "brass samovar", "wool rug", "tea"),
    "3:\n- red kite\n- tea": ("red kite", "tea"),
    "3\nred kite\ntea": ("red kite", "tea"),
    "What I would add to it\n1. red kite\n2. tea": ("red kite", "tea"),
}


@pytest.mark.parametrize("reply", LISTS)
def test_phrases_come_from_lines_semicolons_or_commas(reply: str) -> None:
    assert phrases_in(reply) == LISTS[reply]


@given(replies)
@settings(deadline=None, max_examples=300)
def test_phrases_hold_words_and_stand_on_one_line_each(reply: str) -> None:
    for phrase in phrases_in(reply):
        assert phrase == " ".join(phrase.split())
        assert tokens(phrase)


@pytest.mark.parametrize("piece", ["Here is a prompt ", "- a\n", '"', "<think>", "A b. ", "```\n", "(", "**x** ", "the "])
def test_a_long_reply_is_read_in_no_time(piece: str) -> None:
    reply = piece * (60_000 // len(piece))
    began = time.perf_counter()
    prompt_in(reply)
    phrases_in(reply)
    assert time.perf_counter() - began < 5
