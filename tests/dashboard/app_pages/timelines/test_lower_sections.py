"""The comparison, the cases and the runs of the Timelines page, in each language and state."""

import json
from typing import Any

import orjson
import plotly.graph_objects
import pytest
from streamlit.testing.v1 import AppTest

from backend.timelines.model import Metrics
from dashboard.app_pages.timelines import run_detail
from dashboard.client import Fetched, Problem, timelines
from dashboard.i18n import LANGUAGES, t
from tests.support.pages import html
from tests.support.scored_runs import START, rounds, table
from tests.support.scored_runs import run as scored
from tests.support.waiting import LIMIT_SECONDS

go: Any = plotly.graph_objects  # the package carries no types
EVIL = "<b>evil</b>"
CASES = [f"case {n}" for n in range(30)]
RUNS = [
    *rounds("high", {case: (0.9, 0.8 + n / 300) for n, case in enumerate(CASES)}),
    *rounds("low", {case: (0.3, 0.4 - n / 300) for n, case in enumerate(CASES)}),
    *rounds("partly", dict.fromkeys(CASES[:6], (0.5, 0.5))),
    *rounds(EVIL, {EVIL: (0.5,)}),
    scored("high", CASES[0], 0, 900, machinery_failure=True, run_id="broken"),
]
ONE = {
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

    from backend.timelines.columns.run_arrays import select
    from dashboard.app_pages.timelines import cases, comparison
    from dashboard.app_pages.timelines import runs as timelines_run
    from dashboard.app_pages.timelines import url_state as desk

    st.session_state["language"] = st.query_params.get("lang", "en")
    sections = {"compare": comparison, "cases": cases, "run": timelines_run}
    for part, view in sections.items():

        def draw(view: "Any" = view) -> None:
            state = desk.current()
            view.section(select(runs, profiles=state.profiles or None), state)

        st.fragment(draw, key=desk.PARTS[part])()


def opened(runs: Any = RUNS, **query: str) -> AppTest:
    app = AppTest.from_function(page, kwargs={"runs": table(runs)}, default_timeout=LIMIT_SECONDS)
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


def live(app: AppTest) -> str:
    return "\n".join(
        json.dumps(json.loads(part.proto.json), ensure_ascii=False)
        for part in app.get("bidi_component")
        if part.proto.component_name == "chainproof.live_view"
    )


def drawings(app: AppTest) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """What each drawing is told, and its figure."""
    sent = [
        part.proto.bytes.split(b"\n", 1)
        for part in app.get("bidi_component")
        if part.proto.component_name == "chainproof.plotly_chart"
    ]
    return {(told := orjson.loads(about))["key"]: (told, orjson.loads(figure)) for about, figure in sent}


def ledger(app: AppTest) -> list[Any]:
    (part,) = [p for p in app.get("bidi_component") if p.proto.component_name == "chainproof.sortable_table"]
    rows: list[Any] = orjson.loads(part.proto.bytes)["rows"]
    return rows


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_sections_are_there_in_every_language(lang: Any) -> None:
    app = opened(lang=lang)
    for key in ("cmp_title", "case_title", "run_title", "case_heat", "cmp_by_case", "cmp_pairs"):
        assert t(f"timelines.{key}", lang=lang) in html(app)
    assert html(app).count("<h2") == 3


def test_the_verdict_its_figures_and_what_was_left_out_are_told() -> None:
    told = live(opened(a="low", b="high"))
    assert "high is ahead by " in told
    assert "the difference is significant" in told
    assert "30 · 0 · 0" in told
    assert "1 run of high is excluded: the infrastructure failed, not the model." in told


def test_disjoint_cases_refuse_a_comparison_and_say_why() -> None:
    app = opened(a="high", b=EVIL)
    assert "share no cases" in live(app)
    assert "tlp-refused" in live(app)
    assert t("timelines.cmp_by_case") not in html(app)
    assert t("timelines.case_lost_no_cases") in html(app)


def test_one_profile_alone_is_told_what_a_comparison_needs() -> None:
    app = opened(profiles="low")
    assert t("timelines.cmp_needs_two", name="low") in html(app)
    assert "tlp_pareto" in drawings(app)


def test_a_selection_without_runs_says_so_in_each_section() -> None:
    assert html(opened(profiles="nobody")).count(t("timelines.cmp_needs_runs")) == 3


def test_the_pair_is_chosen_by_the_boxes_and_swapped_and_stands_in_the_link() -> None:
    app = opened(a="low", b="high")
    app.selectbox(key="tlp_b").select("partly").run()
    app.button(key="tlp_swap").click().run()
    assert not app.exception
    assert (app.query_params["a"], app.query_params["b"]) == ("partly", "low")


def test_each_cases_difference_is_a_link_to_its_runs_and_all_are_shown_when_asked() -> None:
    app = opened(a="high", b="low")
    assert live(app).count("tlp-case") == 24
    assert t("timelines.cmp_hidden", n=6) in live(app)
    assert "/timelines?a=high&b=low&case=case+29" in live(app)
    app.button(key="tlp_dots_more").click().run()
    assert live(app).count("tlp-case") == 30


def test_every_pair_carries_a_sign_beside_its_colour() -> None:
    told = live(opened())
    assert "▲" in told
    assert "▼" in told
    assert f"{EVIL} and high: no shared cases" in told


def test_drawings_are_right_by_plotlys_own_schema_and_have_tables() -> None:
    found = drawings(opened(a="high", b="low"))
    assert set(found) == {"tlp_heat", "tlp_pareto"}
    for about, figure in found.values():
        go.Figure(figure)
        assert about["alt"]
        assert about["table"]["rows"]


def test_the_heatmap_is_one_trace_that_leaves_out_what_was_not_run() -> None:
    about, figure = drawings(opened())["tlp_heat"]
    (trace,) = figure["data"]
    assert len(trace["y"]) == 25
    cells = dict(zip(trace["x"], trace["z"][0], strict=True))
    assert cells["&lt;b&gt;evil&lt;/b&gt;"] is None
    assert about["picks"]
    assert "not run" in {cell for row in about["table"]["rows"] for cell in row}
    assert figure["layout"]["images"][0]["source"].startswith("data:image/svg+xml,")


def test_metrics_and_costs_that_nobody_tells_are_told_as_such() -> None:
    app = opened()
    assert "Known for 0 of 133 runs." in html(app)
    assert t("timelines.case_cost_none") in html(app)


def test_behaviour_and_cost_are_drawn_where_they_are_told() -> None:
    told = [
        scored(name, case, score, n, cost_usd=cost, metrics=Metrics(4, 2, 0, 2 + n / 10, 0.5))
        for name, score, cost in (("high", 0.9, 2), ("low", 0.3, 1), ("dear", 0.2, 3))
        for n, case in enumerate(CASES[:4])
    ]
    app = opened(told)
    found = drawings(app)
    _, behaviour = found["tlp_behaviour"]
    assert [trace["marker"]["symbol"] for trace in behaviour["data"]] == ["circle", "circle", "diamond"]
    _, cost = found["tlp_cost"]
    assert cost["data"][0]["x"] == [1, 2]
    assert cost["data"][1]["marker"]["symbol"] == ["diamond", "diamond", "circle-open"]
    assert "1 low · 2 high · 3 dear" in html(app)
    for figure in (behaviour, cost):
        go.Figure(figure)


def test_a_case_lists_its_runs_newest_first() -> None:
    rows = ledger(opened(case=CASES[1], profiles="high,low"))
    assert len(rows) == 4
    times = [cells[0][1] for _, cells in rows]
    assert times == sorted(times, reverse=True)
    assert times[0] > START.timestamp()


def test_a_run_shows_its_steps_reasons_and_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "fetch_run", lambda _: Fetched(ONE))
    app = opened(run="r1", case=CASES[0])
    told = live(app)
    assert "65.0 %" in told
    assert EVIL in told  # in a text node
    assert "It stopped." in told
    assert t("timelines.run_outside") in told
    about, figure = drawings(app)["tlp_waterfall"]
    assert figure["data"][0]["x"] == [10, -4, 0.5, 6.5]
    assert figure["data"][0]["measure"] == ["absolute", "relative", "relative", "total"]
    assert about["alt"] == "Raw score 10, minus 4 lost, plus 0.5 gained: 6.5 of 10."
    go.Figure(figure)


