"""Shows the corrected differences of all pairs of profiles; a click compares the pair."""

from html import unescape
from typing import Any

import numpy as np
import orjson
import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.analysis.pairwise_comparison import PairMatrix
from backend.timelines.columns.run_arrays import RunArrays
from backend.timelines.statistics.paired_comparison import MIN_CASES
from dashboard.app_pages.timelines import comparison_data, pair, section_text, url_state
from dashboard.app_pages.timelines.comparison_data import PairCell
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table, render_chart
from dashboard.components.live_view import Node, h, live_view
from dashboard.frame import theme
from dashboard.i18n import language, t
from dashboard.i18n.punctuation import end_sentence, join_sentences

MAX_TABLE_PROFILES = 16
"""Maximum number of profiles in a table of links; the pairs of more profiles are a figure."""
MAX_SVG_MARKERS = 5_000
TABLE_KEY, FIGURE_KEY = "tlp_pairs", "tlp_pairs_drawn"


def render(arrays: RunArrays, matrix: PairMatrix, chosen: tuple[str, str]) -> None:
    if len(matrix.profiles) < 3:
        return
    section_text.render_heading(t("timelines.cmp_pairs"))
    if not matrix.compared_pairs:
        section_text.render_note(t("timelines.cmp_pairs_none", fewest=MIN_CASES))
        return
    section_text.render_note(verdicts.pairs_sentence(matrix, language()), t("timelines.cmp_pairs_note"))
    names = list(arrays.profiles)
    if len(matrix.profiles) <= MAX_TABLE_PROFILES:
        live_view([_build_table(matrix, names, chosen)], key=TABLE_KEY, on_open=_on_pair_opened)
        return
    page_theme = theme.current_theme()
    render_chart(
        section_text.add_watermark(build_figure(matrix, names, page_theme), names),
        key=FIGURE_KEY,
        height=520,
        alt=join_sentences(
            end_sentence(t("timelines.cmp_pairs")), verdicts.pairs_sentence(matrix, language())
        ),
        table=_build_figure_table(matrix, names),
        on_pick=_on_marker_clicked,
        lazy=True,
    )


def _on_pair_opened() -> None:
    text = st.session_state[TABLE_KEY].open
    if isinstance(text, str):
        a, b = orjson.loads(text)
        pair.compare(str(a), str(b))


def _on_marker_clicked() -> None:
    point = st.session_state[FIGURE_KEY].picked
    if point:
        pair.compare(unescape(str(point["y"])), unescape(str(point["x"])))


