import json

import pytest

from actors.endpoints.verdicts import Again, ApiError, Unanswered, verdict
from engine.errors import BudgetReached, ConfigError
from engine.generation.chat import CONTEXT_EXCEEDED, ENDPOINT_FAILED, ENDPOINT_REFUSED, RATE_LIMITED
from engine.outcome import Failed, FailureKind, Refused


def found(status, body, headers=None):
    text = body if isinstance(body, str) else json.dumps(body)
    return verdict(status, headers or {}, ApiError.read(text), key_variable="SOME_KEY")


def error(message="", **fields):
    return {"error": {"message": message, **fields}}


LONG = [
    error("input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000", type="invalid_request_error"),
    error("This model's maximum context length is 8192 tokens.", code="context_length_exceeded", type="invalid_request_error"),
    {"object": "error", "message": "This model's maximum context length is 512 tokens. However, you requested 600.", "code": 400},
    error("the request exceeds the available context size, try increasing it", type="exceed_context_size_error", code=400),
    {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}},
    [error("The input token count (40000) exceeds the maximum number of tokens allowed (32768).", code=400, status="INVALID_ARGUMENT")],
]
FILTERED = [
    error("The response was filtered due to the prompt", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}),
    error("Rejected as a result of our safety system.", code="content_policy_violation"),
    error("AzureException - triggering Azure OpenAI's content management policy.", code="400", type=None),
]
USED_UP = [
    (429, error("You exceeded your current quota", code="insufficient_quota", type="insufficient_quota")),
    (402, error("Insufficient Balance")),
    (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."}}),
]


def test_too_large_a_body_is_too_long_a_request():
    assert found(413, "too large").outcome.code == CONTEXT_EXCEEDED


@pytest.mark.parametrize("body", LONG)
def test_too_long_a_request_is_a_permanent_failure_of_its_row(body):
    outcome = found(400, body).outcome
    assert (outcome.code, outcome.kind) == (CONTEXT_EXCEEDED, FailureKind.PERMANENT)


@pytest.mark.parametrize("body", FILTERED)
def test_a_content_filter_is_a_refusal(body):
    assert isinstance(found(400, body).outcome, Refused)


@pytest.mark.parametrize(("status", "body"), USED_UP)
def test_an_account_without_credit_stops_the_run(status, body):
    assert isinstance(found(status, body), BudgetReached)


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_not_accepted_stops_the_run_with_the_variable_to_set(status):
    assert "SOME_KEY" in found(status, error("no")).remedy


@pytest.mark.parametrize(
    "body",
    [
        error("The model `gpt-5o` does not exist", code="model_not_found"),
        {"object": "error", "message": "The model `x` does not exist.", "type": "NotFoundError", "param": None, "code": 404},
        {"type": "error", "error": {"type": "not_found_error", "message": "model: claude-x"}},
        {"detail": "Not Found"},
        "<html>nginx</html>",
    ],
)
def test_an_unknown_model_or_path_stops_the_run(body):
    assert isinstance(found(404, body), ConfigError)


def test_an_address_that_leads_elsewhere_stops_the_run():
    assert "base_url" in found(308, "").remedy


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, RATE_LIMITED), (408, ENDPOINT_FAILED), (409, ENDPOINT_FAILED), (500, ENDPOINT_FAILED), (529, ENDPOINT_FAILED)],
)
def test_what_passes_is_worth_another_try(status, code):
    assert found(status, "oops", {"retry-after": "3"}) == Again(code, f"HTTP {status}", 3.0)


@pytest.mark.parametrize(
    ("status", "body", "parameter"),
    [
        (400, error("Unsupported parameter: 'max_tokens'", code="unsupported_parameter", param="max_tokens"), "max_tokens"),
        (400, error("Unsupported value: 'temperature' does not support 0.16 with this model.", code="invalid_request_body"), "temperature"),
        (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}, "seed"),
        (400, [error('Invalid JSON payload received. Unknown name "seed": Cannot find field.', code=400)], "seed"),
        (404, error("No such file: file-1"), ""),
    ],
)
def test_other_4xx_are_the_rows_own_and_name_the_parameter(status, body, parameter):
    refused = found(status, body)
    assert isinstance(refused, Unanswered)
    assert (refused.outcome.code, refused.outcome.kind, refused.parameter) == (ENDPOINT_REFUSED, FailureKind.PERMANENT, parameter)


@pytest.mark.parametrize(
    "body", ["[]", "null", "3", '{"error": null}', '{"error": [1]}', '{"error": {"code": {}}}', "[" * 100_000, '{"detail": [{}]}']
)
def test_bodies_of_any_shape_are_read(body):
    assert isinstance(found(400, body).outcome, Failed)


def test_messages_are_cut():
    assert len(found(400, error("x" * 10_000)).outcome.message) < 400
