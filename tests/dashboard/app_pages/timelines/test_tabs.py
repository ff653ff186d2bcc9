"""The verdict and the tabs Compare, Cases and Runs of the Timelines page, in each language and state."""

import json
from typing import Any

import orjson
import plotly.graph_objects
import pytest
from streamlit.testing.v1 import AppTest

from backend.timelines.model import Metrics
from dashboard.app_pages.timelines import data, run_detail
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.client import Fetched, Problem, timelines
from dashboard.i18n import LANGUAGES, t
from tests.support.dashboard.charts import Chart, parse_charts
from tests.support.dashboard.pages import html, read_live_views
from tests.support.runs.scored_runs import START, build_daily_runs, table
from tests.support.runs.scored_runs import run as scored
from tests.support.waiting import LIMIT_SECONDS

go: Any = plotly.graph_objects  # the package carries no types
EVIL = "<b>evil</b>"
ALL = f"high,low,partly,{EVIL}"
CASES = [f"case {n}" for n in range(30)]
RUNS = [
    *build_daily_runs("high", {case: (0.9, 0.8 + n / 300) for n, case in enumerate(CASES)}),
    *build_daily_runs("low", {case: (0.3, 0.4 - n / 300) for n, case in enumerate(CASES)}),
    *build_daily_runs("partly", dict.fromkeys(CASES[:6], (0.5, 0.5))),
    *build_daily_runs(EVIL, {EVIL: (0.5,)}),
    scored("high", CASES[0], 0, 900, infrastructure_failure=True, run_id="broken"),
]
RUN_OUT = {
    "run_id": "r1", "timestamp": "2026-03-01T10:00:00Z", "finished_at": "2026-03-01T10:02:00Z",
    "case_id": CASES[0], "profile": "high", "success": False, "total_score": 6.5, "raw_score": 10.0,
    "max_score": 10.0, "normalized_score": 0.65, "machinery_failure": None, "agent": "an agent",
    "provider": None, "model": "m-1", "model_vendor": None, "inference_provider": None, "cost_usd": 0.25,
    "error": "It stopped.",
    "metrics": {
        "read_file_calls": 4, "write_file_calls": 2, "list_dir_calls": None, "read_write_ratio": 2.0,
        "pre_write_read_coverage": None,
    },
    "deductions": [{"name": "slow", "points": 4.0, "description": f"{EVIL} {'long ' * 200}"}],
    "bonuses": [{"name": "short", "points": 0.5, "description": ""}],
}  # fmt: skip


def page(runs: "Any") -> None:
    import streamlit as st

    from dashboard.app_pages.timelines import data, layout, pair, url_state
    from dashboard.app_pages.timelines.selection import TABS

    st.session_state["language"] = st.query_params.get("lang", "en")

    def draw_bar() -> None:
        pair.render_choice(*data.select_visible_runs(runs, url_state.read_state()))

    def draw_verdict() -> None:
        pair.render_verdict(*data.select_visible_runs(runs, url_state.read_state()))

    def draw_tabs() -> None:
        for tab in TABS[1:]:
            layout.RENDER_TAB[tab](*data.select_visible_runs(runs, url_state.read_state()))

    st.fragment(draw_bar, key=url_state.FRAGMENT_KEYS["bar"])()
    st.fragment(draw_verdict, key=url_state.FRAGMENT_KEYS["verdict"])()
    st.fragment(draw_tabs, key=url_state.FRAGMENT_KEYS["tab"])()


def open_tabs(runs: Any = RUNS, **query: str) -> AppTest:
    app = AppTest.from_function(page, kwargs={"runs": table(runs)}, default_timeout=LIMIT_SECONDS)
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


def find_charts(app: AppTest) -> dict[str, Chart]:
    return {chart.options["key"]: chart for chart in parse_charts(app)}


def read_table_rows(app: AppTest) -> list[Any]:
    (part,) = [p for p in app.get("bidi_component") if p.proto.component_name == "chainproof.sortable_table"]
    rows: list[Any] = orjson.loads(part.proto.bytes)["rows"]
    return rows


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_panels_appear_in_every_language(lang: Any) -> None:
    app = open_tabs(lang=lang)
    for key in ("case_heat", "cmp_by_case", "cmp_pairs", "run_list"):
        assert t(f"timelines.{key}", lang=lang) in html(app)


def test_the_verdict_shows_its_figures_and_excluded_runs() -> None:
    app = open_tabs(a="low", b="high")
    text = read_live_views(app)
    assert "high is ahead by " in html(app)
    assert "the difference is significant" in text
    assert "30 · 0 · 0" in text
    assert "1 run of high is excluded: the infrastructure failed, not the model." in text


