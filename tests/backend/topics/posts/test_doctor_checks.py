"""What ``chainproof doctor`` says of X."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from backend.topics.posts.doctor_checks import checkup
from tests.backend.topics.posts.conftest import NOW, Rounds
from tests.support.x_server import FAULTS, USAGE, XServer, limited, post


def told(rounds: Rounds, now: Any = NOW, **changed: Any) -> tuple[str, str]:
    settings = rounds.settings.model_copy(update=changed)
    ((subject, state, sentence),) = checkup(settings, rounds.database, now=now)
    assert subject == "X"
    return state, sentence


def test_without_a_token_it_says_what_would_switch_it_on(rounds: Rounds, server: XServer) -> None:
    state, sentence = told(rounds, x_bearer_token=None)
    assert (state, "CHAINPROOF_X_BEARER_TOKEN switches it on" in sentence) == ("ok", True)
    assert told(rounds, mode="sample") == ("ok", "is configured, but not asked in sample mode.")
    assert not server.requests


def test_it_says_what_is_left_of_posts_and_requests_and_reads_none(rounds: Rounds, server: XServer) -> None:
    rounds.tell()
    server.x.found["story"] = [post(n, "x", NOW) for n in range(1, 31)]
    rounds.read()
    assert told(rounds) == (
        "ok",
        "answers. 999,970 of 1,000,000 posts of this month are left, and 59 searches of this quarter of an "
        "hour. X itself counts 43,435 of 2,000,000 posts, anew on day 10 of the month.",
    )
    assert len(server.seen(USAGE)) == 1


def test_usage_without_figures_is_an_answer_too(rounds: Rounds, server: XServer) -> None:
    server.x.usage = {"project_id": "1"}
    assert told(rounds)[1].endswith("of this quarter of an hour.")


@pytest.mark.parametrize(
    ("name", "state", "words"),
    [
        ("unauthorised", "fault", "refuses the token: Unauthorized (status 401). Correct CHAINPROOF_X_"),
        ("not-enrolled", "fault", "refuses access: When authenticating"),
        ("capped", "note", "Monthly product cap (status 429)."),
        ("credits", "note", "does not have any credits"),
        ("limited", "note", "Too Many Requests (status 429)."),
        ("web-page", "fault", "does not answer: the answer is a web page and not JSON."),
    ],
)
def test_a_refusal_is_told_in_its_words(
    rounds: Rounds, server: XServer, name: str, state: str, words: str
) -> None:
    server.always("*", FAULTS[name])
    found = told(rounds)
    assert (found[0], words in found[1]) == (state, True), found


def test_what_is_left_alone_is_not_asked_by_doctor_either(rounds: Rounds, server: XServer) -> None:
    rounds.tell()
    server.always("*", limited(NOW + timedelta(minutes=7)))
    rounds.read()
    state, sentence = told(rounds)
    assert state == "note"
    assert sentence.startswith("is left alone until 2026-05-18T12:12:00Z: Too Many Requests (status 429). ")
    assert not server.seen(USAGE)


def test_a_token_that_x_takes_again_is_used_again(rounds: Rounds, server: XServer) -> None:
    rounds.tell()
    server.once("*", FAULTS["unauthorised"])
    rounds.read()
    later = NOW + timedelta(seconds=10)
    assert rounds.read(later).pages == 0
    assert told(rounds, later)[0] == "ok"
    assert rounds.read(later).pages == 1


def test_a_token_that_cannot_be_sent_is_a_fault_without_its_letters(rounds: Rounds) -> None:
    state, sentence = told(rounds, x_bearer_token=SecretStr("秘密"))
    assert (state, "秘密" in sentence) == ("fault", False)
