"""The guide for agents lists the tools of the server, and its script runs."""

import re
import subprocess
import sys
from inspect import cleandoc
from pathlib import Path

from backend.mcp.guides import GUIDES
from backend.mcp.server import GUIDE_URI, TOOLS
from tests.support.processes import running

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text("utf-8")


def test_the_guide_lists_each_tool_with_its_scopes_and_the_first_sentence_that_agents_read() -> None:
    listed = re.findall(r"^\| `(\w+)` \| ([a-z, ]+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert listed == [
        (
            function.__name__,
            "read" if annotations.read_only_hint else "read, write",
            " ".join(cleandoc(function.__doc__ or "").split("\n\n")[0].split()).rstrip("."),
        )
        for function, _, annotations in TOOLS
    ]


def test_the_guide_names_each_resource() -> None:
    assert set(re.findall(rf"`({GUIDE_URI}[a-z-]+)`", PAGE)) == {f"{GUIDE_URI}{name}" for name in GUIDES}


def test_the_script_of_the_guide_prints_a_price_with_its_reason(service: running.Service) -> None:
    [script] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert "http://127.0.0.1:8000/mcp" in script
    done = subprocess.run(
        [sys.executable, "-c", script.replace("http://127.0.0.1:8000", service.url)],
        env=running.environment(service.home, CHAINPROOF_API_KEY=service.key),
        capture_output=True,
        text=True,
        timeout=running.LIMIT_SECONDS,
        check=False,
    )
    assert re.match(r"\d+(\.\d+)? Sample view", done.stdout), done.stderr
