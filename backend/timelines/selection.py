"""Resolves filters to the runs of a timeline that a response holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backend.timelines.model import MAX_ENTRIES, Profile
from backend.timelines.store_snapshot import Timeline


@dataclass(frozen=True, slots=True)
class Selection:
    """The newest ``limit`` runs of each profile that match every filter which is not null."""

    limit: int = MAX_ENTRIES
    model: str | None = None
    model_vendor: str | None = None
    inference_provider: str | None = None
    case_id: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class RunQuery:
    """A selection applied to one timeline. ``whole`` is true if no filter excludes any run."""

    timeline: Timeline
    series: tuple[int, ...]
    profiles_by_series: Mapping[int, Profile]
    case_id: str | None
    limit: int
    whole: bool


def build_query(timeline: Timeline, selection: Selection) -> RunQuery:
    profiles_by_series = {series.id: timeline.fill_profile(series) for series in timeline.series}
    possible = selection.case_id is None or "\0" not in selection.case_id  # PostgreSQL cannot store U+0000
    fitting = {
        number: profile
        for number, profile in profiles_by_series.items()
        if possible and _matches_selection(profile, selection)
    }
    is_unfiltered = selection.case_id is None and len(fitting) == len(profiles_by_series)
    return RunQuery(timeline, tuple(fitting), fitting, selection.case_id, selection.limit, is_unfiltered)


def _matches_selection(profile: Profile, selection: Selection) -> bool:
    filters = (
        (selection.model, profile.model),
        (selection.model_vendor, profile.model_vendor),
        (selection.inference_provider, profile.inference_provider),
    )
    return all(wanted is None or wanted == actual for wanted, actual in filters)
