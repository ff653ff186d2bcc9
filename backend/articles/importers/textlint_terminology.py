"""Imports terms of textlint-rule-terminology (https://github.com/sapegin/textlint-rule-terminology).

The file is a JSON list and may contain comments. A text is correct in this case only. A pair is a
case-insensitive regular expression and its replacement.
"""

import json
import re
from pathlib import Path
from typing import Any

from backend.articles.importers.regex_expansion import Expansion, UnsupportedRegexError, expand
from backend.articles.importers.rule_drafts import Draft, ImportResult, build_pattern
from backend.articles.model import Pattern
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.yaml_reader import MAX_DEPTH, read_text
from backend.formats.file_errors import FileError

_GROUP = re.compile(r"\$(\d{1,2})")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=\s*(?:\]|\}))|[\[\]{}]', re.DOTALL)
NOT_AFTER, NOT_BEFORE = ("-", "."), ("-",)
"""Neighbours that prevent a match in that tool: hyphens, and the dot of a file extension."""


def read(path: Path, *, auto_fix: bool = False) -> ImportResult:
    """Import the terms in ``path``.

    :raises InvalidRulesError: if the file is not such a list.
    """
    text = read_text(path)
    imported = ImportResult(path, "terminology")
    for term, line in _terms(text, path):
        what = term if isinstance(term, str) else str(term[0]) if isinstance(term, list) and term else "term"
        try:
            for draft in _drafts(path, line, term, auto_fix):
                imported.add(draft)
        except UnsupportedRegexError as reason:
            imported.skip(path, line, what, str(reason))
    return imported


def is_supported(data: Any) -> bool:
    """True if ``data`` is a list of terms, or contains one as the tool's options do."""
    return isinstance(_found(data), list)


def load(text: str) -> Any:
    """Parse JSON with comments and trailing commas.

    :raises ValueError: if it is invalid.
    """
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += token.group() in ("[", "{")
        depth -= token.group() in ("]", "}")
        if depth > MAX_DEPTH:
            raise ValueError(f"is nested more than {MAX_DEPTH} deep")
    return json.loads(_TOKEN.sub(_without_comment, text))


def _without_comment(token: re.Match[str]) -> str:
    found = token.group()
    if found[0] == "/":
        return "\n" * found.count("\n")
    return "" if found == "," else found


def _found(data: Any) -> Any:
    for name in ("rules", "terminology", "terms"):
        if isinstance(data, dict) and name in data:
            data = data[name]
    return data


def _terms(text: str, path: Path) -> list[tuple[Any, int]]:
    """Parse the terms with their line numbers."""
    try:
        terms = _found(load(text))
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise InvalidRulesError([FileError(path, line, f"must be valid JSON: {reason}")]) from None
    if not isinstance(terms, list):
        raise InvalidRulesError([FileError(path, 1, "must contain a list of terms")])
    return [(term, line) for term, line in zip(terms, _lines(text, terms), strict=True)]


def _lines(text: str, terms: list[Any]) -> list[int]:
    """Find the line of each term: the next occurrence of its text after the previous term."""
    at, line, lines = 0, 1, []
    for term in terms:
        first = term[0] if isinstance(term, list) and term else term
        written = json.dumps(first, ensure_ascii=False)
        found = text.find(written, at)
        if found >= 0:
            line += text.count("\n", at, found)
            at = found
            lines.append(line)
            at += len(written)
        else:
            lines.append(0)
    return lines


def _drafts(path: Path, line: int, term: Any, auto_fix: bool) -> list[Draft]:
    if isinstance(term, str):
        pattern = _build_term_pattern(Expansion(term))
        return [Draft(path, line, term, (pattern,), boundary="word", case="any", auto_fix=auto_fix)]
    right_form = isinstance(term, list) and len(term) == 2 and isinstance(term[0], str)
    if not right_form or not isinstance(term[1], str | list):
        raise UnsupportedRegexError("it must be a text, or a pair of an expression and its replacement")
    source, target = term
    free = source.startswith("(?<") or "(?=" in source or "(?!" in source
    by_name: dict[str, list[Pattern]] = {}
    for expansion in expand(source, bounded=not free):
        if expansion.word_start != expansion.word_end and not free:
            raise UnsupportedRegexError("it needs a word boundary at one side only")
        name = _name(target, expansion)
        pattern = _build_term_pattern(expansion, free=free)
        by_name.setdefault(name, []).append(pattern)
    return [
        Draft(
            path,
            line,
            name,
            tuple(dict.fromkeys(patterns)),
            boundary="none" if free else "word",
            case="any",
            auto_fix=auto_fix,
        )
        for name, patterns in by_name.items()
    ]


def _name(target: str | list[Any], expansion: Expansion) -> str:
    if isinstance(target, list):
        found = [n for n in target if isinstance(n, str) and n.lower() == expansion.text.lower()]
        if not found:
            raise UnsupportedRegexError(f"it has no replacement for {expansion.text!r}")
        return found[0]
    return _GROUP.sub(lambda group: expansion.groups.get(int(group[1]), ""), target)


def _build_term_pattern(expansion: Expansion, *, free: bool = False) -> Pattern:
    return build_pattern(
        expansion.text,
        not_before=(*expansion.not_before, *(() if free else NOT_BEFORE)),
        not_after=(*expansion.not_after, *(() if free else NOT_AFTER)),
    )
