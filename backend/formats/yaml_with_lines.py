"""Parses YAML to text values with the line of each, for files that are checked strictly.

Every value stays text as written: ``no`` is not a boolean, a date is not converted, and no number becomes a
float. Only an empty value, ``null`` and ``~`` are None.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from backend.formats.yaml_loader import SafeLoader

MAX_DEPTH = 8
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
Path = tuple[str | int, ...]


class InvalidYamlError(ValueError):
    """Invalid YAML, or YAML that this module does not accept; ``line`` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line, self.reason = line, reason


@dataclass(slots=True)
class LinedYaml:
    """Texts, None, lists and mappings, and the line of each value by its path."""

    data: Any = None
    _lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Sequence[str | int]) -> int:
        """Find the line of the value at ``path``, or of the nearest value around it."""
        for length in range(len(path), -1, -1):
            if (line := self._lines.get(tuple(path[:length]))) is not None:
                return line
        return 1


def parse_yaml(text: str) -> LinedYaml:
    """Parse one YAML document. Raises :class:`InvalidYamlError`."""
    lined = LinedYaml()
    try:
        node = yaml.compose(text, SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InvalidYamlError(mark.line + 1 if mark else 1, error.problem or "cannot be read") from None
    except yaml.reader.ReaderError as error:
        at = error.position if isinstance(error.position, int) else 0
        raise InvalidYamlError(text.count("\n", 0, at) + 1, "holds a character that YAML forbids") from None
    lined.data = None if node is None else _convert(node, (), lined)
    return lined


def _convert(node: yaml.Node, path: Path, lined: LinedYaml) -> Any:
    line = node.start_mark.line + 1
    # The depth limit also ends the recursion of an alias that contains itself.
    if len(path) > MAX_DEPTH:
        raise InvalidYamlError(line, f"is nested more than {MAX_DEPTH} deep")
    lined._lines[path] = line
    if isinstance(node, yaml.ScalarNode):
        return None if not node.style and node.value in _NULL else node.value
    if isinstance(node, yaml.SequenceNode):
        return [_convert(part, (*path, index), lined) for index, part in enumerate(node.value)]
    mapping: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise InvalidYamlError(key.start_mark.line + 1, "has a list or mapping before a colon")
        if key.value in mapping:
            raise InvalidYamlError(key.start_mark.line + 1, f"gives {key.value!r} twice")
        mapping[key.value] = _convert(value, (*path, key.value), lined)
        lined._lines[(*path, key.value)] = key.start_mark.line + 1
    return mapping
