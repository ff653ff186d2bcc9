"""Tests that the OpenAPI document describes what is sent, and nothing else."""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from backend.http import middleware
from backend.http.openapi import ALWAYS_ANSWERED, COMMON_HEADERS, LIMIT_HEADERS, complete_document
from backend.timelines import store as timeline_store
from backend.timelines.model import Profile, Run, ScoreAdjustment
from backend.timelines.validation.run_validation import check
from backend.topics.model import Category, Media, Term, Topic, TopicText
from backend.topics.store import topic_store
from tests.support.asgi import send
from tests.support.market_app import Running, sample_app

OPEN = {"/healthz", "/readyz", "/metrics", "/assets/{id}/icon", "/.well-known/oauth-authorization-server"}
CLIENTS = {"/oauth/authorize", "/oauth/token", "/oauth/revoke"}
"""They take no key; some answer 401 to an application that there is not."""
TOPICS = ("/topics", "/ranking_topics", "/ai_insights")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sample_app(tmp_path_factory.mktemp("openapi"), ("bitcoin", "ethereum")) as running:
        add_a_topic(running)
        add_a_run(running)
        yield running


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
    right = check([run], profile="a/b").prepared
    timeline_store.add(running.database, "own", right, {"a/b": profile})


@pytest.fixture(scope="module")
def document(running: Running) -> dict[str, Any]:
    result: dict[str, Any] = running.json("/openapi.json")
    return result


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def test_openapi_document_is_complete_and_has_version_3_1(document: dict[str, Any]) -> None:
    assert re.fullmatch(r"3\.1\.\d+", document["openapi"])
    assert set(document["info"]) >= {"title", "version", "description"}
    for path, method, operation in operations(document):
        assert path.startswith("/")
        assert method in {"get", "put", "post", "delete", "patch", "head", "options", "trace"}
        assert operation["responses"]
        for status, response in operation["responses"].items():
            assert re.fullmatch(r"[1-5]\d\d", status), (path, status)
            assert isinstance(response["description"], str)
            assert response["description"], (path, status)
        path_parameters = {p["name"] for p in operation.get("parameters", ()) if p["in"] == "path"}
        assert path_parameters == set(re.findall(r"{(\w+)}", path))
        assert all(p.get("required") for p in operation.get("parameters", ()) if p["in"] == "path")
        assert all("schema" in p for p in operation.get("parameters", ()))


def test_operation_ids_are_unique_and_every_operation_has_a_description(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(ids)) == len(ids)
    assert all(operation.get("description") for _, _, operation in operations(document))


def test_every_reference_resolves(document: dict[str, Any]) -> None:
    found = list(references(document))
    assert found
    for reference in found:
        target: Any = document
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]


def test_no_schema_component_is_unused(document: dict[str, Any]) -> None:
    used = {reference.rpartition("/")[2] for reference in references(document)}
    assert set(document["components"]["schemas"]) <= used


def test_every_schema_is_a_valid_one(document: dict[str, Any]) -> None:
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_no_operation_documents_a_422_response(document: dict[str, Any]) -> None:
    assert all("422" not in operation["responses"] for _, _, operation in operations(document))
    assert not {"HTTPValidationError", "ValidationError"} & set(document["components"]["schemas"])


def test_every_error_uses_the_error_schema_of_its_route_group(document: dict[str, Any]) -> None:
    for path, _, operation in operations(document):
        kind, name = "application/problem+json", "Problem"
        if path.startswith((*TOPICS, "/oauth/")):
            kind, name = "application/json", "OAuthProblem" if path.startswith("/oauth/") else "TopicError"
        for status, response in operation["responses"].items():
            if path == "/oauth/authorize" and "text/html" in response.get("content", {}):
                continue  # a page says it to a person
            if status[0] in "45" and (path, status) != ("/readyz", "503"):
                assert set(response["content"]) == {kind}, (path, status)
                content = response["content"][kind]
                assert content["schema"] == {"$ref": f"#/components/schemas/{name}"}, (path, status)


def test_every_response_documents_its_headers(document: dict[str, Any]) -> None:
    for path, _, operation in operations(document):
        for status, response in operation["responses"].items():
            assert set(COMMON_HEADERS) <= set(response["headers"]), (path, status)
            assert (set(LIMIT_HEADERS) <= set(response["headers"])) is (path not in ALWAYS_ANSWERED)
            assert status[0] not in "45" or "Cache-Control" in response["headers"], (path, status)
            assert status != "405" or "Allow" in response["headers"]
            assert status != "401" or "WWW-Authenticate" in response["headers"]
            assert status not in ("429", "503") or "Retry-After" in response["headers"]
            if status[0] in "23" and operation.get("security"):
                assert "Cache-Control" in response["headers"], (path, status)
            if status in ("200", "304") and "304" in operation["responses"]:
                assert {"ETag", "Cache-Control", "Vary"} <= set(response["headers"])


def test_data_operations_require_a_key_and_open_paths_require_none(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        if path in OPEN:
            assert not operation.get("security"), path
            assert not {"401"} & set(operation["responses"])
        elif path in CLIENTS:
            assert not operation.get("security"), path
        else:
            terminal = {"TerminalApiKey"} if (path, method) == ("/topics/{id}/media", "get") else set()
            feed = {"FeedToken"} if path.endswith((".atom", ".json")) else set()
            schemes = {next(iter(requirement)) for requirement in operation["security"]}
            assert schemes == {"ApiKey", "Bearer"} | terminal | feed, path
            assert {"401", "403", "503"} <= set(operation["responses"])
    scheme = document["components"]["securitySchemes"]["ApiKey"]
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "header", "CP-X-API-KEY")


