"""Tests that the OpenAPI document describes what is sent, and nothing else."""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from backend.auth.principal import SCOPES
from backend.http import middleware
from backend.http.openapi import ALWAYS_ANSWERED, COMMON_HEADERS, LIMIT_HEADERS, complete_document
from tests.support.apps.market_app import Running, sample_app
from tests.support.openapi.document import build_validator, inline_components, list_operations, resolve

DISCOVERY = {
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
}
OPEN = {"/healthz", "/readyz", "/metrics", "/assets/{id}/icon", *DISCOVERY}
CLIENTS = {"/oauth/authorize", "/oauth/token", "/oauth/revoke"}
"""They take no key; some answer 401 to an application that there is not."""
TOPICS = ("/topics", "/ranking_topics", "/ai_insights")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with sample_app(tmp_path_factory.mktemp("openapi"), ("bitcoin", "ethereum")) as running:
        yield running


@pytest.fixture(scope="module")
def document(running: Running) -> dict[str, Any]:
    return inline_components(running.json("/openapi.json"))


def find_references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from find_references(item)
    elif isinstance(value, list):
        for item in value:
            yield from find_references(item)


def test_openapi_document_is_complete_and_has_version_3_1(document: dict[str, Any]) -> None:
    assert re.fullmatch(r"3\.1\.\d+", document["openapi"])
    assert set(document["info"]) >= {"title", "version", "description"}
    for path, method, operation in list_operations(document):
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


def test_operation_ids_are_camel_case_and_unique(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in list_operations(document)]
    assert len({name.lower() for name in ids}) == len(ids)
    assert [name for name in ids if not re.fullmatch(r"[a-z]+([A-Z][a-z]+)+", name)] == []
    assert {"listPrices", "getTopic", "submitSources"} <= set(ids)


def test_schema_names_are_words_and_unique(document: dict[str, Any]) -> None:
    names = list(document["components"]["schemas"])
    assert len({name.lower() for name in names}) == len(names)
    assert [name for name in names if not re.fullmatch(r"([A-Z][a-z]*)+", name)] == []
    assert "title" not in document["components"]["schemas"]["Problem"]


def test_every_operation_and_parameter_has_a_description(document: dict[str, Any]) -> None:
    for path, method, operation in list_operations(document):
        assert operation.get("description"), (path, method)
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), (path, method, parameter["name"])


