"""Loads packs from files; an error gets a message with its line, and a set loads completely or not at all.

The shipped packs come first, then those of the user's own folder, each in the order of their names. A
later pack may replace an entity or a rule by giving its id again, and disable and enable by id.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from backend.articles.model import Pack, Rule
from backend.articles.rules import pack_checks
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.validation_messages import describe_errors
from backend.articles.rules.yaml_reader import Document, parse_document, read_document
from backend.entities.model import Entity
from backend.formats.file_errors import FileError

__all__ = [
    "FileError",
    "InvalidRulesError",
    "PackFile",
    "default_files",
    "load_pack",
    "parse_pack",
    "read_pack",
    "read_packs",
    "user_files",
]

# Folders of the shipped packs.
SHIPPED = (Path(__file__).parents[2] / "entities" / "data", Path(__file__).parents[1] / "packs")
MAX_FILES = 200

Item = TypeVar("Item", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class PackFile:
    """A pack and the lines of what is in it."""

    document: Document
    pack: Pack

    @property
    def path(self) -> Path:
        return self.document.path


def default_files() -> list[Path]:
    """The shipped packs: the facts, then the rules."""
    return [path for folder in SHIPPED for path in sorted(folder.glob("*.yaml"))]


def user_files(folder: Path) -> list[Path]:
    """The packs in a user's own ``folder``, by name; none where there is no such folder.

    :raises InvalidRulesError: where the folder cannot be read or holds too many files.
    """
    try:
        found = sorted(
            path
            for path in folder.iterdir()
            if path.suffix in (".yaml", ".yml") and not path.name.startswith(".")
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        reason = f"the folder of rules cannot be read: {error.strerror}"
        raise InvalidRulesError([FileError(folder, 0, reason)]) from None
    if len(found) > MAX_FILES:
        reason = f"holds {len(found)} files of rules, more than {MAX_FILES}: join some of them"
        raise InvalidRulesError([FileError(folder, 0, reason)])
    return found


def load_pack(path: Path) -> Pack:
    """The pack in ``path``; what it says of other packs' ids is not checked.

    :raises InvalidRulesError: with every error in the file.
    """
    return read_pack(path).pack


def read_pack(path: Path) -> PackFile:
    """As :func:`load_pack`, with the lines."""
    return _checked(read_document(path))


def parse_pack(text: str, path: Path) -> PackFile:
    """As :func:`read_pack`, of a text at hand; ``path`` is what its errors name."""
    return _checked(parse_document(text, path))


def read_packs(paths: Iterable[Path]) -> list[PackFile]:
    """The packs of ``paths``, which are laid over each other in this order.

    :raises InvalidRulesError: with every error of all files, those between them too.
    """
    errors: list[FileError] = []
    files: list[PackFile] = []
    for path in paths:
        try:
            files.append(read_pack(path))
        except InvalidRulesError as refused:
            errors += refused.errors
    if not errors or files:
        errors += pack_checks.check_across_files([(file.document, file.pack) for file in files], bool(errors))
    if errors:
        raise InvalidRulesError(errors)
    return files


def _checked(document: Document) -> PackFile:
    data = {"version": 1} if document.data is None else document.data
    if not isinstance(data, dict):
        reason = "must hold 'version: 1' and lists under 'entities:' or 'rules:'"
        raise InvalidRulesError([FileError(document.path, 1, reason)])
    try:
        pack = Pack.model_validate({name: value for name, value in data.items() if value is not None})
    except ValidationError as error:
        errors = [
            _error(document, where, sentence) for where, sentence in describe_errors(error.errors(), data)
        ]
        entities = _readable(data.get("entities"), Entity)
        rules = _readable(data.get("rules"), Rule)
    else:
        errors = []
        entities, rules = list(enumerate(pack.entities)), list(enumerate(pack.rules))
    errors += [
        _error(document, where, sentence) for where, sentence in pack_checks.check_items(entities, rules)
    ]
    errors += [_error(document, where, sentence) for where, sentence in pack_checks.find_repeated_ids(data)]
    if errors:
        raise InvalidRulesError(sorted(errors, key=lambda error: error.line))
    return PackFile(document, pack)


def _readable(items: Any, model: type[Item]) -> list[tuple[int, Item]]:
    """Those of the ``items`` that are right by themselves, with their places."""
    right: list[tuple[int, Item]] = []
    for number, item in enumerate(items if isinstance(items, list) else []):
        try:
            right.append((number, model.model_validate(item)))
        except ValidationError:
            continue  # told already, as part of the whole file
    return right


def _error(document: Document, where: Sequence[str | int], sentence: str) -> FileError:
    """``sentence`` at its line, and of which rule or entity it speaks."""
    owner = ""
    if len(where) >= 2 and where[0] in ("rules", "entities") and isinstance(where[1], int):
        item = document.data[where[0]][where[1]]
        given = item.get("id") if isinstance(item, dict) else None
        kind = "rule" if where[0] == "rules" else "entity"
        owner = f"{kind} '{given}': " if isinstance(given, str) else f"{kind} {where[1] + 1}: "
    return document.build_error(where, owner + sentence)
