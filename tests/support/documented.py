"""Examples out of Markdown files: read, run in one shell from top to bottom, and compared.

An example is a block marked ``sh`` or ``python``; a block marked ``text`` behind it is what it prints. Blocks
without a mark are not run.
"""

import itertools
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN_SECONDS = 300
"""A limit for an example that hangs."""
VALUE = "<value>"
CHANGING = (
    (r"cp_[a-z]+v1\w+", "<key>"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16}-[0-9a-f]+\b", "<id>"),
    (r'"?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"?', VALUE),
    (r'"?(-?\b\d[\d,]*\.\d+\b|\b\d{4,}\b|\bnull\b)"?', VALUE),
    (r"\bsample:stale\b", "sample"),
    (r"\bsample-[ab]\b", "<provider>"),
)
"""What differs from run to run: keys, ids, times, figures, which provider of the sample answers."""


@dataclass(frozen=True)
class Example:
    """``printed`` is null where the page does not say what is printed. ``line`` is that of its first line."""

    language: str
    code: str
    printed: str | None
    line: int


def examples(page: Path) -> list[Example]:
    return list(_examples(page.read_text("utf-8")))


def _examples(text: str) -> Iterator[Example]:
    blocks = list(FENCE.finditer(text))
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block[1] in ("sh", "python"):
            is_output = following is not None and following[1] == "text"
            printed = following[2] if following is not None and is_output else None
            yield Example(block[1], block[2], printed, text.count("\n", 0, block.start()) + 2)


def run(
    found: Sequence[Example], folder: Path, settings: Mapping[str, str], *, replacing: Mapping[str, str]
) -> list[str]:
    """What each example prints, with its exit code behind it unless that is 0.

    All run in one shell in ``folder``, so that a variable of one is there for the next. ``replacing`` gives
    the addresses that stand for those on the page.
    """
    script = "\n".join(_in_shell(example) for example in found)
    for shown, real in replacing.items():
        script = script.replace(shown, real)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**settings, "PATH": programs},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    ).stdout
    for shown, real in replacing.items():
        done = done.replace(real, shown)
    parts = re.split(r"^\x1e(\d+)\n", done, flags=re.MULTILINE)
    return [text if code == "0" else f"{text}exit code {code}" for text, code in _pairs(parts)]


def _pairs(parts: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(parts[0::2], parts[1::2], strict=False))


def _in_shell(example: Example) -> str:
    code = example.code
    if example.language == "python":
        code = f"python3 - <<'END OF EXAMPLE'\n{code}END OF EXAMPLE\n"
    return f'{code}printf "\\n\\x1e$?\\n"'


def without_changing(text: str) -> list[str]:
    """The lines of ``text`` with a mark for each thing that differs from run to run.

    Of equal lines in a row there is one: a list may hold an entry for each provider that answers.
    """
    for pattern, mark in CHANGING:
        text = re.sub(pattern, mark, text)
    return [line for line, _ in itertools.groupby(line.rstrip() for line in text.strip().splitlines())]
