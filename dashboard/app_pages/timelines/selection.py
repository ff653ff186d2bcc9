"""Parses and writes the URL of the Timelines page, and selects its profiles. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args
from urllib.parse import urlencode

import numpy as np

from backend.timelines.analysis.scores_over_time import SECOND, WINDOWS
from backend.timelines.columns.run_arrays import Bools, RunArrays, instant

MAX_NAMES = 200
"""Maximum number of names in a link."""
MAX_NAME_CHARS = 500
FEW_PROFILES, MAX_LINES = 12, 8
"""Without a selection, draw a suite of up to ``FEW_PROFILES``, else its ``MAX_LINES`` most recent ones."""
MIN_SHARED_CASES = 5
"""Cases that any two profiles of a suite share; fewer if the newest profile has fewer."""
TABS = ("trend", "compare", "cases", "runs")
SAMPLE_PREFIX = "sample "


@dataclass(frozen=True, slots=True)
class TimelinesState:
    """The state of the page as its URL holds it.

    ``profiles`` and ``cases``: what is chosen, or nothing for all (the page then chooses the profiles itself,
    and gives a section those). ``since`` is inclusive, ``until`` exclusive, both UTC. ``a`` and ``b`` are
    compared; ``case`` and ``run`` are opened. Names are as the service says them, and may name nothing.
    """

    profiles: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    model_vendor: str | None = None
    inference_provider: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    exclude_infrastructure_errors: bool = True
    profile_a: str | None = None
    profile_b: str | None = None
    """The compared profiles, A and B on the page."""
    self_split: str | None = None
    """A change at which ``profile_a`` is compared with itself, not with ``profile_b``; see
    :func:`format_split`."""
    open_case: str | None = None
    """The case whose runs are shown; ``cases`` filters instead."""
    run: str | None = None
    tab: str | None = None
    """One of :data:`TABS`; None opens the tab of the opened run or case, else the first."""
    alert: str | None = None
    """Id of the alert whose cases are shown; see :func:`format_alert_id`."""
    hidden_profiles: tuple[str, ...] = ()
    """Profiles whose lines are hidden."""
    score_window_seconds: int | None = None
    """Window of the score over time; None selects one automatically."""
    center_cases: bool = False
    """Whether cases are centred, so that a window of hard cases does not look like a fall."""

    @property
    def open_tab(self) -> str:
        return self.tab or ("runs" if self.run or self.open_case else TABS[0])

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is set."""
        chosen = (self.profiles, self.cases, self.model_vendor, self.inference_provider)
        return any(chosen) or bool(self.since or self.until) or not self.exclude_infrastructure_errors


