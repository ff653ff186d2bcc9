"""The Timelines page's selection of runs, and its address. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from backend.timelines.figures.over_time import SECOND, WINDOWS

MOST_NAMES = 200
"""Names that a link may list, as many as one listing of profiles is made for and more."""
LONGEST_NAME = 500


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
        """Whether runs are left out for another reason than the profile."""
        chosen = (self.cases, self.model_vendor, self.inference_provider, self.since, self.until)
        return any(bool(one) for one in chosen)


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
"""A state's fields and their names in the address, which stand in links and so never change."""
_KEPT_MACHINERY = "kept"
_YES = "1"
_NAMES, _MOMENTS = ("profiles", "cases", "hidden"), ("since", "until")
WINDOW_CODES = tuple(str(micros // SECOND) for micros in WINDOWS)
"""Windows of the score over time, in seconds."""


def from_address(said: Mapping[str, str]) -> TimelinesState:
    """What an address says, by its own names; what it says wrongly counts as not said."""
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
        **{field: text[field][:LONGEST_NAME] or None for field in _PLAIN},
    )


_PLAIN = ("model_vendor", "inference_provider", "a", "b", "case", "run", "alert")


def to_text(field: str, value: object) -> str:
    """A state's field as the address holds it; empty where it is at its default."""
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
    """A link to the page with ``state``; ``beside`` is added (the language)."""
    said = {name: to_text(field, getattr(state, field)) for field, name in FIELDS.items()} | beside
    return f"/timelines?{urlencode({name: text for name, text in said.items() if text})}"


def listed(chosen: Iterable[str]) -> str:
    """Names joined by commas; a comma or a backslash of a name has a backslash before it."""
    return ",".join(re.sub(r"([\\,])", r"\\\1", name) for name in chosen)


def names(text: str) -> tuple[str, ...]:
    """The names of :func:`listed`, each once."""
    found = (re.sub(r"\\(.)", r"\1", part) for part in re.findall(r"(?:\\.|[^,\\])+", text, re.DOTALL))
    return tuple(dict.fromkeys(name for name in found if len(name) <= LONGEST_NAME))[:MOST_NAMES]


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
    """The shorter form of :func:`moment` that says it."""
    in_utc = value.astimezone(UTC)
    if in_utc.time() == datetime.min.time():
        return f"{in_utc:%Y-%m-%d}"
    return in_utc.replace(tzinfo=None).isoformat() + "Z"
