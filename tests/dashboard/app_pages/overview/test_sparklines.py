"""The sparklines of the Overview with the real service: names, titles, gaps, and their reserved place."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.app_pages.overview import layout
from dashboard.app_pages.overview.totals_line import TotalsFigure
from dashboard.client import markets
from dashboard.frame import formats
from dashboard.frame.display_currency import build_display_currency
from dashboard.i18n import LANGUAGES, Language, t
from tests.support.apps.market_app import CALM
from tests.support.dashboard.overview_page import find_panel, iterate_nodes
from tests.support.dashboard.pages import change_answer, html, open_page
from tests.support.dashboard.service_connection import Line

TILES: dict[str, tuple[TotalsFigure, str]] = {
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
def _page_at_the_services_time(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "datetime", ServiceClock)


def find_place(app: AppTest, tile: str) -> Any:
    """Returns the place of the line in a tile."""
    panel = find_panel(app, tile.removeprefix("cp-"))
    (place,) = [node for node in iterate_nodes(panel) if node[1].get("class") == "cp-spark"]
    return place


def find_drawing(place: Any) -> Any:
    (drawing,) = [node for node in iterate_nodes(place) if node[0] == "svg"]
    return drawing


def count_parts(place: Any) -> int:
    return str(find_drawing(place)[2][0][1]["d"]).count("M")


def read_values(figure: TotalsFigure) -> list[Decimal]:
    history = markets.fetch_totals_history("7d").data
    assert history is not None
    values = [formats.parse_decimal(point[figure]) for point in history["points"]]
    return [value for value in values if value is not None]


def write_share(value: Decimal) -> str:
    return formats.percent(value, signed=False)


def describe(name: str, values: list[Decimal], write: Callable[[Decimal], str], lang: Language) -> str:
    first, last, low, high = map(write, (values[0], values[-1], min(values), max(values)))
    return t("overview.line_label", lang=lang, name=name, first=first, last=last, low=low, high=high)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_line_is_named_by_its_first_last_lowest_and_highest_value_in_the_readers_language(
    lang: Language,
) -> None:
    app = open_page(lang=lang)
    for tile, (figure, name) in TILES.items():
        values = read_values(figure)
        assert len(values) >= 168
        drawing = find_drawing(find_place(app, tile))
        is_share = figure == "btc_market_cap_percentage"
        write = write_share if is_share else partial(formats.compact_usd, lang=lang)
        label = describe(t(name, lang=lang), values, write, lang)
        assert (drawing[1]["role"], drawing[1]["aria-label"]) == ("img", label)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_title_of_each_line_says_span_source_and_how_far_the_history_reaches(lang: Language) -> None:
    app = open_page(lang=lang)
    history = markets.fetch_totals_history("7d").data
    assert history is not None
    assert history["history_since"] is not None
    since = f"{datetime.fromisoformat(history['history_since']):%Y-%m-%d %H:%M}"
    title = t("overview.line_title", lang=lang, source=t("frame.source_sample", lang=lang), time=since)
    assert [find_place(app, tile)[1]["title"] for tile in TILES] == [title] * 3


def test_the_complete_history_is_one_unbroken_line() -> None:
    app = open_page()
    assert [count_parts(find_place(app, tile)) for tile in TILES] == [1, 1, 1]


def test_the_lines_break_where_the_service_has_no_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    def drop_hours(history: Any) -> Any:
        return {**history, "points": history["points"][:50] + history["points"][53:]}

    change_answer(monkeypatch, "/markets/totals", drop_hours)
    app = open_page()
    assert [count_parts(find_place(app, tile)) for tile in TILES] == [2, 2, 2]


def test_with_one_point_the_place_stays_empty_and_says_since_when_history_is_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def keep_last(history: Any) -> Any:
        return {**history, "points": history["points"][-1:], "history_since": "2026-11-18T09:05:00Z"}

    change_answer(monkeypatch, "/markets/totals", keep_last)
    app = open_page()
    for tile in TILES:
        place = find_place(app, tile)
        assert place[2] == []
        assert place[1]["title"] == t("overview.line_since", time="09:05:00")


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
def test_without_any_history_the_page_keeps_its_figures_and_the_place_says_why(
    monkeypatch: pytest.MonkeyPatch, history: Any, words: str
) -> None:
    change_answer(monkeypatch, "/markets/totals", lambda _: history)
    app = open_page()
    for tile in TILES:
        place = find_place(app, tile)
        assert (place[2], place[1]["title"]) == ([], t(words))
    assert 'role="status"' not in html(app)
    assert 'role="alert"' not in html(app)


def test_amounts_of_a_line_are_in_the_chosen_currency_and_say_at_which_rate() -> None:
    app = open_page()
    app.segmented_control(key="pref_currency").set_value("JPY").run()
    currency = build_display_currency("JPY", markets.fetch_rates(), "en")
    cap = find_drawing(find_place(app, "cp-market-cap"))[1]["aria-label"]
    label = describe(
        t("overview.market_cap"),
        read_values("market_cap"),
        lambda usd: currency.format_compact(usd, "en"),
        "en",
    )
    assert cap == f"{label} {t('overview.line_rate')}"
    share = find_drawing(find_place(app, "cp-btc-share"))[1]["aria-label"]
    assert t("overview.line_rate") not in share
