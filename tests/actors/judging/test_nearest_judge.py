"""The nearest-neighbour judge: what lies closer to a person's posts wins, whatever stands first."""

import pytest

from actors.encoders import make_encoder
from actors.nearest_judge import NearestJudge
from engine.judging.asking import JudgeRequest
from engine.judging.candidates import Candidate
from engine.judging.rubric import built_in
from engine.judging.subject import Subject
from engine.outcome import Failed

POSTS = Subject((), ("smoke over the bee hives", "honey jars on the sill", "a swarm in the apple tree", "wax and old frames"))
NEAR, FAR = "honey from the hives", "a tax form for trucks"


@pytest.fixture(scope="module")
def judge():
    return NearestJudge(make_encoder("wordllama-l2-256"))


def decision(judge, kind, *texts, subject=POSTS):
    request = JudgeRequest("k", built_in(kind), subject, tuple(map(Candidate, texts)), 1)
    return judge.judge([request])[0].value.decision


@pytest.mark.parametrize("kind", ["pair", "turing"])
def test_it_prefers_what_is_near_in_both_orders(judge, kind):
    assert decision(judge, kind, NEAR, FAR) == "A"
    assert decision(judge, kind, FAR, NEAR) == "B"


def test_equal_texts_tie_where_ties_exist_and_else_the_order_does_not_decide(judge):
    assert decision(judge, "pair", NEAR, NEAR) == "tie"
    one, other = decision(judge, "turing", NEAR, NEAR + "."), decision(judge, "turing", NEAR + ".", NEAR)
    assert {one, other} == {"A", "B"}


def test_a_rating_grows_with_nearness_within_the_scale(judge):
    near, far = (decision(judge, "rating", text) for text in (NEAR, FAR))
    assert 5 >= near > far >= 0


def test_without_posts_there_is_no_verdict(judge):
    outcome = judge.judge([JudgeRequest("k", built_in("pair"), Subject(), (Candidate("a"), Candidate("b")), 1)])[0]
    assert isinstance(outcome, Failed)
    assert outcome.code == "no-posts"


def test_many_questions_are_answered_as_one_by_one(judge):
    requests = [JudgeRequest(str(n), built_in("pair"), POSTS, (Candidate(NEAR), Candidate(FAR)), n) for n in range(4)]
    assert judge.judge(requests) == [judge.judge([request])[0] for request in requests]
