"""The Overview with the real service: languages, missing figures, incidents and failures."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

from backend.markets.reasons import build_reason
from dashboard.app_pages.overview.data_health import ALL_INCIDENTS_LINK, FEW_INCIDENTS
from dashboard.client import connection, markets
from dashboard.frame import refresh
from dashboard.i18n import LANGUAGES, t
from tests.support.dashboard.overview_page import find_panel, iterate_nodes, links, read_tree, text
from tests.support.dashboard.pages import change_answer, component, html, open_page
from tests.support.dashboard.transport import CuttableTransport

pytestmark = pytest.mark.usefixtures("dashboard_backend")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_has_one_heading_and_every_panel_in_every_language(lang: Any) -> None:
    app = open_page(lang=lang)
    assert html(app).count("<h1") == 1
    assert t("overview.title", lang=lang) in html(app)
    titles = [text(node) for part in read_tree(app) for node in iterate_nodes(part) if node[0] == "h2"]
    for key in (
        "market_cap",
        "volume",
        "btc_share",
        "fear_greed",
        "map",
        "breadth",
        "gainers",
        "losers",
        "active",
    ):
        assert t(f"overview.{key}", lang=lang) in titles
    assert titles[-3:] == [t(f"overview.{key}", lang=lang) for key in ("worries", "providers", "incidents")]


def test_every_figure_shows_its_sample_source_and_age() -> None:
    app = open_page()
    assert t("frame.sample_label") in html(app)
    for name in ("market-cap", "volume-24h", "btc-share", "fear-greed"):
        tile = find_panel(app, name)
        assert t("frame.source_sample") in text(tile)
        (when,) = [node for node in iterate_nodes(tile) if node[0] == "time"]
        assert when[1]["title"].endswith("UTC")


def test_the_figures_match_the_service() -> None:
    app = open_page()
    market = markets.fetch_overview().data
    assert market is not None
    assert market["btc_market_cap_percentage"] is not None
    assert f"{market['btc_market_cap_percentage']:.2f}%" in text(find_panel(app, "btc-share"))
    assert text(find_panel(app, "fear-greed")).startswith(
        f"{t('overview.fear_greed')}{market['fear_greed']['value']}"
    )
    assert str(market["fear_greed"]["label"]) in text(find_panel(app, "fear-greed"))
    counted = sum(
        int(text(node))
        for node in iterate_nodes(find_panel(app, "breadth"))
        if node[0] == "dd" and text(node).isdigit()
    )
    assert counted == len(markets.fetch_rankings().data or [])


def test_the_page_begins_with_a_sentence_whose_leader_heads_the_list_of_its_side() -> None:
    app = open_page(span="7d", mincap="1b")
    sentence = text(read_tree(app)[0])
    assert sentence.startswith("Over 7d, ")
    side = "losers" if " fall" in sentence else "gainers"
    (leader, *_) = (node for node in iterate_nodes(find_panel(app, side)) if node[0] == "strong")
    assert f"; {text(leader)} " in sentence


def test_gainers_are_in_order_and_lead_to_the_rankings() -> None:
    app = open_page(mincap="1b")
    rows = {row["id"]: row for row in markets.fetch_rankings().data or []}
    leading = links(find_panel(app, "gainers"))
    changes = [float(rows[asset_id]["pct_change_24h"] or 0) for asset_id in leading]
    assert leading
    assert changes == sorted(changes, reverse=True)
    assert all(float(rows[asset_id]["market_cap"] or 0) >= 1e9 for asset_id in leading)
    hrefs = [node[1]["href"] for node in iterate_nodes(find_panel(app, "gainers")) if node[0] == "a"]
    assert hrefs == [f"rankings?coin={asset_id}" for asset_id in leading]


def test_the_period_is_chosen_on_the_page_and_stands_in_the_address() -> None:
    app = open_page()
    app.segmented_control(key="span").set_value("7d").run()
    assert t("overview.span_7d") in text(find_panel(app, "gainers"))
    assert dict(app.query_params)["span"] in ("7d", ["7d"])
    assert t("overview.span_7d") in text(find_panel(open_page(span="7d"), "breadth"))


def test_no_figure_is_shown_where_none_is_known(
    transport: CuttableTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = connection.get_client().get

    def fetch_emptied(path: str, *rest: Any, **more: Any) -> Any:
        fetched = real(path, *rest, **more)
        blank = {"value": None, "change_24h": None, "last_updated": None, "source": None}
        if path == "/crypto/market-overview" and fetched.data:
            fetched.data.update(
                market_cap={**blank, "display_value": None},
                volume_24h={**blank, "display_value": None},
                fear_greed={"value": None, "label": None, "last_updated": None, "source": None},
                btc_market_cap_percentage=None,
            )
        if path.startswith("/markets/totals") and fetched.data:
            fetched.data.update(points=[], history_since=None)
        return fetched

    monkeypatch.setattr(connection.get_client(), "get", fetch_emptied)
    app = open_page()
    for name in ("market-cap", "volume-24h", "btc-share", "fear-greed"):
        tile = text(find_panel(app, name))
        assert "–" in tile
        assert "0" not in tile.replace("24", "").replace("100", "")
        assert t("frame.time_unknown") in tile


def incident(number: int, **fields: Any) -> dict[str, Any]:
    detail = build_reason("off_peg", off_pct=Decimal("2.5"), limit_pct=Decimal(1))
    opened_at = datetime.now(UTC) - timedelta(hours=number)
    return {
        "id": number,
        "asset_id": f"asset-{number}",
        "symbol": f"A{number}",
        "name": f"Asset {number}",
        "kind": "depeg",
        "opened_at": opened_at.isoformat(),
        "closed_at": None,
        "worst_pct": "2.5",
        "detail": detail.text,
        "detail_code": detail.code,
        "detail_values": detail.values,
        **fields,
    }


@pytest.fixture
def troubled(transport: CuttableTransport, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two open incidents, nine closed ones, and a provider that failed."""
    real = connection.get_client().get
    ended = datetime.now(UTC).isoformat()
    failing = build_reason(
        "failed_repeatedly",
        retry_at=datetime.now(UTC),
        provider_message="timed out",
        error_kind="unavailable",
    )

    def get(path: str, *rest: Any, **more: Any) -> Any:
        fetched = real(path, *rest, **more)
        if path.startswith("/markets/incidents?open=true"):
            return replace(fetched, data=[incident(1), incident(2)])
        if path.startswith("/markets/incidents?open=false"):
            return replace(fetched, data=[incident(n, closed_at=ended) for n in range(3, 12)])
        if path == "/markets/status" and fetched.data:
            message = {
                "message": failing.text,
                "message_code": failing.code,
                "message_values": failing.values,
            }
            first, *other_providers = fetched.data["providers"]
            return replace(fetched, data={**fetched.data, "providers": [first | message, *other_providers]})
        return fetched

    monkeypatch.setattr(connection.get_client(), "get", get)


