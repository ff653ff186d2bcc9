"""Converts Pydantic's errors to messages for authors of rules."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel

from backend.articles.model import Pack, Pattern, Rule, RuleExample
from backend.entities.model import Entity, FormerName

FieldPath = tuple[str | int, ...]

_WRONG_TYPE_ERRORS = frozenset(
    {"string_type", "model_type", "dict_type", "tuple_type", "bool_type", "bool_parsing", "literal_error"}
)
"""Error types of a value whose type does not match a branch of a union."""
_EXPECTED_TYPES = {
    "suggest": "auto, a name, a list of names (then nothing is corrected), or one name per language",
    "match": "text, or a mapping with 'text' and its conditions",
    "context": "true, false, or a list of those names that need context",
    "case": "exact or any",
    "note": "text, or one text per language, as {en: why, ja: 理由}",
}
_MODELS: dict[str, type[BaseModel]] = {
    "entities": Entity,
    "former": FormerName,
    "rules": Rule,
    "match": Pattern,
    "specs": RuleExample,
}
_PATTERNS = {
    "a-z0-9": "must be a-z and digits, separated by hyphens or dots, such as 'ethereum-typo'",
    r"\S": "must not start or end with a space, nor contain a line break",
    r"\d{4}": "must be a year, a month or a day in quotes, such as '2024', '2024-09' or '2024-09-04'",
}


def describe_errors(faults: Iterable[Any], data: Any) -> list[tuple[FieldPath, str]]:
    """Describe Pydantic's ``faults`` in ``data`` as pairs of path and message.

    For a value with several possible types, only the errors of the best matching type are reported.
    """
    alone: list[tuple[FieldPath, str]] = []
    unions: dict[FieldPath, dict[str, list[tuple[FieldPath, Any]]]] = {}
    for fault in faults:
        where, union, tag = _resolve_path(fault, data)
        if union is None:
            if not _is_consequence(fault, where, data):
                alone.append((where, _build_message(fault, where, data)))
        else:
            unions.setdefault(union, {}).setdefault(tag, []).append((where, fault))
    for union, branches in unions.items():
        matching_branches = [
            branch_faults
            for branch_faults in branches.values()
            if not any(
                fault["type"] in _WRONG_TYPE_ERRORS and where == union for where, fault in branch_faults
            )
        ]
        if matching_branches:
            alone += [(where, _build_message(fault, where, data)) for where, fault in matching_branches[0]]
        else:
            expected = _EXPECTED_TYPES.get(_get_field_name(union), "of another kind")
            alone.append((union, f"{_format_field_name(union)}must be {expected}"))
    return alone


def suggest_similar(word: str, words: Iterable[str]) -> str:
    """Suggest the known word that is most similar to ``word``."""
    close = difflib.get_close_matches(word, list(words), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""


def _resolve_path(fault: Any, data: Any) -> tuple[FieldPath, FieldPath | None, str]:
    """Return the path of an error, and the path and branch of the innermost union around it."""
    where: list[str | int] = []
    union: FieldPath | None = None
    tag = ""
    location = fault["loc"]
    for number, part in enumerate(location):
        last = number == len(location) - 1
        if _has_part(data, part):
            data = data[part]
            where.append(part)
        elif last and fault["type"] == "missing":
            return (*where, part), union, tag
        elif part != "[key]":
            union, tag = tuple(where), str(part)
    return tuple(where), union, tag


def _is_consequence(fault: Any, where: FieldPath, data: Any) -> bool:
    """True if the list is too short only because its items were invalid."""
    return fault["type"] == "too_short" and bool(_get_value(data, where))


def _get_value(data: Any, where: FieldPath) -> Any:
    for part in where:
        if not _has_part(data, part):
            return None
        data = data[part]
    return data


def _has_part(data: Any, part: str | int) -> bool:
    if isinstance(data, dict):
        return part in data
    return isinstance(data, list) and isinstance(part, int) and part < len(data)


def _get_field_name(where: Sequence[str | int]) -> str:
    return next((part for part in reversed(where) if isinstance(part, str)), "")


def _format_field_name(where: FieldPath) -> str:
    field = _get_field_name(where)
    return f"'{field}' " if field else "this "


def _build_message(fault: Any, where: FieldPath, data: Any) -> str:
    kind, context, value = fault["type"], fault.get("ctx", {}), _get_value(data, where)
    field = _format_field_name(where)
    if kind == "missing":
        return f"{field}is missing"
    if kind == "extra_forbidden":
        return (
            f"{field}is not known here{suggest_similar(_get_field_name(where), _list_fields_at(where[:-1]))}"
        )
    if kind == "literal_error":
        if fault["loc"][-1] == "[key]":
            return f"{field}must be {context['expected']}"
        suggestion = suggest_similar(str(value), _split_expected(context["expected"]))
        return f"{field}must be {context['expected']}{suggestion}"
    if value is None:
        return f"{field}is empty: give it a value, or remove the line"
    sentences = {
        "string_type": "must be one text"
        if isinstance(value, list | dict)
        else f"must be text: put {value!r} in quotes".replace("True", "true").replace("False", "false"),
        "string_too_short": "must not be empty",
        "string_too_long": f"must not be longer than {context.get('max_length')} characters",
        "too_short": "must not be empty",
        "tuple_type": "must be a list, such as [a, b]",
        "dict_type": "must be a mapping of names to values",
        "model_type": "must contain mappings of names to values",
        "bool_type": "must be true or false",
        "bool_parsing": "must be true or false",
    }
    if kind == "string_pattern_mismatch":
        pattern = context["pattern"]
        return field + next(
            (words for part, words in _PATTERNS.items() if part in pattern), str(fault["msg"])
        )
    return field + sentences.get(kind, str(fault["msg"]))


def _split_expected(expected: str) -> list[str]:
    return [word for word in expected.replace(" or ", ", ").replace("'", "").split(", ") if word]


def _list_fields_at(where: Sequence[str | int]) -> Iterable[str]:
    """List the fields of the model at ``where``."""
    field = _get_field_name(where)
    model = _MODELS.get(field, Pack if not where else None)
    if model is None:
        return ()
    return [known.alias or name for name, known in model.model_fields.items()]
