"""The changes at which a profile is compared with itself, and their texts in the URL."""

import pytest

from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import self_splits
from dashboard.app_pages.timelines.selection import parse_split
from tests.support.runs.scored_runs import arrays, run

CASES = range(6)
PASSES, FELL_AT = 24, 14


def build_runs() -> RunArrays:
    """Build an evaluation a day with a new revision every twelve days; the scores fall at ``FELL_AT``."""
    return arrays(
        run(
            "falling",
            f"case {case}",
            round(
                0.6 + case / 40 + (0.05 if (case + day) % 2 else -0.05) - (0.3 if day >= FELL_AT else 0), 6
            ),
            24 * day + case / 60,
            evaluation_id=f"evaluation {day}",
            revision="old" if day < PASSES / 2 else "new",
        )
        for day in range(PASSES)
        for case in CASES
    )


RUNS = build_runs()


def test_alerts_come_first_then_revisions_evaluations_and_the_middle_of_the_runs() -> None:
    splits = self_splits.list_splits(RUNS, "falling")
    assert [split.kind for split in splits] == [
        "alert",
        "revision",
        *["evaluation"] * self_splits.MAX_SPLITS,
        "instant",
    ]
    assert splits[1].name == "new"
    assert [split.name for split in splits[2:4]] == ["evaluation 23", "evaluation 22"]


def test_every_split_is_found_again_by_its_text_in_the_url() -> None:
    for split in self_splits.list_splits(RUNS, "falling"):
        parsed = parse_split(self_splits.write(split))
        assert parsed is not None
        assert self_splits.find(RUNS, "falling", *parsed) == split


def test_a_choice_does_not_change_the_order() -> None:
    splits = self_splits.list_splits(RUNS, "falling")
    for chosen in splits:
        assert self_splits.list_splits(RUNS, "falling", chosen) == splits


def test_a_chosen_split_is_listed_once_and_a_chosen_day_replaces_the_proposed_one() -> None:
    splits = self_splits.list_splits(RUNS, "falling")
    assert self_splits.list_splits(RUNS, "falling", splits[2]) == splits
    day = self_splits.find(RUNS, "falling", "instant", "2026-03-05T00:00:00Z")
    listed = self_splits.list_splits(RUNS, "falling", day)
    assert [split for split in listed if split.kind == "instant"] == [day]
    assert self_splits.find_day(day).isoformat() == "2026-03-05"


def test_a_profile_without_runs_has_no_splits() -> None:
    assert self_splits.list_splits(RUNS, "nobody") == []


@pytest.mark.parametrize(
    ("kind", "value"),
    [("alert", "2026-01-01T00:00:00Z"), ("alert", "soon"), ("evaluation", "x"), ("instant", "soon")],
)
def test_an_unknown_split_is_refused(kind: self_splits.SplitKind, value: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        self_splits.find(RUNS, "falling", kind, value)
