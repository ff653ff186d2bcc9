"""YAML as plain text values with the line of each, for files that are checked strictly.

Every value is text as it is written, so that ``no`` is no truth value, a day stays a day and a figure never
passes through a float; only an empty value, ``null`` and ``~`` are None.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from backend.formats.yaml_loader import SafeLoader

MAX_DEPTH = 8
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
Path = tuple[str | int, ...]


class YamlMistake(ValueError):
    """Text that cannot be read as YAML of our kind; ``line`` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line, self.reason = line, reason


@dataclass(slots=True)
class Lined:
    """Data of texts, None, lists and mappings, and the line of each value by its path."""

    data: Any = None
    _lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Sequence[str | int]) -> int:
        """The line of what ``path`` leads to, or of the nearest thing around it."""
        for length in range(len(path), -1, -1):
            if (found := self._lines.get(tuple(path[:length]))) is not None:
                return found
        return 1


def read(text: str) -> Lined:
    """The data of one YAML document. Raises :class:`YamlMistake`."""
    lined = Lined()
    try:
        node = yaml.compose(text, SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlMistake(mark.line + 1 if mark else 1, error.problem or "cannot be read") from None
    except yaml.reader.ReaderError as error:
        at = error.position if isinstance(error.position, int) else 0
        raise YamlMistake(text.count("\n", 0, at) + 1, "holds a character that YAML forbids") from None
    lined.data = None if node is None else _value(node, (), lined)
    return lined


def _value(node: yaml.Node, path: Path, lined: Lined) -> Any:
    line = node.start_mark.line + 1
    # An alias leads to a node that was met before, or around itself; neither is of use here.
    if len(path) > MAX_DEPTH:
        raise YamlMistake(line, f"is nested more than {MAX_DEPTH} deep")
    lined._lines[path] = line
    if isinstance(node, yaml.ScalarNode):
        return None if not node.style and node.value in _NULL else node.value
    if isinstance(node, yaml.SequenceNode):
        return [_value(part, (*path, place), lined) for place, part in enumerate(node.value)]
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise YamlMistake(key.start_mark.line + 1, "has a list or mapping before a colon")
        if key.value in found:
            raise YamlMistake(key.start_mark.line + 1, f"gives {key.value!r} twice")
        found[key.value] = _value(value, (*path, key.value), lined)
        lined._lines[(*path, key.value)] = key.start_mark.line + 1
    return found
