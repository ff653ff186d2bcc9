"""The Timelines page with the real service: alerts, filters, links and error states."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from backend import migrations
from backend.app import create_app
from backend.auth.service import create_key
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import store
from backend.timelines.analysis.verdict_templates import TEMPLATES
from backend.timelines.columns.arrow_schema import SCHEMA
from backend.timelines.model import Profile, Run
from dashboard.app_pages.timelines.layout import IMPORT_COMMAND
from dashboard.client import Fetched, timelines
from dashboard.i18n import LANGUAGES, t
from tests.dashboard.conftest import Backend
from tests.support import pages
from tests.support.line import Line
from tests.support.pages import html
from tests.support.scored_runs import run, table
from tests.support.serving import serve_app
from tests.support.timelines import store_runs

CASES, PASSES, FELL_AT = 12, 24, 14
STEADY, FALLING, EVIL = "steady", "acme, inc/falls", "<script>alert(1)</script>"
UNUSED = "never ran"
NOW = datetime(2026, 4, 1, tzinfo=UTC)


def build_runs(profile: str, passes: int = PASSES, **more: Any) -> list[Run]:
    """Build one run per case and day; random variation cancels out within a day."""
    found = []
    for day in range(passes):
        for case in range(CASES):
            luck = 0.05 if (case + day) % 2 else -0.05
            fall = -0.2 if profile == FALLING and day >= FELL_AT else 0.0
            level = 0.4 + case / 40 + luck + fall
            found.append(run(profile, f"case {case:02}", round(level, 6), 24 * day + case / 60, **more))
    return found


def build_broken_runs(profile: str) -> list[Run]:
    return [
        run(profile, "case 00", 0, 24 * 30 + n, error="no sandbox", machinery_failure=True) for n in range(3)
    ]


@pytest.fixture(scope="module")
def runs_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    settings = Settings(home=tmp_path_factory.mktemp("home"), log_level="error", mode="live")
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    store.upsert_profiles(database, {name: Profile() for name in (STEADY, FALLING, EVIL, UNUSED)}, now=NOW)
    store_runs(
        database,
        STEADY,
        *build_runs(STEADY, model="m-1", model_vendor="vendor one"),
        *build_broken_runs(STEADY),
    )
    before = build_runs(FALLING, FELL_AT, model="m-2", model_vendor="vendor two")
    store_runs(database, FALLING, *before, *build_runs(FALLING, model="m-3")[len(before) :])
    store_runs(database, EVIL, run(EVIL, "case 00", 0.5))
    key = create_key(database, name="page", scopes=("read",), now=NOW).key
    database.dispose()
    with serve_app(create_app(settings)) as url:
        yield Backend(url, key)


@pytest.fixture
def dashboard_backend(runs_service: Backend, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """A service with scored runs instead of market data."""
    monkeypatch.setenv("CHAINPROOF_BASE_URL", runs_service.url)
    monkeypatch.setenv("CHAINPROOF_API_KEY", runs_service.key)
    return runs_service


@pytest.fixture(autouse=True)
def _ready(dashboard_backend: Backend) -> None:
    """The runs exist before a page loads them."""


def open_page(**query: str) -> AppTest:
    return pages.opened("timelines", **query)


def read_url_params(app: AppTest) -> dict[str, str]:
    """The URL parameters."""
    return {
        name: value if isinstance(value, str) else str(value[0]) for name, value in app.query_params.items()
    }


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
    found = list_alerts(open_page(lang=lang))
    assert len(found) == 1
    assert FALLING in found[0]
    assert "20" in found[0]
    assert STEADY not in found[0]


def test_a_page_without_alerts_says_so() -> None:
    app = open_page(profiles=STEADY)
    assert not list_alerts(app)
    assert TEMPLATES["en"]["no_alert"] in html(app)


def test_the_cases_behind_an_alert_open_and_the_url_holds_them() -> None:
    app = click(open_page(), "tl_cases_of_0")
    assert read_url_params(app)["alert"] == f"2026-03-15@{FALLING}"
    again = open_page(**read_url_params(app))
    table = html(again)
    assert table.count('scope="row"') == CASES
    assert "▼ 20" in table
    assert f"{FELL_AT} / {PASSES - FELL_AT}" in table
    click(again, "tl_cases_of_0")
    assert "alert" not in again.query_params


def test_an_alert_can_filter_the_page_by_its_profile_and_cases() -> None:
    app = click(open_page(alert=f"2026-03-15@{FALLING}"), "tl_alert_only")
    assert read_url_params(app)["profiles"] == "acme\\, inc/falls"
    assert app.multiselect(key="tl_profiles").value == [FALLING]
    assert len(app.multiselect(key="tl_cases").value) == CASES


def test_an_alert_that_no_longer_exists_is_reported() -> None:
    assert t("timelines.alert_gone") in html(open_page(alert="2020-01-01T00:00:00Z@nobody"))


# --- filters


def test_filters_survive_a_round_trip_through_the_url() -> None:
    app = open_page()
    app.multiselect(key="tl_profiles").set_value([FALLING]).run()
    app.multiselect(key="tl_cases").set_value(["case 03"]).run()
    app.selectbox(key="tl_model_vendor").set_value("vendor two").run()
    assert not app.exception
    params = read_url_params(app)
    assert params == {"profiles": "acme\\, inc/falls", "cases": "case 03", "vendor": "vendor two"}
    again = open_page(**params)
    assert again.multiselect(key="tl_profiles").value == [FALLING]
    assert again.multiselect(key="tl_cases").value == ["case 03"]
    assert again.selectbox(key="tl_model_vendor").value == "vendor two"
    assert not read_url_params(click(again, "tl_clear"))


def test_infrastructure_errors_are_counted_and_excluded_by_default() -> None:
    app = open_page(profiles=STEADY)
    assert app.checkbox(key="tl_machinery").label == t("timelines.exclude_failures", n="3")
    assert find_last_day(app) < "2026-03-31"
    app.checkbox(key="tl_machinery").set_value(False).run()
    assert read_url_params(app)["machinery"] == "kept"
    assert app.checkbox(key="tl_machinery").label == t("timelines.exclude_failures", n="3")
    assert find_last_day(app) == "2026-03-31"


def test_the_last_days_count_back_from_the_newest_run() -> None:
    app = click(open_page(), "tl_last_7")
    assert read_url_params(app) == {"since": "2026-03-25"}
    app.date_input(key="tl_until").set_value(date(2026, 3, 26)).run()
    assert read_url_params(app) == {"since": "2026-03-25", "until": "2026-03-27"}
    assert t("timelines.none_match") in html(app)


def test_a_selection_without_runs_offers_to_clear_the_filters() -> None:
    app = open_page(since="2030-01-01")
    assert t("timelines.none_match") in html(app)
    assert not read_url_params(click(app, "empty-tl_none-action"))
    assert list_alerts(app)


def test_invalid_url_parameters_are_ignored() -> None:
    names = ("since", "until", "window", "machinery", "centred", "hidden", "run", "a", "b", "case")
    assert list_alerts(open_page(**dict.fromkeys(names, "nonsense")))


def test_an_unknown_profile_from_the_url_stays_chosen() -> None:
    app = open_page(profiles="nobody")
    assert app.multiselect(key="tl_profiles").value == ["nobody"]
    assert t("timelines.none_match") in html(app)


# --- scores over time


def test_lines_have_bands_signs_and_a_table() -> None:
    app = open_page(profiles=f"{STEADY},acme\\, inc/falls")
    sent = read_chart(app)
    falling, steady = sent["drawing"]["lines"]
    assert (falling["name"], steady["name"]) == (FALLING, STEADY)
    assert falling["colour"] != steady["colour"]
    for line in (falling, steady):
        bands = zip(line["low"], line["mean"], line["high"], strict=True)
        assert all(low <= mean <= high for low, mean, high in bands)
        assert sum(line["runs"]) == CASES * PASSES
    assert sorted(list_sign_shapes(app)) == ["diamond", "down"]
    assert any("m-3" in sign["text"] for sign in sent["drawing"]["signs"])
    assert t("timelines.col_window") in sent["head"]
    assert len(orjson.dumps(sent)) < 20_000


def test_a_hidden_line_is_in_the_url() -> None:
    app = open_page(profiles=f"{STEADY},acme\\, inc/falls")
    app.button_group(key="tl_legend").set_value([STEADY]).run()
    assert read_url_params(app)["hidden"] == "acme\\, inc/falls"
    assert list_sign_shapes(app) == []
    app.button_group(key="tl_legend").set_value([]).run()
    assert t("timelines.all_hidden") in html(app)


def test_the_window_and_the_centring_are_in_the_url() -> None:
    app = open_page()
    app.selectbox(key="tl_window").set_value(str(7 * 86_400)).run()
    app.checkbox(key="tl_centred").set_value(True).run()
    assert read_url_params(app) == {"window": "604800", "centred": "1"}
    assert t("timelines.window_week", n="1") in html(app)


def test_one_run_has_no_band_and_says_so() -> None:
    app = open_page(profiles=EVIL)
    assert TEMPLATES["en"]["single"] in html(app)
    (line,) = read_chart(app)["drawing"]["lines"]
    assert (line["mean"], line["low"], line["high"]) == ([50.0], [None], [None])


def test_names_are_never_interpreted_as_markup() -> None:
    app = open_page()
    assert EVIL not in html(app)
    assert EVIL in [line["name"] for line in read_chart(app)["drawing"]["lines"]]


# --- lazy sections


def list_due_parts(app: AppTest) -> list[str]:
    """The parts that the browser is to request."""
    return [part["part"] for part in orjson.loads(pages.component(app, "lazy_section").bytes)["parts"]]


def list_placeholders(app: AppTest) -> list[str]:
    """The parts that are placeholders."""
    return re.findall(r'class="tl-placeholder tl-placeholder-(\w+)"', html(app))


def test_sections_below_the_viewport_are_placeholders_until_requested() -> None:
    app = open_page()
    assert list_placeholders(app) == ["compare", "cases", "run"]
    assert [part for part in list_due_parts(app) if part != "alerts"] == ["compare", "cases", "run"]
    assert t("timelines.case_title") in html(app)


@pytest.mark.parametrize(("opens", "name"), [("run", "case"), ("compare", "a")])
def test_sections_that_a_link_opens_are_drawn_with_the_page(opens: str, name: str) -> None:
    app = open_page(**{name: STEADY if name == "a" else "case 03"})
    assert opens not in list_placeholders(app)
    assert opens not in list_due_parts(app)


def test_a_filter_keeps_the_lazy_sections_and_requests_them_again() -> None:
    app = open_page(case="case 03", a=STEADY)
    assert [part for part in list_due_parts(app) if part != "alerts"] == ["cases"]
    app.selectbox(key="tl_model_vendor").set_value("vendor one").run()
    assert not app.exception
    assert "tlp_run_case" not in [box.key for box in app.selectbox]  # was not drawn again
    assert [part for part in list_due_parts(app) if part != "alerts"] == ["compare", "cases", "run"]


def test_returning_to_the_page_draws_lazy_sections_as_placeholders_again() -> None:
    app = open_page(case="case 03")
    app.query_params.clear()
    app.switch_page("app_pages/research/page.py").run()
    app.switch_page("app_pages/timelines/page.py").run()
    assert not app.exception
    assert list_placeholders(app) == ["compare", "cases", "run"]


# --- states


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_runs_the_page_explains_how_to_add_some(monkeypatch: pytest.MonkeyPatch, lang: Any) -> None:
    empty: Fetched[Any] = Fetched(SCHEMA.empty_table(), NOW)
    monkeypatch.setattr(timelines, "fetch_runs", lambda: empty)
    app = open_page(lang=lang)
    assert t("timelines.no_runs", lang=lang) in html(app)
    assert UNUSED in html(app)
    assert app.code[0].value == IMPORT_COMMAND


def test_when_the_service_is_lost_the_last_runs_stay_with_a_warning(line: Line) -> None:
    app = open_page()
    line.cut = True
    app.run()
    assert not app.exception
    assert "cp-stale" in html(app)
    assert list_alerts(app)


def test_an_unreachable_service_is_reported_with_a_retry(line: Line) -> None:
    line.cut = True
    app = open_page()
    assert t("frame.error_unreachable") in html(app)
    line.cut = False
    click(app, "error-timelines-retry")
    assert list_alerts(app)


def test_own_runs_are_not_labelled_as_sample() -> None:
    assert t("timelines.sample_note") not in html(open_page())


def test_sample_runs_are_labelled(monkeypatch: pytest.MonkeyPatch) -> None:

    made: Fetched[Any] = Fetched(table(build_runs("sample one")), NOW)
    monkeypatch.setattr(timelines, "fetch_runs", lambda: made)
    app = open_page()
    assert t("timelines.sample_note") in html(app)
    assert read_chart(app)["drawing"]["watermark"] == t("chart.sample").upper()


def test_the_page_uses_the_shared_client() -> None:
    before = timelines.fetch_runs().data
    open_page()
    assert timelines.fetch_runs().data is before
