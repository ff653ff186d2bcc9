"""Conversion of values of other tools."""

from typing import Any

import pytest

from backend.timelines.importers.model import InvalidItemError, Notes
from backend.timelines.importers.value_conversion import (
    add_seconds,
    build_run,
    convert_name,
    convert_number,
    convert_text,
    convert_time,
    find_vendor,
)
from backend.timelines.model import MAX_DEDUCTIONS, ScoreAdjustment


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/gpt-4o-mini", "openai"),
        ("o1-2024-12-17 (high)", "openai"),
        ("o3", "openai"),
        ("openrouter/anthropic/claude-3.5-sonnet", "anthropic"),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "anthropic"),
        ("meta-llama/Llama-3.1-8B", "meta"),
        ("DeepSeek R1", "deepseek"),
        ("Qwen2.5-Coder-32B-Instruct", "alibaba"),
        ("gemini-1.5-flash", "google"),
        ("grok-2", "xai"),
        ("yi-lightning", "01-ai"),
        ("yielder", None),
        ("phi-4", "microsoft"),
        ("phineas", None),
        ("o1o", None),
        ("my-gpt", None),
        ("", None),
        (None, None),
    ],
)
def test_the_vendor_is_found_by_the_beginning_of_the_model_name(
    model: str | None, expected: str | None
) -> None:
    assert find_vendor(model) == expected


@pytest.mark.parametrize(
    ("text", "expected", "note_count"),
    [
        ("2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00Z", 0),
        ("2026-03-01T10:00:00+0200", "2026-03-01T08:00:00Z", 0),
        ("2026-03-01 10:00:00.5", "2026-03-01T10:00:00.500000Z", 1),
        ("2026-03-01T10:00:00", "2026-03-01T10:00:00Z", 1),
    ],
)
def test_times_without_a_zone_are_utc_and_noted(text: str, expected: str, note_count: int) -> None:
    notes = Notes()
    assert convert_time(text, notes) == expected
    assert sum(notes.conversions.values()) == note_count


@pytest.mark.parametrize("value", [None, 5, "", "yesterday", "2026-02-30T10:00:00Z", "2026-03-01"])
def test_invalid_times_are_refused(value: Any) -> None:
    with pytest.raises(InvalidItemError, match=r"^timestamp: "):
        convert_time(value, Notes())


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.25, "2026-03-01T10:00:00.250000Z"), (-1, None), (1e20, None)]
)
def test_seconds_are_added_to_a_start(seconds: float, expected: str | None) -> None:
    assert add_seconds("2026-03-01T10:00:00Z", seconds) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(True, 1.0), (3, 3.0), (float("nan"), None), (10**400, None), ("1", None)]
)
def test_a_number_is_finite_or_none(value: Any, expected: float | None) -> None:
    assert convert_number(value) == expected


def test_long_names_stay_distinct_and_long_texts_are_cut() -> None:
    first, second = convert_name("x" * 600 + "a"), convert_name("x" * 600 + "b")
    assert first != second
    assert len(first) == len(second) == 500
    assert convert_text("y" * 30_000) == "y" * 19_999 + "…"
    assert convert_name("\ud800 ") == "\N{REPLACEMENT CHARACTER}"


def test_parts_beyond_the_maximum_are_merged() -> None:
    run = build_run(
        run_id="r", timestamp="2026-03-01T10:00:00Z", case_id="c", profile="p", maximum=10_000,
        deductions=[ScoreAdjustment(str(index), 1) for index in range(MAX_DEDUCTIONS + 10)],
    )  # fmt: skip
    assert len(run.deductions) == MAX_DEDUCTIONS
    assert run.deductions[-1].points == 11
    assert run.total_score == 10_000 - MAX_DEDUCTIONS - 10
