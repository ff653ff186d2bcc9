"""Tests requests to a model over real HTTP, at servers with much or little of the OpenAI API."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import sqlalchemy as sa
from pydantic import BaseModel, SecretStr

from backend.language_model import circuit_breaker, spending_limits
from backend.language_model.circuit_breaker import MAX_BACKOFF
from backend.language_model.client import CACHE_TTL, LanguageModel
from backend.language_model.errors import AnswerUnusable, DailyLimitReached, ModelFailed
from backend.language_model.spending_limits import Allowance, Prices
from backend.language_model.tables import model_use
from backend.settings import Settings
from backend.store.database import Database
from tests.support.apps.market_app import Clock
from tests.support.providers.provider_server import Behaviour, ProviderServer, says
from tests.support.waiting import LIMIT_SECONDS

PATH = "/v1/chat/completions"
KEY = SecretStr("sk-model-secret")
START = datetime(2026, 5, 18, 9, tzinfo=UTC)


class Verdict(BaseModel):
    stance: str
    score: int


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


def model(
    database: Database, server: ProviderServer, clock: Clock, *, daily_limit: str | None = None
) -> LanguageModel:
    prices = Prices(Decimal(2), Decimal(10), None if daily_limit is None else Decimal(daily_limit))
    return LanguageModel(
        database, base_url=f"{server.url}/v1", name="small-1", key=KEY, prices=prices, now=clock
    )


def completion(content: str | None, **usage: int) -> Behaviour:
    message = {"role": "assistant", "content": content}
    body = {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }
    return says(200, body | ({"usage": {**usage, "total_tokens": sum(usage.values())}} if usage else {}))


GOOD = completion('{"stance": "supports", "score": 3}', prompt_tokens=100, completion_tokens=20)


def ask(
    language_model: LanguageModel, question: str = "Is it so?", allowance: Allowance | None = None
) -> Verdict:
    return language_model.ask("Judge.", question, Verdict, allowance=allowance or Allowance())


def list_sent_bodies(server: ProviderServer) -> list[dict[str, object]]:
    return [json.loads(request.body) for request in server.requests]


def test_an_answer_is_validated_against_the_declared_model(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    server.always(PATH, GOOD)
    assert ask(model(sqlite_database, server, clock)) == Verdict(stance="supports", score=3)
    body = list_sent_bodies(server)[0]
    assert (body["model"], body["temperature"]) == ("small-1", 0)
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["stance", "score"]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY.get_secret_value()}"


def test_openai_environment_variables_are_not_sent(
    sqlite_database: Database, server: ProviderServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-somebody-else")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    server.always(PATH, GOOD)
    ask(model(sqlite_database, server, clock))
    assert "of-somebody-else" not in str(server.requests[0].headers)


def test_an_answer_is_cached_for_thirty_days(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    server.always(PATH, GOOD)
    for _ in range(2):
        ask(model(sqlite_database, server, clock))
    assert len(server.requests) == 1
    ask(model(sqlite_database, server, clock), "Another?")
    clock.at += CACHE_TTL
    ask(model(sqlite_database, server, clock))
    assert len(server.requests) == 3


def test_a_server_without_schema_support_gets_the_next_output_mode_from_then_on(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    language_model = model(sqlite_database, server, clock)
    refusal = says(400, {"error": {"message": "response_format is not supported"}})
    server.once(PATH, refusal, GOOD, GOOD)
    ask(language_model)
    ask(language_model, "Another?")
    forms = [body.get("response_format", {}).get("type") for body in list_sent_bodies(server)]
    assert forms == ["json_schema", "json_object", "json_object"]
    result = list_sent_bodies(server)[1]["messages"][0]["content"]
    assert "JSON" in result
    assert '"stance"' in result


def test_text_around_the_json_object_is_ignored(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    refusal = says(422, {"error": {"message": "unknown field"}})
    talk = completion('Sure! ```json\n{"stance": "supports", "score": 3}\n``` I hope that helps.')
    server.once(PATH, refusal, refusal, talk)
    assert ask(model(sqlite_database, server, clock)).score == 3
    assert "response_format" not in list_sent_bodies(server)[2]


@pytest.mark.parametrize("content", ['{"stance": "supports"}', "no object", "", None, '{"stance": 1'])
def test_an_invalid_answer_is_requested_once_more(
    sqlite_database: Database, server: ProviderServer, clock: Clock, content: str | None
) -> None:
    server.once(PATH, completion(content), GOOD)
    assert ask(model(sqlite_database, server, clock)).stance == "supports"
    assert "could not be used" in list_sent_bodies(server)[1]["messages"][1]["content"]
    server.always(PATH, completion(content))
    with pytest.raises(ModelFailed, match="shape"):
        ask(model(sqlite_database, server, clock), "Another?")


@pytest.mark.parametrize(
    "failure",
    [
        says(401, {"error": {"message": f"bad key {KEY.get_secret_value()}"}}),
        says(429, {"error": {}}, retry_after="0"),
        says(500, {}, retry_after="0"),
        Behaviour(200, b"<html>", "text/html"),
        Behaviour(200, b"{", "application/json"),
        Behaviour(drop=True),
    ],
)
def test_a_failing_model_is_paused_and_its_error_does_not_contain_the_key(
    sqlite_database: Database, server: ProviderServer, clock: Clock, failure: Behaviour
) -> None:
    language_model = model(sqlite_database, server, clock)
    server.always(PATH, failure)
    with pytest.raises(ModelFailed) as caught:
        ask(language_model)
    assert caught.value.message.endswith(".")
    assert KEY.get_secret_value() not in caught.value.message
    tried = len(server.requests)
    server.always(PATH, GOOD)
    if failure.body != b"<html>":
        with pytest.raises(ModelFailed, match="a moment ago"):
            ask(language_model)
        assert len(server.requests) == tried
    clock.at += MAX_BACKOFF
    assert ask(language_model).score == 3


def test_a_job_cannot_exceed_its_allowance(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    language_model, allowance = model(sqlite_database, server, clock), Allowance(calls_left=2)
    server.always(PATH, GOOD)
    for question in ("one", "two"):
        ask(language_model, question, allowance)
    with pytest.raises(ModelFailed, match="used up"):
        ask(language_model, "three", allowance)
    assert (len(server.requests), allowance.tokens_left) == (2, Allowance().tokens_left - 240)
    with pytest.raises(ModelFailed, match="used up"):
        ask(language_model, "x" * 100_000)


def test_a_day_never_costs_more_than_its_limit(
    database: Database, server: ProviderServer, clock: Clock
) -> None:
    server.always(PATH, GOOD)
    language_model = model(
        database, server, clock, daily_limit="0.022"
    )  # an answer may cost 0.02, this one costs 0.0004
    spent = []
    while spending_limits.load_day_usage(database, START).refused_at is None:
        with suppress(DailyLimitReached):
            ask(language_model, f"question {len(spent)}")
        spent.append(spending_limits.load_day_usage(database, START).cost)
    assert spent[:2] == [Decimal("0.0004"), Decimal("0.0008")]
    assert max(spent) <= Decimal("0.022")
    assert spending_limits.load_day_usage(database, START).refused_at == START
    sent_so_far = len(server.requests)
    with pytest.raises(DailyLimitReached):
        language_model.ask("Short.", "?", Verdict, allowance=Allowance(), max_output_tokens=1)
    assert len(server.requests) == sent_so_far, "nothing is asked any more on that day"
    clock.at += timedelta(days=1)
    ask(language_model, "tomorrow")


def test_raising_the_daily_limit_allows_calls_again(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    server.always(PATH, GOOD)
    with pytest.raises(DailyLimitReached):
        ask(model(sqlite_database, server, clock, daily_limit="0.001"))
    ask(model(sqlite_database, server, clock, daily_limit="0.1"))
    with pytest.raises(DailyLimitReached):
        ask(model(sqlite_database, server, clock, daily_limit="0"), "Another?")


def test_concurrent_calls_share_the_remaining_daily_limit(database: Database) -> None:
    prices, together = Prices(Decimal(1), Decimal(1), Decimal("2.1")), threading.Barrier(6)

    def call(_: int) -> bool:
        together.wait(timeout=LIMIT_SECONDS)
        try:
            reserved = spending_limits.reserve(database, prices, Decimal(1), now=START)
        except DailyLimitReached:
            return False
        spending_limits.record_cost(database, reserved, tokens=10, cost=Decimal(1))
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(call, range(6))) == 2
    with database.read() as connection:
        used = connection.execute(sa.select(model_use)).one()
    assert tuple(used)[:4] == ("2026-05-18", 2, 20, Decimal(2))


def test_a_call_of_a_killed_process_counts_in_full(sqlite_database: Database) -> None:
    prices = Prices(Decimal(1), Decimal(1), Decimal("1.5"))
    spending_limits.reserve(sqlite_database, prices, Decimal(1), now=START)
    with pytest.raises(DailyLimitReached):
        spending_limits.reserve(sqlite_database, prices, Decimal(1), now=START)


def test_a_call_over_midnight_counts_on_the_day_it_began(sqlite_database: Database) -> None:
    reserved = spending_limits.reserve(
        sqlite_database, Prices(Decimal(1), Decimal(1), None), Decimal(1), now=START
    )
    spending_limits.record_cost(sqlite_database, reserved, tokens=5, cost=Decimal("0.5"))
    assert spending_limits.load_day_usage(sqlite_database, START).cost == Decimal("0.5")
    assert spending_limits.load_day_usage(sqlite_database, START + timedelta(days=1)).cost == 0


@pytest.mark.parametrize(
    ("failure", "costs"),
    [
        (says(500, {}), False),
        (says(429, {}), False),
        (says(401, {}), False),
        (Behaviour(200, b"{", "application/json"), True),
        (Behaviour(200, b"{}", "application/json"), True),
        (Behaviour(drop=True), True),
    ],
)
def test_a_failed_call_costs_its_maximum_if_the_server_may_have_processed_it(
    sqlite_database: Database, server: ProviderServer, clock: Clock, failure: Behaviour, costs: bool
) -> None:
    server.always(PATH, failure)
    with pytest.raises(ModelFailed):
        ask(model(sqlite_database, server, clock))
    assert (spending_limits.load_day_usage(sqlite_database, START).cost > 0) is costs


def test_all_processes_respect_the_retry_after_of_a_server(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    server.once(PATH, says(429, {"error": {}}, retry_after="90"))
    server.always(PATH, GOOD)
    with pytest.raises(ModelFailed, match="429"):
        ask(model(sqlite_database, server, clock))
    clock.at += timedelta(seconds=89)
    with pytest.raises(ModelFailed, match="a moment ago"):
        ask(model(sqlite_database, server, clock))
    clock.at += timedelta(seconds=1)
    assert ask(model(sqlite_database, server, clock)).score == 3
    assert len(server.requests) == 2


def test_pauses_grow_with_each_failure_and_end_with_an_answer(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    language_model = model(sqlite_database, server, clock)
    server.always(PATH, says(401, {}))
    pauses = []
    for _ in range(6):
        with pytest.raises(ModelFailed, match="refuses the key"):
            ask(language_model)
        until = circuit_breaker.load_state(sqlite_database, endpoint(server)).quiet_until
        assert until is not None
        pauses.append((until - clock()).total_seconds() / 60)
        clock.at = until
    assert pauses == [1, 2, 4, 8, 10, 10]
    server.always(PATH, GOOD)
    ask(language_model)
    state = circuit_breaker.load_state(sqlite_database, endpoint(server))
    assert (state.failures, state.problem, state.answered_at) == (0, None, clock())


def test_an_error_that_a_retry_solves_is_no_failure(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    for failure in (says(503, {}), Behaviour(drop=True)):
        server.once(PATH, failure, GOOD)
        assert ask(model(sqlite_database, server, clock), str(failure)).score == 3
    assert circuit_breaker.load_state(sqlite_database, endpoint(server)).failures == 0


def test_a_reasoning_model_gets_its_own_limit_parameter_from_then_on(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    refusal = says(400, {"error": {"message": "Use 'max_completion_tokens' instead of 'max_tokens'."}})
    server.once(PATH, refusal, GOOD, GOOD)
    language_model = model(sqlite_database, server, clock)
    ask(language_model)
    ask(language_model, "Another?")
    first, second, third = list_sent_bodies(server)
    assert "max_tokens" in first
    assert second["max_completion_tokens"] == third["max_completion_tokens"] == first["max_tokens"]
    assert not {"max_tokens", "temperature"} & (second.keys() | third.keys())
    assert second["response_format"] == first["response_format"], "the way of asking is as good as before"


def test_a_model_that_declines_to_answer_is_not_retried_and_counts_as_available(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    declining = json.loads(completion(None).body or b"")
    declining["choices"][0]["message"]["refusal"] = "I cannot help with that."
    server.always(PATH, says(200, declining))
    with pytest.raises(AnswerUnusable, match="declines"):
        ask(model(sqlite_database, server, clock))
    assert len(server.requests) == 1
    assert circuit_breaker.load_state(sqlite_database, endpoint(server)).failures == 0


def endpoint(server: ProviderServer) -> str:
    return circuit_breaker.endpoint_id(f"{server.url}/v1", "small-1")


def test_unreported_token_usage_is_estimated(
    sqlite_database: Database, server: ProviderServer, clock: Clock
) -> None:
    server.always(PATH, completion('{"stance": "supports", "score": 3}'))
    allowance = Allowance()
    ask(model(sqlite_database, server, clock), allowance=allowance)
    assert 10 < Allowance().tokens_left - allowance.tokens_left < 200


def test_no_model_is_used_in_sample_mode_or_without_configuration(sqlite_database: Database) -> None:
    model_settings = {"model_base_url": "http://127.0.0.1:9/v1", "model_name": "small-1"}
    assert LanguageModel.from_settings(Settings(mode="sample", **model_settings), sqlite_database) is None
    assert LanguageModel.from_settings(Settings(mode="live"), sqlite_database) is None
    assert LanguageModel.from_settings(Settings(mode="live", **model_settings), sqlite_database) is not None
