"""Loads packs from files, completely or not at all. Each error has a message with its line.

The shipped packs come first, then those of the user's folder, in the order of their names. A later pack may
replace an entity or a rule by repeating its id, and may disable and enable ids.
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
from backend.formats.file_errors import WHOLE_FILE, FileError

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
    """A pack with the line of each value."""

    document: Document
    pack: Pack

    @property
    def path(self) -> Path:
        return self.document.path


def default_files() -> list[Path]:
    """List the shipped packs: entities, then rules."""
    return [path for folder in SHIPPED for path in sorted(folder.glob("*.yaml"))]


def user_files(folder: Path) -> list[Path]:
    """List the packs in a user's ``folder``, sorted by name; empty if the folder does not exist.

    :raises InvalidRulesError: if the folder cannot be read or contains too many files.
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
        reason = f"the rules folder cannot be read: {error.strerror}"
        raise InvalidRulesError([FileError(folder, WHOLE_FILE, reason)]) from None
    if len(found) > MAX_FILES:
        reason = f"contains {len(found)} rule files, more than {MAX_FILES}: merge some of them"
        raise InvalidRulesError([FileError(folder, WHOLE_FILE, reason)])
    return found


def load_pack(path: Path) -> Pack:
    """Load the pack in ``path``. Its references to ids of other packs are not checked.

    :raises InvalidRulesError: with every error in the file.
    """
    return read_pack(path).pack


def read_pack(path: Path) -> PackFile:
    """Load the pack in ``path`` with its line numbers."""
    return _validate(read_document(path))


def parse_pack(text: str, path: Path) -> PackFile:
    """Parse a pack from ``text``. Errors name ``path``."""
    return _validate(parse_document(text, path))


def read_packs(paths: Iterable[Path]) -> list[PackFile]:
    """Load the packs of ``paths``, to be merged in this order.

    :raises InvalidRulesError: with every error in and between the files.
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


def _validate(document: Document) -> PackFile:
    data = {"version": 1} if document.data is None else document.data
    if not isinstance(data, dict):
        reason = "must contain 'version: 1' and lists under 'entities:' or 'rules:'"
        raise InvalidRulesError([FileError(document.path, 1, reason)])
    try:
        pack = Pack.model_validate({name: value for name, value in data.items() if value is not None})
    except ValidationError as error:
        errors = [
            _error(document, where, sentence) for where, sentence in describe_errors(error.errors(), data)
        ]
        entities = _parse_valid_items(data.get("entities"), Entity)
        rules = _parse_valid_items(data.get("rules"), Rule)
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


def _parse_valid_items(items: Any, model: type[Item]) -> list[tuple[int, Item]]:
    """Parse the ``items`` that are valid by themselves, with their indexes."""
    valid: list[tuple[int, Item]] = []
    for number, item in enumerate(items if isinstance(items, list) else []):
        try:
            valid.append((number, model.model_validate(item)))
        except ValidationError:
            continue  # already reported, as part of the whole file
    return valid


def _error(document: Document, where: Sequence[str | int], sentence: str) -> FileError:
    """Build the error at its line, with the rule or entity that it concerns."""
    owner = ""
    if len(where) >= 2 and where[0] in ("rules", "entities") and isinstance(where[1], int):
        item = document.data[where[0]][where[1]]
        given = item.get("id") if isinstance(item, dict) else None
        kind = "rule" if where[0] == "rules" else "entity"
        owner = f"{kind} '{given}': " if isinstance(given, str) else f"{kind} {where[1] + 1}: "
    return document.build_error(where, owner + sentence)