def test_deprecated_operations_are_marked_and_describe_their_headers(document: dict[str, Any]) -> None:
    marked = {path for path, _, operation in operations(document) if operation.get("deprecated")}
    assert marked == {"/prices/all", "/aggregation/{asset}"}
    for path in marked:
        headers = document["paths"][path]["get"]["responses"]["200"]["headers"]
        assert {"Deprecation", "Link"} <= set(headers)


def test_rankings_limit_parameter_is_a_positive_integer(document: dict[str, Any]) -> None:
    parameters = {p["name"]: p["schema"] for p in document["paths"]["/rankings"]["get"]["parameters"]}
    assert set(parameters) == {"sort", "order", "with_candles", "limit"}
    assert (parameters["limit"]["type"], parameters["limit"]["minimum"]) == ("integer", 1)
    assert parameters["sort"]["enum"] == ["market_cap", "pct_change_24h", "pct_change_7d"]


def test_incident_filters_document_their_types_and_ranges(document: dict[str, Any]) -> None:
    parameters = {
        p["name"]: p["schema"] for p in document["paths"]["/markets/incidents"]["get"]["parameters"]
    }
    assert set(parameters) == {"asset", "kind", "open", "limit"}
    assert parameters["open"]["type"] == "boolean"
    assert parameters["limit"]["minimum"] == 1
    assert "maximum" not in parameters["limit"], "Larger values are capped, not refused."
    kinds = next(alternative for alternative in parameters["kind"]["anyOf"] if "enum" in alternative)
    assert kinds["enum"] == ["divergent", "conflict", "depeg", "jump"]


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
        result = {name.lower() for name in response["headers"]}
        always = {"content-type", "content-length"}
        optional = {"content-encoding"}
        if template == "/metrics":  # a page for a program that keeps nothing
            optional.add("cache-control")
        assert set(answer.headers) <= result | always | optional, (
            answer.status,
            set(answer.headers) - result,
        )
        if answer.body:
            kind = answer.headers["content-type"].partition(";")[0]
            assert kind in response["content"]
            if kind.endswith("json"):
                schema = response["content"][kind]["schema"] | {"components": document["components"]}
                jsonschema.Draft202012Validator({"$schema": DIALECT, **schema}).validate(answer.json())


def test_503_is_documented_for_operations_that_use_the_database(document: dict[str, Any]) -> None:
    for path, _, operation in operations(document):
        if path not in ("/healthz", "/metrics", "/.well-known/oauth-authorization-server"):
            assert "503" in operation["responses"], path


def test_429_and_408_are_documented_where_they_apply(document: dict[str, Any]) -> None:
    for path, _, operation in operations(document):
        assert ("429" in operation["responses"]) is (path not in ALWAYS_ANSWERED), path
        assert ("408" in operation["responses"]) is ("requestBody" in operation), path
    assert middleware.ALWAYS_ANSWERED == ALWAYS_ANSWERED


def test_complete_document_keeps_the_error_responses_that_a_route_defines() -> None:
    own = {"description": "Mine.", "content": {"text/plain": {"schema": {"type": "string"}}}}
    operation = {"responses": {"200": {"description": "ok"}, "404": own, "422": {"description": "no"}}}
    completed = complete_document(
        {"paths": {"/x": {"post": operation | {"requestBody": {}, "security": [{"ApiKey": []}]}}}}
    )
    responses = completed["paths"]["/x"]["post"]["responses"]
    assert list(responses) == [
        *("200", "400", "401", "403", "404", "405", "408", "413", "415", "429", "500", "503")
    ]
    assert list(responses["404"]["content"]) == ["text/plain"]


def test_topic_filters_document_their_types_and_defaults(document: dict[str, Any]) -> None:
    parameters = {p["name"]: p["schema"] for p in document["paths"]["/topics"]["get"]["parameters"]}
    of_the_interface = {"category", "page", "page_size", "lang", "publish_before", "publish_after"}
    assert set(parameters) == of_the_interface | {"entity", "find"}
    for name, default in (("page", 1), ("page_size", 20)):
        result = parameters[name]
        assert (result["type"], result["minimum"], result["default"]) == ("integer", 1, default)
    assert (parameters["lang"]["enum"], parameters["lang"]["default"]) == (["en", "ja", "zh"], "en")
    assert next(alternative for alternative in parameters["category"]["anyOf"] if "enum" in alternative)[
        "enum"
    ] == [0, 1, 2]
    for name in ("publish_before", "publish_after"):
        assert {"type": "string", "format": "date-time"} in parameters[name]["anyOf"]
    (top,) = [
        p["schema"] for p in document["paths"]["/ranking_topics"]["get"]["parameters"] if p["name"] == "top"
    ]
    assert (top["type"], top["minimum"], top["maximum"], top["default"]) == ("integer", 1, 50, 5)


def test_topic_body_schema_matches_the_validation(document: dict[str, Any]) -> None:
    operation = document["paths"]["/topics"]["post"]
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    schema = jsonschema.Draft202012Validator(
        {"$schema": DIALECT, **body, "components": document["components"]}
    )
    topic = {
        "category": 1,
        "published_at": "2026-03-01T00:00:00Z",
        "url": "https://a.example/",
        "texts": {"ja": {"title": "T", "summary_bullets": [["one"]]}},
    }
    for right in (topic, [topic], [], {**topic, "external_id": "a", "total_tweet_score": 1.5}):
        schema.validate(right)
    for wrong in (7, {}, {**topic, "category": 3}, {**topic, "texts": {"fr": {"title": "T"}}}):
        assert not schema.is_valid(wrong)
    refusals = {"400", "401", "403", "405", "408", "413", "415", "429", "500", "503"}
    assert set(operation["responses"]) == {"201"} | refusals
