"""Builds the chart of scores over time: a line and its band for each profile, and signs on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np

from backend.timelines.analysis.scores_over_time import Line
from backend.timelines.columns.run_arrays import instant
from backend.timelines.statistics.distributions import Floats
from dashboard.app_pages.timelines import alert_colours
from dashboard.app_pages.timelines.line_chart import ChartData, ChartLine, Sign
from dashboard.app_pages.timelines.score_data import Mark
from dashboard.frame.theme import Theme
from dashboard.i18n import t

HEIGHT_PX = 400
LIGHT_LINES = ("#0b57d0", "#b24700", "#00695c", "#8e24aa", "#5f6b7a", "#9a1750", "#4a6b00", "#00708f")
DARK_LINES = ("#7aa7ff", "#ffa657", "#4fd1a5", "#d7a6ff", "#b7c2d3", "#ff8fb8", "#b6d94c", "#5fd0f0")
DASHES = ("", "9 6", "2 4", "9 4 2 4", "16 7", "16 5 2 5")
"""The stroke changes when colours repeat, so that the ninth line differs from the first."""
COLUMNS = ("profile", "window", "mean", "low", "high", "cases", "runs")


@dataclass(frozen=True, slots=True)
class ScoreChart:
    """The chart's content. ``names`` are all profiles; ``styles`` maps their indexes to legend positions."""

    lines: Sequence[Line]
    names: Sequence[str]
    styles: Mapping[int, int]
    alerts: Sequence[tuple[Mark, bool, str]]
    """The mark, whether the score fell, and the sentence."""
    changes: Sequence[tuple[Mark, str]]
    sample: bool
    identity: str


def list_line_colours(*, dark: bool) -> Sequence[str]:
    return DARK_LINES if dark else LIGHT_LINES


def build_chart(scores: ScoreChart, theme: Theme) -> ChartData:
    """Build the chart: times in the reader's zone, scores in percent."""
    line_colours = list_line_colours(dark=theme.dark)
    return ChartData(
        lines=[_build_line(scores, line, line_colours, theme) for line in scores.lines],
        signs=[*_build_change_signs(scores, line_colours, theme), *_build_alert_signs(scores, theme)],
        ink=theme.ink,
        background=theme.background,
        watermark=t("chart.sample").upper() if scores.sample else "",
        identity=scores.identity,
    )


def list_column_names() -> list[str]:
    """List the column names of the chart's table."""
    return [t(f"timelines.col_{name}") for name in COLUMNS]


def _find_line_colour(scores: ScoreChart, profile: int, line_colours: Sequence[str]) -> str:
    return line_colours[scores.styles[profile] % len(line_colours)]


def _build_line(scores: ScoreChart, line: Line, line_colours: Sequence[str], theme: Theme) -> ChartLine:
    style = scores.styles[line.profile]
    return ChartLine(
        name=scores.names[line.profile],
        colour=line_colours[style % len(line_colours)],
        dash=DASHES[style // len(line_colours) % len(DASHES)],
        start=_to_local_seconds(line.start.tolist(), theme),
        time=_to_local_seconds(line.time.tolist(), theme),
        mean=_to_percent(line.mean),
        low=_to_percent(line.low),
        high=_to_percent(line.high),
        cases=line.cases.tolist(),
        runs=line.runs.tolist(),
        breaks=line.breaks.tolist(),
    )


def _to_local_seconds(micros: Iterable[int], theme: Theme) -> list[int]:
    """Convert microseconds to seconds of the reader's local clock, as if it were UTC."""
    local = (instant(micros_since_epoch).astimezone(theme.zone) for micros_since_epoch in micros)
    return [int(local_time.replace(tzinfo=UTC).timestamp()) for local_time in local]


def _build_alert_signs(scores: ScoreChart, theme: Theme) -> list[Sign]:
    return [
        _build_sign(
            "down" if fell else "up",
            alert_colours.get_chart_colour(theme.shades, fell=fell),
            mark,
            sentence,
            theme,
        )
        for mark, fell, sentence in scores.alerts
    ]


def _build_change_signs(scores: ScoreChart, line_colours: Sequence[str], theme: Theme) -> list[Sign]:
    return [
        _build_sign("diamond", _find_line_colour(scores, mark.profile, line_colours), mark, sentence, theme)
        for mark, sentence in scores.changes
    ]


def _build_sign(shape: str, colour: str, mark: Mark, sentence: str, theme: Theme) -> Sign:
    return Sign(
        shape, colour, _to_local_seconds([mark.time], theme)[0], round(mark.height * 100, 2), sentence
    )


def _to_percent(scores: Floats) -> list[float | None]:
    return [None if percent != percent else percent for percent in np.round(scores * 100, 2).tolist()]
