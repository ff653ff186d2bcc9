"""One run: what it scored step by step, why, how the agent behaved, and the runs before and after it."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from backend.timelines.analysis.behaviour import METRICS
from dashboard.app_pages.timelines import run_data as reading
from dashboard.app_pages.timelines import section_text as words
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.behaviour import metric_name
from dashboard.app_pages.timelines.comparison_data import plain, short
from dashboard.app_pages.timelines.markup import percent
from dashboard.app_pages.timelines.run_data import Neighbours, Step
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table, chart
from dashboard.client.timelines import PointsOut, RunOut
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import formats, theme
from dashboard.frame.formats import UNKNOWN
from dashboard.i18n import language, t

KEY = "tlp_one_run"
LONG = 600
"""Characters from which on a text scrolls in a box of its own."""


def show(run: RunOut, around: Neighbours | None) -> None:
    live_view(_head(run, around), key=KEY, on_open=_turned)
    every = reading.steps(run)
    chart(
        words.marked(figure(every, theme.current_theme(), run["run_id"]), (run["profile"],)),
        key="tlp_waterfall",
        height=70 + 26 * len(every),
        alt=_alt(run),
        table=_table(every),
        late=True,
    )
    live_view(
        [
            h(
                "div",
                _reasons("lost", run["deductions"]),
                _reasons("won", run["bonuses"]),
                _error(run),
                class_="tlp-reasons",
            )
        ],
        key="tlp_reasons",
    )


def _turned() -> None:
    run_id = st.session_state[KEY].open
    if isinstance(run_id, str):
        desk.choose(run=run_id)
        desk.redraw("run")


def _head(run: RunOut, around: Neighbours | None) -> list[Node | None]:
    outcome = "passed" if run["success"] else "machinery" if run["machinery_failure"] else "failed"
    title = h("h3", t("timelines.run_one", id=run["run_id"]), class_="tlp-subhead")
    badge = h("span", t(f"timelines.run_{outcome}"), class_=f"cp-badge tlp-badge-{outcome}")
    share = h("strong", percent(run["normalized_score"]), class_="tlp-share")
    return [
        h(
            "div",
            title,
            h("p", share, " ", badge, class_="tlp-outcome"),
            _around(around),
            _facts(run),
            class_="tlp-one",
        )
    ]


def _around(around: Neighbours | None) -> Node | None:
    if around is None:
        return h("p", t("timelines.run_outside"), class_="cp-note")
    told = t("timelines.run_place", place=f"{around.place:,}", of=f"{around.of:,}")
    links: list[Node | None] = [
        None
        if run_id is None
        else h(
            "a", t(f"timelines.run_{way}"), href=desk.run_link(run_id), data_open=run_id, class_="tlp-turn"
        )
        for way, run_id in (("previous", around.previous), ("following", around.following))
    ]
    return h("p", links[0], h("span", told, class_="cp-note"), links[1], class_="tlp-around")


def _facts(run: RunOut) -> Node:
    metrics = run["metrics"]
    pairs: list[tuple[str, str | None]] = [
        (t("timelines.case_case"), run["case_id"]),
        (t("timelines.case_profile"), run["profile"]),
        (t("timelines.run_when"), _when(run["timestamp"])),
        (t("timelines.run_took"), _took(run)),
        (t("timelines.run_model"), _made_with(run)),
        (t("timelines.run_agent"), run["agent"] or run["provider"]),
        (t("timelines.run_cost"), None if run["cost_usd"] is None else f"${run['cost_usd']:,.4g}"),
    ]
    values: Mapping[str, Any] = metrics
    pairs += [(metric_name(name), _metric(values[name])) for name in METRICS]
    return h(
        "dl", *(h("div", h("dt", name), h("dd", text or UNKNOWN)) for name, text in pairs), class_="tlp-facts"
    )


def _metric(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3g}"


def _made_with(run: RunOut) -> str | None:
    parts = [run["model"], run["model_vendor"], run["inference_provider"]]
    return " · ".join(part for part in parts if part) or None


def _when(timestamp: str) -> str | None:
    at = formats.parse_instant(timestamp)
    if at is None:
        return None
    local = words.moment(at)
    return f"{local.text} ({local.utc})"


def _took(run: RunOut) -> str | None:
    begun, ended = formats.parse_instant(run["timestamp"]), formats.parse_instant(run["finished_at"])
    if begun is None or ended is None:
        return None
    return formats.duration((ended - begun).total_seconds(), language())


def _reasons(kind: str, parts: Sequence[PointsOut]) -> Node | None:
    if not parts:
        return None
    sign = "\u2212" if kind == "lost" else "+"
    rows = [
        h(
            "li",
            h(
                "p",
                h(
                    "span",
                    f"{sign}{reading.number(part['points'])}",
                    class_=f"tlp-num tlp-{'down' if kind == 'lost' else 'up'}",
                ),
                h("span", part["name"], class_="tlp-reason"),
            ),
            _long(part["description"], part["name"]),
        )
        for part in sorted(parts, key=_most_first)
    ]
    return h("div", h("h3", t(f"timelines.run_{kind}"), class_="tlp-subhead"), h("ul", *rows))


def _most_first(part: PointsOut) -> float:
    return -part["points"]


def _long(told: str, label: str) -> Node | None:
    """A text as it was sent; a long one in a box that the keyboard can scroll."""
    if not told.strip():
        return None
    if len(told) <= LONG:
        return h("p", told, class_="tlp-told")
    return h("div", told, class_="tlp-told tlp-box", role="region", tabindex="0", aria_label=label)


def _error(run: RunOut) -> Node | None:
    if not run["error"]:
        return None
    title = t("timelines.run_error")
    return h("div", h("h3", title, class_="tlp-subhead"), _long(run["error"], title))


def label(step: Step) -> str:
    if step.kind in ("raw", "total"):
        return t(f"timelines.run_{step.kind}")
    return step.name or t("timelines.case_rest", n=f"{step.parts:,}")


def _amount(step: Step) -> str:
    written = reading.number(step.amount)
    return written if step.kind in ("raw", "total") or step.amount < 0 else f"+{written}"


def figure(every: Sequence[Step], look: theme.Theme, identity: str) -> Figure:
    """From raw to total, top down. Steps that share a name are kept apart by their place."""
    places = list(range(len(every)))
    trace: dict[str, Any] = {
        "type": "waterfall",
        "orientation": "h",
        "y": places,
        "x": [round(step.amount, 6) for step in every],
        "measure": [
            "absolute" if step.kind == "raw" else "total" if step.kind == "total" else "relative"
            for step in every
        ],
        "text": [_amount(step) for step in every],
        "textposition": "auto",
        "customdata": [plain(label(step)) for step in every],
        "hovertemplate": "%{customdata}<br><b>%{text}</b><extra></extra>",
        "increasing": {"marker": {"color": look.shades.up}},
        "decreasing": {"marker": {"color": look.shades.down}},
        "totals": {"marker": {"color": look.shades.flat}},
        "connector": {"line": {"color": look.shades.flat, "width": 1, "dash": "dot"}},
        "outsidetextfont": {"color": look.ink},
        "insidetextfont": {"color": look.background},
        "cliponaxis": False,
    }
    grid = plotting.faint(look.ink, 0.14)
    layout = {
        "margin": {"l": 140, "r": 40, "t": 6, "b": 30},
        "font": {"color": look.ink, "size": 12},
        "hoverlabel": plotting.hover_label(look.ink, look.background),
        "showlegend": False,
        "uirevision": identity,
        "xaxis": {"gridcolor": grid, "zerolinecolor": grid, "fixedrange": True},
        "yaxis": {
            "autorange": "reversed", "fixedrange": True, "showgrid": False, "zeroline": False,
            "tickvals": places, "ticktext": [plain(short(label(step), 21)) for step in every],
        },
    }  # fmt: skip
    return plotting.figure([trace], layout)


def _alt(run: RunOut) -> str:
    return t(
        "timelines.run_alt",
        raw=reading.number(run["raw_score"]),
        lost=reading.number(sum(part["points"] for part in run["deductions"])),
        won=reading.number(sum(part["points"] for part in run["bonuses"])),
        total=reading.number(run["total_score"]),
        max=reading.number(run["max_score"]),
    )


def _table(every: Sequence[Step]) -> Table:
    head = [t("timelines.case_reason"), t("timelines.case_points")]
    return Table(t("timelines.run_waterfall"), head, [[label(step), _amount(step)] for step in every])
