"""The commands of the README and of the lists of commands and endpoints work as they stand, offline."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from backend.cli.commands import app
from tests.support.processes import running
from tests.support.store import data_folders
from tests.support.test_session import doc_examples

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "cli.md", ROOT / "docs" / "api.md"]
RUN_UNTIL_STOPPED = {"up", "serve", "worker", "dashboard"}
FINDINGS = 1
"""The exit code of a scan that finds something."""


def commands(program: str) -> list[list[str]]:
    """What follows ``program`` on each line of the pages' shell examples that begins with it."""
    lines = [
        line
        for page in PAGES
        for example in doc_examples.examples(page)
        for line in example.code.splitlines()
    ]
    found = (re.fullmatch(rf"(?:\w+=\$\()?{program} ([^|]*?)(?: \|.*)?", line.strip()) for line in lines)
    return [shlex.split(command[1], comments=True) for command in found if command]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The examples as a checkout has them, with a data folder that nothing was put into."""
    data_folders.set_up_home(tmp_path, monkeypatch)
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    return tmp_path


def invoke(arguments: list[str]) -> Result:
    return CliRunner().invoke(app, arguments)


def test_each_command_does_its_work_in_a_fresh_data_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [words for words in commands("chainproof") if words[0] not in RUN_UNTIL_STOPPED]
    assert len(found) >= 12
    for words in found:
        at_home = [word.replace("/backups", str(folder / "backups")) for word in words]
        if words[0] == "restore":
            archive = next(
                path for path in (folder / "backups", *(folder.glob("backups/*"))) if path.is_file()
            )
            at_home[1] = str(archive)
            monkeypatch.setenv("CHAINPROOF_HOME", str(folder / "another"))
        done = invoke(at_home)
        expected = {0, FINDINGS} if words[0] == "scan" else {0}
        assert done.exit_code in expected, f"chainproof {shlex.join(at_home)}: {done.output}"
    assert "Ethereum" in (folder / "corrected.jsonl").read_text("utf-8")


@pytest.mark.processes
def test_each_request_finds_something_on_sample_data(service: running.Service) -> None:
    found = commands("curl")
    assert len(found) >= 2
    for words in found:
        address = next(word for word in words if word.startswith("http://127.0.0.1:8000"))
        headers = dict(words[place + 1].split(": ", 1) for place, word in enumerate(words) if word == "-H")
        assert headers == {"CP-X-API-KEY": "$KEY"}, words
        result = running.loopback.get(
            address.replace("http://127.0.0.1:8000", service.url), headers={"CP-X-API-KEY": service.key}
        )
        assert result.status_code == 200, address
        body = json.loads(result.content)
        assert body["data"] if isinstance(body, dict) else body, f"{address} finds nothing."
