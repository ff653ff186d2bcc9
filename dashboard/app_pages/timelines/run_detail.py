"""Shows one run: its score in steps, reasons, facts, and links to the runs before and after it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from backend.timelines.analysis.behaviour import METRICS
from dashboard.app_pages.timelines import run_data, section_text, url_state
from dashboard.app_pages.timelines.behaviour import name_metric
from dashboard.app_pages.timelines.comparison_data import escape_markup, shorten
from dashboard.app_pages.timelines.run_data import Neighbours, Step
from dashboard.app_pages.timelines.section_text import format_percent
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table, render_chart
from dashboard.client.timelines import PointsOut, RunOut
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import formats, theme
from dashboard.frame.formats import UNKNOWN
from dashboard.i18n import language, t

RUN_KEY = "tlp_one_run"
MADE_WITH = ("agent", "provider", "model", "model_vendor", "inference_provider")
"""Fields that name what made a run; those that it does not have are left out."""
MAX_INLINE_CHARS = 600
"""Longer texts scroll in a box."""


def render(run: RunOut, neighbours: Neighbours | None) -> None:
    live_view(_build_head(run, neighbours), key=RUN_KEY, on_open=_on_run_chosen)
    steps = run_data.build_steps(run)
    render_chart(
        section_text.add_watermark(
            build_figure(steps, theme.current_theme(), run["run_id"]), (run["profile"],)
        ),
        key="tlp_waterfall",
        height=70 + 26 * len(steps),
        alt=_build_alt(run),
        table=_build_table(steps),
        lazy=True,
    )
    live_view(
        [
            h(
                "div",
                build_reasons("lost", run["deductions"]),
                build_reasons("won", run["bonuses"]),
                _build_error(run),
                class_="tlp-reasons",
            )
        ],
        key="tlp_reasons",
    )


def _on_run_chosen() -> None:
    run_id = st.session_state[RUN_KEY].open
    if isinstance(run_id, str):
        url_state.update_state(run=run_id, tab="runs")
        url_state.redraw_sections("tab")


def _build_head(run: RunOut, neighbours: Neighbours | None) -> list[Node | None]:
    outcome = "passed" if run["success"] else "machinery" if run["machinery_failure"] else "failed"
    title = h("h3", t("timelines.run_one", id=run["run_id"]), class_="tlp-subhead")
    badge = h("span", t(f"timelines.run_{outcome}"), class_=f"cp-badge tlp-badge-{outcome}")
    share = h("strong", format_percent(run["normalized_score"]), class_="tlp-share")
    return [
        h(
            "div",
            title,
            h("p", share, " ", badge, class_="tlp-outcome"),
            _build_neighbour_links(neighbours),
            _build_facts(run),
            class_="tlp-one",
        )
    ]


def _build_neighbour_links(neighbours: Neighbours | None) -> Node | None:
    if neighbours is None:
        return h("p", t("timelines.run_outside"), class_="cp-note")
    position = t("timelines.run_place", place=f"{neighbours.position:,}", of=f"{neighbours.total:,}")
    links: list[Node | None] = [
        None
        if run_id is None
        else h(
            "a",
            t(f"timelines.run_{direction}"),
            href=url_state.build_run_link(run_id),
            data_open=run_id,
            class_="tlp-turn",
        )
        for direction, run_id in (("previous", neighbours.previous), ("following", neighbours.following))
    ]
    return h("p", links[0], h("span", position, class_="cp-note"), links[1], class_="tlp-around")


def _build_facts(run: RunOut) -> Node:
    values: Mapping[str, Any] = run
    metrics: Mapping[str, Any] = run["metrics"]
    pairs: list[tuple[str, str | None]] = [
        (t("timelines.case_case"), run["case_id"]),
        (t("timelines.case_profile"), run["profile"]),
        (t("timelines.run_when"), _format_time(run["timestamp"])),
        (t("timelines.run_took"), _format_duration(run)),
        *((t(f"timelines.run_{name}"), values[name]) for name in MADE_WITH if values[name]),
        (t("timelines.run_cost"), None if run["cost_usd"] is None else f"${run['cost_usd']:,.4g}"),
    ]
    pairs += [(name_metric(name), _format_metric(metrics[name])) for name in METRICS]
    return h(
        "dl", *(h("div", h("dt", name), h("dd", text or UNKNOWN)) for name, text in pairs), class_="tlp-facts"
    )


def _format_metric(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3g}"


def _format_time(timestamp: str) -> str | None:
    at = formats.parse_instant(timestamp)
    if at is None:
        return None
    local = section_text.format_local_time(at)
    return f"{local.text} ({local.utc})"


def _format_duration(run: RunOut) -> str | None:
    started, finished = formats.parse_instant(run["timestamp"]), formats.parse_instant(run["finished_at"])
    if started is None or finished is None:
        return None
    return formats.duration((finished - started).total_seconds(), language())


def build_reasons(kind: Literal["lost", "won"], parts: Sequence[PointsOut]) -> Node | None:
    """Build a list of deductions or bonuses, the largest first; None if there are none."""
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
                    f"{sign}{run_data.format_amount(part['points'])}",
                    class_=f"tlp-num tlp-{'down' if kind == 'lost' else 'up'}",
                ),
                h("span", part["name"], class_="tlp-reason"),
            ),
            build_text(part["description"], part["name"]),
        )
        for part in sorted(parts, key=_negate_points)
    ]
    return h("div", h("h3", t(f"timelines.run_{kind}"), class_="tlp-subhead"), h("ul", *rows))


def _negate_points(part: PointsOut) -> float:
    return -part["points"]


def build_text(content: str, label: str) -> Node | None:
    """Build a text as it was sent; a long text gets a box that the keyboard can scroll."""
    if not content.strip():
        return None
    if len(content) <= MAX_INLINE_CHARS:
        return h("p", content, class_="tlp-told")
    return h("div", content, class_="tlp-told tlp-box", role="region", tabindex="0", aria_label=label)


def _build_error(run: RunOut) -> Node | None:
    if not run["error"]:
        return None
    title = t("timelines.run_error")
    return h("div", h("h3", title, class_="tlp-subhead"), build_text(run["error"], title))


def label_step(step: Step) -> str:
    if step.kind in ("raw", "total"):
        return t(f"timelines.run_{step.kind}")
    return step.name or t("timelines.case_rest", n=f"{step.parts:,}")


def _format_step(step: Step) -> str:
    formatted = run_data.format_amount(step.amount)
    return formatted if step.kind in ("raw", "total") or step.amount < 0 else f"+{formatted}"


def build_figure(steps: Sequence[Step], page_theme: theme.Theme, identity: str) -> Figure:
    """Build a waterfall from raw to total, top down. Positions distinguish steps with the same name."""
    positions = list(range(len(steps)))
    trace: dict[str, Any] = {
        "type": "waterfall",
        "orientation": "h",
        "y": positions,
        "x": [round(step.amount, 6) for step in steps],
        "measure": [
            "absolute" if step.kind == "raw" else "total" if step.kind == "total" else "relative"
            for step in steps
        ],
        "text": [_format_step(step) for step in steps],
        "textposition": "auto",
        "customdata": [escape_markup(label_step(step)) for step in steps],
        "hovertemplate": "%{customdata}<br><b>%{text}</b><extra></extra>",
        "increasing": {"marker": {"color": page_theme.shades.up}},
        "decreasing": {"marker": {"color": page_theme.shades.down}},
        "totals": {"marker": {"color": page_theme.shades.flat}},
        "connector": {"line": {"color": page_theme.shades.flat, "width": 1, "dash": "dot"}},
        "outsidetextfont": {"color": page_theme.ink},
        "insidetextfont": {"color": page_theme.background},
        "cliponaxis": False,
    }
    grid = plotting.fade(page_theme.ink, 0.14)
    layout = {
        "margin": {"l": 140, "r": 40, "t": 6, "b": 30},
        "font": {"color": page_theme.ink, "size": 12},
        "hoverlabel": plotting.build_hover_label(page_theme.ink, page_theme.background),
        "showlegend": False,
        "uirevision": identity,
        "xaxis": {"gridcolor": grid, "zerolinecolor": grid, "fixedrange": True},
        "yaxis": {
            "autorange": "reversed", "fixedrange": True, "showgrid": False, "zeroline": False,
            "tickvals": positions,
            "ticktext": [escape_markup(shorten(label_step(step), 21)) for step in steps],
        },
    }  # fmt: skip
    return plotting.build_figure([trace], layout)


def _build_alt(run: RunOut) -> str:
    return t(
        "timelines.run_alt",
        raw=run_data.format_amount(run["raw_score"]),
        lost=run_data.format_amount(sum(part["points"] for part in run["deductions"])),
        won=run_data.format_amount(sum(part["points"] for part in run["bonuses"])),
        total=run_data.format_amount(run["total_score"]),
        max=run_data.format_amount(run["max_score"]),
    )


def _build_table(steps: Sequence[Step]) -> Table:
    head = [t("timelines.case_reason"), t("timelines.case_points")]
    return Table(
        t("timelines.run_waterfall"), head, [[label_step(step), _format_step(step)] for step in steps]
    )
