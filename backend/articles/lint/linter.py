"""What is doubtful in rules that are all right by themselves: ``chainproof rules check``.

A finding says where, which rule or entity, how bad, what is the matter and what to do. One that is meant
is silenced by a comment in its line, or in the line in which its rule begins: ``# allow: short``.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from backend.articles.lint.behaviour_checks import trials
from backend.articles.lint.conflict_checks import conflicts
from backend.articles.lint.lint_context import LintContext, LintIssue
from backend.articles.lint.pattern_checks import doubtful_surfaces
from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import compile_rules
from backend.articles.rules.pack_loader import PackFile

_ALLOW = re.compile(r"#\s*allow:\s*([a-z_, ]+)")


@dataclass(frozen=True, slots=True)
class Finding:
    """One doubtful thing, with its place."""

    file: Path
    line: int
    kind: str
    """A word for programs, and for ``# allow:``."""
    rule: str
    """Id of the rule or entity."""
    severity: Literal["error", "warning"]
    sentence: str
    advice: str

    def __str__(self) -> str:
        what = f"{self.severity}: '{self.rule}': {self.sentence} {self.advice}"
        return f"{self.file}:{self.line}: {what} [{self.kind}]"

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "file": str(self.file)}


def lint(
    files: Sequence[PackFile],
    only: Collection[Path] | None = None,
    done: Callable[[int], object] | None = None,
) -> list[Finding]:
    """The findings of the packs ``files``, laid over each other in this order, by file and line.

    :param only: the files whose findings are asked for; all by default.
    :param done: called with the number of rules that have been tried.
    """
    pack = merge_packs(file.pack for file in files)
    ground = LintContext(pack, compile_rules([pack]))
    wanted = _wanted(files, only)
    doubts: list[LintIssue] = [
        *doubtful_surfaces(ground),
        *conflicts(ground),
        *trials(ground, [rule for rule in ground.rules if ("rules", rule.id) in wanted], done),
    ]
    return sorted(
        (
            finding
            for doubt in doubts
            if (doubt.kind_of_owner, doubt.owner) in wanted
            and not _allowed(*wanted[doubt.kind_of_owner, doubt.owner], doubt)
            for finding in [_placed(*wanted[doubt.kind_of_owner, doubt.owner], doubt)]
        ),
        key=lambda finding: (str(finding.file), finding.line, finding.kind, finding.sentence),
    )


def _wanted(
    files: Iterable[PackFile], only: Collection[Path] | None
) -> dict[tuple[str, str], tuple[PackFile, int]]:
    """Where each entity and rule that is asked for stands: of several, the last."""
    places: dict[tuple[str, str], tuple[PackFile, int]] = {}
    for file in files:
        for number, entity in enumerate(file.pack.entities):
            places["entities", entity.id] = file, number
        for number, rule in enumerate(file.pack.rules):
            places["rules", rule.id] = file, number
    if only is None:
        return places
    return {key: place for key, place in places.items() if place[0].path in only}


def _line(file: PackFile, number: int, doubt: LintIssue) -> int:
    return file.document.line(doubt.kind_of_owner, number, *doubt.where)


def _allowed(file: PackFile, number: int, doubt: LintIssue) -> bool:
    lines = file.document.lines
    for line in (_line(file, number, doubt), file.document.line(doubt.kind_of_owner, number)):
        allow = _ALLOW.search(lines[line - 1]) if 0 < line <= len(lines) else None
        if allow and doubt.kind in re.split(r"[\s,]+", allow[1]):
            return True
    return False


def _placed(file: PackFile, number: int, doubt: LintIssue) -> Finding:
    return Finding(
        file.path,
        _line(file, number, doubt),
        doubt.kind,
        doubt.owner,
        doubt.severity,
        doubt.sentence,
        doubt.advice,
    )
