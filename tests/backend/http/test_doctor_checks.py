"""Tests the doctor's check of the rate limit."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.http.doctor_checks import check_rate_limit
from backend.settings import Settings
from tests.support.processes.redis_server import run_redis


@pytest.mark.parametrize(
    ("host", "rate", "state", "words"),
    [
        ("127.0.0.1", None, "ok", "only this machine"),
        ("0.0.0.0", None, "ok", "600 requests per minute for each key or address, counted by each process"),
        ("0.0.0.0", "off", "note", "others can reach the service"),
        ("127.0.0.1", "20 per 10 second", "ok", "20 requests per 10 seconds"),
    ],
)
def test_the_check_reports_the_rate_limit_and_its_reason(
    host: str, rate: str | None, state: str, words: str
) -> None:
    _, reported_state, sentence = check_rate_limit(Settings(host=host, rate_limit=rate))
    assert reported_state == state
    assert words in sentence


def test_an_unreachable_redis_is_a_fault_and_its_password_is_not_shown() -> None:
    settings = Settings(rate_limit="5/minute", redis_url=SecretStr("redis://:hush@127.0.0.1:1/0"))
    _, reported_state, sentence = check_rate_limit(settings)
    assert reported_state == "fault"
    assert "Redis does not answer (ConnectionError)" in sentence
    assert "hush" not in sentence


def test_the_check_reports_a_working_redis(tmp_path: Path) -> None:
    with run_redis(tmp_path) as server:
        _, reported_state, sentence = check_rate_limit(
            Settings(rate_limit="5/minute", redis_url=SecretStr(server.url))
        )
    assert (reported_state, sentence.endswith("counted in Redis for all processes.")) == ("ok", True)
