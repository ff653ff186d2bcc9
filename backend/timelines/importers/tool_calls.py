"""Counts the file reads, writes and listings of an agent from its tool calls.

File tools are identified by their names. Shell commands count if they use common programs: cat, head, tail,
less, more, nl and ``sed -n`` read; redirections, tee, ``sed -i``, cp and mv write; ls, find and tree list.
The text of here-documents is ignored. This is a heuristic that shows patterns and proves nothing about a
single run."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from backend.timelines.model import Metrics

Access = tuple[Literal["read", "write", "list"], str]
"""The kind of access and its path, which may be empty."""

_READ = frozenset({"read_file", "view_file", "open_file", "file_read", "read", "view", "cat_file"})
_WRITE = frozenset(
    {
        *(
            "write_file",
            "create_file",
            "edit_file",
            "file_write",
            "write",
            "edit",
            "multi_edit",
            "str_replace",
        ),
        *("insert", "create", "apply_patch", "replace_in_file", "append_file", "str_replace_editor_write"),
    }
)
_LIST = frozenset({"list_dir", "list_files", "list_directory", "ls", "glob", "find_files", "tree"})
_EDITORS = frozenset({"text_editor", "str_replace_editor", "str_replace_based_edit_tool", "editor"})
_SHELLS = frozenset(
    {"bash", "shell", "bash_session", "execute_bash", "run_command", "terminal", "exec", "sh"}
)
_OPAQUE_TOOLS = frozenset(
    {"python", "computer", "ipython", "execute_python", "code_interpreter", "tool_python"}
)
"""Tools whose calls do not show which files they access."""
_EDITS: Mapping[str, Literal["read", "write"]] = {
    "view": "read", "create": "write", "str_replace": "write", "insert": "write",
}  # fmt: skip
_READERS = frozenset({"cat", "head", "tail", "less", "more", "nl"})
_LISTERS = frozenset({"ls", "find", "tree"})
_MOVERS = frozenset({"cp", "mv"})
_PATHS = ("path", "file_path", "file", "filename", "target_file", "dir", "directory")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1(.*?)\n.*?^\s*\2\s*$", re.S | re.M)
_PUNCTUATION = "();<>|&\n"
_MAX_COMMAND_CHARS = 100_000


class Behaviour:
    """Counts the tool calls of one run, in their order."""

    def __init__(self) -> None:
        self._counts = {"read": 0, "write": 0, "list": 0}
        self._read: set[str] = set()
        self._written: dict[str, bool] = {}
        self._calls = 0
        self._blind = False

    def call(self, function: str, arguments: Any, *, failed: bool = False) -> None:
        """Count a call. A failed call counts but reads and writes nothing."""
        self._calls += 1
        tool = function.rsplit("__", 1)[-1].lower()
        self._blind = self._blind or tool in _OPAQUE_TOOLS
        for kind, path in _find_accesses(tool, arguments if isinstance(arguments, dict) else {}):
            self._counts[kind] += 1
            if failed or not path:
                continue
            if kind == "read":
                self._read.add(path)
            elif kind == "write":
                self._written.setdefault(path, path in self._read)

    def metrics(self) -> Metrics:
        """Compute the metrics; all None without tool calls, or after a call of a tool with hidden file
        access."""
        if not self._calls or self._blind:
            return Metrics()
        read_count, write_count = self._counts["read"], self._counts["write"]
        covered = sum(self._written.values())
        return Metrics(
            read_count,
            write_count,
            self._counts["list"],
            read_count / write_count if write_count else None,
            covered / len(self._written) if self._written else None,
        )


def _find_accesses(tool: str, arguments: Mapping[str, Any]) -> Iterator[Access]:
    path = next((value for name in _PATHS if isinstance(value := arguments.get(name), str)), "")
    path = path.removeprefix("./")
    if tool in _SHELLS:
        command = next((arguments.get(name) for name in ("cmd", "command", "input") if name in arguments), "")
        yield from find_shell_accesses(
            " ".join(map(str, command)) if isinstance(command, list) else str(command)
        )
    elif tool in _EDITORS:
        if kind := _EDITS.get(str(arguments.get("command"))):
            yield kind, path
    elif tool in _READ:
        yield "read", path
    elif tool in _WRITE:
        yield "write", path
    elif tool in _LIST:
        yield "list", path


def find_shell_accesses(command: str) -> Iterator[Access]:
    """Generate the file accesses of a shell command in order; stops at text that cannot be parsed."""
    text = _HEREDOC.sub(r"\3", command[:_MAX_COMMAND_CHARS])
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace, lexer.commenters = " \t\r", "#"
    words: list[str] = []
    try:
        for word in lexer:
            if word.strip(";|&\n()") or not word:
                words.append(word)
            else:
                yield from _find_command_accesses(words)
                words = []
    except ValueError:
        return  # an unclosed quote; earlier commands are already counted
    yield from _find_command_accesses(words)


def _find_command_accesses(words: list[str]) -> Iterator[Access]:
    """Generate the file accesses of one simple command."""
    arguments: list[str] = []
    targets: list[str] = []
    following = iter(words)
    for word in following:
        if word in (">", ">>", ">|"):
            targets.append(next(following, ""))
            if arguments and arguments[-1].isdigit():
                arguments.pop()  # of 2>file
        elif word.startswith("<"):
            next(following, None)
        else:
            arguments.append(word)
    while arguments and ("=" in arguments[0] or arguments[0] in ("sudo", "time", "command", "env")):
        arguments.pop(0)
    if arguments:
        yield from _find_program_accesses(arguments[0].rsplit("/", 1)[-1], arguments[1:])
    yield from (
        ("write", _remove_dot_prefix(path))
        for path in targets
        if path and not path.startswith(("/dev/", "&"))
    )


def _find_program_accesses(program: str, arguments: list[str]) -> Iterator[Access]:
    paths = [_remove_dot_prefix(word) for word in _list_operands(arguments)]
    if program in _READERS:
        yield from (("read", path) for path in paths)
    elif program == "sed":
        in_place = any(word.startswith("-i") for word in arguments)
        kind: Literal["read", "write"] = "write" if in_place else "read"
        if in_place or any(word.startswith("-n") for word in arguments):
            yield from ((kind, path) for path in paths[1:])
    elif program == "tee":
        yield from (("write", path) for path in paths)
    elif program in _MOVERS and len(paths) > 1:
        yield "write", paths[-1]
    elif program in _LISTERS:
        yield "list", paths[0] if paths else ""


def _list_operands(arguments: Iterable[str]) -> Iterator[str]:
    """Generate words that are not options; a number after an option is its value (``head -n 20 file``)."""
    option = False
    for word in arguments:
        if word.startswith("-"):
            option = True
            continue
        if not (option and word.isdigit()):
            yield word
        option = False


def _remove_dot_prefix(path: str) -> str:
    return path.removeprefix("./")
