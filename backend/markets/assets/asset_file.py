"""Reads a YAML file of assets strictly and reports every mistake with its place."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from backend.formats.yaml_loader import SafeLoader

_TIMESTAMP = "tag:yaml.org,2002:timestamp"
_MERGE = "tag:yaml.org,2002:merge"


@dataclass(frozen=True, slots=True)
class AssetFileIssue:
    """A mistake in the file: its place (file, entry counted from 1, its id, field) and how to fix it."""

    file: Path
    message: str
    entry: int | None = None
    asset_id: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        location = [str(self.file)]
        if self.entry is not None:
            location.append(f"entry {self.entry}" + (f" ({self.asset_id!r})" if self.asset_id else ""))
        if self.field:
            location.append(f"field '{self.field}'")
        return f"{', '.join(location)}: {self.message}"


class AssetFileError(ValueError):
    """An asset file that cannot be used. The message contains all issues, one per line."""

    def __init__(self, issues: Sequence[AssetFileIssue]) -> None:
        super().__init__("\n".join(map(str, issues)))
        self.issues = tuple(issues)


@dataclass(frozen=True, slots=True)
class RawEntry:
    """An entry as written, not yet validated; ``number`` counts from 1."""

    file: Path
    number: int
    fields: Mapping[str, Any]

    @property
    def asset_id(self) -> str | None:
        value = self.fields.get("id")
        return value if isinstance(value, str) else None

    def issue(self, name: str | None, message: str) -> AssetFileIssue:
        return AssetFileIssue(self.file, message, self.number, self.asset_id, name)


@dataclass(frozen=True, slots=True)
class RawFile:
    entries: tuple[RawEntry, ...] = ()
    disable: tuple[str, ...] = ()
    issues: tuple[AssetFileIssue, ...] = ()


class _StrictLoader(SafeLoader):
    """Loads YAML safely. Keys must be text and unique, and dates stay text as written."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen_keys: set[str] = set()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                self._fail(key_node, "the name before a colon is not read by YAML as text: put it in quotes")
            if key in seen_keys:
                self._fail(key_node, f"'{key}' is given twice in one mapping: keep one of them")
            seen_keys.add(key)
        return super().construct_mapping(node, deep)

    @staticmethod
    def _fail(node: yaml.Node, message: str) -> NoReturn:
        raise yaml.constructor.ConstructorError(None, None, message, node.start_mark)


_StrictLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
    for first, resolvers in SafeLoader.yaml_implicit_resolvers.items()
}


def read_asset_file(path: Path) -> RawFile:
    """Read the entries of ``path`` and the ids that it disables. Fields are not validated.

    :raises AssetFileError: if the file cannot be read or is not YAML.
    """
    document = _load_yaml(path)
    if document is None:
        return RawFile()
    if isinstance(document, list):
        document = {"assets": document}
    if not isinstance(document, dict):
        raise AssetFileError(
            [AssetFileIssue(path, "must hold a list under 'assets:', each entry with an id")]
        )

    issues = [
        AssetFileIssue(
            path, "is not known at the top of the file: only 'assets' and 'disable' are", field=str(key)
        )
        for key in document
        if key not in ("assets", "disable")
    ]
    entries, entry_issues = _parse_entries(path, document.get("assets"))
    disable, disable_issues = _parse_disabled(path, document.get("disable"))
    return RawFile(entries, disable, (*issues, *entry_issues, *disable_issues))


def _load_yaml(path: Path) -> Any:
    try:
        return _StrictLoader(path.read_bytes()).get_single_data()
    except OSError as error:
        message = f"cannot be read: {error.strerror or type(error).__name__}"
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        message = f"{line}{error.problem or error.context or 'is not valid YAML'}"
    except yaml.YAMLError as error:
        message = f"is not valid YAML in UTF-8: {error}"
    except (ValueError, RecursionError) as error:
        message = f"holds a value that YAML cannot read ({error}): put it in quotes"
    raise AssetFileError([AssetFileIssue(path, message)])


def _parse_entries(path: Path, value: Any) -> tuple[tuple[RawEntry, ...], list[AssetFileIssue]]:
    if value is None:
        return (), []
    if not isinstance(value, list):
        return (), [
            AssetFileIssue(path, "must be a list of entries, each beginning with '- id:'", field="assets")
        ]
    entries: list[RawEntry] = []
    issues: list[AssetFileIssue] = []
    for number, item in enumerate(value, start=1):
        if isinstance(item, dict):
            entries.append(RawEntry(path, number, item))
        else:
            issues.append(AssetFileIssue(path, "must be a mapping that begins with 'id:'", entry=number))
    return tuple(entries), issues


def _parse_disabled(path: Path, value: Any) -> tuple[tuple[str, ...], list[AssetFileIssue]]:
    if value is None:
        return (), []
    if not isinstance(value, list):
        return (), [AssetFileIssue(path, "must be a list of asset ids, as in [terra, eos]", field="disable")]
    issues = [
        AssetFileIssue(path, "is not text: put the asset's id in quotes", field=f"disable[{index}]")
        for index, item in enumerate(value)
        if not isinstance(item, str)
    ]
    return tuple(item for item in value if isinstance(item, str)), issues
