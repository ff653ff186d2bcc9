"""Score over time as a drawing: a line and its band for each profile, and signs on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np

from backend.timelines.analysis.scores_over_time import Line
from backend.timelines.columns.run_arrays import instant
from backend.timelines.statistics.distributions import Floats
from dashboard.app_pages.timelines import score_data as reading
from dashboard.app_pages.timelines.line_chart import Drawing, Sign, TimeLine
from dashboard.app_pages.timelines.score_data import Mark
from dashboard.frame.theme import Theme
from dashboard.i18n import t

HEIGHT = 400
LIGHT_LINES = ("#0b57d0", "#b24700", "#00695c", "#8e24aa", "#5f6b7a", "#9a1750", "#4a6b00", "#00708f")
DARK_LINES = ("#7aa7ff", "#ffa657", "#4fd1a5", "#d7a6ff", "#b7c2d3", "#ff8fb8", "#b6d94c", "#5fd0f0")
DASHES = ("", "9 6", "2 4", "9 4 2 4", "16 7", "16 5 2 5")
"""Lines differ by stroke as well as by colour, so that the ninth is not taken for the first."""
COLUMNS = ("profile", "window", "mean", "low", "high", "cases", "runs")


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


def drawing(scores: Scores, look: Theme) -> Drawing:
    """Times in the reader's zone, scores in percent of the points there are."""
    shades = colours(dark=look.dark)
    return Drawing(
        lines=[_line(scores, line, shades, look) for line in scores.lines],
        signs=[*_alerts(scores, look), *_changes(scores, shades, look)],
        span=_reach(scores.lines),
        ink=look.ink,
        background=look.background,
        watermark=t("chart.sample").upper() if scores.sample else "",
        identity=scores.identity,
    )


def head() -> list[str]:
    """The columns of the table that says the same."""
    return [t(f"timelines.col_{name}") for name in COLUMNS]


def _shade(scores: Scores, profile: int, shades: Sequence[str]) -> str:
    return shades[scores.styles[profile] % len(shades)]


def _line(scores: Scores, line: Line, shades: Sequence[str], look: Theme) -> TimeLine:
    low, high = reading.clipped(line)
    style = scores.styles[line.profile]
    return TimeLine(
        name=scores.names[line.profile],
        colour=shades[style % len(shades)],
        dash=DASHES[style // len(shades) % len(DASHES)],
        start=_times(line.start.tolist(), look),
        time=_times(line.time.tolist(), look),
        mean=_percents(line.mean),
        low=_percents(low),
        high=_percents(high),
        cases=line.cases.tolist(),
        runs=line.runs.tolist(),
    )


def _times(micros: Iterable[int], look: Theme) -> list[int]:
    """Seconds of the clock on the reader's wall, as if it showed UTC."""
    local = (instant(one).astimezone(look.zone) for one in micros)
    return [int(one.replace(tzinfo=UTC).timestamp()) for one in local]


def _alerts(scores: Scores, look: Theme) -> list[Sign]:
    return [
        _sign("down" if fell else "up", look.shades.down if fell else look.shades.up, mark, said, look)
        for mark, fell, said in scores.alerts
    ]


def _changes(scores: Scores, shades: Sequence[str], look: Theme) -> list[Sign]:
    return [
        _sign("diamond", _shade(scores, mark.profile, shades), mark, said, look)
        for mark, said in scores.changes
    ]


def _sign(shape: str, colour: str, mark: Mark, said: str, look: Theme) -> Sign:
    return Sign(shape, colour, _times([mark.time], look)[0], round(mark.height * 100, 2), said)


def _percents(scores: Floats) -> list[float | None]:
    return [None if one != one else one for one in np.round(scores * 100, 2).tolist()]


def _reach(lines: Sequence[Line]) -> tuple[float, float]:
    """From the lowest to the highest of lines and bands in percent, with a little room."""
    ends = [end for line in lines for end in (*reading.clipped(line), line.mean)]
    values = np.concatenate(ends) if ends else np.array([0.0, 1.0])
    low, high = float(np.nanmin(values)) * 100, float(np.nanmax(values)) * 100
    room = max(high - low, 2.0) * 0.06
    return low - room, high + room
