"""The Timelines page over the real service: alerts, filters, links, files' forms, and every state."""

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
from dashboard.app_pages.timelines.layout import COMMAND
from dashboard.client import Fetched, timelines
from dashboard.i18n import LANGUAGES, t
from tests.dashboard.conftest import Backend
from tests.support import pages
from tests.support.line import Line
from tests.support.pages import html
from tests.support.scored_runs import run, table
from tests.support.serving import served
from tests.support.timelines import put

CASES, PASSES, FELL_AT = 12, 24, 14
STEADY, FALLING, EVIL = "steady", "acme, inc/falls", "<script>alert(1)</script>"
UNUSED = "never ran"
NOW = datetime(2026, 4, 1, tzinfo=UTC)


def scores(profile: str, passes: int = PASSES, **more: Any) -> list[Run]:
    """A run of each case a day; luck is dealt out so that it changes no pass as a whole."""
    found = []
    for day in range(passes):
        for case in range(CASES):
            luck = 0.05 if (case + day) % 2 else -0.05
            fall = -0.2 if profile == FALLING and day >= FELL_AT else 0.0
            level = 0.4 + case / 40 + luck + fall
            found.append(run(profile, f"case {case:02}", round(level, 6), 24 * day + case / 60, **more))
    return found


def broken(profile: str) -> list[Run]:
    return [
        run(profile, "case 00", 0, 24 * 30 + n, error="no sandbox", machinery_failure=True) for n in range(3)
    ]


@pytest.fixture(scope="module")
def runs_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    settings = Settings(home=tmp_path_factory.mktemp("home"), log_level="error", mode="live")
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    store.upsert_profiles(database, {name: Profile() for name in (STEADY, FALLING, EVIL, UNUSED)}, now=NOW)
    put(database, STEADY, *scores(STEADY, model="m-1", model_vendor="vendor one"), *broken(STEADY))
    before = scores(FALLING, FELL_AT, model="m-2", model_vendor="vendor two")
    put(database, FALLING, *before, *scores(FALLING, model="m-3")[len(before) :])
    put(database, EVIL, run(EVIL, "case 00", 0.5))
    key = create_key(database, name="page", scopes=("read",), now=NOW).key
    database.dispose()
    with served(create_app(settings)) as url:
        yield Backend(url, key)


