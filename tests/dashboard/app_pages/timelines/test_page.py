"""The Timelines page with the real service: alerts, filters, links and error states."""

import re
from datetime import UTC, date, datetime
from html import unescape
from typing import Any
from urllib.parse import parse_qsl

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.columns.arrow_schema import SCHEMA
from dashboard.app_pages.timelines.layout import IMPORT_COMMAND
from dashboard.app_pages.timelines.selection import TABS
from dashboard.client import Fetched, timelines
from dashboard.i18n import LANGUAGES, t
from tests.support.dashboard import pages
from tests.support.dashboard.pages import html, read_url_params
from tests.support.dashboard.timelines_page import open_timelines
from tests.support.dashboard.transport import CuttableTransport
from tests.support.runs.scored_runs import run, table
from tests.support.runs.served_runs import (
    CASES,
    EVIL,
    FALLING,
    FELL_AT,
    NOW,
    PASSES,
    STEADY,
    UNUSED,
    build_runs,
)

pytestmark = pytest.mark.usefixtures("dashboard_backend")


def click(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def list_alerts(app: AppTest) -> list[str]:
    return re.findall(r'class="tl-alert[^"]*"[^>]*>(.*?)</p>', html(app))


def read_chart(app: AppTest) -> dict[str, Any]:
    """The data of the score chart."""
    found: dict[str, Any] = orjson.loads(pages.component(app, "line_chart").bytes)
    return found


def list_sign_shapes(app: AppTest) -> list[str]:
    return [sign["shape"] for sign in read_chart(app)["drawing"]["signs"]]


def find_last_day(app: AppTest) -> str:
    """The date of the last point."""
    at = max(max(line["time"]) for line in read_chart(app)["drawing"]["lines"])
    return datetime.fromtimestamp(at, UTC).date().isoformat()


# --- alerts


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_planted_fall_is_alerted_and_an_unchanged_profile_is_not(lang: Any) -> None:
    found = list_alerts(open_timelines(lang=lang))
    assert len(found) == 1
    assert FALLING in found[0]
    assert "20" in found[0]
    assert STEADY not in found[0]


def test_a_page_without_alerts_says_so() -> None:
    app = open_timelines(profiles=STEADY)
    assert not list_alerts(app)
    assert TEMPLATES["en"]["no_alert"] in html(app)


def test_alerts_of_profiles_that_are_not_shown_are_folded_and_link_to_them() -> None:
    app = open_timelines(profiles=STEADY)
    assert not list_alerts(app)
    assert t("timelines.alerts_others", n="1") in html(app)
    assert FALLING in html(app)
    (link,) = re.findall(r'href="/timelines\?([^"]*alert[^"]*)"', html(app))
    opened = open_timelines(**dict(parse_qsl(unescape(link))))
    assert len(list_alerts(opened)) == 1
    assert opened.multiselect(key="tl_profiles").value == [STEADY]


def test_profiles_with_too_few_passes_for_alerts_are_folded() -> None:
    app = open_timelines(profiles=f"{STEADY},{EVIL}")
    assert t("timelines.unwatched", n="1") in html(app)


def test_the_cases_behind_an_alert_open_and_the_url_holds_them() -> None:
    app = click(open_timelines(), "tl_cases_of_0")
    assert read_url_params(app)["alert"] == f"2026-03-15@{FALLING}"
    reopened = open_timelines(**read_url_params(app))
    table = html(reopened)
    assert table.count('scope="row"') == CASES
    assert "▼ 20" in table
    assert f"{FELL_AT} / {PASSES - FELL_AT}" in table
    click(reopened, "tl_cases_of_0")
    assert "alert" not in reopened.query_params


def test_an_opened_alert_compares_the_profile_with_itself() -> None:
    page = html(open_timelines(alert=f"2026-03-15@{FALLING}"))
    assert f"{FALLING} before 15 Mar 2026 is ahead by 20.0 points" in page


def test_a_line_breaks_between_windows_of_different_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    halves = [
        run("moves", f"{'old' if day < 6 else 'new'} {case}", 0.5, 24 * day + case / 60)
        for day in range(12)
        for case in range(6)
    ]
    fetched: Fetched[Any] = Fetched(table(halves), NOW)
    monkeypatch.setattr(timelines, "fetch_runs", lambda: fetched)
    app = open_timelines(window=str(86_400))
    (line,) = read_chart(app)["drawing"]["lines"]
    assert [n for n, breaks in enumerate(line["breaks"]) if breaks] == [6]
    assert t("timelines.line_breaks") in html(app)
    assert t("timelines.line_breaks") not in html(open_timelines(window=str(7 * 86_400), cases="old 0"))


def test_an_alert_can_filter_the_page_by_its_profile_and_cases() -> None:
    app = click(open_timelines(alert=f"2026-03-15@{FALLING}"), "tl_alert_only")
    assert read_url_params(app)["profiles"] == "acme\\, inc/falls"
    profiles, cases = app.multiselect
    assert profiles.value == [FALLING]
    assert len(cases.value) == CASES


def test_an_alert_that_no_longer_exists_is_reported() -> None:
    assert t("timelines.alert_gone") in html(open_timelines(alert="2020-01-01T00:00:00Z@nobody"))


# --- filters


def test_filters_survive_a_round_trip_through_the_url() -> None:
    app = open_timelines()
    app.multiselect(key="tl_profiles").set_value([FALLING]).run()
    app.multiselect(key="tl_cases").set_value(["case 03"]).run()
    app.selectbox(key="tl_model_vendor").set_value("vendor two").run()
    assert not app.exception
    params = read_url_params(app)
    assert params == {"profiles": "acme\\, inc/falls", "cases": "case 03", "vendor": "vendor two"}
    reopened = open_timelines(**params)
    assert reopened.multiselect(key="tl_profiles").value == [FALLING]
    assert reopened.multiselect(key="tl_cases").value == ["case 03"]
    assert reopened.selectbox(key="tl_model_vendor").value == "vendor two"
    assert not read_url_params(click(reopened, "tl_clear"))


def test_infrastructure_errors_are_counted_and_excluded_by_default() -> None:
    app = open_timelines(profiles=STEADY)
    assert app.checkbox(key="tl_machinery").label == t("timelines.exclude_failures", n="3")
    assert find_last_day(app) < "2026-03-31"
    app.checkbox(key="tl_machinery").set_value(False).run()
    assert read_url_params(app)["machinery"] == "kept"
    assert app.checkbox(key="tl_machinery").label == t("timelines.exclude_failures", n="3")
    assert find_last_day(app) == "2026-03-31"


def test_the_last_days_count_back_from_the_newest_run() -> None:
    app = click(open_timelines(), "tl_last_7")
    assert read_url_params(app) == {"since": "2026-03-18"}
    app.date_input(key="tl_until").set_value(date(2026, 3, 17)).run()
    assert read_url_params(app) == {"since": "2026-03-18", "until": "2026-03-18"}
    assert t("timelines.none_match") in html(app)


def test_the_last_days_count_back_from_the_newest_run_of_the_chosen_profiles() -> None:
    app = click(open_timelines(profiles=EVIL), "tl_last_7")
    assert read_url_params(app) == {"profiles": EVIL, "since": "2026-02-23"}
    assert t("timelines.none_match") not in html(app)


def test_a_selection_without_runs_offers_to_clear_the_filters() -> None:
    app = open_timelines(since="2030-01-01")
    assert t("timelines.none_match") in html(app)
    assert not read_url_params(click(app, "empty-tl_none-action"))
    assert list_alerts(app)


def test_invalid_url_parameters_are_ignored() -> None:
    names = ("since", "until", "window", "machinery", "centred", "hidden", "run", "a", "b", "case")
    assert list_alerts(open_timelines(**dict.fromkeys(names, "nonsense"), tab="trend"))


def test_an_unknown_profile_from_the_url_stays_chosen() -> None:
    app = open_timelines(profiles="nobody")
    assert app.multiselect(key="tl_profiles").value == ["nobody"]
    assert t("timelines.none_match") in html(app)


# --- scores over time


def test_lines_have_bands_signs_and_a_table() -> None:
    app = open_timelines(profiles=f"{STEADY},acme\\, inc/falls")
    chart = read_chart(app)
    falling, steady = chart["drawing"]["lines"]
    assert (falling["name"], steady["name"]) == (FALLING, STEADY)
    assert falling["colour"] != steady["colour"]
    for line in (falling, steady):
        bands = zip(line["low"], line["mean"], line["high"], strict=True)
        assert all(low <= mean <= high for low, mean, high in bands)
        assert sum(line["runs"]) == CASES * PASSES
    assert sorted(list_sign_shapes(app)) == ["diamond", "diamond", "down"]
    assert any("m-3" in sign["text"] for sign in chart["drawing"]["signs"])
    assert any("revision r2 instead of r1" in sign["text"] for sign in chart["drawing"]["signs"])
    assert t("timelines.col_window") in chart["head"]
    assert len(orjson.dumps(chart)) < 20_000


def test_a_hidden_line_is_in_the_url() -> None:
    app = open_timelines(profiles=f"{STEADY},acme\\, inc/falls")
    app.button_group(key="tl_legend").set_value([STEADY]).run()
    assert read_url_params(app)["hidden"] == "acme\\, inc/falls"
    assert list_sign_shapes(app) == ["diamond"], "only the change of the line that is left"
    app.button_group(key="tl_legend").set_value([]).run()
    assert t("timelines.all_hidden") in html(app)


def test_the_window_and_the_centring_are_in_the_url() -> None:
    app = open_timelines()
    app.selectbox(key="tl_window").set_value(str(7 * 86_400)).run()
    app.checkbox(key="tl_centred").set_value(True).run()
    assert read_url_params(app) == {"window": "604800", "centred": "1"}
    assert t("timelines.window_week", n="1") in html(app)


def test_one_run_has_no_band_and_says_so() -> None:
    app = open_timelines(profiles=EVIL)
    assert TEMPLATES["en"]["single"] in html(app)
    (line,) = read_chart(app)["drawing"]["lines"]
    assert (line["mean"], line["low"], line["high"]) == ([50.0], [None], [None])


def test_names_are_never_interpreted_as_markup() -> None:
    app = open_timelines(profiles=f"{STEADY},{EVIL}")
    assert EVIL not in html(app)
    assert EVIL in [line["name"] for line in read_chart(app)["drawing"]["lines"]]


# --- tabs


def find_open_tab(app: AppTest) -> str:
    """The tab whose parts are on the page."""
    present = {
        "trend": "line_chart" in list_components(app),
        "compare": t("timelines.cmp_by_case") in html(app),
        "cases": t("timelines.case_heat") in html(app),
        "runs": t("timelines.run_list") in html(app),
    }
    (tab,) = [name for name, drawn in present.items() if drawn]
    return tab


def list_components(app: AppTest) -> list[str]:
    return [part.proto.component_name.removeprefix("chainproof.") for part in app.get("bidi_component")]


@pytest.mark.parametrize("tab", TABS)
def test_a_link_opens_its_tab_and_only_that_is_drawn(tab: str) -> None:
    assert find_open_tab(open_timelines(tab=tab)) == tab


def test_a_link_reopens_filters_and_choice_in_its_tab() -> None:
    app = open_timelines(a=STEADY, b=FALLING, tab="cases")
    app.multiselect(key="tl_cases").set_value([f"case {n:02}" for n in range(6)]).run()
    params = read_url_params(app)
    assert (params["tab"], params["a"], params["b"]) == ("cases", STEADY, "acme, inc/falls")
    reopened = open_timelines(**params)
    assert find_open_tab(reopened) == "cases"
    assert len(reopened.multiselect(key="tl_cases").value) == 6
    assert reopened.selectbox(key="tl_b").value == FALLING


@pytest.mark.parametrize("tab", TABS)
def test_the_verdict_is_above_every_tab(tab: str) -> None:
    page = html(open_timelines(a=FALLING, b=STEADY, tab=tab))
    assert "tl-verdict" in page  # all differences are equal, so their size is uncertain
    assert STEADY in page


@pytest.mark.parametrize("opened", [{"case": "case 03"}, {"run": "gone"}])
def test_an_older_link_to_a_case_or_run_opens_the_runs(opened: dict[str, str]) -> None:
    assert find_open_tab(open_timelines(**opened)) == "runs"


def test_an_unknown_tab_opens_the_first_one() -> None:
    assert find_open_tab(open_timelines(tab="nonsense")) == "trend"


# --- states


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_runs_the_page_explains_how_to_add_some(monkeypatch: pytest.MonkeyPatch, lang: Any) -> None:
    empty: Fetched[Any] = Fetched(SCHEMA.empty_table(), NOW)
    monkeypatch.setattr(timelines, "fetch_runs", lambda: empty)
    app = open_timelines(lang=lang)
    assert t("timelines.no_runs", lang=lang) in html(app)
    assert UNUSED in html(app)
    assert app.code[0].value == IMPORT_COMMAND


def test_when_the_service_is_lost_the_last_runs_stay_with_a_warning(transport: CuttableTransport) -> None:
    app = open_timelines()
    transport.is_cut = True
    app.run()
    assert not app.exception
    assert "cp-stale" in html(app)
    assert list_alerts(app)


def test_an_unreachable_service_is_reported_with_a_retry(transport: CuttableTransport) -> None:
    transport.is_cut = True
    app = open_timelines()
    assert t("frame.error_unreachable") in html(app)
    transport.is_cut = False
    click(app, "error-timelines-retry")
    assert list_alerts(app)


def test_own_runs_are_not_labelled_as_sample() -> None:
    assert t("timelines.sample_note") not in html(open_timelines())


def test_sample_runs_are_labelled(monkeypatch: pytest.MonkeyPatch) -> None:

    fetched: Fetched[Any] = Fetched(table(build_runs("sample one")), NOW)
    monkeypatch.setattr(timelines, "fetch_runs", lambda: fetched)
    app = open_timelines()
    assert t("timelines.sample_note") in html(app)
    assert read_chart(app)["drawing"]["watermark"] == t("chart.sample").upper()


def test_the_page_uses_the_shared_client() -> None:
    before = timelines.fetch_runs().data
    open_timelines()
    assert timelines.fetch_runs().data is before
