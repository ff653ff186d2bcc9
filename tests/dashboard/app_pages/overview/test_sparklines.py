"""The sparklines of the Overview with the real service: labels, captions, gaps, and their reserved box."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.app_pages.overview import layout
from dashboard.app_pages.overview.sparkline_data import TotalsField
from dashboard.client import markets
from dashboard.frame import formats
from dashboard.frame.session_currency import build_display_currency
from dashboard.i18n import LANGUAGES, Language, t
from tests.support.apps.market_app import CALM
from tests.support.dashboard.overview_page import find_panel, iterate_nodes, text
from tests.support.dashboard.pages import change_answer, html, open_page
from tests.support.dashboard.transport import CuttableTransport

TILES: dict[str, tuple[TotalsField, str]] = {
    "cp-market-cap": ("market_cap", "overview.market_cap"),
    "cp-volume-24h": ("volume_24h", "overview.volume"),
    "cp-btc-share": ("btc_market_cap_percentage", "overview.btc_share"),
}
SERVICE_TIME = CALM + timedelta(seconds=20)


class ServiceClock(datetime):
    """The clock of the tests' service, for the page."""

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return SERVICE_TIME.astimezone(tz)


@pytest.fixture(autouse=True)
def _page_at_the_services_time(transport: CuttableTransport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "datetime", ServiceClock)


def find_box(app: AppTest, tile: str) -> Any:
    """Returns the box of the sparkline in a tile."""
    panel = find_panel(app, tile.removeprefix("cp-"))
    (box,) = [node for node in iterate_nodes(panel) if node[1].get("class") == "cp-spark"]
    return box


def find_caption(app: AppTest, tile: str) -> Any:
    panel = find_panel(app, tile.removeprefix("cp-"))
    (caption,) = [node for node in iterate_nodes(panel) if node[1].get("class") == "cp-spark-caption"]
    return caption


def find_drawing(app: AppTest, tile: str) -> Any:
    (drawing,) = find_box(app, tile)[2]
    assert drawing[0] == "svg"
    return drawing


def read_label(app: AppTest, tile: str) -> str:
    label: str = find_drawing(app, tile)[1]["aria-label"]
    return label


def count_parts(app: AppTest, tile: str) -> int:
    return str(find_drawing(app, tile)[2][0][1]["d"]).count("M")


def read_values(field: TotalsField) -> list[Decimal]:
    history = markets.fetch_totals_history("7d").data
    assert history is not None
    values = [formats.parse_decimal(point[field]) for point in history["points"]]
    return [value for value in values if value is not None]


def write_share(value: Decimal) -> str:
    return formats.percent(value, signed=False)


def choose_format(field: TotalsField, lang: Language) -> Callable[[Decimal], str]:
    is_share = field == "btc_market_cap_percentage"
    return write_share if is_share else partial(formats.format_compact_amount, lang=lang)


def place_at_hours(points: Sequence[Any], hours_ago: Sequence[int]) -> list[Any]:
    """Places the last points at these numbers of hours before the service's time."""
    return [
        {**point, "at": (SERVICE_TIME - timedelta(hours=hours)).isoformat()}
        for hours, point in zip(hours_ago, points[-len(hours_ago) :], strict=True)
    ]


def describe(
    name: str, span: str, values: list[Decimal], write: Callable[[Decimal], str], lang: Language = "en"
) -> str:
    first, last, low, high = map(write, (values[0], values[-1], min(values), max(values)))
    figures = {"first": first, "last": last, "low": low, "high": high}
    return t("overview.line_label", lang=lang, name=name, span=span, **figures)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_line_is_labelled_with_its_span_and_figures_in_the_readers_language(lang: Language) -> None:
    app = open_page(lang=lang)
    for tile, (field, name) in TILES.items():
        values = read_values(field)
        assert len(values) >= 168
        span = t("overview.last_days", lang=lang, n=7)
        label = describe(t(name, lang=lang), span, values, choose_format(field, lang), lang)
        assert find_drawing(app, tile)[1]["role"] == "img"
        assert read_label(app, tile) == label


@pytest.mark.parametrize("lang", LANGUAGES)
def test_span_low_and_high_are_visible_text_that_needs_no_pointer(lang: Language) -> None:
    app = open_page(lang=lang)
    for tile, (field, _) in TILES.items():
        values, write = read_values(field), choose_format(field, lang)
        span = t("overview.last_days", lang=lang, n=7)
        low, high = write(min(values)), write(max(values))
        caption = t("overview.line_range", lang=lang, span=span, low=low, high=high)
        assert text(find_caption(app, tile)) == caption
        assert "title" not in find_box(app, tile)[1]


