"""Imports prh dictionaries (https://github.com/prh/prh).

``expected`` is the correct text. ``pattern`` (or ``patterns``) is wrong: a case-sensitive text, or a regular
expression between slashes. Without a pattern, ``expected`` in any other case or width is wrong. If
``regexpMustEmpty`` names a group, a match counts only if that group is empty. ``imports`` names further
files.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backend.articles.importers.regex_expansion import Expansion, UnsupportedRegexError, expand
from backend.articles.importers.rule_drafts import Draft, ImportResult, build_pattern, build_patterns
from backend.articles.model import Pattern, RuleExample
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.yaml_reader import Document, read_document

MAX_IMPORTED_FILES = 100
_REGEX = re.compile(r"/(.*)/([gimuy]*)", re.DOTALL)
_GROUP = re.compile(r"\$(\d{1,2})")
_KNOWN = frozenset({"expected", "pattern", "patterns", "regexpMustEmpty", "options", "specs", "prh"})


def is_supported(data: Any) -> bool:
    """True if ``data`` looks like a prh dictionary."""
    if not isinstance(data, dict):
        return False
    rules = data.get("rules")
    has_rules = isinstance(rules, list) and any(
        isinstance(rule, str) or (isinstance(rule, dict) and "expected" in rule) for rule in rules
    )
    return has_rules or ("imports" in data and "rules" not in data)


def read(path: Path, *, auto_fix: bool = False) -> ImportResult:
    """Import the rules of ``path`` and of the files that it imports.

    :raises InvalidRulesError: if ``path`` cannot be read.
    """
    imported = ImportResult(path, "prh")
    expected: set[str] = set()
    seen: set[Path] = set()
    for file, rule, number in _rules(read_document(path), imported, seen, follow=True):
        line = file.line("rules", number)
        entry = {"expected": rule} if isinstance(rule, str) else rule
        if not isinstance(entry, dict) or not isinstance(entry.get("expected"), str):
            imported.skip(file.path, line, f"rule {number + 1}", "'expected' must be text")
        elif file.path != path and entry["expected"] in expected:
            reason = "a rule of another file for it takes precedence"
            imported.skip(file.path, line, entry["expected"], reason)
        else:
            _add(imported, file.path, line, entry, auto_fix)
        if isinstance(entry, dict) and isinstance(entry.get("expected"), str):
            expected.add(entry["expected"])
    return imported


def _rules(
    document: Document, imported: ImportResult, seen: set[Path], *, follow: bool
) -> Iterator[tuple[Document, Any, int]]:
    """Generate the rules of a file, then of the files that it imports."""
    seen.add(document.path.resolve())
    data = document.data if isinstance(document.data, dict) else {}
    rules = data.get("rules")
    for number, rule in enumerate(rules if isinstance(rules, list) else []):
        yield document, rule, number
    if data.get("targets"):
        line, reason = document.line("targets"), "rules do not select files and lines"
        imported.skip(document.path, line, "targets", reason)
    imports = data.get("imports")
    given = imports if isinstance(imports, list) else [imports] if imports else []
    for number, entry in enumerate(given if follow else []):
        yield from _imported(document, entry, document.line("imports", number), imported, seen)


def _imported(
    document: Document, entry: Any, line: int, imported: ImportResult, seen: set[Path]
) -> Iterator[tuple[Document, Any, int]]:
    options = {"path": entry} if isinstance(entry, str) else entry
    if not isinstance(options, dict) or not isinstance(options.get("path"), str):
        imported.skip(document.path, line, "import", "it must name a path")
        return
    name = options["path"]
    path = document.path.parent / name
    if path.resolve() in seen:
        return
    if len(seen) >= MAX_IMPORTED_FILES:
        imported.skip(
            document.path, line, f"import {name}", f"at most {MAX_IMPORTED_FILES} files can be imported"
        )
        return
    if not path.is_file():
        imported.skip(document.path, line, f"import {name}", "this file does not exist")
        return
    try:
        inner = read_document(path)
    except InvalidRulesError as refused:
        imported.skip(document.path, line, f"import {name}", str(refused.errors[0]))
        return
    ignored = [_ignored(given) for given in options.get("ignoreRules") or []]
    for file, rule, number in _rules(inner, imported, seen, follow=not options.get("disableImports")):
        if not any(_matches(rule, fields) for fields in ignored):
            yield file, rule, number


def _ignored(given: Any) -> dict[str, str]:
    """Return the fields that a rule must have to be ignored."""
    if isinstance(given, str):
        return {"pattern": given}
    return {k: v for k, v in given.items() if isinstance(v, str)} if isinstance(given, dict) else {}


def _matches(rule: Any, fields: dict[str, str]) -> bool:
    if not fields:
        return False
    entry = {"expected": rule} if isinstance(rule, str) else rule
    if not isinstance(entry, dict):
        return False
    written = entry.get("pattern", entry.get("patterns"))
    forms = {str(p) for p in (written if isinstance(written, list) else [written])}
    forms |= {f"/{form}/gmu" for form in forms} | {f"/{form}/gm" for form in forms}
    return fields.get("expected", entry.get("expected")) == entry.get("expected") and (
        "pattern" not in fields or fields["pattern"] in forms
    )


def _add(imported: ImportResult, file: Path, line: int, entry: dict[str, Any], auto_fix: bool) -> None:
    """Add one rule, as a draft for each name that its expected text can become."""
    expected = entry["expected"]
    try:
        unknown = sorted(str(name) for name in entry if name not in _KNOWN)
        if unknown:
            raise UnsupportedRegexError(f"the field '{unknown[0]}' is unknown")
        by_name: dict[str, list[Pattern]] = {}
        for pattern, expansion in _patterns(entry):
            by_name.setdefault(_replace_groups(expected, expansion), []).append(pattern)
        specs = _specs(entry)
        if not by_name:
            raise UnsupportedRegexError("it names no wrong form")
    except UnsupportedRegexError as reason:
        imported.skip(file, line, expected, str(reason))
        return
    options = entry.get("options")
    bounded = isinstance(options, dict) and options.get("wordBoundary") is True
    note = entry.get("prh")
    for name, patterns in by_name.items():
        imported.add(
            Draft(
                file,
                line,
                name,
                tuple(dict.fromkeys(patterns)),
                specs=specs if len(by_name) == 1 else (),
                boundary="word" if bounded else "none",
                auto_fix=auto_fix,
                note=note if isinstance(note, str) else None,
            )
        )
    if len(by_name) > 1 and specs:
        # Each spec belongs to one of the drafts, and must hold with all of them.
        _share_specs(imported, file, line, specs)


def _share_specs(imported: ImportResult, file: Path, line: int, specs: tuple[tuple[str, str], ...]) -> None:
    mine = [i for i, rule in enumerate(imported.rules) if imported.places[rule.id] == (file, line)]
    if mine:
        last = imported.rules[mine[-1]]
        more = tuple(RuleExample.model_validate({"from": given, "to": to}) for given, to in specs)
        imported.rules[mine[-1]] = last.model_copy(update={"specs": (*last.specs, *more)})


def _patterns(entry: dict[str, Any]) -> Iterator[tuple[Pattern, Expansion]]:
    written = entry.get("pattern")
    if written is None:
        written = entry.get("patterns")
    must_be_empty = _must_be_empty(entry.get("regexpMustEmpty"))
    if written is None:
        expected = entry["expected"]
        yield build_pattern(expected, case="any"), Expansion(expected)
        return
    for given in written if isinstance(written, list) else [written]:
        if not isinstance(given, str):
            raise UnsupportedRegexError(f"the pattern {given!r} must be text")
        regex = _REGEX.fullmatch(given)
        if regex is None:
            yield build_pattern(given), Expansion(given)
            continue
        source, flags = regex.groups()
        if "y" in flags:
            raise UnsupportedRegexError(
                "the flag y is not supported: it matches only at the end of the previous match"
            )
        for pattern, expansion in build_patterns(
            expand(source), boundary="auto", must_be_empty=must_be_empty
        ):
            yield (
                pattern.model_copy(update={"case": "any"}) if "i" in flags else pattern,
                expansion,
            )


def _must_be_empty(given: Any) -> int | None:
    if given is None:
        return None
    group = _GROUP.fullmatch(given) if isinstance(given, str) else None
    if group is None:
        raise UnsupportedRegexError(f"'regexpMustEmpty' must name a group, such as $1, but is {given!r}")
    return int(group[1])


def _replace_groups(expected: str, expansion: Expansion) -> str:
    """Replace the group references in ``expected`` by the matched texts."""
    return _GROUP.sub(lambda group: expansion.groups.get(int(group[1]), ""), expected)


def _specs(entry: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    specs = []
    for given in entry.get("specs") or []:
        if not isinstance(given, dict) or not all(isinstance(given.get(k), str) for k in ("from", "to")):
            raise UnsupportedRegexError("each of its specs must have the texts 'from' and 'to'")
        specs.append((given["from"], given["to"]))
    return tuple(specs)
