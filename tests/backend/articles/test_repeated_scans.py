"""Tests scans that are repeated with their idempotency key."""

from typing import Any

import pytest

from backend.articles import service as article_service
from backend.articles.repeated_scans import pack_answer, unpack_answer
from backend.articles.schemas import Article
from tests.support.article_app import RIGHT, WRONG, Articles
from tests.support.asgi import Answer

TAGGED = {"title": "🪙 Zorbkoin", "tags": ["Zorbkoin", "x", "a Zorb Token"], "content": "イZorbcoyn\r\n"}


def scan(articles: Articles, *sent: Any, key: str, scopes: str = "read write", **more: Any) -> Answer:
    body = {"articles": sent, **more}
    return articles.post("/articles/scan", body, scopes=scopes, Idempotency_Key=key)


def test_repeated_scan_returns_the_first_answer_without_scanning_or_storing_again(
    articles: Articles, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = scan(articles, WRONG, RIGHT, TAGGED, key="once")
    stored = articles.stored()
    monkeypatch.setattr(articles.service.pool, "run", None)  # by now the rules may be others
    again = scan(articles, WRONG, RIGHT, TAGGED, key="once")

    assert (first.status, again.status, again.body) == (200, 200, first.body)
    assert again.headers["x-rules-version"] == first.headers["x-rules-version"]
    assert articles.stored() == stored != []


def test_scan_that_is_repeated_while_the_first_runs_is_stored_once(
    articles: Articles, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = scan(articles, WRONG, key="twice")
    stored = articles.stored()
    monkeypatch.setattr(article_service, "find_earlier", lambda *_, **__: None)

    assert scan(articles, WRONG, key="twice").body == first.body
    assert articles.stored() == stored


def test_key_with_another_body_conflicts(articles: Articles) -> None:
    assert scan(articles, WRONG, key="other").status == 200
    stored = articles.stored()
    for answer in (
        scan(articles, RIGHT, key="other"),
        scan(articles, WRONG, key="other", accept=["Zorbkoin"]),
        scan(articles, key="other"),
    ):
        assert (answer.status, answer.json()["code"]) == (409, "conflict")
    assert articles.stored() == stored


def test_key_belongs_to_its_caller_and_to_scans_that_store(articles: Articles) -> None:
    assert scan(articles, WRONG, key="own").status == 200
    assert scan(articles, RIGHT, key="own", scopes="write").status == 200
    assert scan(articles, RIGHT, key="own", persist=False).status == 200
    assert scan(articles, WRONG, key="x" * 256).status == 400


def test_kept_answer_has_no_text_of_an_article_beside_what_was_found(articles: Articles) -> None:
    sent = [Article(**{**WRONG, "content": "Zorbkoin is a secret."})]
    results = articles.service.scan(sent)
    packed = pack_answer(results)
    assert unpack_answer(packed, sent) == results
    other = [Article(**{**WRONG, "content": "Zorbkoin is no news!!"})]
    assert b"Zorbcoin is no news!!" in unpack_answer(packed, other).body
    assert b"secret" not in unpack_answer(packed, other).body