QUERY_PARAMS: Mapping[str, str] = {
    "profiles": "profiles",
    "cases": "cases",
    "model_vendor": "vendor",
    "inference_provider": "host",
    "since": "since",
    "until": "until",
    "exclude_infrastructure_errors": "machinery",
    "profile_a": "a",
    "profile_b": "b",
    "self_split": "split",
    "open_case": "case",
    "run": "run",
    "tab": "tab",
    "alert": "alert",
    "hidden_profiles": "hidden",
    "score_window_seconds": "window",
    "center_cases": "centred",
}
"""The state's fields and their URL parameters. Saved links hold the parameters, so they never change."""
_INCLUDE_ERRORS_CODE = "kept"
_TRUE_CODE = "1"
_LIST_FIELDS, _INSTANT_FIELDS = ("profiles", "cases", "hidden_profiles"), ("since", "until")
WINDOW_CODES = tuple(str(micros // SECOND) for micros in WINDOWS)
"""Windows of the score over time, in seconds."""


def parse_state(params: Mapping[str, str]) -> TimelinesState:
    """Parse URL parameters; invalid values count as missing."""
    text = {field: params.get(name, "") for field, name in QUERY_PARAMS.items()}
    return TimelinesState(
        profiles=split_names(text["profiles"]),
        cases=split_names(text["cases"]),
        since=parse_instant(text["since"]),
        until=parse_instant(text["until"]),
        exclude_infrastructure_errors=text["exclude_infrastructure_errors"] != _INCLUDE_ERRORS_CODE,
        hidden_profiles=split_names(text["hidden_profiles"]),
        score_window_seconds=(
            int(text["score_window_seconds"]) if text["score_window_seconds"] in WINDOW_CODES else None
        ),
        center_cases=text["center_cases"] == _TRUE_CODE,
        tab=text["tab"] if text["tab"] in TABS else None,
        **{field: text[field][:MAX_NAME_CHARS] or None for field in _TEXT_FIELDS},
    )


def list_invalid_values(params: Mapping[str, str]) -> list[str]:
    """List the URL parameters that :func:`parse_state` ignores, as ``since=2026-99-99``."""
    given = [(name, params.get(name, "")) for name in (QUERY_PARAMS[field] for field in _INSTANT_FIELDS)]
    return [f"{name}={text[:MAX_NAME_CHARS]}" for name, text in given if text and parse_instant(text) is None]


_TEXT_FIELDS = (
    "model_vendor",
    "inference_provider",
    "profile_a",
    "profile_b",
    "self_split",
    "open_case",
    "run",
    "alert",
)


def format_field(field: str, value: object) -> str:
    """Format a field for the URL; empty for the default value."""
    if field in _LIST_FIELDS:
        return join_names(value if isinstance(value, tuple) else ())
    if field in _INSTANT_FIELDS:
        return format_instant(value) if isinstance(value, datetime) else ""
    if field == "exclude_infrastructure_errors":
        return "" if value else _INCLUDE_ERRORS_CODE
    if field == "center_cases":
        return _TRUE_CODE if value else ""
    if field == "score_window_seconds":
        return "" if value is None else str(value)
    return value if isinstance(value, str) else ""


def build_url(state: TimelinesState, **more: str) -> str:
    """Build a link to the page with ``state``; ``more`` holds further parameters, such as the language."""
    params = {name: format_field(field, getattr(state, field)) for field, name in QUERY_PARAMS.items()} | more
    return f"/timelines?{urlencode({name: text for name, text in params.items() if text})}"


def join_names(names: Iterable[str]) -> str:
    """Join names with commas; escape commas and backslashes in names with a backslash."""
    return ",".join(re.sub(r"([\\,])", r"\\\1", name) for name in names)


def split_names(text: str) -> tuple[str, ...]:
    """Split text that :func:`join_names` wrote into unique names."""
    all_names = (re.sub(r"\\(.)", r"\1", part) for part in re.findall(r"(?:\\.|[^,\\])+", text, re.DOTALL))
    return tuple(dict.fromkeys(name for name in all_names if len(name) <= MAX_NAME_CHARS))[:MAX_NAMES]


def parse_instant(text: str) -> datetime | None:
    """Parse ``2026-03-14`` (as midnight) or ``2026-03-14T12:00:00Z``, in UTC; None for other text."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,6})?Z)?", text, re.ASCII):
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return None
    return instant.replace(tzinfo=UTC)


def format_instant(value: datetime) -> str:
    """Format an instant in UTC, without the time if it is midnight; the inverse of :func:`parse_instant`."""
    in_utc = value.astimezone(UTC)
    if in_utc.time() == datetime.min.time():
        return f"{in_utc:%Y-%m-%d}"
    return in_utc.replace(tzinfo=None).isoformat() + "Z"


def select_profiles(arrays: RunArrays, state: TimelinesState) -> tuple[str, ...]:
    """Select the profiles to draw: those chosen or, by default, the most recent suite, sorted by name.

    Compared profiles and that of an opened alert are added. ``arrays`` holds the runs of all profiles.
    """
    added = [
        name for name in (state.profile_a, state.profile_b, (state.alert or "").partition("@")[2]) if name
    ]
    suite = [arrays.profiles[index] for index in _find_suite(arrays)] if not state.profiles else []
    recent = suite if len(suite) <= FEW_PROFILES else suite[:MAX_LINES]
    return tuple(dict.fromkeys([*(state.profiles or sorted(recent)), *added]))


def _find_suite(arrays: RunArrays) -> list[int]:
    """Find the newest profile and others that share cases with it and with each other, newest first.

    Stops after ``FEW_PROFILES + 1`` profiles, which tells a small suite from a large one.
    """
    newest = np.full(len(arrays.profiles), np.iinfo(np.int64).min)
    np.maximum.at(newest, arrays.profile, arrays.time)
    ran: Bools = arrays.by_cell[1] > 0
    fits: Bools = arrays.by_cell[1].sum(axis=1) > 0
    suite: list[int] = []
    for index in np.argsort(-newest, kind="stable").tolist():
        if fits[index] and len(suite) <= FEW_PROFILES:
            suite.append(index)
            fits &= (ran & ran[index]).sum(axis=1) >= min(MIN_SHARED_CASES, int(ran[suite[0]].sum()))
    return suite


def format_alert_id(profile: str, since: int) -> str:
    """Format an alert's id in the URL: ``2026-03-14T01:02:03Z@profile``. ``since`` is in microseconds.

    It uses the instant: the number of an alert's pass changes when older runs leave the listing.
    """
    return f"{format_instant(instant(since))}@{profile}"


SplitKind = Literal["instant", "evaluation", "revision", "alert"]
"""What splits the runs of a profile in two; as in ``backend.timelines.model``."""


def format_split(kind: SplitKind, value: str) -> str:
    """Format a split for the URL: ``evaluation:3f2a``. An alert is an instant by which it was noticed."""
    return f"{kind}:{value}"


def parse_split(text: str | None) -> tuple[SplitKind, str] | None:
    """Parse text of :func:`format_split`; None for other text."""
    kind, _, value = (text or "").partition(":")
    return next(((known, value) for known in get_args(SplitKind) if known == kind and value), None)


def is_sample(profiles: Iterable[str]) -> bool:
    """Whether all names start with :data:`SAMPLE_PREFIX`; false for no names."""
    names = list(profiles)
    return bool(names) and all(name.startswith(SAMPLE_PREFIX) for name in names)
