"""Finds problems in valid rules, for ``chainproof rules check``.

Each finding states its place, rule or entity, severity, problem and advice. A comment such as ``# allow:
short`` in its line, or in the first line of its rule, suppresses an intended finding.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from backend.articles.lint.behaviour_checks import check_behaviour
from backend.articles.lint.conflict_checks import check_conflicts
from backend.articles.lint.lint_context import LintContext, LintIssue
from backend.articles.lint.pattern_checks import check_patterns
from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import compile_rules
from backend.articles.rules.pack_loader import PackFile

_ALLOW = re.compile(r"#\s*allow:\s*([a-z_, ]+)")


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in a rule or entity, with its place."""

    file: Path
    line: int
    kind: str
    """The identifier of the check, for programs and for ``# allow:``."""
    rule: str
    """Id of the rule or entity."""
    severity: Literal["error", "warning"]
    sentence: str
    advice: str

    def __str__(self) -> str:
        message = f"{self.severity}: '{self.rule}': {self.sentence} {self.advice}"
        return f"{self.file}:{self.line}: {message} [{self.kind}]"

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "file": str(self.file)}


def lint(
    files: Sequence[PackFile],
    only: Collection[Path] | None = None,
    done: Callable[[int], object] | None = None,
) -> list[Finding]:
    """Check the packs ``files``, merged in this order. Findings are sorted by file and line.

    :param only: report the findings of these files; by default of all.
    :param done: called with the number of rules that were checked.
    """
    pack = merge_packs(file.pack for file in files)
    context = LintContext(pack, compile_rules([pack]))
    places = _locate(files, only)
    issues: list[LintIssue] = [
        *check_patterns(context),
        *check_conflicts(context),
        *check_behaviour(context, [rule for rule in context.rules if ("rules", rule.id) in places], done),
    ]
    return sorted(
        (
            finding
            for issue in issues
            if (issue.owner_kind, issue.owner) in places
            and not _is_allowed(*places[issue.owner_kind, issue.owner], issue)
            for finding in [_build_finding(*places[issue.owner_kind, issue.owner], issue)]
        ),
        key=lambda finding: (str(finding.file), finding.line, finding.kind, finding.sentence),
    )


def _locate(
    files: Iterable[PackFile], only: Collection[Path] | None
) -> dict[tuple[str, str], tuple[PackFile, int]]:
    """Map each requested entity and rule to its place; the last one if it occurs several times."""
    places: dict[tuple[str, str], tuple[PackFile, int]] = {}
    for file in files:
        for number, entity in enumerate(file.pack.entities):
            places["entities", entity.id] = file, number
        for number, rule in enumerate(file.pack.rules):
            places["rules", rule.id] = file, number
    if only is None:
        return places
    return {key: place for key, place in places.items() if place[0].path in only}


def _line(file: PackFile, number: int, issue: LintIssue) -> int:
    return file.document.line(issue.owner_kind, number, *issue.where)


def _is_allowed(file: PackFile, number: int, issue: LintIssue) -> bool:
    lines = file.document.lines
    for line in (_line(file, number, issue), file.document.line(issue.owner_kind, number)):
        allow = _ALLOW.search(lines[line - 1]) if 0 < line <= len(lines) else None
        if allow and issue.kind in re.split(r"[\s,]+", allow[1]):
            return True
    return False


def _build_finding(file: PackFile, number: int, issue: LintIssue) -> Finding:
    return Finding(
        file.path,
        _line(file, number, issue),
        issue.kind,
        issue.owner,
        issue.severity,
        issue.sentence,
        issue.advice,
    )
