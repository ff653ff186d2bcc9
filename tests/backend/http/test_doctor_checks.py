"""What ``chainproof doctor`` says of limits."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.http.doctor_checks import checkup
from backend.settings import Settings
from tests.support.redis_server import started


@pytest.mark.parametrize(
    ("host", "rate", "state", "words"),
    [
        ("127.0.0.1", None, "ok", "only this machine"),
        ("0.0.0.0", None, "ok", "600 requests per minute for each key or address, counted by each process"),
        ("0.0.0.0", "off", "note", "others can reach the service"),
        ("127.0.0.1", "20 per 10 second", "ok", "20 requests per 10 seconds"),
    ],
)
def test_the_limit_in_force_is_told_and_why(host: str, rate: str | None, state: str, words: str) -> None:
    _, told, sentence = checkup(Settings(host=host, rate_limit=rate))
    assert told == state
    assert words in sentence


def test_a_redis_that_does_not_answer_is_a_fault_and_its_password_no_word_of_it() -> None:
    settings = Settings(rate_limit="5/minute", redis_url=SecretStr("redis://:hush@127.0.0.1:1/0"))
    _, told, sentence = checkup(settings)
    assert told == "fault"
    assert "Redis does not answer (ConnectionError)" in sentence
    assert "hush" not in sentence


def test_a_redis_that_answers_is_told(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        _, told, sentence = checkup(Settings(rate_limit="5/minute", redis_url=SecretStr(server.url)))
    assert (told, sentence.endswith("counted in Redis for all processes.")) == ("ok", True)
