"""Tests the doctor's check of X."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from backend.topics.posts.doctor_checks import check_x
from tests.backend.topics.posts.conftest import NOW, Rounds
from tests.support.providers.x_server import FAULTS, USAGE, XServer, limited, post


def check(rounds: Rounds, now: Any = NOW, **changed: Any) -> tuple[str, str]:
    settings = rounds.settings.model_copy(update=changed)
    ((subject, state, sentence),) = check_x(settings, rounds.database, now=now)
    assert subject == "X"
    return state, sentence


def test_without_a_token_the_check_names_the_setting(rounds: Rounds, server: XServer) -> None:
    state, sentence = check(rounds, x_bearer_token=None)
    assert (state, "CHAINPROOF_X_BEARER_TOKEN switches it on" in sentence) == ("ok", True)
    assert check(rounds, mode="sample") == ("ok", "is configured, but not used in sample mode.")
    assert not server.requests


def test_the_check_reports_the_posts_and_requests_left_and_reads_no_post(
    rounds: Rounds, server: XServer
) -> None:
    rounds.store_topic()
    server.x.found["story"] = [post(n, "x", NOW) for n in range(1, 31)]
    rounds.fetch()
    assert check(rounds) == (
        "ok",
        "answers. 999,970 of 1,000,000 posts of this month are left, and 59 searches of this quarter of an "
        "hour. X itself counts 43,435 of 2,000,000 posts, reset on day 10 of the month.",
    )
    assert len(server.seen(USAGE)) == 1


def test_usage_without_figures_is_accepted(rounds: Rounds, server: XServer) -> None:
    server.x.usage = {"project_id": "1"}
    assert check(rounds)[1].endswith("of this quarter of an hour.")


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
def test_the_check_reports_a_refusal_in_the_words_of_x(
    rounds: Rounds, server: XServer, name: str, state: str, words: str
) -> None:
    server.always("*", FAULTS[name])
    result = check(rounds)
    assert (result[0], words in result[1]) == (state, True), result


def test_the_check_makes_no_request_while_x_tells_us_to_wait(rounds: Rounds, server: XServer) -> None:
    rounds.store_topic()
    server.always("*", limited(NOW + timedelta(minutes=7)))
    rounds.fetch()
    state, sentence = check(rounds)
    assert state == "note"
    assert sentence.startswith(
        "gets no requests until 2026-05-18T12:12:00Z: Too Many Requests (status 429). "
    )
    assert not server.seen(USAGE)


def test_a_token_that_x_accepts_again_is_used_again(rounds: Rounds, server: XServer) -> None:
    rounds.store_topic()
    server.once("*", FAULTS["unauthorised"])
    rounds.fetch()
    later = NOW + timedelta(seconds=10)
    assert rounds.fetch(later).pages == 0
    assert check(rounds, later)[0] == "ok"
    assert rounds.fetch(later).pages == 1


def test_an_unsendable_token_is_a_fault_that_does_not_show_it(rounds: Rounds) -> None:
    state, sentence = check(rounds, x_bearer_token=SecretStr("秘密"))
    assert (state, "秘密" in sentence) == ("fault", False)