@pytest.mark.usefixtures("troubled")
@pytest.mark.parametrize("lang", LANGUAGES)
def test_incidents_are_shown_in_the_readers_language_open_ones_first(lang: Any) -> None:
    incidents = find_panel(open_page(lang=lang), "incidents")
    assert t("overview.incidents_note", lang=lang, n="2", over="9") in text(incidents)
    rows = [node for node in iterate_nodes(incidents) if node[0] == "li"]
    assert [text(row).partition(t("overview.incident_depeg", lang=lang))[0] for row in rows[:3]] == [
        f"Asset {n}{'!' if n < 3 else '✓'} " for n in (1, 2, 3)
    ]
    off = t("reasons.code_off_peg", lang=lang, off_pct="2.50%", limit_pct="1.00%")
    assert all(off in text(row) for row in rows)
    assert (
        "UTC – "
        in next(node for node in iterate_nodes(rows[-1]) if "cp-when" in node[1].get("class", ""))[1]["title"]
    )


@pytest.mark.usefixtures("troubled")
def test_only_the_first_incidents_are_shown_until_a_link_shows_all() -> None:
    incidents_panel = find_panel(open_page(), "incidents")
    assert t("overview.incidents_all", n="11") in text(incidents_panel)
    assert len([node for node in iterate_nodes(incidents_panel) if node[0] == "li"]) == FEW_INCIDENTS
    assert ALL_INCIDENTS_LINK in links(incidents_panel)
    all_incidents = find_panel(open_page(incidents="all"), "incidents")
    assert len([node for node in iterate_nodes(all_incidents) if node[0] == "li"]) == 11
    assert t("overview.incidents_fewer") in text(all_incidents)


@pytest.mark.usefixtures("troubled")
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_failing_provider_is_explained_in_the_readers_language(lang: Any) -> None:
    providers = find_panel(open_page(lang=lang), "providers")
    assert t("reasons.last_failure", lang=lang, error=t("reasons.error_unavailable", lang=lang)) in text(
        providers
    )
    quoted = [text(node) for node in iterate_nodes(providers) if node[1].get("lang") == "en"]
    assert quoted == ["timed out"]


@pytest.mark.parametrize(
    ("worker", "lang", "words"),
    [
        ({"state": "missing", "seen_at": "2026-11-18T10:00:00Z"}, "en", "since 2026-11-18 10:00"),
        ({"state": "missing", "seen_at": None}, "zh", "没有正在运行的工作进程"),
        ({"state": "restarting", "seen_at": None}, "ja", "停止を繰り返しています"),
        ({"state": "stalled", "seen_at": "2026-11-18T10:00:00Z"}, "en", "runs no schedules"),
        ({"state": "waiting", "seen_at": None}, "en", None),
        ({"state": "working", "seen_at": "2026-11-18T10:00:00Z"}, "en", None),
    ],
)
def test_a_missing_or_failing_worker_is_reported_above_the_figures(
    transport: CuttableTransport,
    monkeypatch: pytest.MonkeyPatch,
    worker: dict[str, Any],
    lang: Any,
    words: str | None,
) -> None:
    change_answer(
        monkeypatch, "/markets/status", lambda status: {**status, "worker": {**worker, "restarts": 0}}
    )
    page = html(open_page(lang=lang))
    assert ('class="cp-stale"' in page) is (words is not None)
    assert (words or "") in page


