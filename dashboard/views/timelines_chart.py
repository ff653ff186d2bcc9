"""Score over time as a drawing and as a table: a line and its band for each profile, and signs on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from backend.timelines.figures.over_time import Line
from backend.timelines.run_arrays import instant
from backend.timelines.statistics.student import Floats
from dashboard.components.chart import Figure, Table
from dashboard.i18n import t
from dashboard.palette import mix
from dashboard.services import timelines_scores as reading
from dashboard.services.timelines_scores import Mark
from dashboard.views import plotting
from dashboard.views.theme import Look
from dashboard.views.timelines_markup import percent

HEIGHT = 400
LIGHT_LINES = ("#0b57d0", "#b24700", "#00695c", "#8e24aa", "#5f6b7a", "#9a1750", "#4a6b00", "#00708f")
DARK_LINES = ("#7aa7ff", "#ffa657", "#4fd1a5", "#d7a6ff", "#b7c2d3", "#ff8fb8", "#b6d94c", "#5fd0f0")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
"""Lines differ by stroke as well as by colour, so that the ninth is not taken for the first."""
TICKS = (
    {"dtickrange": [None, 86_400_000], "value": "%H:%M\n%m-%d"},
    {"dtickrange": [86_400_000, "M1"], "value": "%m-%d\n%Y"},
    {"dtickrange": ["M1", None], "value": "%Y-%m"},
)
"""Times on the axis, in figures: Plotly knows the names of months in English alone."""
DOTTED_UP_TO = 60
"""Points of a line that are drawn as dots too; beyond, the dots would hide the line."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What is drawn. ``names`` are the profiles' by their places, ``styles`` their places in the legend."""

    lines: Sequence[Line]
    names: Sequence[str]
    styles: Mapping[int, int]
    alerts: Sequence[tuple[Mark, bool, str]]
    """Where, whether it fell, and the sentence."""
    changes: Sequence[tuple[Mark, str]]
    sample: bool
    identity: str


def colours(*, dark: bool) -> Sequence[str]:
    return DARK_LINES if dark else LIGHT_LINES


def figure(scores: Scores, look: Look) -> Figure:
    """Times in the reader's zone, scores in percent of the points there are."""
    shades = colours(dark=look.dark)
    bands = [_band(line, _shade(scores, line.profile, shades), look) for line in scores.lines]
    lines = [_line(scores, line, shades, look) for line in scores.lines]
    signs = [sign for sign in (_alerts(scores, look), _changes(scores, shades, look)) if sign]
    grid = mix(look.ink, look.background, 0.14)
    layout = {
        "margin": {"l": 48, "r": 12, "t": 12, "b": 40},
        "font": {"color": look.ink, "size": 12},
        "hovermode": "closest",
        "hoverdistance": 40,
        "hoverlabel": plotting.hover_label(look.ink, look.background),
        "showlegend": False,
        "uirevision": scores.identity,
        "xaxis": {
            "type": "date",
            "showgrid": False,
            "tickcolor": grid,
            "tickangle": 0,
            "nticks": 9,
            "tickformatstops": TICKS,
        },
        "yaxis": {
            "gridcolor": grid,
            "zeroline": False,
            "ticksuffix": " %",
            "range": _reach(scores.lines),
            "nticks": 8,
        },
        "annotations": [plotting.watermark(look.ink, 64)] if scores.sample else [],
    }
    return plotting.figure([*bands, *lines, *signs], layout)


def _shade(scores: Scores, profile: int, shades: Sequence[str]) -> str:
    return shades[scores.styles[profile] % len(shades)]


def _times(micros: Any, zone: ZoneInfo) -> list[datetime]:
    """Naive, in the zone, as Plotly shows what it is given."""
    return [instant(one).astimezone(zone).replace(tzinfo=None, microsecond=0) for one in micros]


def _band(line: Line, shade: str, look: Look) -> dict[str, Any]:
    """One closed shape a stretch, parted by gaps."""
    low, high = reading.clipped(line)
    times = _times(line.time, look.zone)
    x: list[datetime | None] = []
    y: list[float | None] = []
    for band in reading.bands(line):
        there = slice(band.first, band.end)
        x += [*times[there], *times[there][::-1], None]
        y += [*_percents(high[there]), *_percents(low[there])[::-1], None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "fill": "toself",
        "fillcolor": f"{shade}1c",
        "line": {"width": 0},
        "hoverinfo": "skip",
    }


