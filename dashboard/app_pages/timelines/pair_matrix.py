"""All pairs at once, corrected for how many they are; a press compares the pair."""

from html import unescape
from typing import Any

import numpy as np
import orjson
import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.analysis.pairwise_comparison import PairMatrix
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import comparison_data as parts
from dashboard.app_pages.timelines import section_text as words
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.comparison_data import PairCell
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table, chart
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import theme
from dashboard.i18n import language, t

MOST = 16
"""Profiles whose pairs are a table of links; those of more are drawn."""
GL_FROM = 5_000
KEY, DRAWN = "tlp_pairs", "tlp_pairs_drawn"


def show(arrays: RunArrays, matrix: PairMatrix, chosen: tuple[str, str]) -> None:
    if len(matrix.profiles) < 3:
        return
    words.heading(t("timelines.cmp_pairs"), level=3)
    if not matrix.compared:
        words.note(t("timelines.cmp_pairs_none"))
        return
    words.note(verdicts.pairs_sentence(matrix, language()), t("timelines.cmp_pairs_note"))
    names = list(arrays.profiles)
    if len(matrix.profiles) <= MOST:
        live_view([_table(matrix, names, chosen)], key=KEY, on_open=_opened)
        return
    look = theme.current_theme()
    chart(
        words.marked(figure(matrix, names, look), names),
        key=DRAWN,
        height=520,
        alt=f"{t('timelines.cmp_pairs')}. {verdicts.pairs_sentence(matrix, language())}",
        table=_figures(matrix, names),
        on_pick=_picked,
        late=True,
    )


def _opened() -> None:
    text = st.session_state[KEY].open
    if isinstance(text, str):
        a, b = orjson.loads(text)
        _compare(str(a), str(b))


def _picked() -> None:
    point = st.session_state[DRAWN].picked
    if point:
        _compare(unescape(str(point["y"])), unescape(str(point["x"])))


def _compare(a: str, b: str) -> None:
    desk.choose(a=a, b=b)
    desk.redraw("compare", "cases")


def _table(matrix: PairMatrix, names: list[str], chosen: tuple[str, str]) -> Node:
    rows = [names[place] for place in matrix.profiles]
    numbers = [
        h("th", h("abbr", str(n), title=name, aria_label=name), scope="col") for n, name in enumerate(rows, 1)
    ]
    body = [
        h(
            "tr",
            h(
                "th",
                h("span", str(n), class_="tlp-n", aria_hidden="true"),
                f" {name}",
                scope="row",
                title=name,
            ),
            *(_cell(matrix, rows, n - 1, column, chosen) for column in range(len(rows))),
            key=name,
        )
        for n, name in enumerate(rows, 1)
    ]
    return h(
        "div",
        h(
            "table",
            h("caption", t("timelines.cmp_pairs_caption"), class_="cp-sr"),
            h("thead", h("tr", h("td"), *numbers)),
            h("tbody", *body),
            class_="tlp-matrix",
        ),
        class_="tlp-scroll",
        role="region",
        tabindex="0",
        aria_label=t("timelines.cmp_pairs"),
    )


def _cell(matrix: PairMatrix, rows: list[str], row: int, column: int, chosen: tuple[str, str]) -> Node:
    cell = parts.pair_cell(matrix, row, column)
    if cell.standing == "itself":
        return h("td", class_="tlp-itself")
    a, b = rows[row], rows[column]
    said = told(cell, a, b)
    text = "–" if np.isnan(cell.difference) else f"{abs(cell.difference) * 100:.0f}"
    link = h(
        "a",
        h("span", words.ARROWS[cell.standing] if cell.standing != "none" else "", class_="tlp-mark"),
        text,
        href=desk.address(a=a, b=b),
        data_open=orjson.dumps([a, b]).decode(),
        aria_label=said,
        title=said,
        aria_current="true" if (a, b) == chosen else None,
        class_=f"tlp-{cell.standing}",
    )
    return h("td", link)


def told(cell: PairCell, a: str, b: str) -> str:
    """A pair in words."""
    if np.isnan(cell.difference):
        return t("timelines.cmp_pair_none", a=a, b=b)
    reach = "" if np.isnan(cell.reach) else f" ± {verdicts.points(cell.reach)}"
    return t(
        f"timelines.cmp_pair_{'stands' if cell.standing in ('up', 'down') else 'open'}",
        a=a,
        b=b,
        size=f"{words.signed(cell.difference)}{reach}",
        p=verdicts.probability(None if np.isnan(cell.p) else cell.p),
        cases=f"{cell.cases:,}",
    )


SYMBOLS = {-1: "triangle-down", 0: "circle-open", 1: "triangle-up", 2: "line-ew-open"}


def figure(matrix: PairMatrix, names: list[str], look: theme.Theme) -> Figure:
    """One marker a pair: its shape and colour say how the column stands to the row."""
    full = [names[place] for place in matrix.profiles]
    rows = [parts.plain(name) for name in full]
    size = len(rows)
    off = ~np.eye(size, dtype=bool)
    row, column = np.nonzero(off)
    standing = parts.standings(matrix)[off].tolist()
    colours = {-1: look.shades.down, 0: look.shades.flat, 1: look.shades.up, 2: look.shades.flat}
    trace: dict[str, Any] = {
        "type": "scattergl" if len(row) > GL_FROM else "scatter",
        "mode": "markers",
        "x": [rows[place] for place in column],
        "y": [rows[place] for place in row],
        "text": [words.signed(value) if value == value else "–" for value in matrix.difference[off].tolist()],
        "marker": {
            "symbol": [SYMBOLS[one] for one in standing],
            "color": [colours[one] for one in standing],
            "size": [5 if one % 2 == 0 else 9 for one in standing] if size <= 40 else 5,
        },
        "hovertemplate": "%{x}<br>− %{y}<br><b>%{text}</b><extra></extra>",
    }
    axis = {"tickvals": rows, "showgrid": False, "zeroline": False, "tickfont": {"size": 10}}
    layout = {
        "margin": {"l": 130, "r": 4, "t": 4, "b": 110},
        "font": {"color": look.ink, "size": 11},
        "hoverlabel": plotting.hover_label(look.ink, look.background),
        "uirevision": "pairs",
        "hovermode": "closest",
        "xaxis": {**axis, "ticktext": parts.shorts(full, 16), "tickangle": -60},
        "yaxis": {**axis, "ticktext": parts.shorts(full, 18), "autorange": "reversed"},
    }
    return plotting.figure([trace], layout)


def _figures(matrix: PairMatrix, names: list[str]) -> Table:
    """The pairs that differ, the surest first."""
    rows = [names[place] for place in matrix.profiles]
    upper = np.transpose(np.triu_indices(len(rows), 1))
    cells = [(parts.pair_cell(matrix, *pair), rows[pair[0]], rows[pair[1]]) for pair in upper.tolist()]
    found = sorted((one for one in cells if one[0].standing in ("up", "down")), key=lambda one: one[0].p)
    head = [t("timelines.cmp_a"), t("timelines.cmp_b"), t("timelines.cmp_difference"), "p"]
    body = [[a, b, words.signed(cell.difference), verdicts.probability(cell.p)] for cell, a, b in found]
    return Table(t("timelines.cmp_pairs_found"), head, body)