@pytest.mark.parametrize(
    ("mode", "lang", "words"),
    [
        (
            "live",
            "en",
            ("No data from CoinGecko since", "2026-11-18 10:00", "access was denied", "Next retry at"),
        ),
        ("replay", "ja", ("CoinGeckoからデータを取得できません（アクセスの拒否）", "次回の再試行は")),
        ("live", "zh", ("无法从CoinGecko获取数据（访问被拒绝）", "下次重试时间为")),
    ],
)
def test_a_paused_provider_is_reported_with_its_next_retry(
    transport: CuttableTransport,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    lang: Any,
    words: tuple[str, ...],
) -> None:
    failing = {
        "provider": "coingecko",
        "state": "refused",
        "failing_since": "2026-11-18T10:00:00Z",
        "retry_at": "2999-11-18T10:30:00Z",
        "message_values": {"fault": "refused"},
    }

    def fail(status: Any) -> Any:
        return {**status, "mode": mode, "providers": [{**status["providers"][0], **failing}]}

    change_answer(monkeypatch, "/markets/status", fail)
    page = html(open_page(lang=lang))
    assert page.count('class="cp-stale"') == 1
    for word in words:
        assert word in page


def test_a_text_states_that_there_are_no_incidents(
    transport: CuttableTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_answer(monkeypatch, "/markets/incidents", lambda _: [])
    assert t("overview.incidents_none") in text(find_panel(open_page(), "incidents"))


def test_when_the_service_is_unreachable_the_page_keeps_its_figures_and_warns(
    transport: CuttableTransport,
) -> None:
    app = open_page()
    before = links(find_panel(app, "map"))
    transport.is_cut = True
    app.run()
    assert links(find_panel(app, "map")) == before
    assert 'role="status"' in html(app)
    assert t("frame.error_unreachable") in html(app)
    transport.is_cut = False
    app.button(key="stale-overview-retry").click().run()
    assert 'role="status"' not in html(app)


@pytest.mark.parametrize("by", ["a retry", "itself"])
def test_after_repeated_failures_the_page_backs_off_until_the_service_is_back(
    transport: CuttableTransport, by: str
) -> None:
    app = open_page()
    transport.is_cut = True
    for _ in range(refresh.FAILURES_BEFORE_BACKOFF):
        app.run()
    assert t("frame.stale_resting") in html(app)
    assert t("frame.refresh_resting") in html(app)
    transport.is_cut = False
    if by == "itself":
        connection.retry_failed()  # as if the client's lifetime of a failure had passed
        app.run()
    else:
        app.button(key="stale-overview-retry").click().run()
    assert t("frame.refresh_every", n="10") in html(app)


@pytest.mark.parametrize(("status", "word"), [(429, "limited"), (503, "busy")])
def test_a_busy_service_does_not_make_the_page_back_off(
    transport: CuttableTransport, status: int, word: str
) -> None:
    app = open_page()
    before = links(find_panel(app, "map"))
    transport.response = httpx.Response(status, json={"detail": "Later."}, headers={"Retry-After": "0"})
    for _ in range(refresh.FAILURES_BEFORE_BACKOFF + 1):
        app.run()
    assert links(find_panel(app, "map")) == before
    assert t(f"frame.error_{word}") in html(app)
    assert t("frame.refresh_every", n="10") in html(app)
    transport.response = None
    app.run()
    assert 'role="status"' not in html(app)


def test_without_any_response_there_is_one_error_with_a_retry(transport: CuttableTransport) -> None:
    transport.is_cut = True
    app = open_page()
    assert not app.exception
    assert 'role="alert"' in html(app)
    assert t("frame.request_id") in html(app)
    transport.is_cut = False
    app.button(key="error-overview-retry").click().run()
    assert links(find_panel(app, "map"))


def test_an_invalid_setting_is_named_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINPROOF_PORT", "seventy")
    app = open_page()
    assert not app.exception
    assert "CHAINPROOF_PORT:" in app.error[0].value


def test_a_language_choice_takes_effect_at_once() -> None:
    app = open_page()
    app.segmented_control(key="pref_language").set_value("ja").run()
    assert t("overview.title", lang="ja") in html(app)
    message = json.loads(component(app, "html_lang").json)
    assert (message["lang"], message["value"]) == ("ja", "lang=ja&colours=blue&refresh=10&theme=system")
