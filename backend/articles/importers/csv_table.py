"""Imports CSV tables with the columns wrong, right, and optionally language, severity, note.

The columns come in this order, or in that of a first line that names them. A wrong form is meant in any
capitals. Rows that differ in their wrong form alone become one rule.
"""

import csv
import io
from pathlib import Path
from typing import get_args

from backend.articles.importers.rule_drafts import Draft, Import
from backend.articles.model import Pattern, Severity
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.yaml_reader import read_text
from backend.entities.model import LANGUAGES, Language
from backend.formats.file_errors import FileError

COLUMNS = ("wrong", "right", "language", "severity", "note")
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Key = tuple[str, tuple[Language, ...], Severity, str]


def read(path: Path, *, auto_fix: bool = False) -> Import:
    """The rows of ``path``.

    :raises InvalidRulesError: where it is no such table.
    """
    made = Import(path, "csv")
    rows = _rows(read_text(path), path)
    columns = list(COLUMNS)
    if rows and _is_header(rows[0][1]):
        columns = [cell.strip().lower() for cell in rows.pop(0)[1]]
        if "wrong" not in columns or "right" not in columns:
            reason = "its first line names columns, but not 'wrong' and 'right'"
            raise InvalidRulesError([FileError(path, 1, reason)])
    together: dict[Key, list[tuple[str, int]]] = {}
    for line, cells in rows:
        row = {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}
        fault = _fault(row, len(cells), len(columns))
        if fault:
            made.skip(path, line, row.get("wrong") or "row", fault)
            continue
        given = row.get("language", "")
        languages = tuple(known for known in LANGUAGES if known == given)
        severity = next((known for known in SEVERITIES if known == row.get("severity")), SEVERITIES[1])
        key: Key = (row["right"], languages, severity, row.get("note", ""))
        together.setdefault(key, []).append((row["wrong"], line))
    for (right, meant, severity, note), wrong in together.items():
        made.add(
            Draft(
                path,
                wrong[0][1],
                right,
                tuple(Pattern(text=text) for text in dict.fromkeys(text for text, _ in wrong)),
                case="any",
                severity=severity,
                languages=meant,
                auto_fix=auto_fix,
                note=note or None,
            )
        )
    return made


def _rows(text: str, path: Path) -> list[tuple[int, list[str]]]:
    """The rows that are not empty, with the lines on which they begin."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=_delimiter(text))
    rows: list[tuple[int, list[str]]] = []
    before = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((before + 1, cells))
            before = reader.line_num
    except csv.Error as error:
        raise InvalidRulesError([FileError(path, reader.line_num, f"must be valid CSV: {error}")]) from None
    return rows


def _delimiter(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max(",\t;", key=first.count)


def _is_header(cells: list[str]) -> bool:
    return all(cell.strip().lower() in COLUMNS for cell in cells)


def _fault(row: dict[str, str], cells: int, columns: int) -> str | None:
    if cells > columns:
        return f"it has {cells} cells, and there are {columns} columns: put text with a comma in quotes"
    if not row.get("wrong") or not row.get("right"):
        return "it needs a wrong and a right form"
    if len(row["wrong"]) > 100:
        return "its wrong form is longer than 100 characters"
    if row.get("language", "") not in ("", *LANGUAGES):
        return f"the language {row['language']!r} is none of {', '.join(LANGUAGES)}"
    if row.get("severity", "") not in ("", *SEVERITIES):
        return f"the severity {row['severity']!r} is none of {', '.join(SEVERITIES)}"
    return None