def test_disjoint_cases_are_not_compared_and_the_reason_is_shown() -> None:
    app = open_tabs(a="high", b=EVIL)
    assert "share no cases" in html(app)
    assert "tl-refused" in html(app)
    assert t("timelines.cmp_by_case") not in html(app)


def test_one_profile_alone_shows_its_charts() -> None:
    assert "tlp_pareto" in find_charts(open_tabs(profiles="low"))


def test_a_single_run_shows_what_a_comparison_needs() -> None:
    app = open_tabs([scored("alone", "case 1", 0.5)], profiles="alone")
    assert t("timelines.cmp_needs_two", name="alone") in html(app)


def test_the_pair_is_chosen_and_swapped_and_the_url_holds_it() -> None:
    app = open_tabs(a="low", b="high")
    app.selectbox(key="tl_b").select("partly").run()
    app.button(key="tl_swap").click().run()
    assert not app.exception
    assert (app.query_params["a"], app.query_params["b"]) == ("partly", "low")


def test_each_case_difference_links_to_its_runs_and_a_button_shows_all() -> None:
    app = open_tabs(a="high", b="low")
    assert read_live_views(app).count("tlp-case") == 24
    assert t("timelines.cmp_hidden", n=6, wins=0, ties=0, losses=6) in read_live_views(app)
    assert "/timelines?a=high&b=low&case=case+29&tab=runs" in read_live_views(app)
    app.button(key="tlp_dots_more").click().run()
    assert read_live_views(app).count("tlp-case") == 30


def test_every_pair_has_a_symbol_beside_its_colour() -> None:
    text = read_live_views(open_tabs(profiles=ALL))
    assert "▲" in text
    assert "▼" in text
    assert f"{EVIL} and high: no shared cases" in text


def test_figures_follow_plotlys_schema_and_have_tables() -> None:
    found = find_charts(open_tabs(a="high", b="low"))
    assert set(found) == {"tlp_heat", "tlp_pareto"}
    for options, figure in found.values():
        go.Figure(figure)
        assert options["alt"]
        assert options["table"]["rows"]


def test_the_heatmap_is_one_trace_with_gaps_for_missing_runs() -> None:
    options, figure = find_charts(open_tabs(profiles=ALL))["tlp_heat"]
    (trace,) = figure["data"]
    assert len(trace["y"]) == 25
    cells = dict(zip(trace["x"], trace["z"][0], strict=True))
    assert cells["&lt;b&gt;evil&lt;/b&gt;"] is None
    assert options["picks"]
    assert "not run" in {cell for row in options["table"]["rows"] for cell in row}
    assert figure["layout"]["images"][0]["source"].startswith("data:image/svg+xml,")


def test_panels_without_data_take_no_space() -> None:
    app = open_tabs([scored(name, case, 1, 0) for name in ("high", "low") for case in CASES[:6]])
    assert set(find_charts(app)) == {"tlp_heat"}
    for key in ("case_lost", "case_behaviour", "case_cost"):
        assert t(f"timelines.{key}") not in html(app)


def test_known_behaviour_and_cost_are_drawn() -> None:
    text = [
        scored(name, case, score, n, cost_usd=cost, metrics=Metrics(4, 2, 0, 2 + n / 10, 0.5))
        for name, score, cost in (("high", 0.9, 2), ("low", 0.3, 1), ("dear", 0.2, 3))
        for n, case in enumerate(CASES[:4])
    ]
    app = open_tabs(text)
    found = find_charts(app)
    behaviour = found["tlp_behaviour"].figure
    assert [trace["marker"]["symbol"] for trace in behaviour["data"]] == ["circle", "circle", "diamond"]
    cost = found["tlp_cost"].figure
    assert cost["data"][0]["x"] == [1, 2]
    assert cost["data"][1]["marker"]["symbol"] == ["diamond", "diamond", "circle-open"]
    assert "1 low · 2 high · 3 dear" in html(app)
    for figure in (behaviour, cost):
        go.Figure(figure)


def test_a_case_lists_its_runs_newest_first() -> None:
    rows = read_table_rows(open_tabs(case=CASES[1], profiles="high,low"))
    assert len(rows) == 4
    times = [cells[0][1] for _, cells in rows]
    assert times == sorted(times, reverse=True)
    assert times[0] > START.timestamp()


def test_a_run_shows_its_steps_reasons_and_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "fetch_run", lambda _: Fetched(RUN_OUT))
    app = open_tabs(run="r1", case=CASES[0])
    text = read_live_views(app)
    assert "65.0%" in text
    assert EVIL in text  # in a text node
    assert "It stopped." in text
    assert t("timelines.run_outside") in text
    options, figure = find_charts(app)["tlp_waterfall"]
    assert figure["data"][0]["x"] == [10, -4, 0.5, 6.5]
    assert figure["data"][0]["measure"] == ["absolute", "relative", "relative", "total"]
    assert options["alt"] == "Raw score 10, minus 4 lost, plus 0.5 gained: 6.5 of 10."
    go.Figure(figure)