@pytest.fixture
def dashboard_backend(runs_service: Backend, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """In the place of the market's: a service with scored runs."""
    monkeypatch.setenv("CHAINPROOF_BASE_URL", runs_service.url)
    monkeypatch.setenv("CHAINPROOF_API_KEY", runs_service.key)
    return runs_service


@pytest.fixture(autouse=True)
def _ready(dashboard_backend: Backend) -> None:
    """The runs are there before a page asks."""


def opened(**query: str) -> AppTest:
    return pages.opened("timelines", **query)


def linked(app: AppTest) -> dict[str, str]:
    """What the address says."""
    return {
        name: value if isinstance(value, str) else str(value[0]) for name, value in app.query_params.items()
    }


def pressed(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def alerts(app: AppTest) -> list[str]:
    return re.findall(r'class="tl-alert[^"]*"[^>]*>(.*?)</p>', html(app))


def charted(app: AppTest) -> dict[str, Any]:
    """What the drawing of the scores was sent."""
    found: dict[str, Any] = orjson.loads(pages.component(app, "line_chart").bytes)
    return found


def signs(app: AppTest) -> list[str]:
    return [sign["shape"] for sign in charted(app)["drawing"]["signs"]]


def newest(app: AppTest) -> str:
    """The day of the last point."""
    at = max(max(line["time"]) for line in charted(app)["drawing"]["lines"])
    return datetime.fromtimestamp(at, UTC).date().isoformat()


# --- alerts


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_planted_fall_is_alerted_and_an_unchanged_profile_is_not(lang: Any) -> None:
    found = alerts(opened(lang=lang))
    assert len(found) == 1
    assert FALLING in found[0]
    assert "20" in found[0]
    assert STEADY not in found[0]


def test_where_nothing_changed_that_is_said() -> None:
    app = opened(profiles=STEADY)
    assert not alerts(app)
    assert TEMPLATES["en"]["no_alert"] in html(app)


def test_the_cases_behind_an_alert_open_and_stand_in_the_link() -> None:
    app = pressed(opened(), "tl_cases_of_0")
    assert linked(app)["alert"] == f"2026-03-15@{FALLING}"
    again = opened(**linked(app))
    table = html(again)
    assert table.count('scope="row"') == CASES
    assert "▼ 20" in table
    assert f"{FELL_AT} / {PASSES - FELL_AT}" in table
    pressed(again, "tl_cases_of_0")
    assert "alert" not in again.query_params


def test_an_alert_leads_to_its_profile_and_cases() -> None:
    app = pressed(opened(alert=f"2026-03-15@{FALLING}"), "tl_alert_only")
    assert linked(app)["profiles"] == "acme\\, inc/falls"
    assert app.multiselect(key="tl_profiles").value == [FALLING]
    assert len(app.multiselect(key="tl_cases").value) == CASES


def test_an_alert_that_is_gone_is_told() -> None:
    assert t("timelines.alert_gone") in html(opened(alert="2020-01-01T00:00:00Z@nobody"))


# --- filters


def test_filters_go_into_the_link_and_come_out_of_it() -> None:
    app = opened()
    app.multiselect(key="tl_profiles").set_value([FALLING]).run()
    app.multiselect(key="tl_cases").set_value(["case 03"]).run()
    app.selectbox(key="tl_model_vendor").set_value("vendor two").run()
    assert not app.exception
    said = linked(app)
    assert said == {"profiles": "acme\\, inc/falls", "cases": "case 03", "vendor": "vendor two"}
    again = opened(**said)
    assert again.multiselect(key="tl_profiles").value == [FALLING]
    assert again.multiselect(key="tl_cases").value == ["case 03"]
    assert again.selectbox(key="tl_model_vendor").value == "vendor two"
    assert not linked(pressed(again, "tl_clear"))


def test_machinery_failures_are_left_out_and_counted_until_they_are_wanted() -> None:
    app = opened(profiles=STEADY)
    assert app.checkbox(key="tl_machinery").label == t("timelines.exclude_failures", n="3")
    assert newest(app) < "2026-03-31"
    app.checkbox(key="tl_machinery").set_value(False).run()
    assert linked(app)["machinery"] == "kept"
    assert app.checkbox(key="tl_machinery").label == t("timelines.exclude_failures", n="3")
    assert newest(app) == "2026-03-31"


def test_the_last_days_count_back_from_the_newest_run() -> None:
    app = pressed(opened(), "tl_last_7")
    assert linked(app) == {"since": "2026-03-25"}
    app.date_input(key="tl_until").set_value(date(2026, 3, 26)).run()
    assert linked(app) == {"since": "2026-03-25", "until": "2026-03-27"}
    assert t("timelines.none_match") in html(app)


def test_a_selection_without_runs_says_so_and_drops_the_filters() -> None:
    app = opened(since="2030-01-01")
    assert t("timelines.none_match") in html(app)
    assert not linked(pressed(app, "empty-tl_none-action"))
    assert alerts(app)


def test_nonsense_in_a_link_counts_as_not_said() -> None:
    names = ("since", "until", "window", "machinery", "centred", "hidden", "run", "a", "b", "case")
    assert alerts(opened(**dict.fromkeys(names, "nonsense")))


def test_a_profile_that_a_link_names_and_nobody_knows_stays_chosen() -> None:
    app = opened(profiles="nobody")
    assert app.multiselect(key="tl_profiles").value == ["nobody"]
    assert t("timelines.none_match") in html(app)


# --- scores over time


def test_lines_have_bands_marks_and_a_table() -> None:
    app = opened(profiles=f"{STEADY},acme\\, inc/falls")
    sent = charted(app)
    falling, steady = sent["drawing"]["lines"]
    assert (falling["name"], steady["name"]) == (FALLING, STEADY)
    assert falling["colour"] != steady["colour"]
    for line in (falling, steady):
        bands = zip(line["low"], line["mean"], line["high"], strict=True)
        assert all(low <= mean <= high for low, mean, high in bands)
        assert sum(line["runs"]) == CASES * PASSES
    assert sorted(signs(app)) == ["diamond", "down"]
    assert any("m-3" in sign["text"] for sign in sent["drawing"]["signs"])
    assert t("timelines.col_window") in sent["head"]
    assert len(orjson.dumps(sent)) < 20_000


def test_a_line_is_hidden_and_the_link_says_so() -> None:
    app = opened(profiles=f"{STEADY},acme\\, inc/falls")
    app.button_group(key="tl_legend").set_value([STEADY]).run()
    assert linked(app)["hidden"] == "acme\\, inc/falls"
    assert signs(app) == []
    app.button_group(key="tl_legend").set_value([]).run()
    assert t("timelines.all_hidden") in html(app)


def test_the_window_and_the_evening_out_stand_in_the_link() -> None:
    app = opened()
    app.selectbox(key="tl_window").set_value(str(7 * 86_400)).run()
    app.checkbox(key="tl_centred").set_value(True).run()
    assert linked(app) == {"window": "604800", "centred": "1"}
    assert t("timelines.window_week", n="1") in html(app)


def test_one_run_has_no_band_and_says_so() -> None:
    app = opened(profiles=EVIL)
    assert TEMPLATES["en"]["single"] in html(app)
    (line,) = charted(app)["drawing"]["lines"]
    assert (line["mean"], line["low"], line["high"]) == ([50.0], [None], [None])


def test_names_are_never_markup() -> None:
    app = opened()
    assert EVIL not in html(app)
    assert EVIL in [line["name"] for line in charted(app)["drawing"]["lines"]]


# --- the lower parts


def due(app: AppTest) -> list[str]:
    """The parts that the browser is to ask for."""
    return [part["part"] for part in orjson.loads(pages.component(app, "lazy_section").bytes)["parts"]]


def waiting(app: AppTest) -> list[str]:
    """The parts that are not drawn."""
    return re.findall(r'class="tl-later tl-later-(\w+)"', html(app))


def test_what_is_below_the_screen_waits_until_it_is_asked_for() -> None:
    app = opened()
    assert waiting(app) == ["compare", "cases", "run"]
    assert [part for part in due(app) if part != "alerts"] == ["compare", "cases", "run"]
    assert t("timelines.case_title") in html(app)


@pytest.mark.parametrize(("opens", "name"), [("run", "case"), ("compare", "a")])
def test_what_a_link_opens_is_drawn_with_the_page(opens: str, name: str) -> None:
    app = opened(**{name: STEADY if name == "a" else "case 03"})
    assert opens not in waiting(app)
    assert opens not in due(app)


def test_a_choice_leaves_the_lower_parts_standing_and_has_them_asked_for() -> None:
    app = opened(case="case 03", a=STEADY)
    assert [part for part in due(app) if part != "alerts"] == ["cases"]
    app.selectbox(key="tl_model_vendor").set_value("vendor one").run()
    assert not app.exception
    assert "tlp_run_case" not in [box.key for box in app.selectbox]  # was not drawn again
    assert [part for part in due(app) if part != "alerts"] == ["compare", "cases", "run"]


def test_who_comes_back_to_the_page_is_shown_its_upper_parts_first_again() -> None:
    app = opened(case="case 03")
    app.query_params.clear()
    app.switch_page("app_pages/research/page.py").run()
    app.switch_page("app_pages/timelines/page.py").run()
    assert not app.exception
    assert waiting(app) == ["compare", "cases", "run"]


# --- states


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_runs_the_page_says_how_to_add_some(monkeypatch: pytest.MonkeyPatch, lang: Any) -> None:
    empty: Fetched[Any] = Fetched(SCHEMA.empty_table(), NOW)
    monkeypatch.setattr(timelines, "fetch_runs", lambda: empty)
    app = opened(lang=lang)
    assert t("timelines.no_runs", lang=lang) in html(app)
    assert UNUSED in html(app)
    assert app.code[0].value == COMMAND


def test_a_service_that_goes_away_leaves_its_last_runs_and_says_so(line: Line) -> None:
    app = opened()
    line.cut = True
    app.run()
    assert not app.exception
    assert "cp-stale" in html(app)
    assert alerts(app)


def test_a_service_that_is_not_there_is_told_with_a_retry(line: Line) -> None:
    line.cut = True
    app = opened()
    assert t("frame.error_unreachable") in html(app)
    line.cut = False
    pressed(app, "error-timelines-retry")
    assert alerts(app)


def test_runs_of_ones_own_are_not_labelled_as_sample() -> None:
    assert t("timelines.sample_note") not in html(opened())


def test_only_the_sample_is_labelled(monkeypatch: pytest.MonkeyPatch) -> None:

    made: Fetched[Any] = Fetched(table(scores("sample one")), NOW)
    monkeypatch.setattr(timelines, "fetch_runs", lambda: made)
    app = opened()
    assert t("timelines.sample_note") in html(app)
    assert charted(app)["drawing"]["watermark"] == t("chart.sample").upper()


def test_the_client_is_the_one_that_all_pages_share() -> None:
    before = timelines.fetch_runs().data
    opened()
    assert timelines.fetch_runs().data is before
