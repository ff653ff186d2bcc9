"""Reading a YAML file of assets strictly: a slip of its author becomes a sentence, never a guess."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from backend.formats.yaml_loader import SafeLoader

_TIMESTAMP = "tag:yaml.org,2002:timestamp"
_MERGE = "tag:yaml.org,2002:merge"


@dataclass(frozen=True, slots=True)
class FileFault:
    """One fault: where (file, entry counted from 1, its id, field) and what to do about it."""

    file: Path
    sentence: str
    entry: int | None = None
    asset_id: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        place = [str(self.file)]
        if self.entry is not None:
            place.append(f"entry {self.entry}" + (f" ({self.asset_id!r})" if self.asset_id else ""))
        if self.field:
            place.append(f"field '{self.field}'")
        return f"{', '.join(place)}: {self.sentence}"


class AssetFileError(ValueError):
    """A file of assets that cannot be used; the message holds every fault found, one a line."""

    def __init__(self, faults: Sequence[FileFault]) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class RawEntry:
    """An entry as written, not yet judged; ``number`` counts from 1."""

    file: Path
    number: int
    fields: Mapping[str, Any]

    @property
    def asset_id(self) -> str | None:
        given = self.fields.get("id")
        return given if isinstance(given, str) else None

    def fault(self, name: str | None, sentence: str) -> FileFault:
        return FileFault(self.file, sentence, self.number, self.asset_id, name)


@dataclass(frozen=True, slots=True)
class RawFile:
    entries: tuple[RawEntry, ...] = ()
    disable: tuple[str, ...] = ()
    faults: tuple[FileFault, ...] = ()


class _StrictLoader(SafeLoader):
    """Safe YAML whose names are text and occur once, and in which a day stays the text that was written."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                self._refuse(
                    key_node, "the name before a colon is not read by YAML as text: put it in quotes"
                )
            if key in seen:
                self._refuse(key_node, f"'{key}' is given twice in one mapping: keep one of them")
            seen.add(key)
        return super().construct_mapping(node, deep)

    @staticmethod
    def _refuse(node: yaml.Node, sentence: str) -> NoReturn:
        raise yaml.constructor.ConstructorError(None, None, sentence, node.start_mark)


_StrictLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
    for first, resolvers in SafeLoader.yaml_implicit_resolvers.items()
}


def read_asset_file(path: Path) -> RawFile:
    """The entries of ``path`` and the ids that it disables; nothing is known of their fields yet.

    :raises AssetFileError: when the file cannot be read or is no YAML.
    """
    document = _load(path)
    if document is None:
        return RawFile()
    if isinstance(document, list):
        document = {"assets": document}
    if not isinstance(document, dict):
        raise AssetFileError([FileFault(path, "must hold a list under 'assets:', each entry with an id")])

    faults = [
        FileFault(
            path, "is not known at the top of the file: only 'assets' and 'disable' are", field=str(key)
        )
        for key in document
        if key not in ("assets", "disable")
    ]
    entries, more = _entries(path, document.get("assets"))
    disable, still_more = _disabled(path, document.get("disable"))
    return RawFile(entries, disable, (*faults, *more, *still_more))


def _load(path: Path) -> Any:
    try:
        return _StrictLoader(path.read_bytes()).get_single_data()
    except OSError as error:
        sentence = f"cannot be read: {error.strerror or type(error).__name__}"
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        sentence = f"{line}{error.problem or error.context or 'is not valid YAML'}"
    except yaml.YAMLError as error:
        sentence = f"is not valid YAML in UTF-8: {error}"
    except (ValueError, RecursionError) as error:
        sentence = f"holds a value that YAML cannot read ({error}): put it in quotes"
    raise AssetFileError([FileFault(path, sentence)])


def _entries(path: Path, given: Any) -> tuple[tuple[RawEntry, ...], list[FileFault]]:
    if given is None:
        return (), []
    if not isinstance(given, list):
        return (), [FileFault(path, "must be a list of entries, each beginning with '- id:'", field="assets")]
    entries: list[RawEntry] = []
    faults: list[FileFault] = []
    for number, item in enumerate(given, start=1):
        if isinstance(item, dict):
            entries.append(RawEntry(path, number, item))
        else:
            faults.append(FileFault(path, "must be a mapping that begins with 'id:'", entry=number))
    return tuple(entries), faults


def _disabled(path: Path, given: Any) -> tuple[tuple[str, ...], list[FileFault]]:
    if given is None:
        return (), []
    if not isinstance(given, list):
        return (), [FileFault(path, "must be a list of asset ids, as in [terra, eos]", field="disable")]
    faults = [
        FileFault(path, "is not text: put the asset's id in quotes", field=f"disable[{index}]")
        for index, item in enumerate(given)
        if not isinstance(item, str)
    ]
    return tuple(item for item in given if isinstance(item, str)), faults
