"""Finds the guides that agents can fetch as resources."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDERS = (Path(__file__).with_name("guides"), Path(__file__).parents[2] / "docs")
"""An installed wheel has the guides beside this module; a checkout has them in its documentation."""


@dataclass(frozen=True, slots=True)
class Guide:
    file_name: str
    title: str
    description: str


GUIDES: Mapping[str, Guide] = {
    "http-interface": Guide(
        "api.md", "HTTP interface", "Every endpoint of the service with its scope and what it returns."
    ),
    "naming-rules": Guide(
        "rules.md", "Naming rules", "How names in articles are found and corrected, and how to write rules."
    ),
    "verdicts": Guide(
        "sources.md", "Source finding", "How a statement becomes a verdict, and what the fields mean."
    ),
}
"""The guides by the last part of their URI."""


def find_guide(name: str) -> Path:
    """Return the absolute path of the Markdown file of a guide of :data:`GUIDES`."""
    file_name = GUIDES[name].file_name
    return next(path for folder in FOLDERS if (path := folder.resolve() / file_name).is_file())
