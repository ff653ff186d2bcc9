"""Imports CSV tables with the columns wrong, right, and optionally language, severity, note.

The columns have this order, or the order of a header line. Wrong forms match in any case. Rows that differ
only in their wrong form become one rule.
"""

import csv
import io
from pathlib import Path
from typing import get_args

from backend.articles.importers.rule_drafts import Draft, ImportResult
from backend.articles.model import Pattern, Severity
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.yaml_reader import read_text
from backend.entities.model import LANGUAGES, Language
from backend.formats.file_errors import FileError

COLUMNS = ("wrong", "right", "language", "severity", "note")
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Key = tuple[str, tuple[Language, ...], Severity, str]


def read(path: Path, *, auto_fix: bool = False) -> ImportResult:
    """Import the rows of ``path``.

    :raises InvalidRulesError: if the file is not such a table.
    """
    imported = ImportResult(path, "csv")
    rows = _rows(read_text(path), path)
    columns = list(COLUMNS)
    if rows and _is_header(rows[0][1]):
        columns = [cell.strip().lower() for cell in rows.pop(0)[1]]
        if "wrong" not in columns or "right" not in columns:
            reason = "the header line must name the columns 'wrong' and 'right'"
            raise InvalidRulesError([FileError(path, 1, reason)])
    forms_by_key: dict[Key, list[tuple[str, int]]] = {}
    for line, cells in rows:
        row = {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}
        error = _find_error(row, len(cells), len(columns))
        if error:
            imported.skip(path, line, row.get("wrong") or "row", error)
            continue
        language = row.get("language", "")
        languages = tuple(known for known in LANGUAGES if known == language)
        severity = next((known for known in SEVERITIES if known == row.get("severity")), SEVERITIES[1])
        key: Key = (row["right"], languages, severity, row.get("note", ""))
        forms_by_key.setdefault(key, []).append((row["wrong"], line))
    for (right, languages, severity, note), wrong in forms_by_key.items():
        imported.add(
            Draft(
                path,
                wrong[0][1],
                right,
                tuple(Pattern(text=text) for text in dict.fromkeys(text for text, _ in wrong)),
                case="any",
                severity=severity,
                languages=languages,
                auto_fix=auto_fix,
                note=note or None,
            )
        )
    return imported


def _rows(text: str, path: Path) -> list[tuple[int, list[str]]]:
    """List the rows that are not empty, with the numbers of their first lines."""
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


def _find_error(row: dict[str, str], cells: int, columns: int) -> str | None:
    if cells > columns:
        return f"it has {cells} cells for {columns} columns: put text with a comma in quotes"
    if not row.get("wrong") or not row.get("right"):
        return "it must have a wrong and a right form"
    if len(row["wrong"]) > 100:
        return "its wrong form must not be longer than 100 characters"
    if row.get("language", "") not in ("", *LANGUAGES):
        return f"the language {row['language']!r} must be one of {', '.join(LANGUAGES)}"
    if row.get("severity", "") not in ("", *SEVERITIES):
        return f"the severity {row['severity']!r} must be one of {', '.join(SEVERITIES)}"
    return None
