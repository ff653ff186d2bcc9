"""The notebooks run from top to bottom against the sample service, and show what they printed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from docs.notebooks.__main__ import NOTEBOOKS, run_notebook
from tests.support.processes import running

pytestmark = pytest.mark.processes
MAX_BYTES = 40_000
"""Small enough to read a change of it."""


def outputs(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def describe(output: dict[str, Any]) -> list[str]:
    """What stays the same in every run: the media types, and the columns of a table."""
    head = re.search(r"<thead>(.*?)</thead>", output.get("data", {}).get("text/html", ""), re.DOTALL)
    return [
        output["output_type"],
        *output.get("data", {}),
        *(re.findall(r"<th>([^<]+)</th>", head[1]) if head else []),
    ]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_and_its_stored_outputs_are_of_the_same_kind(
    file: Path, service: running.Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_HOME", str(service.home))
    monkeypatch.setenv("CHAINPROOF_BASE_URL", service.url)
    stored = json.loads(file.read_text("utf-8"))
    assert file.stat().st_size < MAX_BYTES
    assert list(map(describe, outputs(run_notebook(file)))) == list(map(describe, outputs(stored)))