@pytest.mark.parametrize(
    ("points", "spans"),
    [
        (2, ("last hour", "過去1時間", "近1小时")),
        (6, ("last 5\u00a0hours", "過去5時間", "近5小时")),
        (73, ("last 3\u00a0days", "過去3日間", "近3天")),
    ],
)
def test_a_young_history_says_how_far_it_reaches(
    monkeypatch: pytest.MonkeyPatch, points: int, spans: tuple[str, ...]
) -> None:
    def keep_last(history: Any) -> Any:
        return {**history, "points": place_at_hours(history["points"], range(points - 1, -1, -1))}

    change_answer(monkeypatch, "/markets/totals", keep_last)
    for lang, span in zip(LANGUAGES, spans, strict=True):
        app = open_page(lang=lang)
        for tile in TILES:
            assert span in text(find_caption(app, tile))
            assert span in read_label(app, tile)


def test_the_complete_history_is_one_unbroken_line() -> None:
    app = open_page()
    assert [count_parts(app, tile) for tile in TILES] == [1, 1, 1]


def test_the_lines_break_where_the_service_has_no_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    def drop_hours(history: Any) -> Any:
        return {**history, "points": history["points"][:50] + history["points"][53:]}

    change_answer(monkeypatch, "/markets/totals", drop_hours)
    app = open_page()
    assert [count_parts(app, tile) for tile in TILES] == [2, 2, 2]


@pytest.mark.parametrize(
    ("hours_ago", "spans"),
    [
        (
            (168, 100),
            (
                "last 7\u00a0days (with gaps, until 14\u00a0November\u00a006:08)",
                "過去7日間（11月14日\u00a006:08まで、欠損あり）",
                "近7天（截至11月14日\u00a006:08，有缺失）",
            ),
        ),
        (
            (80, 79, 78),
            (
                "last 3\u00a0days (until 15\u00a0November\u00a004:08)",
                "過去3日間（11月15日\u00a004:08まで）",
                "近3天（截至11月15日\u00a004:08）",
            ),
        ),
        (
            (6, 5, 1, 0),
            ("last 6\u00a0hours (with gaps)", "過去6時間（欠損あり）", "近6小时（有缺失）"),
        ),
    ],
    ids=str,
)
def test_the_texts_say_until_when_data_reach_and_that_hours_are_missing(
    monkeypatch: pytest.MonkeyPatch, hours_ago: tuple[int, ...], spans: tuple[str, ...]
) -> None:
    def keep_at_hours(history: Any) -> Any:
        return {**history, "points": place_at_hours(history["points"], hours_ago)}

    change_answer(monkeypatch, "/markets/totals", keep_at_hours)
    for lang, span in zip(LANGUAGES, spans, strict=True):
        app = open_page(lang=lang)
        for tile in TILES:
            assert span in text(find_caption(app, tile))
            assert span in read_label(app, tile)


@pytest.mark.parametrize(
    ("lang", "since"),
    [
        ("en", "18 November 2026 09:05"),
        ("ja", "2026年11月18日 09:05"),
        ("zh", "2026年11月18日 09:05"),
    ],
)
def test_with_one_point_the_box_stays_empty_and_the_caption_says_since_which_day_and_time_history_is_recorded(
    monkeypatch: pytest.MonkeyPatch, lang: Language, since: str
) -> None:
    def keep_last(history: Any) -> Any:
        return {**history, "points": history["points"][-1:], "history_since": "2026-11-18T09:05:00Z"}

    change_answer(monkeypatch, "/markets/totals", keep_last)
    app = open_page(lang=lang)
    for tile in TILES:
        assert find_box(app, tile)[2] == []
        assert text(find_caption(app, tile)) == t("overview.line_since", lang=lang, time=since)
        assert "aria-hidden" not in find_caption(app, tile)[1]


@pytest.mark.parametrize(
    ("history", "words"),
    [
        (
            {"span": "7d", "mode": "live", "source": None, "history_since": None, "points": []},
            "overview.line_none",
        ),
        (None, "overview.line_unavailable"),
    ],
)
def test_without_any_history_the_page_keeps_its_figures_and_the_caption_says_why(
    monkeypatch: pytest.MonkeyPatch, history: Any, words: str
) -> None:
    change_answer(monkeypatch, "/markets/totals", lambda _: history)
    app = open_page()
    for tile in TILES:
        assert (find_box(app, tile)[2], text(find_caption(app, tile))) == ([], t(words))
    assert 'role="status"' not in html(app)
    assert 'role="alert"' not in html(app)


def test_amounts_of_a_line_are_in_the_chosen_currency_and_say_at_which_rate() -> None:
    app = open_page()
    app.segmented_control(key="pref_currency").set_value("JPY").run()
    currency = build_display_currency("JPY", markets.fetch_rates(), "en")
    label = describe(
        t("overview.market_cap"),
        t("overview.last_days", n=7),
        read_values("market_cap"),
        lambda usd: currency.format_compact(usd, "en"),
    )
    assert read_label(app, "cp-market-cap") == f"{label} {t('overview.line_rate')}"
    assert text(find_caption(app, "cp-market-cap")).startswith("Low\u00a0¥")
    assert t("overview.line_rate") not in read_label(app, "cp-btc-share")