def test_a_run_of_the_selection_links_to_its_neighbours() -> None:
    first = RUNS[0].run_id
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timelines, "fetch_run", lambda _: Fetched({**RUN_OUT, "run_id": first}))
        text = read_live_views(open_tabs(run=first))
    assert t("timelines.run_place", place=1, of=2) in text
    assert t("timelines.run_following") in text
    assert t("timelines.run_previous") not in text


def test_a_run_names_its_agent_provider_model_and_their_makers(monkeypatch: pytest.MonkeyPatch) -> None:
    made_with = {
        "agent": "an agent", "provider": "inspect_ai", "model": "m-1", "model_vendor": "a vendor",
        "inference_provider": "a host",
    }  # fmt: skip
    monkeypatch.setattr(timelines, "fetch_run", lambda _: Fetched({**RUN_OUT, **made_with}))
    text = read_live_views(open_tabs(run="r1"))
    for name, value in made_with.items():
        label = json.dumps(["dt", {}, [t(f"timelines.run_{name}")]])
        assert f'{label}, ["dd", {{}}, ["{value}"]]' in text


def test_what_made_a_run_is_left_out_if_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "fetch_run", lambda _: Fetched({**RUN_OUT, "agent": None}))
    text = read_live_views(open_tabs(run="r1"))
    assert t("timelines.run_agent") not in text
    assert t("timelines.run_model") in text


def test_a_long_name_keeps_its_end_when_it_is_cut() -> None:
    long = "suite/of/many/words/about/one/thing/number-17"
    app = open_tabs([scored(name, long, score, 0) for name, score in (("high", 1), ("low", 0))])
    assert json.dumps([["span", {}, ["suite/of/many/words/about/one/thing"]], ["span", {}, ["/number-17"]]])[
        1:-1
    ] in read_live_views(app)


def test_an_unknown_run_shows_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = Problem("missing", "There is no run r0.", None, 404)
    monkeypatch.setattr(timelines, "fetch_run", lambda _: Fetched(None, error=gone))
    assert "There is no run r0." in html(open_tabs(run="r0"))


def test_pairs_of_many_profiles_are_drawn_with_a_shape_per_outcome() -> None:
    runs = [
        run for n in range(18) for run in build_daily_runs(f"p{n:02}", dict.fromkeys(CASES[:6], (n / 20,)))
    ]
    profiles = ",".join(f"p{n:02}" for n in range(18))
    options, figure = find_charts(open_tabs(runs, profiles=profiles))["tlp_pairs_drawn"]
    (trace,) = figure["data"]
    assert len(trace["x"]) == 18 * 17
    assert set(trace["marker"]["symbol"]) == {"triangle-up", "triangle-down"}
    assert options["table"]["rows"]
    go.Figure(figure)


def test_a_step_of_several_small_parts_has_a_label() -> None:
    step = run_detail.Step("lost", "", -3, 4)
    assert run_detail.label_step(step) == t("timelines.case_rest", n="4")


def test_a_single_profile_without_an_alert_is_compared_with_itself() -> None:
    for query in ({"profiles": "high"}, {"profiles": "high", "a": "high"}):
        app = open_tabs(**query)
        assert "high before" in html(app)
        assert t("timelines.cmp_needs_two", name="high") not in html(app)


def test_too_few_shared_cases_have_no_significance_anywhere() -> None:
    runs = [scored(name, f"case {n}", score) for name, score in (("a", 0.3), ("b", 0.6)) for n in range(3)]
    shown = html(open_tabs(runs, a="a", b="b", tab="compare"))
    assert "Too few shared cases" in shown
    assert "significant" not in shown


def test_a_profile_with_as_many_runs_as_the_page_reads_may_have_older_ones() -> None:
    runs = [scored("many", f"case {n}", 0.5, n) for n in range(data.MAX_RUNS_PER_PROFILE)]
    runs.append(scored("few", "case 1", 0.5))
    assert data.has_profile_at_limit(table(runs), TimelinesState(profiles=("few", "many")))
    assert not data.has_profile_at_limit(table(runs), TimelinesState(profiles=("few",)))


def test_a_list_without_evaluations_of_the_drawn_profiles_is_not_shown() -> None:
    runs = [scored("with", "case 1", 0.5, evaluation_id="e1"), scored("without", "case 1", 0.5)]
    shown = open_tabs(runs, profiles="without", tab="runs")
    assert t("timelines.evaluations") not in html(shown)
