"""Checks error responses."""

import re
from typing import Any

from backend.errors import PROBLEM_JSON
from tests.support.http.asgi import Answer


def assert_problem(answer: Answer, status: int, code: str) -> dict[str, Any]:
    """Check that the response is an RFC 9457 problem and return it."""
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == PROBLEM_JSON
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    assert problem["code"] == code
    assert problem["type"] == f"urn:chainproof:problem:{code}"
    assert problem["title"]
    assert re.fullmatch(r"\S.*[.]", problem["detail"], re.DOTALL), problem["detail"]
    assert problem["instance"] == f"urn:chainproof:request:{answer.headers['x-request-id']}"
    return problem
