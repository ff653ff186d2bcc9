"""Tables in CSV whose headers are our field names."""

import csv
import json
from collections.abc import Iterator
from typing import Any, TextIO

import msgspec

from backend.timelines.importers.json_reader import refusal
from backend.timelines.importers.model import Format, Found, Refused, Source
from backend.timelines.importers.value_conversion import scored
from backend.timelines.model import Metrics, Points, Run

_NUMBERS = ("total_score", "raw_score", "max_score", "normalized_score", "cost_usd")
_FLAGS = ("success", "machinery_failure")
_PARTS = ("deductions", "bonuses")
_OF_AN_EXPORT = ("source", "as_of", "note")
"""Columns that the dashboard's own export adds to the run's: where and when it was taken."""
_METRICS = Metrics.__struct_fields__
_NEEDED = ("run_id", "timestamp", "case_id", "success", "raw_score", "max_score")
_TRUE, _FALSE = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})
_LARGEST_CELL = 16 * 1024 * 1024
_SAMPLE = 65_536


def read(source: Source) -> Iterator[Found]:
    csv.field_size_limit(_LARGEST_CELL)
    with source.path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = csv.reader(file, delimiter=_delimiter(file))
            headers = _headers(next(rows, []))
            yield from _runs(source, headers, rows)
        except (csv.Error, UnicodeDecodeError) as error:
            reason = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else f"is no CSV: {error}"
            yield Found(source.mistake(0, reason), 0)
        except Refused as refused:
            yield Found(source.mistake(1, refused), 0, 1)


def _delimiter(file: TextIO) -> str:
    """What parts the headers: a comma, a semicolon or a tabulator."""
    header = file.readline(_SAMPLE)
    file.seek(0)
    return max(",;\t", key=header.count)


def _headers(row: list[str]) -> list[str]:
    """The field that each column holds. Raises :class:`Refused` for missing, unknown or repeated ones."""
    known = {*Run.__struct_fields__, *_METRICS, *_OF_AN_EXPORT} - {"metrics"}
    headers = [header.strip().removeprefix("metrics.") for header in row]
    if missing := [name for name in _NEEDED if name not in headers]:
        raise Refused("", f"the headers lack {', '.join(missing)}")
    if unknown := [name or "(empty)" for name in headers if name not in known]:
        raise Refused("", f"no field of a run is named {', '.join(unknown[:10])}")
    if len(set(headers)) < len(headers):
        raise Refused("", "a header stands there twice")
    return headers


def _runs(source: Source, headers: list[str], rows: Any) -> Iterator[Found]:
    before = rows.line_num
    for row in rows:
        line, before = before + 1, rows.line_num
        size = sum(map(len, row)) + len(row)
        if not any(row):
            continue
        try:
            if len(row) > len(headers):
                raise Refused("", f"has {len(row)} cells under {len(headers)} headers")
            yield Found(_run(source, dict(zip(headers, row, strict=False))), size, line)
        except Refused as refused:
            yield Found(source.mistake(line, refused), size, line)


def _run(source: Source, cells: dict[str, str]) -> Run:
    told = {name: text.strip() for name, text in cells.items() if name not in _OF_AN_EXPORT}
    given: dict[str, Any] = {name: _value(name, text) for name, text in told.items() if text}
    if missing := next((name for name in _NEEDED if name not in given), None):
        raise Refused(missing, "is missing")
    metrics = {name: given.pop(name) for name in _METRICS if name in given}
    names = ("model", "provider", "model_vendor", "inference_provider", "agent")
    given["profile"] = source.profile(given.get("profile"), {name: given.get(name) for name in names})
    try:
        if "total_score" not in given or "normalized_score" not in given:
            given = _computed(source, given)
        return msgspec.convert({**given, "metrics": metrics}, Run)
    except msgspec.ValidationError as error:
        raise refusal(error) from None


def _computed(source: Source, given: dict[str, Any]) -> dict[str, Any]:
    """``given`` with the totals that follow from the rest of it."""
    raw, maximum = given.get("raw_score"), given.get("max_score")
    if not isinstance(raw, int | float) or not isinstance(maximum, int | float) or maximum <= 0:
        return given  # what is missing or wrong is told by the check
    won, lost = (
        msgspec.convert(given.get(name, []), tuple[Points, ...]) for name in ("bonuses", "deductions")
    )
    run = scored(
        run_id="-", timestamp="", case_id="-", profile="-",
        maximum=maximum, raw=raw, bonuses=won, deductions=lost,
    )  # fmt: skip
    source.notes.converted["total_score and normalized_score, where missing, were computed"] += 1
    total = given.get("total_score", run.total_score)
    return {"total_score": total, "normalized_score": total / maximum, **given}


def _value(name: str, text: str) -> Any:
    if name in _FLAGS:
        if text.lower() not in _TRUE | _FALSE:
            raise Refused(name, "is neither true nor false")
        return text.lower() in _TRUE
    if name in _NUMBERS or name in _METRICS:
        try:
            return int(text) if name.endswith("_calls") else float(text)
        except ValueError:
            raise Refused(name, f"is no {'whole ' if name.endswith('_calls') else ''}number") from None
    if name in _PARTS:
        try:
            return json.loads(text, strict=False)  # a cell may break its lines
        except (ValueError, RecursionError):
            raise Refused(name, "is no JSON; an array of {name, points, description} is meant") from None
    return text


FORMAT = Format(
    key="csv",
    title="CSV",
    run_id="the column run_id",
    mapped={
        "every field": "the column of the same name; metrics with or without «metrics.» before them",
        "deductions, bonuses": "JSON arrays of {name, points, description}",
        "total_score, normalized_score": "their columns, else computed",
    },
    nulls={"": "the cell is empty or the column missing"},
    read=read,
)
