"""Imports prh dictionaries (https://github.com/prh/prh).

``expected`` is what to write, ``pattern`` (or ``patterns``) what is wrong: a text in its exact capitals,
or a regular expression between slashes. Without a pattern every other way of writing ``expected`` in
capitals and full width is wrong. A match counts only where the group that ``regexpMustEmpty`` names is
empty. Files name others to be joined under ``imports``.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backend.articles.importers.regex_expansion import Expansion, UnsupportedRegexError, expand
from backend.articles.importers.rule_drafts import Draft, Import, patterns_of, surface
from backend.articles.model import Pattern, RuleExample
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.yaml_reader import Document, read_document

MAX_FILES = 100
_REGEX = re.compile(r"/(.*)/([gimuy]*)", re.DOTALL)
_GROUP = re.compile(r"\$(\d{1,2})")
_KNOWN = frozenset({"expected", "pattern", "patterns", "regexpMustEmpty", "options", "specs", "prh"})


def is_supported(data: Any) -> bool:
    """Whether ``data`` looks like a prh dictionary."""
    if not isinstance(data, dict):
        return False
    rules = data.get("rules")
    has_rules = isinstance(rules, list) and any(
        isinstance(rule, str) or (isinstance(rule, dict) and "expected" in rule) for rule in rules
    )
    return has_rules or ("imports" in data and "rules" not in data)


def read(path: Path, *, auto_fix: bool = False) -> Import:
    """The rules of ``path`` and of the files that it imports.

    :raises InvalidRulesError: where ``path`` cannot be read.
    """
    made = Import(path, "prh")
    expected: set[str] = set()
    seen: set[Path] = set()
    for file, rule, number in _rules(read_document(path), made, seen, follow=True):
        line = file.line("rules", number)
        entry = {"expected": rule} if isinstance(rule, str) else rule
        if not isinstance(entry, dict) or not isinstance(entry.get("expected"), str):
            made.skip(file.path, line, f"rule {number + 1}", "'expected' must be text")
        elif file.path != path and entry["expected"] in expected:
            reason = "another file has a rule for it already, which goes before"
            made.skip(file.path, line, entry["expected"], reason)
        else:
            _add(made, file.path, line, entry, auto_fix)
        if isinstance(entry, dict) and isinstance(entry.get("expected"), str):
            expected.add(entry["expected"])
    return made


def _rules(
    document: Document, made: Import, seen: set[Path], *, follow: bool
) -> Iterator[tuple[Document, Any, int]]:
    """The rules of a file, then of those that it imports."""
    seen.add(document.path.resolve())
    data = document.data if isinstance(document.data, dict) else {}
    rules = data.get("rules")
    for number, rule in enumerate(rules if isinstance(rules, list) else []):
        yield document, rule, number
    if data.get("targets"):
        line, reason = document.line("targets"), "which files and lines to look at is not part of rules"
        made.skip(document.path, line, "targets", reason)
    imports = data.get("imports")
    given = imports if isinstance(imports, list) else [imports] if imports else []
    for number, entry in enumerate(given if follow else []):
        yield from _imported(document, entry, document.line("imports", number), made, seen)


def _imported(
    document: Document, entry: Any, line: int, made: Import, seen: set[Path]
) -> Iterator[tuple[Document, Any, int]]:
    options = {"path": entry} if isinstance(entry, str) else entry
    if not isinstance(options, dict) or not isinstance(options.get("path"), str):
        made.skip(document.path, line, "import", "it names no path")
        return
    name = options["path"]
    path = document.path.parent / name
    if path.resolve() in seen:
        return
    if len(seen) >= MAX_FILES:
        made.skip(document.path, line, f"import {name}", f"more than {MAX_FILES} files import each other")
        return
    if not path.is_file():
        made.skip(document.path, line, f"import {name}", "this file does not exist")
        return
    try:
        inner = read_document(path)
    except InvalidRulesError as refused:
        made.skip(document.path, line, f"import {name}", str(refused.errors[0]))
        return
    ignored = [_ignored(given) for given in options.get("ignoreRules") or []]
    for file, rule, number in _rules(inner, made, seen, follow=not options.get("disableImports")):
        if not any(_is(rule, wanted) for wanted in ignored):
            yield file, rule, number


def _ignored(given: Any) -> dict[str, str]:
    """What an ignored rule must hold to be meant."""
    if isinstance(given, str):
        return {"pattern": given}
    return {k: v for k, v in given.items() if isinstance(v, str)} if isinstance(given, dict) else {}


def _is(rule: Any, wanted: dict[str, str]) -> bool:
    if not wanted:
        return False
    entry = {"expected": rule} if isinstance(rule, str) else rule
    if not isinstance(entry, dict):
        return False
    written = entry.get("pattern", entry.get("patterns"))
    forms = {str(p) for p in (written if isinstance(written, list) else [written])}
    forms |= {f"/{form}/gmu" for form in forms} | {f"/{form}/gm" for form in forms}
    return wanted.get("expected", entry.get("expected")) == entry.get("expected") and (
        "pattern" not in wanted or wanted["pattern"] in forms
    )


def _add(made: Import, file: Path, line: int, entry: dict[str, Any], auto_fix: bool) -> None:
    """Drafts of one rule: of each name that its expected text can stand for."""
    expected = entry["expected"]
    try:
        unknown = sorted(str(name) for name in entry if name not in _KNOWN)
        if unknown:
            raise UnsupportedRegexError(f"'{unknown[0]}' is not known")
        by_name: dict[str, list[Pattern]] = {}
        for pattern, expansion in _patterns(entry):
            by_name.setdefault(_filled(expected, expansion), []).append(pattern)
        specs = _specs(entry)
        if not by_name:
            raise UnsupportedRegexError("it names no wrong form")
    except UnsupportedRegexError as reason:
        made.skip(file, line, expected, str(reason))
        return
    options = entry.get("options")
    bounded = isinstance(options, dict) and options.get("wordBoundary") is True
    note = entry.get("prh")
    for name, patterns in by_name.items():
        made.add(
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
        # Each example is of one of the rules that this one became; with all of them it must hold.
        _share_specs(made, file, line, specs)


def _share_specs(made: Import, file: Path, line: int, specs: tuple[tuple[str, str], ...]) -> None:
    mine = [i for i, rule in enumerate(made.rules) if made.places[rule.id] == (file, line)]
    if mine:
        last = made.rules[mine[-1]]
        more = tuple(RuleExample.model_validate({"from": given, "to": to}) for given, to in specs)
        made.rules[mine[-1]] = last.model_copy(update={"specs": (*last.specs, *more)})


def _patterns(entry: dict[str, Any]) -> Iterator[tuple[Pattern, Expansion]]:
    written = entry.get("pattern")
    if written is None:
        written = entry.get("patterns")
    must_be_empty = _must_be_empty(entry.get("regexpMustEmpty"))
    if written is None:
        expected = entry["expected"]
        yield surface(expected, case="any"), Expansion(expected)
        return
    for given in written if isinstance(written, list) else [written]:
        if not isinstance(given, str):
            raise UnsupportedRegexError(f"the pattern {given!r} must be text")
        regex = _REGEX.fullmatch(given)
        if regex is None:
            yield surface(given), Expansion(given)
            continue
        source, flags = regex.groups()
        if "y" in flags:
            raise UnsupportedRegexError("it matches only where the match before ended (flag y)")
        for pattern, expansion in patterns_of(expand(source), boundary="auto", must_be_empty=must_be_empty):
            yield (
                pattern.model_copy(update={"case": "any"}) if "i" in flags else pattern,
                expansion,
            )


def _must_be_empty(given: Any) -> int | None:
    if given is None:
        return None
    group = _GROUP.fullmatch(given) if isinstance(given, str) else None
    if group is None:
        raise UnsupportedRegexError(f"'regexpMustEmpty' is {given!r} and names no group")
    return int(group[1])


def _filled(expected: str, expansion: Expansion) -> str:
    """``expected`` with what its groups matched."""
    return _GROUP.sub(lambda group: expansion.groups.get(int(group[1]), ""), expected)


def _specs(entry: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    specs = []
    for given in entry.get("specs") or []:
        if not isinstance(given, dict) or not all(isinstance(given.get(k), str) for k in ("from", "to")):
            raise UnsupportedRegexError("one of its specs is not two texts, 'from' and 'to'")
        specs.append((given["from"], given["to"]))
    return tuple(specs)
