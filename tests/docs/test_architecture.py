"""ARCHITECTURE.md shows the packages and layers that the import contracts enforce."""

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return found


def layers(contract: dict[str, Any]) -> list[set[str]]:
    """The names in each layer, from top to bottom, without the name of the program."""
    return [
        {name.strip().removeprefix("dashboard.") for name in re.split(r"[|:]", layer)}
        for layer in contract["layers"]
    ]


def parse_layers(start: str, end: str) -> list[set[str]]:
    """The names in each layer between ``start`` and ``end`` of the page. Arrows separate the layers."""
    text = PAGE[PAGE.index(start) : PAGE.index(end)]
    return [set(re.findall(r"`(\w+)`", layer)) for layer in text.split("→")]


def test_the_layers_of_the_backend_are_those_of_the_contract() -> None:
    [contract] = [candidate for candidate in contracts() if candidate.get("containers") == ["backend"]]
    assert parse_layers("- Backend, from top to bottom", "Nothing imports upwards") == layers(contract)


def test_the_layers_of_the_dashboard_are_those_of_the_contract() -> None:
    [contract] = [candidate for candidate in contracts() if candidate["name"] == "The dashboard's layers"]
    assert parse_layers("- Dashboard:", "No page\n") == layers(contract)


def test_every_package_and_page_is_named() -> None:
    packages = {path.parent.name for path in ROOT.glob("backend/*/__init__.py")}
    pages = {path.parent.name for path in ROOT.glob("dashboard/app_pages/*/page.py")}
    assert packages
    assert len(pages) >= 6
    table = set(re.findall(r"`(\w+)/`", PAGE[PAGE.index("## Packages") :]))
    assert packages <= table, packages - table
    [diagram] = re.findall(r"```mermaid\n(.*?)```", PAGE, re.DOTALL)
    assert pages <= set(re.findall(r"\w+", diagram))
