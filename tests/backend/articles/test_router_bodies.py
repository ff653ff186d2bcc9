"""Bodies that are refused: by which status, in which words, and at which place."""

from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from backend.errors import PROBLEM_JSON
from tests.support.apps.article_app import RIGHT, WRONG, Articles
from tests.support.test_session.property_tests import examples

PATHS = ("/articles/scan", "/articles/apply")
MIB = 1024 * 1024


def refused(articles: Articles, path: str, body: Any, status: int = 400, **how: Any) -> dict[str, Any]:
    before = len(articles.stored())
    answer = articles.post(path, body, **how)
    assert answer.status == status, answer.body[:500]
    assert answer.headers["content-type"] == PROBLEM_JSON
    assert len(articles.stored()) == before
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    assert problem["detail"].endswith(".")
    return problem


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"", ["body"]),
        (b"null", ["body"]),
        (b"[]", ["body"]),
        (b"5", ["body"]),
        (b'"articles"', ["body"]),
        ({}, ["body", "articles"]),
        ({"articles": None}, ["body", "articles"]),
        ({"articles": {}}, ["body", "articles"]),
        ({"articles": "x"}, ["body", "articles"]),
        ({"articles": [RIGHT, 5]}, ["body", "articles", 1]),
        ({"articles": [RIGHT, None]}, ["body", "articles", 1]),
        ({"articles": [{"id": 5}]}, ["body", "articles", 0, "id"]),
        ({"articles": [{"content": ["x"]}]}, ["body", "articles", 0, "content"]),
        ({"articles": [{"title": {}}]}, ["body", "articles", 0, "title"]),
        ({"articles": [{"tags": "x"}]}, ["body", "articles", 0, "tags"]),
        ({"articles": [{"tags": ["x", None]}]}, ["body", "articles", 0, "tags", 1]),
        ({"articles": [{"language": "fr"}]}, ["body", "articles", 0, "language"]),
        ({"articles": [RIGHT, {"language": "EN"}]}, ["body", "articles", 1, "language"]),
        ({"articles": [{"language": 5}]}, ["body", "articles", 0, "language"]),
    ],
)
def test_an_invalid_field_is_reported_with_its_location(
    articles: Articles, path: str, body: Any, place: list[Any]
) -> None:
    assert refused(articles, path, body)["errors"][0]["loc"] == place


@pytest.mark.parametrize("persist", [None, 0, 1, "false", "no", [], {}])
def test_persist_must_be_a_boolean(articles: Articles, persist: Any) -> None:
    result = refused(articles, "/articles/scan", {"articles": [WRONG], "persist": persist})
    assert result["errors"][0]["loc"] == ["body", "persist"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"articles": [\n {"id": }]}', "line 2, column 9"),
        (b'{"articles": [{"content": "\xff"}]}', "not UTF-8 at line 1, column 28"),
        (b'{"articles": [\n{"tags": ["a", "\\udfff"]}]}', "line 2, column 17"),
        ('{"articles": []}'.encode("utf-16"), "not UTF-8 at line 1, column 1"),
        ('{"articles": []}'.encode("utf-16-be"), "line 1, column 1"),
        ('{"articles": []}'.encode("utf-8-sig"), "byte order mark"),
        (b'{"articles": [{"n": NaN}]}', "line 1, column 21"),
        (b'{"articles": [{"n": ' + b"9" * 30 + b"}]}", "64 bits"),
        (b'{"articles": ' + b"[" * 5000 + b"]" * 5000 + b"}", "depth"),
    ],
)
def test_malformed_json_is_rejected_with_a_readable_message(
    articles: Articles, path: str, body: bytes, words: str
) -> None:
    assert words in refused(articles, path, body)["detail"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("count", [201, 1000])
def test_more_than_200_articles_are_rejected(articles: Articles, path: str, count: int) -> None:
    result = refused(articles, path, {"articles": [{"content": 5}] * count}, 413)
    assert str(count) in result["detail"]
    assert "200" in result["detail"]


@pytest.mark.parametrize("path", PATHS)
def test_exactly_200_articles_are_accepted(articles: Articles, path: str) -> None:
    answer = articles.post(path, {"articles": [RIGHT] * 200})
    assert answer.status == 200
    assert len(answer.json()) == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("pieces", [0, 1, 30])
def test_a_body_over_the_size_limit_is_rejected_with_or_without_chunks(
    articles: Articles, path: str, pieces: int
) -> None:
    over = orjson.dumps({"articles": [{"content": "x" * MIB}]})
    assert str(MIB) in refused(articles, path, over, 413, pieces=pieces)["detail"]
    within = orjson.dumps({"articles": [{"content": "x" * (MIB - 40)}]})
    assert articles.post(path, within, pieces=pieces).status == 200


@pytest.mark.parametrize("kind", ["", "text/plain", "application/xml", "application/json; charset=utf-16"])
def test_another_content_type_is_rejected(articles: Articles, kind: str) -> None:
    refused(articles, PATHS[0], {"articles": [RIGHT]}, 415, Content_Type=kind)


def test_the_response_lists_at_most_100_errors(articles: Articles) -> None:
    tags = orjson.dumps({"articles": [{"tags": [1] * 100_000}]})
    assert len(refused(articles, PATHS[0], tags)["errors"]) == 1
    many = {"articles": [{"id": 1, "title": 1, "summary": 1, "content": 1, "tags": 1, "source": 1}] * 200}
    result = refused(articles, PATHS[0], many)
    assert len(result["errors"]) == 100
    assert "1199 more" in result["detail"]


def encoded(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # an integer beyond 64 bits
        return repr(value).encode("utf-8", "surrogatepass")


texts = st.text(max_size=30) | st.sampled_from(["Zorbkoin", "Zorb Token \0", "\0", "```Zorbkoin", "en"])
almost = st.fixed_dictionaries(
    {},
    optional={
        "articles": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    name: texts | st.none() | st.integers() | st.lists(texts)
                    for name in ("id", "title", "summary", "content", "tags", "source", "language", "other")
                },
            )
            | texts,
            max_size=4,
        ),
        "persist": st.booleans() | texts,
    },
)
bodies = st.binary(max_size=200) | almost.map(encoded)


@given(
    st.sampled_from(PATHS), bodies, st.sampled_from(["application/json", "text/json", ""]), st.integers(0, 3)
)
@example(PATHS[0], b'{"articles":[{"id":"\\u0000","content":"Zorbkoin"}]}', "application/json", 0)
@settings(max_examples=examples(120))
def test_any_body_is_answered_with_200_400_413_or_415(
    articles: Articles, path: str, body: bytes, kind: str, pieces: int
) -> None:
    answer = articles.post(path, body, Content_Type=kind, pieces=pieces)
    assert answer.status in (200, 400, 413, 415)
    answer.json()


@given(st.data())
@settings(max_examples=examples(80))
def test_a_mutated_valid_body_never_causes_a_server_error(articles: Articles, data: st.DataObject) -> None:
    good = orjson.dumps({"articles": [WRONG, RIGHT], "persist": False})
    place = data.draw(st.integers(0, len(good) - 1))
    put = data.draw(st.binary(max_size=3))
    changed = good[:place] + put + good[place + data.draw(st.integers(0, 5)) :]
    assert articles.post(data.draw(st.sampled_from(PATHS)), changed).status in (200, 400)
