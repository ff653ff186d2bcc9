"""Writes findings one by one as text, JSON or SARIF, so that a report of any length fits in memory."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from backend.articles.files.findings import Finding
from backend.articles.files.sarif import SarifReport
from backend.articles.model import Severity

Format = Literal["text", "json", "sarif"]
Write = Callable[[str], object]
SEVERITY_COLOUR_CODES: Mapping[Severity, str] = {"error": "31", "warning": "33", "info": "36"}
"""Terminal colour codes by severity (ECMA-48, Select Graphic Rendition)."""


class Report(Protocol):
    """Receives findings one by one; ``end`` closes what ``begin`` opened."""

    def begin(self) -> None: ...
    def add(self, finding: Finding) -> None: ...
    def end(self) -> None: ...


def create_report(
    kind: Format, write: Write, *, colour: bool, version: Callable[[], str], rules_version: str
) -> Report:
    """Create the report of ``kind``, written in parts with ``write``; ``version`` is the program's."""
    if kind == "json":
        return JsonReport(write, rules_version)
    if kind == "sarif":
        return SarifReport(write, version=version(), rules_version=rules_version)
    return TextReport(write, colour=colour)


class TextReport:
    """Writes one line per finding, grouped by file."""

    def __init__(self, write: Write, *, colour: bool) -> None:
        self._write = write
        self._colour = colour
        self._file: str | None = None

    def begin(self) -> None:
        pass

    def add(self, finding: Finding) -> None:
        if finding.file != self._file:
            self._write(("\n" if self._file else "") + self._shade(finding.file, "1;4") + "\n")
            self._file = finding.file
        violation = finding.violation
        if finding.column is None:
            name = f" {violation['article_id']}" if violation["article_id"] else ""
            place = f"{finding.line}{name} {violation['field']}:{violation['start_offset']}"
        else:
            place = f"{finding.line}:{finding.column}"
        severity = violation["severity"]
        target = f" → {finding.corrected}" if finding.corrected is not None else ""
        how = "" if finding.fixable else "  (to decide)" if finding.corrected is None else "  (to approve)"
        self._write(
            f"  {place:<9} {self._shade(f'{severity:<7}', SEVERITY_COLOUR_CODES[severity])}"
            f" {violation['matched_text']}{target}{how}  {self._shade(violation['rule_id'], '2')}\n"
        )
        if finding.reason:
            self._write(f"  {'':<9} {'':<7} {self._shade(finding.reason, '2')}\n")

    def end(self) -> None:
        pass

    def _shade(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text


class JsonReport:
    """Writes one object with the version of the rules and an array of findings."""

    def __init__(self, write: Write, rules_version: str) -> None:
        self._write = write
        self._rules_version = rules_version
        self._first = True

    def begin(self) -> None:
        self._write(f'{{"rules_version": {json.dumps(self._rules_version)}, "findings": [')

    def add(self, finding: Finding) -> None:
        self._write(("\n  " if self._first else ",\n  ") + _json(finding.as_json()))
        self._first = False

    def end(self) -> None:
        self._write("]}\n" if self._first else "\n]}\n")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
