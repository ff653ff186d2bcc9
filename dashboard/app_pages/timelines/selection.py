"""Parses and writes the URL of the Timelines page, and selects its profiles. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

import numpy as np

from backend.timelines.analysis.scores_over_time import SECOND, WINDOWS
from backend.timelines.columns.run_arrays import RunArrays, instant

MAX_NAMES = 200
"""Maximum number of names in a link; more than a listing of profiles is designed for."""
MAX_NAME_CHARS = 500
FEW_PROFILES, MAX_LINES = 12, 8
"""Without a selection, draw all profiles up to ``FEW_PROFILES``, else the ``MAX_LINES`` most recent."""
SAMPLE_PREFIX = "sample "


@dataclass(frozen=True, slots=True)
class TimelinesState:
    """What the page shows, as its address says.

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
    leave_out_machinery: bool = True
    a: str | None = None
    b: str | None = None
    case: str | None = None
    run: str | None = None
    alert: str | None = None
    """The alert whose cases are shown: see :func:`alert_name`."""
    hidden: tuple[str, ...] = ()
    """Profiles whose lines are not drawn."""
    window: int | None = None
    """Of the score over time, in seconds; null for one that fits."""
    same_cases: bool = False
    """Whether cases are centred, so that a window of hard cases looks like no fall."""

    @property
    def narrows(self) -> bool:
        """Whether a filter is set."""
        named = (self.profiles, self.cases, self.model_vendor, self.inference_provider)
        return any(named) or bool(self.since or self.until) or not self.leave_out_machinery


FIELDS: Mapping[str, str] = {
    "profiles": "profiles",
    "cases": "cases",
    "model_vendor": "vendor",
    "inference_provider": "host",
    "since": "since",
    "until": "until",
    "leave_out_machinery": "machinery",
    "a": "a",
    "b": "b",
    "case": "case",
    "run": "run",
    "alert": "alert",
    "hidden": "hidden",
    "window": "window",
    "same_cases": "centred",
}
"""The state's fields and their URL parameters. Saved links hold the parameters, so they never change."""
_KEPT_MACHINERY = "kept"
_YES = "1"
_NAMES, _MOMENTS = ("profiles", "cases", "hidden"), ("since", "until")
WINDOW_CODES = tuple(str(micros // SECOND) for micros in WINDOWS)
"""Windows of the score over time, in seconds."""


def from_address(said: Mapping[str, str]) -> TimelinesState:
    """Parse URL parameters; invalid values count as missing."""
    text = {field: said.get(name, "") for field, name in FIELDS.items()}
    return TimelinesState(
        profiles=names(text["profiles"]),
        cases=names(text["cases"]),
        since=moment(text["since"]),
        until=moment(text["until"]),
        leave_out_machinery=text["leave_out_machinery"] != _KEPT_MACHINERY,
        hidden=names(text["hidden"]),
        window=int(text["window"]) if text["window"] in WINDOW_CODES else None,
        same_cases=text["same_cases"] == _YES,
        **{field: text[field][:MAX_NAME_CHARS] or None for field in _PLAIN},
    )


_PLAIN = ("model_vendor", "inference_provider", "a", "b", "case", "run", "alert")


def to_text(field: str, value: object) -> str:
    """Format a field for the URL; empty for the default value."""
    if field in _NAMES:
        return listed(value if isinstance(value, tuple) else ())
    if field in _MOMENTS:
        return write_moment(value) if isinstance(value, datetime) else ""
    if field == "leave_out_machinery":
        return "" if value else _KEPT_MACHINERY
    if field == "same_cases":
        return _YES if value else ""
    if field == "window":
        return "" if value is None else str(value)
    return value if isinstance(value, str) else ""


def address(state: TimelinesState, **beside: str) -> str:
    """Build a link to the page with ``state``; ``beside`` holds further parameters (the language)."""
    said = {name: to_text(field, getattr(state, field)) for field, name in FIELDS.items()} | beside
    return f"/timelines?{urlencode({name: text for name, text in said.items() if text})}"


def listed(chosen: Iterable[str]) -> str:
    """Join names by commas; commas and backslashes in names are escaped with a backslash."""
    return ",".join(re.sub(r"([\\,])", r"\\\1", name) for name in chosen)


def names(text: str) -> tuple[str, ...]:
    """Split the text of :func:`listed` into unique names."""
    found = (re.sub(r"\\(.)", r"\1", part) for part in re.findall(r"(?:\\.|[^,\\])+", text, re.DOTALL))
    return tuple(dict.fromkeys(name for name in found if len(name) <= MAX_NAME_CHARS))[:MAX_NAMES]


def moment(text: str) -> datetime | None:
    """``2026-03-14`` (its first instant) or ``2026-03-14T12:00:00Z``, in UTC; null for anything else."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,6})?Z)?", text, re.ASCII):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC)


def write_moment(value: datetime) -> str:
    """Format an instant in the shorter form of :func:`moment`."""
    in_utc = value.astimezone(UTC)
    if in_utc.time() == datetime.min.time():
        return f"{in_utc:%Y-%m-%d}"
    return in_utc.replace(tzinfo=None).isoformat() + "Z"


def shown_profiles(arrays: RunArrays, state: TimelinesState) -> tuple[str, ...]:
    """The profiles chosen, with both that are compared; without a choice those that ran last, by name.

    ``arrays`` are the runs of all profiles. Few profiles are all shown, of many :data:`MAX_LINES`.
    """
    compared = [name for name in (state.a, state.b) if name is not None]
    if state.profiles:
        return tuple(dict.fromkeys([*state.profiles, *compared]))
    newest = np.full(len(arrays.profiles), np.iinfo(np.int64).min)
    np.maximum.at(newest, arrays.profile, arrays.time)
    ran = [place for place in np.argsort(-newest, kind="stable") if newest[place] > np.iinfo(np.int64).min]
    last = ran if len(ran) <= FEW_PROFILES else ran[:MAX_LINES]
    return tuple(dict.fromkeys([*sorted(arrays.profiles[place] for place in last), *compared]))


def alert_name(profile: str, since: int) -> str:
    """An alert in the address: ``2026-03-14T01:02:03Z@profile``. ``since`` is in microseconds.

    By its instant, since the number of its pass changes as older runs leave the listing.
    """
    return f"{write_moment(instant(since))}@{profile}"


def is_sample(profiles: Iterable[str]) -> bool:
    """Whether all of these, and at least one, are profiles of the sample: by their names' first word."""
    every = list(profiles)
    return bool(every) and all(name.startswith(SAMPLE_PREFIX) for name in every)
