"""What each step asks and keeps: summaries that share no words, posts with the elements that stand in them, nothing that was denied."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.novelty import ngrams
from engine.profiles.model.captions import HAND, WriteCaptions
from engine.profiles.model.draft import Draft, Part
from engine.profiles.model.faults import Fault, Rejected
from engine.profiles.model.judging import refuse_alike, stands_in, text_of
from engine.profiles.model.lexicon import ListElements
from engine.profiles.model.persona import Describe, Sketch, sheet_of
from engine.profiles.model.scenarios import ListScenarios
from engine.profiles.model.seeds import PersonaSeed
from engine.profiles.model.wording import template
from engine.records import CATEGORIES, Demographics, Element
from engine.tokens import tokens
from tests.engine.profiles.model.inventive import reply

SKETCH = Sketch(Demographics("35-44", "Oceania", "Tongan", "net mender", ("chess", "kites")), "A Tongan mender of nets.", "The hidden one.")
SEED = PersonaSeed("0-000001", "0-000001", "A net mender from Oceania who likes chess.", SKETCH.demographics)
ELEMENTS = tuple(Element(category, f"{category} thing") for category in CATEGORIES)
MOMENTS = ("mending a net at dawn", "a kite caught in a palm", "losing a long game")


def fault_of(call, *arguments):
    with pytest.raises(Rejected) as caught:
        call(*arguments)
    return caught.value.fault


def captions(**changes):
    given_ = {"rejected": frozenset(), "own_words": (), "together": 2, "least": 1, "scenarios": MOMENTS, "elements": ELEMENTS, **changes}
    return WriteCaptions(key="p", sketch=SKETCH, **given_)


def post(text, uses=()):
    return {"uses": list(uses), "text": text}


def test_known_demographics_are_not_asked_for():
    assert [part.name for part in Describe(SEED).parts] == ["given", "reference"]
    assert [part.name for part in Describe(PersonaSeed("p", "p", "I mend nets.")).parts] == ["demographics", "given", "reference"]


def test_summaries_that_share_four_words_are_repaired_in_the_words_that_they_share():
    step = Describe(SEED)
    kept = {("given", 0): "A mender of fishing nets who lives by the lagoon."}
    shared = "Each day by the sea, a mender of fishing nets who hums."
    with pytest.raises(Rejected) as caught:
        step.judge(Part("reference"), 0, shared, kept)
    assert caught.value.fault is Fault.SHARED_WORDS
    assert "a mender of fishing" in caught.value.told
    assert step.judge(Part("reference"), 0, "Each day by the sea, mending what the reef tore.", kept)


@given(st.lists(st.sampled_from(["net", "sea", "kite", "dawn", "palm", "reef", "game", "rope"]), min_size=6, max_size=14).map(" ".join))
def test_no_two_summaries_that_are_kept_share_four_words(text):
    given_ = "net sea kite dawn palm reef game rope net"
    try:
        kept = Describe(SEED).judge(Part("reference"), 0, text, {("given", 0): given_})
    except Rejected:
        return
    assert ngrams(tokens(kept), 4).isdisjoint(ngrams(tokens(given_), 4))


DEMOGRAPHICS = {"age_band": "", "region": "Oceania", "culture": "", "occupation": "net mender", "interests": ["chess", "kites"]}


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"age_band": "40"}, Fault.SHAPE),
        ({"region": 3}, Fault.SHAPE),
        ({"interests": "chess"}, Fault.SHAPE),
        ({"interests": ["chess", "Chess"]}, Fault.REPEATED),
        ({"occupation": "x" * 48}, Fault.CUT_OFF),
        ({"interests": ["baking bread"]}, Fault.DENIED),
    ],
)
def test_demographics_of_another_form_are_refused(changed, fault):
    step = Describe(PersonaSeed("p", "p", "I mend nets.", rejected=frozenset({"bread"})))
    assert step.judge(Part("demographics"), 0, DEMOGRAPHICS, {}) == Demographics("", "Oceania", "", "net mender", ("chess", "kites"))
    assert fault_of(step.judge, Part("demographics"), 0, {**DEMOGRAPHICS, **changed}, {}) is fault


@pytest.mark.parametrize(
    ("piece", "fault"),
    [
        (3, Fault.SHAPE),
        ("...", Fault.TOO_SHORT),
        ("a b c d e f g h", Fault.TOO_LONG),
        ("x" * 40, Fault.CUT_OFF),
        ("big big net", Fault.LOOPS),
        ("objects", Fault.ECHO),
        ("worn chess clock", Fault.ECHO),
        ("fresh bread", Fault.DENIED),
        ("Grey-net", Fault.REPEATED),
    ],
)
def test_an_element_that_cannot_be_used_is_refused(piece, fault):
    step = ListElements(SKETCH, frozenset({"bread"}), 2, 1)
    kept = {("materials", 0): Element("materials", "grey net")}
    assert fault_of(step.judge, Part("objects", 2), 0, piece, kept) is fault
    assert step.judge(Part("objects", 2), 0, " wooden  shuttle. ", kept) == Element("objects", "wooden shuttle")


def test_every_category_has_a_meaning_and_is_asked_for_once():
    step = ListElements(SKETCH, frozenset(), 4, 1)
    asked = [step.messages(part, range(4))[-1].content for part in step.parts]
    assert len(set(asked)) == len(CATEGORIES)
    assert all(template("lexicon").sections[category] in ask for category, ask in zip(CATEGORIES, asked, strict=True))


def test_moments_go_round_the_strands_of_the_person_and_are_not_alike():
    step = ListScenarios(SKETCH, ELEMENTS, frozenset(), 30, 3, 20)
    strands = [step.strand(part) for part in step.parts]
    assert sum(part.slots for part in step.parts) == 30
    assert len(set(strands)) == len(strands) == 10
    assert {each.split(",")[0] for each in strands} == {"net mender", "Tongan customs", "chess", "kites", "everyday life"}
    kept = {("000", 0): "mending a net at dawn"}
    assert fault_of(step.judge, step.parts[0], 1, "mending the net at dawn", kept) is Fault.REPEATED
    assert fault_of(step.judge, step.parts[0], 1, "stepping off the slipway before sunrise", kept) is Fault.ECHO


def test_a_caption_records_the_elements_that_stand_in_it_and_drops_those_that_do_not():
    text = "Nobody saw the lighting thing, but everyone asked about my Clothing Thing!"
    made = captions().judge(Part("002", 1), 0, post(text, ["objects thing", "clothing thing"]), {})
    assert made.text == text
    assert made.scenario == MOMENTS[2]
    assert made.elements == (Element("lighting", "lighting thing"), Element("clothing", "clothing thing"))


def test_a_caption_in_which_no_element_stands_is_mended_or_kept_without_any():
    step = captions(scenarios=MOMENTS[:2], together=1)
    plain = "Nobody saw what the tide brought in this morning."

    def said(*texts):
        draft, rounds = Draft(step, 1), iter(texts)
        while asks := draft.asks():
            for ask, text in zip(asks, next(rounds), strict=True):
                draft.take(ask, reply(json.dumps({"posts": [post(text)]})))
        return draft.outcome()

    good = "My objects thing came home without me."
    mended = said([plain, good], ["Found the lighting thing under a rock today."]).value
    assert [len(caption.elements) for caption in mended.value] == [1, 1]
    left = said([plain, good], [plain]).value
    assert next((caption.text, caption.elements) for caption in left.value) == (plain, ())
    assert dict(left.effort.faults) == {"no-element": 2}
    # An earlier round's will do, and what is too like another post will not.
    assert len(said([plain, plain], [good, "no"]).value.value) == 2
    assert len(said([plain, plain], [plain, plain]).value.value) == 1


@pytest.mark.parametrize(
    ("piece", "fault"),
    [
        ("text", Fault.SHAPE),
        ({"uses": []}, Fault.SHAPE),
        (post("Nothing of it stands in this post."), Fault.NO_ELEMENT),
        (post("The things and the lighting of this very morning."), Fault.NO_ELEMENT),
        (post("My objects thing and my objects thing and my objects thing."), Fault.LOOPS),
        (post("The objects thing slept while I mended nets by the sea."), Fault.REPEATED),
        (post("I have mended nets since I was six, objects thing."), Fault.ECHO),
        (post("Fresh bread and an objects thing for the boat."), Fault.DENIED),
        (post("An objects thing for all of us ".ljust(240, "x")), Fault.CUT_OFF),
    ],
)
def test_a_caption_that_cannot_be_used_is_refused(piece, fault):
    step = captions(rejected=frozenset({"bread"}), own_words=("I have mended nets since I was six.",))
    first = step.judge(Part("000", 2), 0, post("The objects thing slept while I mended our nets by the sea."), {})
    assert fault_of(step.judge, Part("000", 2), 1, piece, {("000", 0): first}) is fault


def test_hands_go_round_the_whole_deck():
    step = captions(scenarios=tuple(f"moment {i}" for i in range(30)))
    dealt = [element for hand in step.hands for element in hand]
    assert {len(set(hand)) for hand in step.hands} == {HAND}
    assert {dealt.count(element) for element in ELEMENTS} == {30 * HAND // len(ELEMENTS)}
    assert captions(scenarios=MOMENTS).hands == step.hands[:3]


def test_a_caption_part_asks_for_its_own_moments_with_their_hands():
    step = captions()
    ask = step.messages(step.parts[1], (0,))[-1].content
    assert f"1. {MOMENTS[2]} (words: {', '.join(each.text for each in step.hands[2])})" in ask
    offered = step.schema(step.parts[1], (0,))["properties"]["posts"]["items"]["properties"]["uses"]["items"]["enum"]
    assert offered == [each.text for each in step.hands[2]]


def test_the_reference_summary_is_shown_to_no_later_step():
    for step in (ListElements(SKETCH, frozenset(), 2, 1), ListScenarios(SKETCH, ELEMENTS, frozenset(), 3, 3, 1), captions()):
        for ask in Draft(step).asks():
            assert "The hidden one" not in json.dumps([message.content for message in ask.messages])
    assert SKETCH.summary_given in sheet_of(SKETCH)


def test_examples_are_answers_of_the_form_that_is_asked_for():
    import jsonschema

    seed = PersonaSeed("p", "p", "I mend nets.")
    shown = {
        "demographics example": (Describe(seed), Part("demographics"), (0,)),
        "given example": (Describe(seed), Part("given"), (0,)),
        "reference example": (Describe(seed), Part("reference"), (0,)),
        "lexicon": (ListElements(SKETCH, frozenset(), 6, 1), Part("objects", 6), range(6)),
        "scenarios": (ListScenarios(SKETCH, ELEMENTS, frozenset(), 3, 3, 1), Part("000", 3), range(3)),
    }
    for name, (step, part, missing) in shown.items():
        answer = step.template.shown(name if name.endswith("example") else "example")
        jsonschema.validate(json.loads(answer), step.schema(part, missing))
    posts = json.loads(captions().template.shown())["posts"]
    assert all(stands_in(word, each["text"]) for each in posts for word in each["uses"])


@given(st.text(max_size=80))
def test_a_text_is_one_line_with_enough_words_or_refused(text):
    try:
        found = text_of(text, 2, 60)
    except Rejected:
        return
    words = tokens(found)
    assert len(words) >= 2
    assert len(ngrams(words, 3)) == max(len(words) - 2, 0)
    assert "\n" not in found
    assert found == found.strip()


@given(st.lists(st.sampled_from(["net", "sea", "kite", "dawn", "palm", "reef"]), min_size=1).map(" ".join))
def test_a_text_is_always_like_itself(text):
    assert fault_of(refuse_alike, text, [text]) is Fault.REPEATED


def test_a_text_that_the_schema_ended_is_cut_at_its_last_clause_or_refused():
    assert text_of("We sail at dawn, and the net is we", 3, 34) == "We sail at dawn"
    assert text_of("We sail at dawn. Now, and the net ", 3, 34) == "We sail at dawn."
    assert text_of("We sail at dawn! And the net is we", 3, 34) == "We sail at dawn!"
    assert fault_of(text_of, "We sail at dawn and the net is wet", 3, 34) is Fault.CUT_OFF
    assert fault_of(text_of, "We sail at dawn and the net is wet.", 3, 34) is Fault.TOO_LONG


def test_what_a_text_says_again_is_cut_off_with_its_clause():
    assert text_of("The sea is my own. I love the sea. I love the sea. I love the", 3, 90) == "The sea is my own. I love the sea."
    assert fault_of(text_of, "I love the sea I love the sea", 3, 90) is Fault.LOOPS


def test_whole_tokens_stand_in_a_text_and_parts_of_words_do_not():
    assert stands_in("red net", "My RED net, again")
    assert not stands_in("red net", "my red nets")
    assert not stands_in("", "anything")
