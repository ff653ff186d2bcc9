"""Describes in words which values a setting accepts."""

import types
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo


@dataclass(frozen=True, slots=True)
class Accepts:
    """Annotates a field with the accepted form, and with its environment variable if the names differ."""

    form: str | None = None
    variable: str | None = None


def describe_accepted_values(field: FieldInfo) -> str:
    """Describe the accepted values as they follow "must be": ``a whole number from 0 to 65535``."""
    for note in _list_notes(field):
        if note.form is not None:
            return note.form
    [kind] = [kind for kind in list_types(field.annotation) if kind is not type(None)]
    if get_origin(kind) is Literal:
        *first_values, last = get_args(kind)
        return f"{', '.join(first_values)} or {last}" if first_values else str(last)
    if kind is bool:
        return "true or false"
    if kind is int:
        return f"a whole number{_describe_range(field)}"
    if kind in (Decimal, float):
        return f"a number{_describe_range(field)}"
    return "a path" if kind is Path else "text"


def get_variable_name(name: str, field: FieldInfo) -> str:
    """Return the name of the environment variable of the field ``name``."""
    variables = [note.variable for note in _list_notes(field) if note.variable is not None]
    return variables[0] if variables else f"CHAINPROOF_{name.upper()}"


def is_secret(field: FieldInfo) -> bool:
    return SecretStr in list_types(field.annotation)


def _list_notes(field: FieldInfo) -> Iterator[Accepts]:
    yield from (note for note in field.metadata if isinstance(note, Accepts))
    for part in _split_union(field.annotation):
        if get_origin(part) is Annotated:
            yield from (note for note in part.__metadata__ if isinstance(note, Accepts))


def list_types(annotation: Any) -> list[Any]:
    """List the types of a union, or the only type of another annotation."""
    return [get_args(part)[0] if get_origin(part) is Annotated else part for part in _split_union(annotation)]


def _split_union(annotation: Any) -> tuple[Any, ...]:
    is_union = get_origin(annotation) in (Union, types.UnionType)
    return get_args(annotation) if is_union else (annotation,)


def _describe_range(field: FieldInfo) -> str:
    bounds = {
        name: getattr(note, name) for note in field.metadata for name in ("ge", "le") if hasattr(note, name)
    }
    match bounds:
        case {"ge": least, "le": most}:
            return f" from {least} to {most}"
        case {"ge": least}:
            return f" of at least {least}"
    return ""
