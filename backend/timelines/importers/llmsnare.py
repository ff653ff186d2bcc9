"""Reads LLMSnare's timelines: JSON Lines, one file for each profile.

Scores start at 100, deductions are negative, ``normalized_score`` is a percentage clamped to 0 to 100, and
``raw_score`` repeats the total. A run that ended in an error has a total of 0 despite its deductions. All
this is converted; ids are kept."""

from collections.abc import Iterator
from typing import Any

import msgspec

from backend.timelines.importers.json_reader import decode_leniently, read_lines
from backend.timelines.importers.model import Format, ImportItem, InvalidItemError, Notes, SkippedItem, Source
from backend.timelines.importers.value_conversion import (
    build_run,
    convert_name,
    convert_number,
    convert_optional_time,
    convert_text,
    convert_time,
    find_vendor,
    hash_values,
)
from backend.timelines.model import Metrics, Run, ScoreAdjustment

_BASE = 100.0
"""The start value of every score."""
_NO_TOOL_CALLS = "without any tool calls"
"""The end of the only error that the model causes; all others come from the provider or the runner."""
_ZERO_TIME = "0001-01-01T00:00:00Z"


class Adjustment(msgspec.Struct):
    name: str
    points: float
    description: str = ""


class Result(msgspec.Struct):
    """A line of any version: ``driver`` became ``provider``; ids, vendors and routes were added later."""

    timestamp: str
    case_id: str
    profile: str
    success: bool
    total_score: float
    finished_at: str = ""
    run_id: str = ""
    driver: str = ""
    provider: str = ""
    model: str = ""
    model_vendor: str = ""
    inference_provider: str = ""
    error: str = ""
    max_score: float = 0.0
    metrics: dict[str, Any] = {}
    deductions: list[Adjustment] | None = None
    bonuses: list[Adjustment] | None = None


def read(source: Source) -> Iterator[ImportItem]:
    for line in read_lines(source.path):
        if line.text == b"":
            continue
        try:
            if line.text is None:
                raise InvalidItemError("", "is too long for a line")
            result = decode_leniently(line.text, Result)
            run = _parse_run(source, result)
            yield ImportItem(run, line.size, line.number, former_id=_build_former_id(result))
        except InvalidItemError as error:
            yield ImportItem(source.line_error(line.number, error), line.size, line.number)
        except SkippedItem as skipped:
            yield ImportItem(skipped, line.size, line.number)


def _parse_run(source: Source, result: Result) -> Run:
    notes = source.notes
    model, maker = result.model, result.model_vendor or find_vendor(result.model)
    provider = result.provider or result.driver
    parts = {
        "model": model,
        "provider": provider,
        "model_vendor": maker,
        "inference_provider": result.inference_provider,
    }
    bonuses, deductions = _parse_adjustments(result, notes)
    never_began = result.max_score <= 0
    if never_began:
        notes.conversions["runs that never began have no maximum in the file: it was set to 100"] += 1
    if result.error:
        deductions, bonuses = _add_failure_adjustment(result, bonuses, deductions, notes)
    notes.conversions["raw_score is 100, from which deductions and bonuses lead to the total"] += 1
    notes.conversions["normalized_score was a percentage: it is total_score / max_score"] += 1
    finished = None if result.finished_at == _ZERO_TIME else result.finished_at
    return build_run(
        run_id=result.run_id or _build_former_id(result),
        timestamp=convert_time(result.timestamp, notes),
        finished_at=convert_optional_time(finished, notes, "finished_at"),
        case_id=result.case_id,
        profile=source.profile(result.profile, parts),
        success=result.success,
        raw=_BASE,
        maximum=_BASE if never_began else result.max_score,
        deductions=deductions,
        bonuses=bonuses,
        metrics=_parse_metrics(result.metrics, began=not never_began),
        provider=provider,
        model=model,
        model_vendor=maker,
        inference_provider=result.inference_provider,
        error=result.error,
        infrastructure_failure=bool(result.error) and not result.error.endswith(_NO_TOOL_CALLS),
    )


def _build_former_id(result: Result) -> str:
    """Build the id of a line without one. LLMSnare's ``timeline backfill-run-id`` adds ids to such lines."""
    return f"llmsnare-{hash_values(result.profile, result.case_id, result.timestamp)}"


def _parse_adjustments(result: Result, notes: Notes) -> tuple[list[ScoreAdjustment], list[ScoreAdjustment]]:
    """Return bonuses and deductions as positive points. Raises :class:`InvalidItemError` if they do not add
    up to the total."""
    total = _BASE
    bonuses: list[ScoreAdjustment] = []
    deductions: list[ScoreAdjustment] = []
    for part in (*(result.deductions or ()), *(result.bonuses or ())):
        total += part.points
        if part.points < 0:
            notes.conversions["deductions' points were negative: their signs were turned"] += 1
        side = deductions if part.points < 0 else bonuses
        side.append(
            ScoreAdjustment(convert_name(part.name), abs(part.points), convert_text(part.description))
        )
    if not result.error and abs(total - result.total_score) > 0.01:
        raise InvalidItemError(
            "total_score", f"is {result.total_score:g}, but 100 and the points come to {total:g}"
        )
    return bonuses, deductions


def _add_failure_adjustment(
    result: Result, bonuses: list[ScoreAdjustment], deductions: list[ScoreAdjustment], notes: Notes
) -> tuple[list[ScoreAdjustment], list[ScoreAdjustment]]:
    """Add a part ``run_failed``, so that deductions and bonuses lead to the total of 0 after an error."""
    notes.conversions["runs that ended in an error have totals of 0: the part run_failed leads there"] += 1
    gap = (
        _BASE
        + sum(part.points for part in bonuses)
        - sum(part.points for part in deductions)
        - result.total_score
    )
    part = ScoreAdjustment("run_failed", abs(gap), convert_text(result.error))
    return ([*deductions, part], bonuses) if gap > 0 else (deductions, [*bonuses, part])


def _parse_metrics(metrics: dict[str, Any], *, began: bool) -> Metrics:
    if not began:
        return Metrics()  # the zeros in the file were not measured

    def count(field: str) -> int | None:
        value = metrics.get(field)
        return value if isinstance(value, int) and value >= 0 else None

    coverage = convert_number(metrics.get("pre_write_read_coverage"))
    return Metrics(
        count("read_file_calls"),
        count("write_file_calls"),
        count("list_dir_calls"),
        convert_number(metrics.get("read_write_ratio")),
        coverage if coverage is None or 0 <= coverage <= 1 else None,
    )


FORMAT = Format(
    key="llmsnare",
    title="LLMSnare JSON Lines",
    run_id="run_id, unless the run is stored by the id of older lines: a hash of profile, case_id, timestamp",
    field_sources={
        "timestamp, finished_at, case_id, profile, success, model, metrics": "the same fields",
        "raw_score": "100, where every score begins",
        "total_score": "100 less the deductions, plus the bonuses",
        "normalized_score": "total_score / max_score, not clamped",
        "deductions": "deductions, their signs turned",
        "provider": "provider, in older lines driver",
        "model_vendor": "model_vendor, else by the model's name",
        "machinery_failure": "error, unless the model itself made no tool call",
    },
    null_reasons={
        "metrics": "no file was written, or the run never began",
        "cost_usd": "LLMSnare records no cost",
        "agent": "LLMSnare is its own agent",
        "inference_provider": "the line names none",
        "model_vendor": "the line names none, and the model's name does not say",
        "error": "the run ended without one",
    },
    read=read,
)