def _build_table(matrix: PairMatrix, names: list[str], chosen: tuple[str, str]) -> Node:
    rows, links = [names[index] for index in matrix.profiles], url_state.LinkBuilder()
    numbers = [
        h("th", h("abbr", str(n), title=name, aria_label=name), scope="col") for n, name in enumerate(rows, 1)
    ]
    body = [
        h(
            "tr",
            h(
                "th",
                h(
                    "span",
                    h("span", str(n), class_="tlp-n", aria_hidden="true"),
                    section_text.build_name(name, "tlp-row"),
                ),
                scope="row",
                title=name,
            ),
            *(_build_cell(matrix, rows, n - 1, column, chosen, links) for column in range(len(rows))),
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


def _build_cell(
    matrix: PairMatrix,
    rows: list[str],
    row: int,
    column: int,
    chosen: tuple[str, str],
    links: url_state.LinkBuilder,
) -> Node:
    cell = comparison_data.build_pair_cell(matrix, row, column)
    if cell.outcome == "itself":
        return h("td", class_="tlp-itself")
    a, b = rows[row], rows[column]
    description = describe_pair(cell, a, b)
    text = "–" if cell.outcome == "none" else f"{abs(cell.difference) * 100:.0f}"
    link = h(
        "a",
        h("span", section_text.ARROWS[cell.outcome] if cell.outcome != "none" else "", class_="tlp-mark"),
        text,
        href=links.build(profile_a=a, profile_b=b),
        data_open=orjson.dumps([a, b]).decode(),
        aria_label=description,
        title=description,
        aria_current="true" if (a, b) == chosen else None,
        class_=f"tlp-{cell.outcome}",
    )
    return h("td", link)


def describe_pair(cell: PairCell, a: str, b: str) -> str:
    """Describe a pair's difference in a sentence."""
    if cell.outcome == "none":
        if not cell.cases:
            return t("timelines.cmp_pair_none", a=a, b=b)
        return t("timelines.cmp_pair_few", a=a, b=b, cases=f"{cell.cases:,}", fewest=MIN_CASES)
    return t(
        f"timelines.cmp_pair_{'stands' if cell.outcome in ('up', 'down') else 'open'}",
        a=a,
        b=b,
        size=section_text.format_difference(cell.difference, cell.interval),
        p=verdicts.probability(cell.p),
        cases=f"{cell.cases:,}",
    )


SYMBOLS = {-1: "triangle-down", 0: "circle-open", 1: "triangle-up", 2: "line-ew-open"}


def build_figure(matrix: PairMatrix, names: list[str], page_theme: theme.Theme) -> Figure:
    """Build one marker per pair; shape and colour show the column's outcome against the row."""
    full_names = [names[index] for index in matrix.profiles]
    rows = [comparison_data.escape_markup(name) for name in full_names]
    size = len(rows)
    off_diagonal = ~np.eye(size, dtype=bool)
    row, column = np.nonzero(off_diagonal)
    outcomes = comparison_data.build_outcomes(matrix)[off_diagonal].tolist()
    colours = {
        -1: page_theme.shades.down,
        0: page_theme.shades.flat,
        1: page_theme.shades.up,
        2: page_theme.shades.flat,
    }
    trace: dict[str, Any] = {
        "type": "scattergl" if len(row) > MAX_SVG_MARKERS else "scatter",
        "mode": "markers",
        "x": [rows[index] for index in column],
        "y": [rows[index] for index in row],
        "text": [
            section_text.format_signed_points(value) if outcome != 2 else "–"
            for value, outcome in zip(matrix.difference[off_diagonal].tolist(), outcomes, strict=True)
        ],
        "marker": {
            "symbol": [SYMBOLS[outcome] for outcome in outcomes],
            "color": [colours[outcome] for outcome in outcomes],
            "size": [5 if outcome % 2 == 0 else 9 for outcome in outcomes] if size <= 40 else 5,
        },
        "hovertemplate": "%{x}<br>− %{y}<br><b>%{text}</b><extra></extra>",
    }
    axis = {"tickvals": rows, "showgrid": False, "zeroline": False, "tickfont": {"size": 10}}
    layout = {
        "margin": {"l": 130, "r": 4, "t": 4, "b": 110},
        "font": {"color": page_theme.ink, "size": 11},
        "hoverlabel": plotting.build_hover_label(page_theme.ink, page_theme.background),
        "uirevision": "pairs",
        "hovermode": "closest",
        "xaxis": {**axis, "ticktext": comparison_data.shorten_labels(full_names, 16), "tickangle": -60},
        "yaxis": {
            **axis,
            "ticktext": comparison_data.shorten_labels(full_names, 18),
            "autorange": "reversed",
        },
    }
    return plotting.build_figure([trace], layout)


def _build_figure_table(matrix: PairMatrix, names: list[str]) -> Table:
    """Build a table of the pairs that differ, smallest p first."""
    rows = [names[index] for index in matrix.profiles]
    upper = np.transpose(np.triu_indices(len(rows), 1))
    cells = [
        (comparison_data.build_pair_cell(matrix, *pair), rows[pair[0]], rows[pair[1]])
        for pair in upper.tolist()
    ]
    differing = sorted(
        (cell for cell in cells if cell[0].outcome in ("up", "down")), key=lambda cell: cell[0].p
    )
    head = [t("timelines.cmp_a"), t("timelines.cmp_b"), t("timelines.cmp_difference"), "p"]
    body = [
        [a, b, section_text.format_signed_points(cell.difference), verdicts.probability(cell.p)]
        for cell, a, b in differing
    ]
    return Table(t("timelines.cmp_pairs_found"), head, body)
