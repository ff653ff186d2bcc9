"""The wheel holds what the programs read and nothing else, needs what they import, and describes itself."""

import re
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from importlib.metadata import packages_distributions
from pathlib import Path
from sys import stdlib_module_names

import hatchling.build
import pytest

from backend.mcp.guides import GUIDES

ROOT = Path(__file__).parents[2]
PACKAGES = ("backend", "chainproof", "dashboard")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
IMPORTED = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)
USED_BY_NAME = {"fastapi-swagger", "plotly", "uvloop"}
"""Two for files inside them, one by a setting of the server."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)  # as the build interface wants it
        name = hatchling.build.build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as archive:
        yield archive


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


def test_the_wheel_holds_every_file_of_both_programs_and_no_test(wheel: zipfile.ZipFile) -> None:
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    source_files = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    guides = {f"backend/mcp/guides/{guide.file_name}" for guide in GUIDES.values()}
    assert packed == source_files | guides
    assert packed > {
        "dashboard/.streamlit/config.toml",
        "dashboard/frame/favicon.svg",
        "dashboard/frame/frame.css",
        "dashboard/charts/plotly_chart/chart.js",
        "dashboard/i18n/frame.json",
    }


def test_streamlit_run_in_the_repository_has_the_same_settings() -> None:
    assert (ROOT / ".streamlit" / "config.toml").samefile(ROOT / "dashboard" / ".streamlit" / "config.toml")


def test_the_description_asks_for_no_picture_and_no_file_of_the_repository(metadata: Message) -> None:
    text = str(metadata.get_payload())
    assert text.lstrip().startswith("# Chainproof")
    assert "<img" not in text
    assert "![" not in text
    assert {link.split(":")[0] for link in re.findall(r"\]\(([^)]+)\)", text)} == {"https"}


def test_the_metadata_names_authors_licence_keywords_and_every_python(metadata: Message) -> None:
    assert metadata["Author"] == "The Chainproof authors"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Keywords"]
    for version in ("3.11", "3.12", "3.13", "3.14"):
        assert f"Programming Language :: Python :: {version}" in metadata.get_all("Classifier", [])


def test_every_library_that_is_imported_is_declared_and_none_besides() -> None:
    extras = [name for names in PROJECT["optional-dependencies"].values() for name in names]
    declared = {re.split(r"[<>=\[;~! ]", name)[0] for name in (*PROJECT["dependencies"], *extras)}
    found = {
        module
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for module in IMPORTED.findall(path.read_text(encoding="utf-8"))
    }
    homes = packages_distributions()
    imported: set[str] = set()
    for module in found - set(stdlib_module_names) - set(PACKAGES):
        names = {name.lower().replace("_", "-") for name in homes.get(module, ())}
        imported |= names & declared or names  # several libraries share the name space of OpenTelemetry
    assert imported | USED_BY_NAME == declared
