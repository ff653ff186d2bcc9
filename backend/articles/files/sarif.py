"""Writes findings in the Static Analysis Results Interchange Format (SARIF 2.1.0, an OASIS standard).

Results are written as they come; the tool with the rules that were used follows them, which the format
allows, since the order of an object's members is free.
"""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from backend.articles.files.findings import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}


class SarifReport:
    """One run of one tool."""

    def __init__(self, write: Callable[[str], object], *, version: str, rules_version: str) -> None:
        self._write = write
        self._version = version
        self._rules_version = rules_version
        self._rules: dict[str, dict[str, Any]] = {}
        self._index: dict[str, int] = {}
        self._first = True

    def begin(self) -> None:
        self._write(
            f'{{"version": "2.1.0", "$schema": "{SCHEMA}", "runs": [{{'
            '"columnKind": "unicodeCodePoints", "results": ['
        )

    def add(self, finding: Finding) -> None:
        self._write(("\n" if self._first else ",\n") + json.dumps(self._result(finding), ensure_ascii=False))
        self._first = False

    def end(self) -> None:
        driver = {
            "name": "Chainproof",
            "version": self._version,
            "properties": {"rulesVersion": self._rules_version},
            "rules": list(self._rules.values()),
        }
        self._write(f'], "tool": {json.dumps({"driver": driver}, ensure_ascii=False)}}}]}}\n')

    def _result(self, finding: Finding) -> dict[str, Any]:
        violation = finding.violation
        rule_id = violation["rule_id"]
        if rule_id not in self._rules:
            told = {"fullDescription": {"text": finding.about}} if finding.about else {}
            kind = violation["violation_type"].replace("_", " ")
            self._index[rule_id] = len(self._rules)
            self._rules[rule_id] = {"id": rule_id, "shortDescription": {"text": kind.capitalize()}, **told}
        location = {"artifactLocation": {"uri": quote(finding.file)}, "region": _region(finding)}
        result: dict[str, Any] = {
            "ruleId": rule_id,
            "ruleIndex": self._index[rule_id],
            "level": LEVELS[violation["severity"]],
            "message": {"text": _message(finding)},
            "locations": [{"physicalLocation": location}],
        }
        if finding.column is not None and finding.corrected is not None:
            change = {"deletedRegion": _region(finding), "insertedContent": {"text": finding.corrected}}
            changes = {"artifactLocation": location["artifactLocation"], "replacements": [change]}
            result["fixes"] = [
                {"description": {"text": f"Write {finding.corrected}"}, "artifactChanges": [changes]}
            ]
        else:
            result["properties"] = {
                key: violation[key] for key in ("article_id", "field", "start_offset", "end_offset")
            }
        return result


def _region(finding: Finding) -> dict[str, int]:
    if finding.column is None or finding.end_column is None:
        return {"startLine": finding.line}
    return {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }


def _message(finding: Finding) -> str:
    written = f"“{finding.violation['matched_text']}”"
    if finding.corrected is not None:
        return f"{written} should be written “{finding.corrected}”."
    return f"{written} can mean several things; say which one."
