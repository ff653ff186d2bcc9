"""The heatmap of cases by profiles, as one trace over a hatched ground that shows where nothing was run."""

from collections.abc import Sequence
from urllib.parse import quote

import numpy as np

from backend.timelines.analysis.heatmap import Heatmap
from backend.timelines.columns.run_arrays import Ints
from dashboard.app_pages.timelines.comparison_data import compact, plain, shorts
from dashboard.app_pages.timelines.markup import percent
from dashboard.charts import plotting
from dashboard.charts.plotly_chart import Figure, Table
from dashboard.frame.formats import UNKNOWN
from dashboard.frame.palette import mix
from dashboard.frame.theme import Theme
from dashboard.i18n import t

ROW, HEAD = 20, 132
NUMBERS_TO = 10
"""Up to so many profiles' cells carry their number, which fits them on a phone too."""
SCALE_STEPS = (0.06, 0.22, 0.38, 0.54, 0.7)
"""How much of the accent is in the colours from 0 to 100; text on them stays readable in ink."""


def height(shown: Heatmap) -> int:
    return HEAD + ROW * max(len(shown.cases), 3)


def figure(shown: Heatmap, profiles: Sequence[str], cases: Sequence[str], look: Theme) -> Figure:
    """Cases down, the most disputed on top; profiles across, the best first."""
    across, down = _names(shown.profiles, profiles), _names(shown.cases, cases)
    x, y = [plain(name) for name in across], [plain(name) for name in down]
    steps = [step * (0.8 if look.dark else 1) for step in SCALE_STEPS]
    ramp = [
        [place / (len(steps) - 1), mix(look.accent, look.background, step)]
        for place, step in enumerate(steps)
    ]
    few = len(shown.profiles) <= NUMBERS_TO
    trace = {
        "type": "heatmap",
        "x": x,
        "y": y,
        "z": [compact(100 * row, 1) for row in shown.mean.T],
        "customdata": shown.runs.T.tolist(),
        "zmin": 0,
        "zmax": 100,
        "colorscale": ramp,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": (
            "%{y}<br>%{x}<br><b>%{z:.1f} %</b> · "
            f"{t('timelines.case_runs')} %{{customdata}}<extra></extra>"
        ),
        **({"texttemplate": "%{z:.0f}", "textfont": {"color": look.ink, "size": 10}} if few else {}),
    }
    axis = {"showgrid": False, "zeroline": False, "type": "category", "fixedrange": True}
    layout = {
        "margin": {"l": 164, "r": 2, "t": HEAD - 6, "b": 6},
        "font": {"color": look.ink, "size": 11},
        "hoverlabel": plotting.hover_label(look.ink, look.background),
        "uirevision": "heat",
        "images": [_hatch(look)],
        "xaxis": {
            **axis, "side": "top", "tickangle": -90, "tickvals": x, "ticktext": shorts(across, 20),
        },
        "yaxis": {**axis, "autorange": "reversed", "tickvals": y, "ticktext": shorts(down, 26)},
    }  # fmt: skip
    return plotting.figure([trace], layout)


def _hatch(look: Theme) -> dict[str, object]:
    """The ground under the cells, which shows where there is none."""
    line, ground = mix(look.ink, look.background, 0.28), mix(look.ink, look.background, 0.04)
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%"><defs>'
        '<pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="6" height="6" fill="{ground}"/><rect width="1.4" height="6" fill="{line}"/></pattern>'
        '</defs><rect width="100%" height="100%" fill="url(#h)"/></svg>'
    )
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "sizex": 1, "sizey": 1}
    return {
        "source": f"data:image/svg+xml,{quote(svg)}", "layer": "below", "sizing": "stretch", **place,
    }  # fmt: skip


def _names(places: Ints, names: Sequence[str]) -> list[str]:
    return [names[place] for place in places]


def alt(shown: Heatmap, cases: Sequence[str]) -> str:
    """The heatmap in a sentence: its size, its most disputed case, and how much was not run."""
    told = t("timelines.case_heat_alt", profiles=len(shown.profiles), cases=len(shown.cases))
    most = shown.disagreement[0] if len(shown.disagreement) else np.nan
    if not np.isnan(most) and most > 0:
        told += " " + t("timelines.case_heat_most", case=cases[shown.cases[0]])
    missing = int((shown.runs == 0).sum())
    return f"{told} {t('timelines.case_heat_missing', n=f'{missing:,}')}" if missing else told


def table(shown: Heatmap, profiles: Sequence[str], cases: Sequence[str]) -> Table:
    """The same in figures, for at most as many profiles as a reader can go through."""
    head = [t("timelines.case_case"), t("timelines.case_disagreement"), *_names(shown.profiles, profiles)]
    rows = []
    for column, case in enumerate(shown.cases):
        apart = float(shown.disagreement[column])
        means = shown.mean[:, column].tolist()
        rows.append(
            [
                cases[case],
                UNKNOWN if np.isnan(apart) else percent(apart),
                *(t("timelines.case_not_run") if value != value else percent(value) for value in means),
            ]
        )
    return Table(t("timelines.case_heat"), head, rows)
