"""Reads the examples of Markdown files and runs them in one shell, from top to bottom.

An example is a block marked ``sh`` or ``python``; a following block marked ``text`` is its output. Other
blocks are not run.
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
RUN_TIMEOUT_SECONDS = 300
VALUE = "<value>"
CHANGING_VALUES = (
    (r"cp_[a-z]+v1\w+", "<key>"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16}-[0-9a-f]+\b", "<id>"),
    (r'"?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"?', VALUE),
    (r'"?(-?\b\d[\d,]*\.\d+\b|\b\d{4,}\b|\bnull\b)"?', VALUE),
    (r"\bsample:stale\b", "sample"),
    (r"\bsample-[ab]\b", "<provider>"),
)
"""Patterns of values that differ between runs: keys, ids, times, figures, providers of the sample."""


@dataclass(frozen=True)
class Example:
    """``printed`` is None if the page shows no output. ``line`` is the number of the first line."""

    language: str
    code: str
    printed: str | None
    line: int


def examples(page: Path) -> list[Example]:
    return list(_find_examples(page.read_text("utf-8")))


def _find_examples(text: str) -> Iterator[Example]:
    blocks = list(FENCE.finditer(text))
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block[1] in ("sh", "python"):
            is_output = following is not None and following[1] == "text"
            printed = following[2] if following is not None and is_output else None
            yield Example(block[1], block[2], printed, text.count("\n", 0, block.start()) + 2)


def run_examples(
    page_examples: Sequence[Example],
    folder: Path,
    settings: Mapping[str, str],
    *,
    replacing: Mapping[str, str],
) -> list[str]:
    """Run the examples and return the output of each, followed by the exit code unless it is 0.

    All run in one shell in ``folder``, so variables stay defined for the next example. ``replacing`` maps
    addresses on the page to real ones.
    """
    script = "\n".join(_build_script(example) for example in page_examples)
    for placeholder, real in replacing.items():
        script = script.replace(placeholder, real)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    output = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**settings, "PATH": programs},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=RUN_TIMEOUT_SECONDS,
        check=False,
    ).stdout
    for placeholder, real in replacing.items():
        output = output.replace(real, placeholder)
    parts = re.split(r"^\x1e(\d+)\n", output, flags=re.MULTILINE)
    return [text if code == "0" else f"{text}exit code {code}" for text, code in _pairs(parts)]


def _pairs(parts: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(parts[0::2], parts[1::2], strict=False))


def _build_script(example: Example) -> str:
    code = example.code
    if example.language == "python":
        code = f"python3 - <<'END OF EXAMPLE'\n{code}END OF EXAMPLE\n"
    return f'{code}printf "\\n\\x1e$?\\n"'


def mask_changing_values(text: str) -> list[str]:
    """Replace values that differ between runs with marks, and return the lines.

    Removes repeated lines: a list may contain an entry for each provider that answers.
    """
    for pattern, mark in CHANGING_VALUES:
        text = re.sub(pattern, mark, text)
    return [line for line, _ in itertools.groupby(line.rstrip() for line in text.strip().splitlines())]
