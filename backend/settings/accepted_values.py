"""Says in words which values a setting accepts."""

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
    """Stands in a field's annotation: the accepted form, and the environment variable if it has another name
    than the field."""

    form: str | None = None
    variable: str | None = None


def accepted_form(field: FieldInfo) -> str:
    """The values that ``field`` takes, as they follow "must be": ``a whole number from 0 to 65535``."""
    for note in _notes(field):
        if note.form is not None:
            return note.form
    [kind] = [kind for kind in _kinds(field.annotation) if kind is not type(None)]
    if get_origin(kind) is Literal:
        *most, last = get_args(kind)
        return f"{', '.join(most)} or {last}" if most else str(last)
    if kind is bool:
        return "true or false"
    if kind is int:
        return f"a whole number{_range(field)}"
    if kind is Decimal:
        return f"a number{_range(field)}"
    return "a path" if kind is Path else "text"


def variable_of(name: str, field: FieldInfo) -> str:
    """The environment variable of the field ``name``."""
    named = [note.variable for note in _notes(field) if note.variable is not None]
    return named[0] if named else f"CHAINPROOF_{name.upper()}"


def is_secret(field: FieldInfo) -> bool:
    return SecretStr in _kinds(field.annotation)


def _notes(field: FieldInfo) -> Iterator[Accepts]:
    yield from (note for note in field.metadata if isinstance(note, Accepts))
    for part in _union(field.annotation):
        if get_origin(part) is Annotated:
            yield from (note for note in part.__metadata__ if isinstance(note, Accepts))


def _kinds(annotation: Any) -> list[Any]:
    return [get_args(part)[0] if get_origin(part) is Annotated else part for part in _union(annotation)]


def _union(annotation: Any) -> tuple[Any, ...]:
    is_union = get_origin(annotation) in (Union, types.UnionType)
    return get_args(annotation) if is_union else (annotation,)


def _range(field: FieldInfo) -> str:
    bounds = {
        name: getattr(note, name) for note in field.metadata for name in ("ge", "le") if hasattr(note, name)
    }
    match bounds:
        case {"ge": least, "le": most}:
            return f" from {least} to {most}"
        case {"ge": least}:
            return f" of at least {least}"
    return ""
