"""Scan and apply over HTTP: what is answered, who may, and what is stored."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.articles import service as article_service
from backend.articles.repeated_scans import pack_answer, unpack_answer
from backend.articles.schemas import Article, Violation
from tests.support.apps.article_app import RIGHT, WRONG, Articles, article_app, kinds
from tests.support.http.asgi import Answer

SCAN, APPLY = "/articles/scan", "/articles/apply"
EMPTY: dict[str, Any] = {"title": None, "summary": None, "content": None, "tags": [], "source": None}


@pytest.fixture
def fresh(database_url: str, tmp_path: Path) -> Iterator[Articles]:
    with article_app(tmp_path / "home", database_url=database_url) as running:
        yield running


# -- what is answered --------------------------------------------------------------------------------


def test_a_scan_returns_its_findings_and_previews_every_correction(articles: Articles) -> None:
    (result,) = articles.scan(WRONG, persist=False)
    assert set(result) == {"article_id", "matches", "violations", "corrections", "corrected_article"}
    assert result["article_id"] == "7"
    assert kinds(result["violations"]) == [
        ("zorbcoin-typo", "title"),
        ("zorbcoin-old", "content"),
        ("zorbcoin-typo", "content"),
        ("zorby", "content"),
        ("zorbcoin-typo", "tags[1]"),
    ]
    assert kinds(result["corrections"]) == [
        each for each in kinds(result["violations"]) if each[0] != "zorby"
    ]
    assert [each["requires_approval"] for each in result["corrections"]] == [False, True, False, False]
    assert result["corrected_article"] == {
        **WRONG,
        "title": "Zorbcoin rises",
        "content": "The Zorbcoin and Zorbcoin, says Zorby.",
        "tags": ["markets", "Zorbcoin"],
    }


def test_a_violation_has_all_documented_fields(articles: Articles) -> None:
    (result,) = articles.scan(WRONG, persist=False)
    assert result["violations"][0] == {
        "article_id": "7",
        "entity_id": "zorbcoin",
        "rule_id": "zorbcoin-typo",
        "field": "title",
        "matched_text": "Zorbkoin",
        "suggested_name": "Zorbcoin",
        "language": "en",
        "violation_type": "forbidden_variant",
        "severity": "error",
        "start_offset": 0,
        "end_offset": 8,
        "auto_fixable": True,
    }


def test_apply_makes_only_automatic_corrections(articles: Articles) -> None:
    answer = articles.post(APPLY, {"articles": [WRONG, RIGHT]}, scopes="read")
    assert answer.status == 200
    wrong, right = answer.json()
    assert set(wrong) == {"article_id", "applied_count", "applied", "corrected_article"}
    assert wrong["applied_count"] == len(wrong["applied"]) == 3
    assert wrong["corrected_article"]["content"] == "The Zorb Token and Zorbcoin, says Zorby."
    assert right["applied_count"] == 0
    assert right["corrected_article"] == {**EMPTY, **RIGHT}


def test_results_come_in_the_order_of_the_articles_and_ids_may_repeat(articles: Articles) -> None:
    sent = [WRONG, RIGHT, {**RIGHT, "id": "7"}, {**RIGHT, "id": ""}, {"content": "x"}, {}]
    assert [each["article_id"] for each in articles.scan(*sent, persist=False)] == [
        "7",
        "8",
        "7",
        "",
        None,
        None,
    ]


def test_an_empty_article_list_gives_an_empty_result_list(articles: Articles) -> None:
    for path in (SCAN, APPLY):
        answer = articles.post(path, {"articles": []})
        assert (answer.status, answer.body) == (200, b"[]")


def test_unknown_fields_are_ignored_and_missing_fields_are_null(articles: Articles) -> None:
    (result,) = articles.scan(
        {"url": "x", "author": {"name": 5}, "content": "Zorbkoin"}, persist=False, dry=True
    )
    assert result["corrected_article"] == {**EMPTY, "id": None, "language": None, "content": "Zorbcoin"}


@pytest.mark.parametrize("language", ["en", "ja", "zh", "", None])
def test_the_response_repeats_the_language_of_the_request(articles: Articles, language: str | None) -> None:
    (result,) = articles.scan({"content": "Nothing.", "language": language, "tags": None}, persist=False)
    assert result["corrected_article"]["language"] == language
    assert result["corrected_article"]["tags"] == []


def test_a_name_is_suggested_in_the_script_of_the_slip(articles: Articles) -> None:
    (result,) = articles.scan({"content": "本日、Zorbkoinが上昇しました。", "language": ""}, persist=False)
    assert result["violations"][0]["language"] == "ja"
    assert result["corrections"][0]["corrected_text"] == "Zorbcoin"


def test_offsets_count_code_points(articles: Articles) -> None:
    content = "😀\0イ Zorbkoin"
    (result,) = articles.scan({"content": content, "language": "en"}, persist=False)
    found: Violation = result["violations"][0]
    assert content[found["start_offset"] : found["end_offset"]] == found["matched_text"] == "Zorbkoin"


# -- the version of the rules ------------------------------------------------------------------------


def test_every_articles_response_has_the_rules_version(articles: Articles) -> None:
    version = articles.json("/articles/rules")["version"]
    assert version == articles.service.rules.version
    sent: dict[str, Any] = {"articles": [RIGHT], "persist": False}
    tag = articles.get("/articles/rules").headers["etag"]
    answers = [
        articles.post(SCAN, sent),
        articles.post(APPLY, sent),
        articles.get("/articles/violations"),
        articles.get("/articles/violations/summary"),
        articles.get("/articles/rules"),
        articles.get("/articles/rules?x=1"),
        articles.get("/articles/rules", if_none_match=tag),
        articles.post(SCAN, b"{"),
        articles.post(SCAN, {}),
        articles.post(SCAN, sent, scopes=None),
        articles.post(SCAN, sent, scopes="ingest"),
        articles.post(SCAN, sent, Content_Type="text/plain"),
        articles.post(SCAN, {"articles": [{}] * 201}),
        articles.get("/articles/violations?limit=0"),
    ]
    assert [each.status for each in answers] == [200] * 6 + [304, 400, 400, 401, 403, 415, 413, 400]
    assert {each.headers.get("x-rules-version") for each in answers} == {version}


# -- who may -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scopes", "persist", "status"),
    [
        ("read", None, 403),
        ("read", True, 403),
        ("read", False, 200),
        ("write", None, 200),
        ("write", False, 403),
        ("ingest", False, 403),
        ("read write", None, 200),
        (None, False, 401),
    ],
)
def test_storing_needs_the_write_scope_and_scanning_needs_the_read_scope(
    articles: Articles, scopes: str | None, persist: bool | None, status: int
) -> None:
    before = len(articles.stored())
    body = {"articles": [WRONG]} | ({} if persist is None else {"persist": persist})
    answer = articles.post(SCAN, body, scopes=scopes)
    assert answer.status == status
    if status == 403:
        missing = "read" if scopes != "read" else "write"
        assert f"'{missing}'" in answer.json()["detail"]
    assert len(articles.stored()) - before == (5 if status == 200 and persist is not False else 0)


@pytest.mark.parametrize(("scopes", "status"), [("read", 200), ("write", 403), ("ingest", 403), (None, 401)])
def test_applying_needs_the_read_scope(articles: Articles, scopes: str | None, status: int) -> None:
    assert articles.post(APPLY, {"articles": [WRONG]}, scopes=scopes).status == status


@pytest.mark.parametrize(
    "found", [[WRONG] * 201, [{"language": "fr"}], "no list", None], ids=["many", "language", "text", "none"]
)
def test_a_missing_scope_is_reported_before_invalid_articles(articles: Articles, found: object) -> None:
    for sent, scopes in (({}, "read"), ({"persist": True}, "read"), ({"persist": False}, "write")):
        assert articles.post(SCAN, {"articles": found, **sent}, scopes=scopes).status == 403
    assert articles.post(SCAN, {"articles": found, "persist": False}, scopes="read").status in (400, 413)
    assert articles.post(SCAN, {"articles": [WRONG], "persist": "no"}, scopes="read").status == 400


@pytest.mark.parametrize("path", [SCAN, APPLY])
def test_authentication_and_headers_are_checked_before_the_body(articles: Articles, path: str) -> None:
    assert articles.post(path, b"{", scopes=None).status == 401
    assert articles.post(path, b"{", scopes="ingest").status == 403
    assert articles.post(path, b"{", Content_Type="text/xml").status == 415
    assert articles.post(path, b"{" * 2_000_000).status == 413
    assert articles.post(path, b"{").status == 400


# -- what is stored ----------------------------------------------------------------------------------


def test_violations_are_stored_once_unless_persist_is_false(fresh: Articles) -> None:
    fresh.scan(WRONG, persist=False)
    fresh.post(APPLY, {"articles": [WRONG]})
    assert fresh.stored() == []
    results = fresh.scan(WRONG, RIGHT, {**WRONG, "id": None})
    stored = fresh.stored()
    outcome = [each for result in results for each in result["violations"]]
    extra = ("id", "scan_id", "stored_at", "rules_version")
    assert [{k: v for k, v in each.items() if k not in extra} for each in reversed(stored)] == outcome
    assert len({each["scan_id"] for each in stored}) == 1
    assert {each["rules_version"] for each in stored} == {fresh.service.rules.version}
    fresh.scan(WRONG, persist=True)
    assert len(fresh.stored()) == len(outcome) + 5
    assert len({each["scan_id"] for each in fresh.stored()}) == 2


def test_a_rejected_batch_stores_nothing(fresh: Articles) -> None:
    for bad in ({"content": 5}, {"language": "fr"}, {"id": "a\0"}):
        assert fresh.post(SCAN, {"articles": [WRONG, bad]}).status == 400
    assert fresh.stored() == []


def test_an_id_that_cannot_be_stored_is_rejected_only_when_persisting(fresh: Articles) -> None:
    body: dict[str, Any] = {"articles": [RIGHT, {"id": "a\0b", "source": "\0", "content": "Zorbkoin \0"}]}
    refused = fresh.post(SCAN, body)
    assert refused.status == 400
    assert refused.json()["errors"][0]["loc"] == ["body", "articles", 1, "id"]
    assert "U+0000" in refused.json()["detail"]
    assert fresh.post(SCAN, body | {"persist": False}).json()[1]["article_id"] == "a\0b"
    assert fresh.post(APPLY, body).status == 200
    body["articles"][1]["id"] = "ab"
    assert fresh.post(SCAN, body).status == 200
    assert len(fresh.stored()) == 1


# -- what is repeated --------------------------------------------------------------------------------


TAGGED = {"title": "🪙 Zorbkoin", "tags": ["Zorbkoin", "x", "a Zorb Token"], "content": "イZorbcoyn\r\n"}


def scan_with_key(
    articles: Articles, *sent: Any, key: str, scopes: str = "read write", **more: Any
) -> Answer:
    body = {"articles": sent, **more}
    return articles.post(SCAN, body, scopes=scopes, Idempotency_Key=key)


def test_repeated_scan_returns_the_first_answer_without_scanning_or_storing_again(
    articles: Articles, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = scan_with_key(articles, WRONG, RIGHT, TAGGED, key="once")
    stored = articles.stored()
    monkeypatch.setattr(articles.service.pool, "run", None)  # by now the rules may be others
    again = scan_with_key(articles, WRONG, RIGHT, TAGGED, key="once")

    assert (first.status, again.status, again.body) == (200, 200, first.body)
    assert again.headers["x-rules-version"] == first.headers["x-rules-version"]
    assert articles.stored() == stored != []


def test_scan_that_is_repeated_while_the_first_runs_is_stored_once(
    articles: Articles, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = scan_with_key(articles, WRONG, key="twice")
    stored = articles.stored()
    monkeypatch.setattr(article_service, "find_earlier", lambda *_, **__: None)

    assert scan_with_key(articles, WRONG, key="twice").body == first.body
    assert articles.stored() == stored


def test_key_with_another_body_conflicts(articles: Articles) -> None:
    assert scan_with_key(articles, WRONG, key="other").status == 200
    stored = articles.stored()
    for answer in (
        scan_with_key(articles, RIGHT, key="other"),
        scan_with_key(articles, WRONG, key="other", accept=["Zorbkoin"]),
        scan_with_key(articles, key="other"),
    ):
        assert (answer.status, answer.json()["code"]) == (409, "conflict")
    assert articles.stored() == stored


def test_key_belongs_to_its_caller_and_to_scans_that_store(articles: Articles) -> None:
    assert scan_with_key(articles, WRONG, key="own").status == 200
    assert scan_with_key(articles, RIGHT, key="own", scopes="write").status == 200
    assert scan_with_key(articles, RIGHT, key="own", persist=False).status == 200
    assert scan_with_key(articles, WRONG, key="x" * 256).status == 400


def test_kept_answer_has_no_text_of_an_article_beside_what_was_found(articles: Articles) -> None:
    sent = [Article(**{**WRONG, "content": "Zorbkoin is a secret."})]
    results = articles.service.scan(sent)
    packed = pack_answer(results)
    assert unpack_answer(packed, sent) == results
    other = [Article(**{**WRONG, "content": "Zorbkoin is no news!!"})]
    assert b"Zorbcoin is no news!!" in unpack_answer(packed, other).body
    assert b"secret" not in unpack_answer(packed, other).body
