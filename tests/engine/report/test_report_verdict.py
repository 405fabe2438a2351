"""The verdict: each sentence only where its test allows it, what cannot be trusted first, and silence told where nothing can be said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hand_made_summary import CONTROL_GAINS, CONTROL_V, GAINS, V, hand_made, lead_that_survives
from made_up_scores import made_up_facts

from engine.report.control_check import AS_EXPECTED, NOT_AS_EXPECTED, OPEN
from engine.report.headline import headline
from engine.report.summary import Summary
from engine.report.verdict import verdict

LEAD = "Among the methods that may be judged (baseline, persona, vprag), vprag scored a higher mean V over all tasks than persona"


def told(summary: Summary, **facts: Any) -> list[str]:
    return list(verdict(summary, made_up_facts(**({"stand_ins": {}} | facts))))


def one(sentences: list[str], begin: str) -> str:
    """The one sentence that begins so."""
    (found,) = [sentence for sentence in sentences if sentence.startswith(begin)]
    return found


def state(summary: Summary, control: str, words: str) -> str:
    (check,) = [check for check in summary.checks if check.control == control and words in check.must]
    return check.state


def test_a_lead_that_survives_is_told_with_its_tests_and_nothing_is_distrusted() -> None:
    summary = hand_made(lead_that_survives(), at_equal_length={("vprag", "persona"): 0.1, ("vprag", "baseline"): 0.2})
    sentences = told(summary)
    assert sentences[0].startswith(f"{LEAD} (+0.100 [+0.090, +0.110], Holm p = 0.001, 200 cases, 50 clusters)")
    assert one(sentences, "The lead of vprag") == (
        "The lead of vprag over persona and baseline in V is also shown in personal gain in V, V-u, V (PA by captions), V (literal CP), "
        "cross-fitted V, V in the second space and at equal length."
    )
    assert "of vprag's lead over baseline in V (+0.200 [+0.190, +0.210]), 60 % [59, 61] is personal" in one(sentences, "Of persona's lead")
    assert one(sentences, "Personalised, by").endswith("persona (+0.060 [+0.050, +0.070]) and vprag (+0.120 [+0.110, +0.130]).")
    assert "baseline (+0.000 [" in one(sentences, "Not called personalised")
    assert "all 3 pairs of judged methods that V surely orders keep their order of means" in one(sentences, "Second space")
    assert {check.state for check in summary.checks} <= {AS_EXPECTED, "for information"}
    assert not any("trusted" in sentence or "But " in sentence or "encoder-dependent" in sentence for sentence in sentences)


def test_a_lead_that_is_all_leak_is_not_called_personalised_in_the_same_breath() -> None:
    means = lead_that_survives()
    means["gain"] = dict.fromkeys(GAINS, 0.0) | CONTROL_GAINS
    means["v_u"] |= {"vprag": 0.45}
    means["cross_v"] |= {"vprag": 0.46}
    sentences = told(hand_made(means))
    assert "But vprag is not personalised (personal gain in V +0.000 [" in sentences[0]
    assert "V-u puts persona over vprag (+0.050 [+0.040, +0.060])" in sentences[0]
    assert one(sentences, "No judged method is called personalised").endswith("50 clusters).")
    assert "0 % [" in one(sentences, "Of persona's lead")
    survival = one(sentences, "The lead of vprag over persona in V")
    assert "turns round in V-u (\u22120.050 [\u22120.060, \u22120.040]) and cross-fitted V (\u22120.040 [" in survival
    assert "is not shown in personal gain in V (+0.000 [" in survival
    assert not any(sentence.startswith("Personalised") for sentence in sentences)


def test_an_order_that_turns_round_in_the_second_space_is_called_encoder_dependent() -> None:
    means = lead_that_survives()
    means["second_v"] |= {"vprag": 0.3, "persona": 0.5}
    sentence = one(told(hand_made(means)), "The order is encoder-dependent")
    assert "Kendall's tau between the orders of 3 methods \u22120.33" in sentence
    assert "vprag over persona (\u22120.200 [\u22120.210, \u22120.190] there)" in sentence
    assert sentence.endswith("the second space the reverse.")


def test_a_lead_that_the_second_space_does_not_show_is_neither_kept_nor_reversed() -> None:
    means = lead_that_survives()
    means["second_v"] |= {"vprag": 0.505, "persona": 0.5}
    sentences = told(hand_made(means))
    assert "Not shown in the second space: vprag over persona (+0.005 [\u22120.005, +0.015])." in sentences
    assert "V in the second space (+0.005 [" in one(sentences, "The lead of vprag over persona in V")
    assert not any("encoder-dependent" in sentence for sentence in sentences)


def test_a_mean_that_is_reversed_but_not_surely_says_so() -> None:
    means = lead_that_survives()
    means["second_v"] |= {"vprag": 0.495, "persona": 0.5}
    sentences = told(hand_made(means))
    assert "vprag over persona (\u22120.005 [\u22120.015, +0.005], not surely there)" in one(sentences, "The order is encoder-dependent")
    assert "turns round in V in the second space (\u22120.005 [\u22120.015, +0.005], not surely)" in one(
        sentences, "The lead of vprag over persona"
    )


@pytest.mark.parametrize(
    ("change", "control", "words", "reason"),
    [
        ({"v": {"noise": 0.7}}, "noise", "lowest V", "V rewards text that has nothing to do with the person"),
        ({"gain": {"stranger": 0.1}}, "stranger", "no personal gain", "a gain need not be personal"),
        ({"gain": {"noise": 0.1}}, "noise", "no personal gain", "a gain need not be personal"),
        ({"gain": {"own": -0.1}}, "own", "have a personal gain", "the score does not see what is personal"),
        ({"gs": {"vprag": 0.9}}, "own", "higher GS", "a high GS is more than a person's own captions have"),
    ],
)
def test_a_control_that_misbehaves_is_told_before_anything_else(
    change: dict[str, dict[str, float]], control: str, words: str, reason: str
) -> None:
    means = lead_that_survives()
    for metric, by_method in change.items():
        means[metric] |= by_method
    summary = hand_made(means, partial=True)
    assert state(summary, control, words) == NOT_AS_EXPECTED
    sentences = told(summary)
    assert sentences[0].startswith(f"The figures cannot be trusted for what they claim. Not as expected: {control} (")
    assert reason in sentences[0]
    assert sentences[1].startswith("PARTIAL")
    assert headline(summary)[3] == sentences[0]


def test_own_captions_are_compared_in_the_cross_fitted_gs_where_there_is_one() -> None:
    means = lead_that_survives()
    means["gs"] |= {"vprag": 0.9}  # in sample, scored on the captions that it read
    means["cross_gs"] = dict(means["gs"]) | {"vprag": 0.6}
    summary = hand_made(means)
    assert state(summary, "own", "higher cross-fitted GS") == AS_EXPECTED
    means["cross_gs"]["vprag"] = 0.9
    assert state(hand_made(means), "own", "higher cross-fitted GS") == NOT_AS_EXPECTED


def test_a_stranger_who_is_found_more_often_than_chance_is_distrusted_and_one_at_chance_is_not() -> None:
    found = hand_made(lead_that_survives(), found=0.4)
    assert state(found, "stranger", "no more often than chance") == NOT_AS_EXPECTED
    assert "found in 40.0 % [20.0, 80.0] of 200 cases among 1,000 people; chance finds 0.1 %" in told(found)[0]
    assert state(hand_made(lead_that_survives(), found=0.001), "stranger", "no more often than chance") == AS_EXPECTED
    assert state(hand_made(lead_that_survives(), found=0.0), "stranger", "no more often than chance") == AS_EXPECTED
    unknown = hand_made(lead_that_survives(), found=0.4, galleries=())
    assert state(unknown, "stranger", "no more often than chance") == OPEN


def test_two_estimates_of_a_strangers_score_must_agree_within_a_tenth_of_the_gain() -> None:
    for of_strangers, expected in ((0.48, AS_EXPECTED), (0.465, AS_EXPECTED), (0.40, NOT_AS_EXPECTED)):
        assert state(hand_made(lead_that_survives(), of_strangers=of_strangers), "stranger", "so that the gain") == expected


def test_controls_without_an_interval_prove_nothing_either_way() -> None:
    summary = hand_made(lead_that_survives(), without_interval=("v", "gain", "gs"), clusters=4)
    assert {check.state for check in summary.checks if "interval" in check.found and check.control != "random"} == {OPEN}
    sentences = told(summary)
    assert not any("trusted" in sentence for sentence in sentences)
    assert any(
        sentence.startswith("Nothing can be said about vprag against persona (200 cases, 4 clusters: no interval)")
        for sentence in sentences
    )
    assert "No method is called personalised: there is no interval of the personal gain in V (4 clusters of people)." in sentences
    assert "No share of a lead is called personal: no judged method surely leads baseline in V." in sentences


def test_an_extractive_method_above_own_captions_is_told_and_not_held_against_gs() -> None:
    means = lead_that_survives()
    for metric, by_method in means.items():
        by_method["combined"] = 0.9 if metric == "gs" else 0.05 if "gain" in metric else 0.65
    summary = hand_made(means, extractive=("combined",))
    assert state(summary, "own", "higher GS") == AS_EXPECTED
    (check,) = [check for check in summary.checks if "higher GS" in check.must]
    assert check.found.endswith("in sample above it (GS 0.750): combined (0.900)")
    assert "in sample" in check.found
    sentences = told(summary)
    assert any(sentence.startswith("The extractive method combined (0.650) scores higher than vprag (0.600)") for sentence in sentences)
    assert "Extractive and not judged, by the same: combined (+0.050 [+0.040, +0.060])." in sentences


def test_a_single_method_is_compared_with_nothing() -> None:
    means = {metric: {"vprag": by_method["vprag"]} for metric, by_method in lead_that_survives().items()}
    sentences = told(hand_made(means, found=None))
    assert sentences[0] == "No comparison: vprag is the only method that may be judged here."
    assert one(sentences, "Personalised, by").endswith("vprag (+0.120 [+0.110, +0.130]).")
    assert any(sentence.startswith("This run has no controls") for sentence in sentences)
    assert not any(sentence.startswith(("The lead", "Second space", "No second")) for sentence in sentences)


def test_what_was_not_measured_is_named_as_such() -> None:
    means = {
        metric: by_method for metric, by_method in lead_that_survives().items() if metric not in ("cross_v", "second_v", "second_gain")
    }
    sentences = told(hand_made(means))
    survival = one(sentences, "The lead of vprag over persona and baseline in V")
    assert survival.endswith("it is not measured in cross-fitted V, V in the second space and at equal length.")
    assert "No second space was scored: whether another encoder orders the methods alike is not known." in sentences


def test_a_cross_fitted_score_without_an_interval_cannot_be_told() -> None:
    survival = one(told(hand_made(lead_that_survives(), without_interval=("cross_v",))), "The lead of vprag over persona")
    assert "cannot be told in cross-fitted V (+0.100 no interval, 200 cases, 50 clusters)" in survival


def test_where_every_score_is_missing_nothing_is_said_of_any_method() -> None:
    sentences = told(hand_made({}, found=None, setting=None))
    assert sentences[0] == "No verdict: no method that may be judged here has a V."
    assert "Nothing can be said about what is personal: no judged method has a personal gain in V." in sentences
    assert not any("vprag" in sentence for sentence in sentences)


def test_without_gains_no_share_and_no_personal_method_is_named() -> None:
    means = {metric: by_method for metric, by_method in lead_that_survives().items() if "gain" not in metric}
    summary = hand_made(means)
    sentences = told(summary)
    assert "No share of a lead is called personal: no personal gain in V is known beside a lead over baseline." in sentences
    assert headline(summary)[1] == "personal gain in V: not measured"


def test_methods_that_cannot_be_told_apart_have_no_lead_to_survive() -> None:
    means = lead_that_survives()
    for by_method in means.values():
        by_method |= {"vprag": by_method["persona"] + 0.001, "baseline": by_method["persona"]}
    sentences = told(hand_made(means))
    assert "but it cannot be told apart from" in sentences[0]
    assert " persona (+0.001 [\u22120.009, +0.011], Holm p = 0.600" in sentences[0]
    assert not any(sentence.startswith("The lead of") for sentence in sentences)
    assert "V surely orders no two judged methods, so there is no order to survive." in one(sentences, "Second space")


def test_a_lead_at_equal_length_that_turns_round_is_told_with_its_common_share() -> None:
    summary = hand_made(lead_that_survives(), at_equal_length={("persona", "vprag"): 0.05})
    sentence = one(told(summary), "The lead of vprag over persona in V")
    assert "turns round at equal length (\u22120.050 [\u22120.060, \u22120.040] where lengths meet, 80.0 % of cases)" in sentence


def test_what_random_tells_of_retrieval_is_told_whichever_way_it_falls() -> None:
    for random, words in (
        (0.5, "is ahead in V (+0.100"),
        (0.7, "falls behind in V (\u22120.100"),
        (0.595, "adds nothing that can be shown in V (+0.005"),
    ):
        means = lead_that_survives()
        means["v"] |= {"random": random}
        assert words in one(told(hand_made(means)), "Retrieval, against")


def test_a_method_above_a_persons_own_captions_does_not_pass_for_knowing_them_better() -> None:
    means = lead_that_survives()
    sentences = told(hand_made(means))
    assert "personal gain of +0.120" in one(sentences, "Own captions, held out")
    assert "score more than" not in one(sentences, "Own captions, held out")
    assert "vprag (+0.020 [+0.010, +0.030]) scores more than what the person wrote" in one(sentences, "In cross-fitted V vprag")
    means["cross_v"] |= {"vprag": 0.4}
    assert any("vprag (" in sentence and "less than what the person wrote" in sentence for sentence in told(hand_made(means)))


def test_a_method_with_few_cases_is_not_ranked_and_that_is_said() -> None:
    summary = hand_made(lead_that_survives())
    easy = tuple(replace(row, n=row.n // 3, mean=0.99) if (row.method, row.metric) == ("persona", "v") else row for row in summary.results)
    summary = replace(summary, results=easy)
    assert "persona" not in summary.ranked("all")
    sentences = told(summary)
    assert not any("persona scored a higher" in sentence or "persona has the highest" in sentence for sentence in sentences)
    assert "cases only" in one(sentences, "persona is not ranked")


def test_a_difference_at_equal_length_turns_round_only_where_that_is_sure() -> None:
    unsure = one(told(hand_made(lead_that_survives(), at_equal_length={("vprag", "persona"): -0.001})), "The lead of vprag over persona")
    assert "turns round at equal length" not in unsure
    sure = one(told(hand_made(lead_that_survives(), at_equal_length={("vprag", "persona"): -0.05})), "The lead of vprag over persona")
    assert "turns round at equal length" in sure


def test_bounds_say_which_leads_the_missing_units_could_undo() -> None:
    lost = one(told(hand_made(lead_that_survives(), bounds={"vprag": (0.45, 0.7), "persona": (0.48, 0.55)})), "Had every missing unit")
    assert lost.endswith("In the worst case the lead of vprag over persona is undone.")
    assert "vprag 0.450 to 0.700 (4.0 % missing)" in lost
    kept = one(told(hand_made(lead_that_survives(), bounds={"vprag": (0.58, 0.62)})), "Had every missing unit")
    assert kept.endswith("In the worst case every lead above still stands.")


def test_small_partial_incomplete_and_stand_in_runs_say_so() -> None:
    summary = hand_made(lead_that_survives(), clusters=12, partial=True, complete=False, planned_people=12, total_people=1000)
    sentences = told(summary, stand_ins={"template": "template writer"})
    assert [sentence.split(":")[0] for sentence in sentences[:2]] == ["PARTIAL", "Incomplete"]
    assert any(sentence.startswith("Small: 12 clusters of people, under 30") for sentence in sentences)
    assert any("prove the machinery, not the science" in sentence for sentence in sentences)


def test_the_three_phrase_preset_is_judged_by_its_own_scores_alone() -> None:
    means = {
        "v_c": V | CONTROL_V, "v_c_literal": V | CONTROL_V, "v_c_mean_caption": V | CONTROL_V, "cross_v_c": V | CONTROL_V,
        "second_v_c": V | CONTROL_V, "gain_c": GAINS | CONTROL_GAINS,
    }  # fmt: skip
    sentences = told(hand_made(means, metric="v_c"))
    assert "personal gain in V-c" in one(sentences, "Personalised, by")
    assert not any(re.search(r"\bV\b(?!-c)", sentence) for sentence in sentences if not sentence.startswith("Differences"))


def test_the_second_line_of_the_headline_is_the_personal_gain() -> None:
    lines = headline(hand_made(lead_that_survives()))
    assert len(lines) == 4
    others = "persona +0.060 [+0.050, +0.070], baseline +0.000 [\u22120.010, +0.010]"
    assert lines[1] == f"personal gain in V (n = 200 a method): vprag +0.120 [+0.110, +0.130], {others}"
    assert lines[3].startswith(LEAD)
