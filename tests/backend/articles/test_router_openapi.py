"""The OpenAPI document says exactly what the article endpoints take and send."""

from typing import Any

import pytest

from backend.http.openapi import COMMON_HEADERS
from tests.support.apps.article_app import RIGHT, WRONG, Articles
from tests.support.openapi.document import build_validator, inline_components

SCAN, APPLY = "/articles/scan", "/articles/apply"
LIST, SUMMARY, RULES = "/articles/violations", "/articles/violations/summary", "/articles/rules"
ALWAYS = {"content-type", "content-length", "x-content-type-options"}
OPTIONAL = {"content-encoding", "cache-control"}


@pytest.fixture(scope="module")
def document(articles: Articles) -> dict[str, Any]:
    articles.scan(WRONG)
    return inline_components(articles.json("/openapi.json"))


POSTS: list[tuple[int, Any, dict[str, Any]]] = [
    (200, {"articles": [WRONG, RIGHT, {}], "persist": False}, {}),
    (200, {"articles": []}, {}),
    (400, b"{", {}),
    (400, {"articles": [{"language": "fr", "tags": [1]}]}, {}),
    (401, {"articles": []}, {"scopes": None}),
    (403, {"articles": []}, {"scopes": "ingest"}),
    (413, {"articles": [RIGHT] * 201}, {}),
    (413, b"[" * 2_000_000, {"pieces": 4}),
    (415, b"<a/>", {"Content_Type": "application/xml"}),
]


@pytest.mark.parametrize("path", [SCAN, APPLY])
@pytest.mark.parametrize(("status", "body", "how"), POSTS)
def test_every_response_to_an_articles_post_matches_the_openapi_document(
    articles: Articles, document: dict[str, Any], path: str, status: int, body: Any, how: dict[str, Any]
) -> None:
    answer = articles.post(path, body, **how)
    assert answer.status == status
    is_described(document, document["paths"][path]["post"], answer)


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        (LIST, "", 200),
        (LIST, "?limit=2", 200),
        (LIST, "?limit=0", 400),
        (SUMMARY, "", 200),
        (SUMMARY, "?from=x", 400),
        (RULES, "", 200),
        (RULES, "?x=1", 200),
    ],
)
def test_every_response_to_an_articles_get_matches_the_openapi_document(
    articles: Articles, document: dict[str, Any], path: str, query: str, status: int
) -> None:
    operation = document["paths"][path]["get"]
    answer = articles.get(path + query)
    assert answer.status == status
    is_described(document, operation, answer)
    is_described(document, operation, articles.get(path + query, scopes="write"))
    if path == RULES:
        is_described(document, operation, articles.get(path, if_none_match=answer.headers["etag"]))


def is_described(document: dict[str, Any], operation: dict[str, Any], answer: Any) -> None:
    described = operation["responses"][str(answer.status)]
    payload = {name.lower() for name in {**described["headers"], **COMMON_HEADERS}}
    assert "x-rules-version" in payload & set(answer.headers)
    assert set(answer.headers) <= payload | ALWAYS | OPTIONAL
    if answer.body:
        kind = answer.headers["content-type"]
        build_validator(document, described["content"][kind]["schema"]).validate(answer.json())


@pytest.mark.parametrize("path", [SCAN, APPLY])
def test_the_request_schema_matches_the_accepted_bodies(
    articles: Articles, document: dict[str, Any], path: str
) -> None:
    operation = document["paths"][path]["post"]
    statuses = {"200", "400", "401", "403", "405", "408", "413", "415", "429", "500", "503"}
    repeatable = {"409"} if path == SCAN else set()
    assert set(operation["responses"]) == statuses | repeatable
    body = build_validator(document, operation["requestBody"]["content"]["application/json"]["schema"])
    assert operation["requestBody"]["required"] is True
    good: list[Any] = [{"articles": [WRONG, {}, {"id": None, "tags": None, "language": "", "x": 1}]}]
    bad: list[Any] = [
        {},
        [],
        {"articles": [{}] * 201},
        {"articles": [{"language": "fr"}]},
        {"articles": [{"tags": [1]}]},
        {"articles": [{"id": 5}]},
    ]
    for value in good:
        body.validate(value)
        assert articles.post(path, value).status == 200
    for value in bad:
        assert not body.is_valid(value), value
        assert articles.post(path, value).status in (400, 413)


def test_the_openapi_document_describes_the_filters_and_their_limits(document: dict[str, Any]) -> None:
    parameters = {each["name"]: each for each in document["paths"][LIST]["get"]["parameters"]}
    filters = {"article_id", "entity_id", "rule_id", "severity", "language", "violation_type", "from", "to"}
    assert set(parameters) == filters | {"limit", "cursor"}
    assert {each["name"] for each in document["paths"][SUMMARY]["get"]["parameters"]} == filters
    limit = parameters["limit"]["schema"]
    assert limit == {"type": "integer", "minimum": 1, "default": 100}
    assert parameters["from"]["schema"] == {"type": "string", "format": "date-time"}