def _line(scores: Scores, line: Line, shades: Sequence[str], look: Look) -> dict[str, Any]:
    style = scores.styles[line.profile]
    low, high = reading.clipped(line)
    told = [
        [percent(at_low), percent(at_high), f"{cases:,}", f"{runs:,}"]
        for at_low, at_high, cases, runs in zip(
            low.tolist(), high.tolist(), line.cases.tolist(), line.runs.tolist(), strict=True
        )
    ]
    name = escape(scores.names[line.profile])
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(line.time) <= DOTTED_UP_TO else "lines",
        "x": _times(line.time, look.zone),
        "y": _percents(line.mean),
        "name": name,
        "line": {
            "color": shades[style % len(shades)],
            "width": 2,
            "dash": DASHES[style // len(shades) % len(DASHES)],
        },
        "marker": {"size": 5},
        "error_y": _alone(line, low, high),
        "customdata": told,
        "hovertemplate": f"<b>{name}</b><br>%{{x|%Y-%m-%d %H:%M}}<br>{_hover()}<extra></extra>",
    }


def _alone(line: Line, low: Floats, high: Floats) -> dict[str, Any]:
    """Bars for windows without a neighbour that has a band: alone they span no surface."""
    up, down = np.zeros(len(line.mean)), np.zeros(len(line.mean))
    for band in reading.bands(line):
        if band.end - band.first == 1:
            up[band.first] = high[band.first] - line.mean[band.first]
            down[band.first] = line.mean[band.first] - low[band.first]
    return {
        "type": "data",
        "symmetric": False,
        "array": _percents(up),
        "arrayminus": _percents(down),
        "visible": bool(up.any() or down.any()),
        "thickness": 1.5,
        "width": 4,
    }


def _hover() -> str:
    """What stands beside a point, with Plotly's own places for the figures."""
    return t(
        "timelines.hover",
        mean="%{y:.1f} %",
        low="%{customdata[0]}",
        high="%{customdata[1]}",
        cases="%{customdata[2]}",
        runs="%{customdata[3]}",
    )


def _alerts(scores: Scores, look: Look) -> dict[str, Any] | None:
    if not scores.alerts:
        return None
    return _signs(
        [mark for mark, _, _ in scores.alerts],
        [said for _, _, said in scores.alerts],
        look,
        symbol=["triangle-down" if fell else "triangle-up" for _, fell, _ in scores.alerts],
        color=[look.shades.down if fell else look.shades.up for _, fell, _ in scores.alerts],
        size=15,
    )


def _changes(scores: Scores, shades: Sequence[str], look: Look) -> dict[str, Any] | None:
    if not scores.changes:
        return None
    found = [mark for mark, _ in scores.changes]
    said = [said for _, said in scores.changes]
    own = [_shade(scores, mark.profile, shades) for mark in found]
    return _signs(found, said, look, symbol="diamond", color=own, size=11)


def _signs(found: Sequence[Mark], said: Sequence[str], look: Look, **marker: Any) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": _times([mark.time for mark in found], look.zone),
        "y": [round(mark.height * 100, 2) for mark in found],
        "text": [escape(one) for one in said],
        "marker": {**marker, "line": {"color": look.background, "width": 1.5}},
        "hovertemplate": "%{text}<extra></extra>",
    }


def _percents(scores: Any) -> list[float | None]:
    return [None if np.isnan(one) else round(float(one) * 100, 2) for one in scores]


def _reach(lines: Sequence[Line]) -> tuple[float, float]:
    """From the lowest to the highest of lines and bands in percent, with a little room."""
    ends = [end for line in lines for end in (*reading.clipped(line), line.mean)]
    values = np.concatenate(ends) if ends else np.array([0.0, 1.0])
    low, high = float(np.nanmin(values)) * 100, float(np.nanmax(values)) * 100
    room = max(high - low, 2.0) * 0.06
    return low - room, high + room


def table(scores: Scores, zone: ZoneInfo) -> Table:
    """What the drawing shows, window by window, and the signs on it."""
    rows = [row for line in scores.lines for row in _rows(scores, line, zone)]
    names = ("profile", "window", "mean", "low", "high", "cases", "runs")
    return Table(t("timelines.scores"), [t(f"timelines.col_{name}") for name in names], rows)


def _rows(scores: Scores, line: Line, zone: ZoneInfo) -> list[list[str]]:
    low, high = reading.clipped(line)
    return [
        [
            scores.names[line.profile],
            f"{begins:%Y-%m-%d %H:%M}",
            percent(float(line.mean[n])),
            percent(float(low[n])),
            percent(float(high[n])),
            f"{line.cases[n]:,}",
            f"{line.runs[n]:,}",
        ]
        for n, begins in enumerate(_times(line.start, zone))
    ]