def test_a_run_of_the_selection_leads_to_those_before_and_after() -> None:
    first = RUNS[0].run_id
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timelines, "fetch_run", lambda _: Fetched({**ONE, "run_id": first}))
        told = live(opened(run=first))
    assert t("timelines.run_place", place=1, of=2) in told
    assert t("timelines.run_following") in told
    assert t("timelines.run_previous") not in told


def test_a_run_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = Problem("missing", "There is no run r0.", None, 404)
    monkeypatch.setattr(timelines, "fetch_run", lambda _: Fetched(None, error=gone))
    assert "There is no run r0." in html(opened(run="r0"))


def test_pairs_of_many_profiles_are_drawn_with_a_shape_for_each_sign() -> None:
    many = [run for n in range(18) for run in rounds(f"p{n:02}", dict.fromkeys(CASES[:6], (n / 20,)))]
    about, figure = drawings(opened(many))["tlp_pairs_drawn"]
    (trace,) = figure["data"]
    assert len(trace["x"]) == 18 * 17
    assert set(trace["marker"]["symbol"]) == {"triangle-up", "triangle-down"}
    assert about["table"]["rows"]
    go.Figure(figure)


def test_a_rest_of_small_parts_has_a_name() -> None:
    step = run_detail.Step("lost", "", -3, 4)
    assert run_detail.label(step) == t("timelines.case_rest", n="4")
