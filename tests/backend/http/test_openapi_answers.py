"""Tests that the OpenAPI document describes every status, header and body that is sent."""

from collections.abc import Iterator
from typing import Any

import pytest

from backend.http.openapi import COMMON_HEADERS, LIMIT_HEADERS
from backend.timelines import store as timeline_store
from backend.timelines.model import Profile, Run, ScoreAdjustment
from backend.timelines.validation.run_preparation import prepare_runs
from backend.topics.model import Category, Media, Term, Topic, TopicText
from backend.topics.store import topic_store
from tests.support.apps.market_app import Running, sample_app
from tests.support.http.asgi import send
from tests.support.openapi.document import build_validator, inline_components


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sample_app(tmp_path_factory.mktemp("openapi"), ("bitcoin", "ethereum")) as running:
        add_a_topic(running)
        add_a_run(running)
        yield running


@pytest.fixture(scope="module")
def document(running: Running) -> dict[str, Any]:
    return inline_components(running.json("/openapi.json"))


def add_a_topic(running: Running) -> None:
    now = running.clock()
    media = (
        Media("primary_source", "https://s.example/1", "Filing"),
        Media("article", "https://a.example/1", "News", published_at=now),
        Media("tweet", "https://x.example/1", score=1.0),
    )
    text = TopicText("A title", bullets=(("one",),), terms=(Term("halving", "every four years"),))
    topic = Topic(Category.BREAKING, now, "https://a.example/", {"en": text}, media=media)
    with running.database.write() as connection:
        topic_store.store_topics(connection, [topic], now=now)
    running.poll_changes()


def add_a_run(running: Running) -> None:
    profile = Profile(provider="an agent", model="a model")
    part = ScoreAdjustment("a", 0.5, "why")
    run = Run(
        run_id="one",
        timestamp="2026-03-01T00:00:00Z",
        case_id="a case",
        success=True,
        total_score=1.0,
        raw_score=1.0,
        max_score=1.0,
        normalized_score=1.0,
        deductions=(part,),
        bonuses=(part,),
    )
    timeline_store.upsert_profiles(running.database, {"a/b": profile}, now=running.clock())
    right = prepare_runs([run], profile="a/b").runs
    timeline_store.add(running.database, "own", right, {"a/b": profile})


CALLS = [
    ("/assets/{id}", "/assets/bitcoin"),
    ("/assets/{id}", "/assets/nothing"),
    ("/assets/{id}/candles", "/assets/bitcoin/candles?span=x"),
    ("/assets/{id}/candles", "/assets/bitcoin/candles"),
    ("/assets/{id}/candles", "/assets/nothing/candles"),
    ("/assets/{id}/icon", "/assets/bitcoin/icon"),
    ("/assets/{id}/icon", "/assets/nothing/icon"),
    ("/assets", "/assets?filter=x"),
    ("/prices", "/prices"),
    ("/prices/all", "/prices/all"),
    ("/prices/{id}/quotes", "/prices/bitcoin/quotes"),
    ("/prices/{id}/quotes", "/prices/nothing/quotes"),
    ("/aggregation/{asset}", "/aggregation/btc"),
    ("/aggregation/{asset}", "/aggregation/nothing"),
    ("/rankings", "/rankings?sort=x"),
    ("/rankings", "/rankings?with_candles=7d"),
    ("/crypto/market-overview", "/crypto/market-overview"),
    ("/markets/figures", "/markets/figures"),
    ("/markets/rates", "/markets/rates"),
    ("/markets/totals", "/markets/totals"),
    ("/markets/totals", "/markets/totals?span=1y"),
    ("/markets/incidents", "/markets/incidents"),
    ("/markets/incidents", "/markets/incidents?open=maybe"),
    ("/markets/status", "/markets/status"),
    ("/topics", "/topics"),
    ("/topics", "/topics?category=9"),
    ("/topics/{id}", "/topics/1"),
    ("/topics/{id}", "/topics/1?lang=ja"),
    ("/topics/{id}", "/topics/x"),
    ("/topics/{id}/media", "/topics/1/media"),
    ("/topics/{id}/media", "/topics/99/media"),
    ("/ranking_topics", "/ranking_topics"),
    ("/ranking_topics", "/ranking_topics?top=0"),
    ("/ai_insights/{id}", "/ai_insights/1"),
    ("/ai_insights/{id}", "/ai_insights/99"),
    ("/ai_insights/{id}/sections", "/ai_insights/1/sections"),
    ("/ai_insights/{id}/sections", "/ai_insights/99/sections"),
    ("/v1/timelines", "/v1/timelines"),
    ("/v1/timelines", "/v1/timelines?limit=-1"),
    ("/v1/timelines/{profile}", "/v1/timelines/a%2Fb"),
    ("/v1/timelines/{profile}", "/v1/timelines/nobody"),
    ("/v1/runs/{run_id}", "/v1/runs/one"),
    ("/v1/runs/{run_id}", "/v1/runs/none"),
    ("/healthz", "/healthz"),
    ("/readyz", "/readyz"),
    ("/metrics", "/metrics"),
]


@pytest.mark.parametrize(("template", "path"), CALLS)
def test_every_sent_status_header_and_body_is_documented(
    running: Running, document: dict[str, Any], template: str, path: str
) -> None:
    described = document["paths"][template]["get"]["responses"]
    etag = running.get(path).headers.get("etag", '"none"')
    answers = [
        running.get(path),
        running.get(path, if_none_match=etag),
        send(running.app, path),
        send(running.app, path, client="192.0.2.7"),
    ]
    for answer in answers:
        assert str(answer.status) in described, answer.status
        response = described[str(answer.status)]
        result = {name.lower() for name in {**response["headers"], **COMMON_HEADERS, **LIMIT_HEADERS}}
        always = {"content-type", "content-length"}
        optional = {"content-encoding"}
        assert set(answer.headers) <= result | always | optional, (
            answer.status,
            set(answer.headers) - result,
        )
        if answer.body:
            kind = answer.headers["content-type"].partition(";")[0]
            assert kind in response["content"]
            if kind.endswith("json"):
                build_validator(document, response["content"][kind]["schema"]).validate(answer.json())
