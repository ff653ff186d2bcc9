"""Stored violations and the rules in force, read over HTTP."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support.apps.article_app import PACK, RIGHT, WRONG, Articles, article_app, write_pack
from tests.support.store import databases

LIST, SUMMARY, RULES = "/articles/violations", "/articles/violations/summary", "/articles/rules"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Articles]:
    """Two scans an hour apart: one article, then three."""
    home = tmp_path_factory.mktemp("filled")
    with (
        databases.create_database(request.param, home) as url,
        article_app(home, database_url=url) as running,
    ):
        running.scan(WRONG)
        running.running.clock.move(hours=1)
        running.scan({**WRONG, "id": "a/b c&d"}, RIGHT, {"id": "", "content": "Zorbkoinは", "language": "ja"})
        yield running


# -- violations --------------------------------------------------------------------------------------


def test_stored_violations_are_listed_newest_first_with_all_fields(filled: Articles) -> None:
    payload = filled.json(LIST)
    assert set(payload) == {"data", "next_cursor"}
    assert payload["next_cursor"] is None
    assert payload["data"] == filled.stored()
    assert len(payload["data"]) == 11
    assert [each["stored_at"] for each in payload["data"]] == sorted(
        (each["stored_at"] for each in payload["data"]), reverse=True
    )


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("article_id=7", 5),
        (f"article_id={quote('a/b c&d', safe='')}", 5),
        ("article_id=", 1),
        ("article_id=nobody", 0),
        ("article_id=%00", 0),
        ("entity_id=zorbcoin", 9),
        ("rule_id=zorby", 2),
        ("rule_id=%00", 0),
        ("severity=error", 7),
        ("severity=error&language=ja", 1),
        ("language=zh", 0),
        ("violation_type=ambiguous", 2),
        ("from=2026-11-18T11:00:00Z", 6),
        ("to=2026-11-18T11:00:00Z", 5),
        ("from=2026-11-18T10:07:42Z&to=2026-11-18T11:07:42Z", 5),
        ("from=2026-11-18T20:00:00%2B09:00", 6),
        ("unknown=1", 11),
    ],
)
def test_filters_apply_to_the_list_and_the_summary(filled: Articles, query: str, count: int) -> None:
    assert len(filled.json(f"{LIST}?{query}")["data"]) == count
    payload = filled.json(f"{SUMMARY}?{query}")
    assert payload["total"] == count
    assert sum(each["count"] for each in payload["severities"]) == count


@pytest.mark.parametrize("limit", [1, 4, 11, 1000])
def test_pages_join_to_the_full_list(filled: Articles, limit: int) -> None:
    joined, cursor = [], ""
    while True:
        payload = filled.json(f"{LIST}?severity=error&limit={limit}{cursor}")
        assert len(payload["data"]) <= limit
        joined += payload["data"]
        if payload["next_cursor"] is None:
            break
        cursor = f"&cursor={payload['next_cursor']}"
    assert joined == filled.json(f"{LIST}?severity=error")["data"]
    assert len(joined) == 7


def test_a_page_has_100_violations_by_default(articles: Articles) -> None:
    articles.scan(*[WRONG] * 25)
    assert len(articles.json(LIST)["data"]) == 100


@pytest.mark.parametrize("limit", ["1001", "9" * 23, "0" * 5000 + "1001"])
def test_a_limit_of_any_size_is_capped(filled: Articles, limit: str) -> None:
    assert len(filled.json(f"{LIST}?limit={limit}")["data"]) == 11


def test_callers_see_their_own_violations_and_admins_everyones(filled: Articles) -> None:
    assert (filled.json(LIST, scopes="read")["data"], filled.json(SUMMARY, scopes="read")["total"]) == ([], 0)
    assert filled.json(LIST, scopes="read admin") == filled.json(LIST)
    assert filled.json(SUMMARY, scopes="read admin") == filled.json(SUMMARY)


def test_the_summary_counts_violations_by_each_field(filled: Articles) -> None:
    payload = filled.json(SUMMARY)
    assert payload == {
        "total": 11,
        "rules": [
            {"key": "zorbcoin-typo", "count": 7},
            {"key": "zorbcoin-old", "count": 2},
            {"key": "zorby", "count": 2},
        ],
        "entities": [{"key": "zorbcoin", "count": 9}, {"key": None, "count": 2}],
        "severities": [
            {"key": "error", "count": 7},
            {"key": "info", "count": 2},
            {"key": "warning", "count": 2},
        ],
        "types": [
            {"key": "forbidden_variant", "count": 7},
            {"key": "ambiguous", "count": 2},
            {"key": "wrong_spacing", "count": 2},
        ],
        "languages": [{"key": "en", "count": 10}, {"key": "ja", "count": 1}],
        "days": [{"key": "2026-11-18", "count": 11}],
    }


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("limit=0", "limit"),
        ("limit=x", "limit"),
        ("limit=-99999999999999999999999", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=", "cursor"),
        ("cursor=%00", "cursor"),
        ("severity=fatal", "severity"),
        ("article_id=%ff", "article_id"),
        ("article_id=a&entity_id=%ED%A0%80", "entity_id"),
        ("language=fr", "language"),
        ("violation_type=x", "violation_type"),
        ("from=yesterday", "from"),
        ("from=2026-11-18", "from"),
        ("from=1700000000", "from"),
        ("to=2026-11-18T00:00:00", "to"),
        ("from=2026-11-18T11:00:00 09:00", "from"),
        ("from=2026-11-19T00:00:00Z&to=2026-11-18T00:00:00Z", "from"),
    ],
)
def test_an_invalid_filter_is_rejected(articles: Articles, query: str, place: str) -> None:
    for path in (LIST, SUMMARY) if place not in ("limit", "cursor") else (LIST,):
        answer = articles.get(f"{path}?{query}")
        assert answer.status == 400, query
        assert answer.json()["errors"][0]["loc"] == ["query", place]


def test_the_earliest_and_latest_dates_are_accepted(articles: Articles) -> None:
    for path in (LIST, SUMMARY):
        whole = "from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999999Z"
        assert articles.get(f"{path}?{whole}").status == 200
        assert articles.get(f"{path}?from=9999-12-31T23:59:59Z").status == 200


@pytest.mark.parametrize("path", [LIST, SUMMARY, RULES])
def test_reading_needs_the_read_scope(articles: Articles, path: str) -> None:
    assert articles.get(path, scopes="write").status == 403
    assert articles.get(path, scopes="read").status == 200


# -- rules -------------------------------------------------------------------------------------------


def test_the_rules_response_lists_active_rules_and_entities(articles: Articles) -> None:
    payload = articles.json(RULES)
    assert set(payload) == {"version", "entities", "rules"}
    entity = next(each for each in payload["entities"] if each["id"] == "zorbcoin")
    assert entity["names"] == {"en": "Zorbcoin", "ja": "ゾーブコイン", "zh": "佐布币"}
    assert entity["type"] == "asset"
    assert entity["official_domains"] == ["zorbcoin.example"]
    assert {"also", "symbols", "former", "official_x_accounts"} <= set(entity)
    rule = next(each for each in payload["rules"] if each["id"] == "zorbcoin-typo")
    assert rule["derived"] is False
    assert rule["match"] == ["Zorbkoin", "Zorbcoyn"]
    assert rule["auto_fix"] is True
    assert rule["note"] == "A frequent slip."
    assert rule["notes"] == {"en": "A frequent slip.", "ja": "よくある誤りです。"}
    assert rule["specs"][0]["from"] == "Zorbkoin rose"


def test_the_rules_response_is_built_once_and_cached_by_the_client(articles: Articles) -> None:
    first = articles.get(RULES, accept_encoding="gzip")
    assert first.headers["content-encoding"] == "gzip"
    assert first.headers["cache-control"] == "private, no-cache"
    assert articles.get(RULES, accept_encoding="gzip, identity;q=0").body == first.body
    again = articles.get(RULES, accept_encoding="gzip", if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    plain = articles.get(RULES)
    assert plain.headers["etag"] != first.headers["etag"]
    assert plain.body == first.text
    assert articles.service.rules_response.load() is articles.service.rules_response.load()
    assert articles.service.rules_response.find(RULES, b"") is articles.service.rules_response.load()


def test_changed_rules_are_served_after_a_refresh(tmp_path: Path) -> None:
    with article_app(tmp_path) as running:
        before = running.get(RULES)
        write_pack(tmp_path, PACK.replace("Zorbcoyn", "Zorbocoin"))
        running.service.rules.refresh()
        after = running.get(RULES)
        assert after.headers["etag"] != before.headers["etag"]
        assert after.headers["x-rules-version"] == after.json()["version"] != before.json()["version"]
        (result,) = running.scan({"content": "Zorbocoin", "language": "en"})
        assert result["corrected_article"]["content"] == "Zorbcoin"
        assert running.stored()[0]["rules_version"] == after.json()["version"]


def test_the_change_watcher_refreshes_the_rules(tmp_path: Path) -> None:
    with article_app(tmp_path) as running:
        version = running.service.rules.version
        write_pack(tmp_path, PACK.replace("Zorbcoyn", "Zorbocoin"))
        for call in running.running.inner.state.watcher._after_poll:
            call()
        assert running.service.rules.version != version


def test_invalid_rules_leave_the_active_rules_in_place(tmp_path: Path) -> None:
    with article_app(tmp_path) as running:
        version = running.service.rules.version
        write_pack(tmp_path, PACK.replace("to: Zorbcoin rose", "to: Something else"))
        running.service.rules.refresh()
        answer = running.get(RULES)
        assert answer.json()["version"] == version == running.service.rules.version
