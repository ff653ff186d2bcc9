"""File accesses counted from tool calls."""

from typing import Any

import pytest

from backend.timelines.importers.tool_calls import Behaviour, find_shell_accesses
from backend.timelines.model import Metrics


@pytest.mark.parametrize(
    ("command", "acts"),
    [
        ("cat a.py b.py", [("read", "a.py"), ("read", "b.py")]),
        ("head -n 20 ./a.py | grep x", [("read", "a.py")]),
        ("sed -n '1,20p' a.py", [("read", "a.py")]),
        ("sed -i s/a/b/ a.py", [("write", "a.py")]),
        ("sed s/a/b/ a.py", []),
        ("echo hi > a.py 2> /dev/null", [("write", "a.py")]),
        ("cat <<'EOF' > a.py\ncat b.py\nls\nEOF\nls src", [("write", "a.py"), ("list", "src")]),
        ("FOO=1 /usr/bin/ls -la; find . -name x && tree", [("list", ""), ("list", "."), ("list", "")]),
        ("cp a b; mv b c", [("write", "b"), ("write", "c")]),
        ("make | tee out.log", [("write", "out.log")]),
        ("cat a.py\ncat 'unclosed", [("read", "a.py")]),
        ("echo 'cat a.py'", []),
        ("", []),
    ],
)
def test_file_accesses_of_shell_commands_are_found(command: str, acts: list[Any]) -> None:
    assert list(find_shell_accesses(command)) == acts


def count_calls(*calls: tuple[str, dict[str, Any]]) -> Metrics:
    counted = Behaviour()
    for function, arguments in calls:
        counted.call(function, arguments)
    return counted.metrics()


def test_coverage_counts_files_read_before_they_were_written() -> None:
    metrics = count_calls(
        ("read_file", {"path": "a"}),
        ("write_file", {"path": "a"}),
        ("write_file", {"path": "b"}),
        ("read_file", {"path": "b"}),
        ("mcp__files__list_directory", {"path": "."}),
    )
    assert metrics == Metrics(2, 2, 1, 1.0, 0.5)


def test_without_writes_there_is_no_ratio() -> None:
    assert count_calls(("bash", {"cmd": ["cat", "a"]})) == Metrics(1, 0, 0, None, None)


def test_tools_with_hidden_file_access_leave_all_metrics_unknown() -> None:
    assert count_calls() == count_calls(("read_file", {"path": "a"}), ("python", {"code": ""})) == Metrics()


def test_other_tools_count_nothing() -> None:
    assert count_calls(("web_search", {"query": "x"})) == Metrics(0, 0, 0, None, None)
