"""Tests the formats of error responses."""

import orjson
import pytest

from backend import errors


def render(error: errors.ServiceError, path: str) -> tuple[errors.RenderedError, dict[str, object]]:
    answer = errors.render(error, path=path, request_id="r-1")
    return answer, orjson.loads(answer.body)


def test_an_error_is_a_problem_with_a_stable_code_and_the_request_id() -> None:
    answer, body = render(errors.NotFound("No such asset."), "/assets/x")
    assert answer.content_type == "application/problem+json"
    assert body == {
        "type": "urn:chainproof:problem:not_found",
        "title": "Not Found",
        "status": 404,
        "detail": "No such asset.",
        "instance": "urn:chainproof:request:r-1",
        "code": "not_found",
    }


def test_invalid_input_lists_every_error() -> None:
    fault: errors.FieldError = {"loc": ["query", "sort"], "msg": "not a sort key", "type": "literal_error"}
    _, body = render(errors.BadRequest("Bad.", errors=[fault]), "/rankings")
    assert body["errors"] == [fault]


@pytest.mark.parametrize("path", ["/topics", "/topics/5/media", "/ranking_topics", "/ai_insights/1"])
def test_topic_endpoints_use_their_envelope(path: str) -> None:
    answer, body = render(errors.NotFound("No such topic."), path)
    assert answer.content_type == "application/json"
    assert body == {"code": 404, "message": "No such topic.", "data": None}


def test_oauth_errors_have_the_format_of_the_standard() -> None:
    _, body = render(errors.BadRequest("Expired.", code="invalid_grant"), "/oauth/token")
    assert body == {"error": "invalid_grant", "error_description": "Expired."}


def test_a_refused_credential_gets_an_authenticate_header() -> None:
    assert "ApiKey" in errors.Unauthorized("No key.").headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    "error", [errors.TooManyRequests("Slow.", retry_after=7), errors.Unavailable("Down.", retry_after=7)]
)
def test_retryable_errors_have_retry_after(error: errors.ServiceError) -> None:
    assert error.headers["Retry-After"] == "7"
