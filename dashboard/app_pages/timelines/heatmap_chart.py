"""Builds the heatmap of cases by profiles; a hatched background shows cells without runs."""

from collections.abc import Sequence
from urllib.parse import quote

import numpy as np

from backend.timelines.analysis.heatmap import Heatmap
from backend.timelines.columns.run_arrays import Ints
from dashboard.app_pages.timelines.comparison_data import escape_markup, round_values, shorten_labels
from dashboard.app_pages.timelines.section_text import format_percent
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.palette import mix
from dashboard.frame.theme import Theme
from dashboard.i18n import t

ROW_PX, HEAD_PX = 20, 132
MAX_NUMBERED_PROFILES = 10
"""Maximum number of profiles whose cells show their number; more would not fit on a phone."""
ACCENT_SHARES = (0.06, 0.22, 0.38, 0.54, 0.7)
"""Share of the accent colour at even steps from 0 to 100%, so that text on it stays readable."""


def compute_height(heatmap: Heatmap) -> int:
    return HEAD_PX + ROW_PX * max(len(heatmap.cases), 3)


def build_figure(heatmap: Heatmap, profiles: Sequence[str], cases: Sequence[str], theme: Theme) -> Figure:
    """Build one trace: cases down, the largest disagreement first; profiles across, the best first."""
    across, down = _look_up_names(heatmap.profiles, profiles), _look_up_names(heatmap.cases, cases)
    x, y = [escape_markup(name) for name in across], [escape_markup(name) for name in down]
    steps = [step * (0.8 if theme.dark else 1) for step in ACCENT_SHARES]
    ramp = [
        [index / (len(steps) - 1), mix(theme.accent, theme.background, step)]
        for index, step in enumerate(steps)
    ]
    numbered = len(heatmap.profiles) <= MAX_NUMBERED_PROFILES
    trace = {
        "type": "heatmap",
        "x": x,
        "y": y,
        "z": [round_values(100 * row, 1) for row in heatmap.mean.T],
        "customdata": heatmap.runs.T.tolist(),
        "zmin": 0,
        "zmax": 100,
        "colorscale": ramp,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": (
            "%{y}<br>%{x}<br><b>%{z:.1f}%</b> · "
            f"{t('timelines.case_runs')} %{{customdata}}<extra></extra>"
        ),
        **({"texttemplate": "%{z:.0f}", "textfont": {"color": theme.ink, "size": 10}} if numbered else {}),
    }
    axis = {"showgrid": False, "zeroline": False, "type": "category", "fixedrange": True}
    layout = {
        "margin": {"l": 164, "r": 2, "t": HEAD_PX - 6, "b": 6},
        "font": {"color": theme.ink, "size": 11},
        "hoverlabel": plotting.build_hover_label(theme.ink, theme.background),
        "uirevision": "heat",
        "images": [_hatch(theme)],
        "xaxis": {
            **axis, "side": "top", "tickangle": -90, "tickvals": x, "ticktext": shorten_labels(across, 20),
        },
        "yaxis": {**axis, "autorange": "reversed", "tickvals": y, "ticktext": shorten_labels(down, 26)},
    }  # fmt: skip
    return plotting.build_figure([trace], layout)


def _hatch(theme: Theme) -> dict[str, object]:
    """Build the hatched background, which is visible where a cell is missing."""
    line, fill = mix(theme.ink, theme.background, 0.28), mix(theme.ink, theme.background, 0.04)
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%"><defs>'
        '<pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="6" height="6" fill="{fill}"/><rect width="1.4" height="6" fill="{line}"/></pattern>'
        '</defs><rect width="100%" height="100%" fill="url(#h)"/></svg>'
    )
    index = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "sizex": 1, "sizey": 1}
    return {
        "source": f"data:image/svg+xml,{quote(svg)}", "layer": "below", "sizing": "stretch", **index,
    }  # fmt: skip


def _look_up_names(indexes: Ints, names: Sequence[str]) -> list[str]:
    return [names[index] for index in indexes]


def build_alt(heatmap: Heatmap, cases: Sequence[str]) -> str:
    """Describe the size, the case with the largest disagreement, and the number of empty cells."""
    summary = t("timelines.case_heat_alt", profiles=len(heatmap.profiles), cases=len(heatmap.cases))
    largest = heatmap.disagreement[0] if len(heatmap.disagreement) else np.nan
    if not np.isnan(largest) and largest > 0:
        summary += " " + t("timelines.case_heat_most", case=cases[heatmap.cases[0]])
    missing = int((heatmap.runs == 0).sum())
    return f"{summary} {t('timelines.case_heat_missing', n=f'{missing:,}')}" if missing else summary


def build_table(heatmap: Heatmap, profiles: Sequence[str], cases: Sequence[str]) -> Table:
    """Build a table of the same means."""
    head = [
        t("timelines.case_case"),
        t("timelines.case_disagreement"),
        *_look_up_names(heatmap.profiles, profiles),
    ]
    rows = []
    for column, case in enumerate(heatmap.cases):
        disagreement = float(heatmap.disagreement[column])
        means = heatmap.mean[:, column].tolist()
        rows.append(
            [
                cases[case],
                UNKNOWN if np.isnan(disagreement) else format_percent(disagreement),
                *(
                    t("timelines.case_not_run") if value != value else format_percent(value)
                    for value in means
                ),
            ]
        )
    return Table(t("timelines.case_heat"), head, rows)