def find_properties(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and schema of each property of objects, at any depth."""
    if isinstance(value, dict):
        if isinstance(value.get("properties"), dict):
            yield from value["properties"].items()
        for part in value.values():
            yield from find_properties(part)
    elif isinstance(value, list):
        for part in value:
            yield from find_properties(part)


FORMATS = {
    r"(.+_)?(at|timestamp)|last_updated|as_of|ath_date|published_(before|after)": "date-time",
    r"job_id|scan_id|client_id": "uuid",
    r"(.+_)?(url|uri)|cover_img|logo|issuer": "uri",
}
"""Formats by the names that need them. Addresses have several: of any script, or relative."""


def test_times_ids_and_addresses_have_formats(document: dict[str, Any]) -> None:
    parameters = [p for _, _, operation in list_operations(document) for p in operation.get("parameters", ())]
    named = [(p["name"], p["schema"]) for p in parameters] + list(find_properties(document))
    missing = [
        name
        for name, schema in named
        for pattern, expected in FORMATS.items()
        if re.fullmatch(pattern, name) and not has_format(schema, expected)
    ]
    assert missing == []


def has_format(schema: dict[str, Any], expected: str) -> bool:
    found = [part.get("format", "") for part in (schema, *schema.get("anyOf", ()))]
    has_pattern = any("[Hh][Tt]" in part.get("pattern", "") for part in (schema, *schema.get("anyOf", ())))
    if expected == "uri":
        return has_pattern or any(name.startswith(("uri", "iri")) for name in found)
    return expected in found


def test_accepted_jobs_link_to_operations_that_exist(document: dict[str, Any]) -> None:
    operations = {operation["operationId"]: operation for _, _, operation in list_operations(document)}
    accepted = [operation for operation in operations.values() if "202" in operation["responses"]]
    assert accepted
    for operation in accepted:
        for link in operation["responses"]["202"]["links"].values():
            linked = operations[link["operationId"]]
            required = {p["name"] for p in linked["parameters"] if p.get("required")}
            assert required == set(link["parameters"])
            assert link["parameters"]["id"] == "$response.body#/data/job_id"


def test_sources_body_requires_one_of_three_texts(document: dict[str, Any]) -> None:
    operation = document["paths"]["/sources"]["post"]
    body = build_validator(document, operation["requestBody"]["content"]["application/json"]["schema"])
    for right in ({"statement": "A."}, {"title": "A.", "content": "B."}, {"content": "B.", "title": None}):
        body.validate(right)
    for wrong in ({}, {"statement": None}, {"title": "  "}, {"max_results": 5}):
        assert not body.is_valid(wrong), wrong


def test_oauth2_describes_every_scope_and_the_servers_are_named(document: dict[str, Any]) -> None:
    flow = document["components"]["securitySchemes"]["OAuth2"]["flows"]["authorizationCode"]
    assert list(flow["scopes"]) == list(SCOPES)
    assert flow["tokenUrl"] == "http://127.0.0.1:8000/oauth/token"
    assert [server["url"] for server in document["servers"]] == ["./", "http://127.0.0.1:8000"]
    for path, _, operation in list_operations(document):
        scopes = [scopes for requirement in operation.get("security", ()) for scopes in requirement.values()]
        assert {scope for each in scopes for scope in each} <= set(SCOPES), path


def test_every_reference_resolves(document: dict[str, Any]) -> None:
    found = list(find_references(document))
    assert found
    for reference in found:
        assert resolve(document, reference)


def test_no_schema_component_is_unused(document: dict[str, Any]) -> None:
    used = {reference.rpartition("/")[2] for reference in find_references(document)}
    assert set(document["components"]["schemas"]) <= used


def test_every_schema_is_a_valid_one(document: dict[str, Any]) -> None:
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_no_operation_documents_a_422_response(document: dict[str, Any]) -> None:
    assert all("422" not in operation["responses"] for _, _, operation in list_operations(document))
    assert not {"HTTPValidationError", "ValidationError"} & set(document["components"]["schemas"])


def test_every_error_uses_the_error_schema_of_its_route_group(document: dict[str, Any]) -> None:
    for path, _, operation in list_operations(document):
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
    common = {**COMMON_HEADERS, **LIMIT_HEADERS}
    assert common.items() <= document["components"]["headers"].items()
    assert all(name in document["info"]["description"] for name in common)
    for _, _, operation in list_operations(document):
        for status, response in operation["responses"].items():
            assert status != "405" or "Allow" in response["headers"]
            assert status != "401" or "WWW-Authenticate" in response["headers"]
            assert status not in ("429", "503") or "Retry-After" in response["headers"]
            if status in ("200", "304") and "304" in operation["responses"]:
                assert {"ETag", "Vary"} <= set(response["headers"])


def test_data_operations_require_a_key_and_open_paths_require_none(document: dict[str, Any]) -> None:
    for path, method, operation in list_operations(document):
        if path in OPEN:
            assert not operation.get("security"), path
            assert not {"401"} & set(operation["responses"])
        elif path in CLIENTS:
            assert not operation.get("security"), path
        else:
            terminal = {"TerminalApiKey"} if (path, method) == ("/topics/{id}/media", "get") else set()
            feed = {"FeedToken"} if path.endswith((".atom", ".json")) else set()
            schemes = {next(iter(requirement)) for requirement in operation["security"]}
            assert schemes == {"ApiKey", "Bearer", "OAuth2"} | terminal | feed, path
            assert {"401", "403", "503"} <= set(operation["responses"])
    scheme = document["components"]["securitySchemes"]["ApiKey"]
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "header", "CP-X-API-KEY")


def test_deprecated_operations_are_marked_and_describe_their_headers(document: dict[str, Any]) -> None:
    marked = {path for path, _, operation in list_operations(document) if operation.get("deprecated")}
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
    assert parameters["limit"] == {"type": "integer", "minimum": 1, "default": 200}
    assert parameters["kind"]["enum"] == ["divergent", "conflict", "depeg", "jump"]


def test_503_is_documented_for_operations_that_use_the_database(document: dict[str, Any]) -> None:
    for path, _, operation in list_operations(document):
        if path not in {"/healthz", "/metrics", *DISCOVERY}:
            assert "503" in operation["responses"], path


def test_429_and_408_are_documented_where_they_apply(document: dict[str, Any]) -> None:
    for path, _, operation in list_operations(document):
        assert ("429" in operation["responses"]) is (path not in ALWAYS_ANSWERED), path
        assert ("408" in operation["responses"]) is ("requestBody" in operation), path
    assert middleware.ALWAYS_ANSWERED == ALWAYS_ANSWERED


def test_complete_document_keeps_the_error_responses_that_a_route_defines() -> None:
    own = {"description": "Mine.", "content": {"text/plain": {"schema": {"type": "string"}}}}
    operation = {"responses": {"200": {"description": "ok"}, "404": own, "422": {"description": "no"}}}
    completed = complete_document(
        {"paths": {"/x": {"post": operation | {"requestBody": {}, "security": [{"ApiKey": []}]}}}}
    )
    responses = inline_components(completed)["paths"]["/x"]["post"]["responses"]
    assert list(responses) == [
        *("200", "400", "401", "403", "404", "405", "408", "413", "415", "429", "500", "503")
    ]
    assert list(responses["404"]["content"]) == ["text/plain"]


def test_topic_filters_document_their_types_and_defaults(document: dict[str, Any]) -> None:
    parameters = {
        p["name"]: p["schema"]
        for p in document["paths"]["/topics"]["get"]["parameters"]
        if p["in"] == "query"
    }
    of_the_interface = {"category", "page", "page_size", "lang", "publish_before", "publish_after"}
    assert set(parameters) == of_the_interface | {"entity", "find"}
    for name, default in (("page", 1), ("page_size", 20)):
        result = parameters[name]
        assert (result["type"], result["minimum"], result["default"]) == ("integer", 1, default)
    assert (parameters["lang"]["enum"], parameters["lang"]["default"]) == (["en", "ja", "zh"], "en")
    assert parameters["category"]["enum"] == [0, 1, 2]
    for name in ("publish_before", "publish_after"):
        assert parameters[name] == {"type": "string", "format": "date-time"}
    (top,) = [
        p["schema"] for p in document["paths"]["/ranking_topics"]["get"]["parameters"] if p["name"] == "top"
    ]
    assert (top["type"], top["minimum"], top["maximum"], top["default"]) == ("integer", 1, 50, 5)


def test_topic_body_schema_matches_the_validation(document: dict[str, Any]) -> None:
    operation = document["paths"]["/topics"]["post"]
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    schema = build_validator(document, body)
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
