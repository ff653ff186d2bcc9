"""Reads CSV tables whose headers are the field names of a run."""

import csv
import json
from collections.abc import Iterator
from typing import Any, TextIO

import msgspec

from backend.timelines.importers.json_reader import build_item_error
from backend.timelines.importers.model import Format, ImportItem, InvalidItemError, Source
from backend.timelines.importers.value_conversion import build_run
from backend.timelines.model import Metrics, Run, ScoreAdjustment

_NUMBERS = ("total_score", "raw_score", "max_score", "normalized_score", "cost_usd")
_FLAGS = ("success", "machinery_failure")
_PARTS = ("deductions", "bonuses")
_EXPORT_COLUMNS = ("source", "as_of", "note")
"""Columns that the dashboard's own export adds: origin and time of the export."""
_METRICS = Metrics.__struct_fields__
_REQUIRED = ("run_id", "timestamp", "case_id", "success", "raw_score", "max_score")
_TRUE, _FALSE = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})
_MAX_CELL_BYTES = 16 * 1024 * 1024
_SAMPLE = 65_536


def read(source: Source) -> Iterator[ImportItem]:
    csv.field_size_limit(_MAX_CELL_BYTES)
    with source.path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = csv.reader(file, delimiter=_detect_delimiter(file))
            headers = _parse_headers(next(rows, []))
            yield from _parse_runs(source, headers, rows)
        except (csv.Error, UnicodeDecodeError) as error:
            is_encoding_error = isinstance(error, UnicodeDecodeError)
            reason = "is not UTF-8" if is_encoding_error else f"must be valid CSV: {error}"
            yield ImportItem(source.file_error(reason), 0)
        except InvalidItemError as error:
            yield ImportItem(source.line_error(1, error), 0, 1)


def _detect_delimiter(file: TextIO) -> str:
    """Detect the delimiter of the headers: a comma, a semicolon or a tab."""
    header = file.readline(_SAMPLE)
    file.seek(0)
    return max(",;\t", key=header.count)


def _parse_headers(row: list[str]) -> list[str]:
    """Return the field of each column. Raises :class:`InvalidItemError` for missing, unknown or repeated
    ones."""
    known_headers = {*Run.__struct_encode_fields__, *_METRICS, *_EXPORT_COLUMNS} - {"metrics"}
    headers = [header.strip().removeprefix("metrics.") for header in row]
    if missing := [name for name in _REQUIRED if name not in headers]:
        raise InvalidItemError("", f"the headers lack {', '.join(missing)}")
    if unknown := [name or "(empty)" for name in headers if name not in known_headers]:
        raise InvalidItemError("", f"no field of a run is named {', '.join(unknown[:10])}")
    if len(set(headers)) < len(headers):
        raise InvalidItemError("", "a header occurs twice")
    return headers


def _parse_runs(source: Source, headers: list[str], rows: Any) -> Iterator[ImportItem]:
    before = rows.line_num
    for row in rows:
        line, before = before + 1, rows.line_num
        size = sum(map(len, row)) + len(row)
        if not any(row):
            continue
        try:
            if len(row) > len(headers):
                raise InvalidItemError("", f"has {len(row)} cells under {len(headers)} headers")
            yield ImportItem(_parse_run(source, dict(zip(headers, row, strict=False))), size, line)
        except InvalidItemError as error:
            yield ImportItem(source.line_error(line, error), size, line)


def _parse_run(source: Source, cells: dict[str, str]) -> Run:
    stripped = {name: text.strip() for name, text in cells.items() if name not in _EXPORT_COLUMNS}
    values: dict[str, Any] = {name: _parse_value(name, text) for name, text in stripped.items() if text}
    if missing := next((name for name in _REQUIRED if name not in values), None):
        raise InvalidItemError(missing, "is missing")
    metrics = {name: values.pop(name) for name in _METRICS if name in values}
    names = ("model", "provider", "model_vendor", "inference_provider", "agent")
    values["profile"] = source.profile(values.get("profile"), {name: values.get(name) for name in names})
    try:
        if "total_score" not in values or "normalized_score" not in values:
            values = _add_totals(source, values)
        return msgspec.convert({**values, "metrics": metrics}, Run)
    except msgspec.ValidationError as error:
        raise build_item_error(error) from None


def _add_totals(source: Source, values: dict[str, Any]) -> dict[str, Any]:
    """Return ``values`` with the missing totals computed from the rest."""
    raw, maximum = values.get("raw_score"), values.get("max_score")
    if not isinstance(raw, int | float) or not isinstance(maximum, int | float) or maximum <= 0:
        return values  # the validation reports missing or wrong fields
    bonuses, deductions = (
        msgspec.convert(values.get(name, []), tuple[ScoreAdjustment, ...])
        for name in ("bonuses", "deductions")
    )
    run = build_run(
        run_id="-", timestamp="", case_id="-", profile="-",
        maximum=maximum, raw=raw, bonuses=bonuses, deductions=deductions,
    )  # fmt: skip
    source.notes.conversions["total_score and normalized_score, where missing, were computed"] += 1
    total = values.get("total_score", run.total_score)
    return {"total_score": total, "normalized_score": total / maximum, **values}


def _parse_value(name: str, text: str) -> Any:
    if name in _FLAGS:
        if text.lower() not in _TRUE | _FALSE:
            raise InvalidItemError(name, "is neither true nor false")
        return text.lower() in _TRUE
    if name in _NUMBERS or name in _METRICS:
        try:
            return int(text) if name.endswith("_calls") else float(text)
        except ValueError:
            raise InvalidItemError(
                name, f"must be a {'whole ' if name.endswith('_calls') else ''}number"
            ) from None
    if name in _PARTS:
        try:
            return json.loads(text, strict=False)  # a cell may contain line breaks
        except (ValueError, RecursionError):
            raise InvalidItemError(name, "must be a JSON array of {name, points, description}") from None
    return text


FORMAT = Format(
    key="csv",
    title="CSV",
    run_id="the column run_id",
    field_sources={
        "every field": "the column of the same name; metrics with or without «metrics.» before them",
        "deductions, bonuses": "JSON arrays of {name, points, description}",
        "total_score, normalized_score": "their columns, else computed",
    },
    null_reasons={"": "the cell is empty or the column missing"},
    read=read,
)
