"""Files and sections that the documentation names exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packaging/**/*.md")])
GUIDES = sorted(page for page in ROOT.glob("docs/*.md") if page.name != "index.md")
FENCES = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
NAMED_FILE = re.compile(
    r"`((?:backend|dashboard|tests|docs|benchmarks|deploy|packaging|\.ci|\.streamlit)/[\w./-]*)`"
)
NAMED_TEST = re.compile(r"`((?:backend|dashboard|e2e|docs|deploy|smoke)/[\w./-]*)`|`(test_\w+\.py)`")
MODULE = re.compile(r"python -m (benchmarks(?:\.\w+)+|docs\.\w+)|`(benchmarks(?:\.\w+)+)`")
HISTORICAL = {"CHANGELOG.md"}
"""Pages that also name files of earlier versions."""

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchors(page: Path) -> set[str]:
    """Ids of the headings, as code hosts derive them."""
    headings = re.findall(r"^#+ (.+)$", FENCES.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """Target file and section of each link to a file."""
    for found in LINK.findall(FENCES.sub("", page.read_text("utf-8"))):
        target, _, section = (found[0] or found[1]).partition("#")
        if not re.match(r"[a-z]+:", target):
            yield (page.parent / target).resolve() if target else page, section


@pages
def test_every_link_leads_to_a_file_and_a_section(page: Path) -> None:
    for target, section in links(page):
        assert target.exists(), target
        assert not section or section in anchors(target), f"{target.name}#{section}"


@pages
def test_every_file_that_the_docs_name_exists(page: Path) -> None:
    if page.name in HISTORICAL:
        return
    text = page.read_text("utf-8")
    for name in NAMED_FILE.findall(text):
        is_test = page.name == "threats.md" and (ROOT / "tests" / name).exists()
        assert is_test or (ROOT / name).exists(), name


@pages
def test_every_module_that_the_docs_run_exists(page: Path) -> None:
    for found in MODULE.findall(page.read_text("utf-8")):
        path = ROOT / (found[0] or found[1]).replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), path


def test_every_test_that_the_threats_name_exists() -> None:
    folder = ROOT / "tests"
    for row in (ROOT / "docs" / "threats.md").read_text("utf-8").splitlines():
        latest = folder
        for path, name in NAMED_TEST.findall(row.rpartition(" | ")[2] if row.startswith("|") else ""):
            file = latest / name if name else folder / path
            assert file.exists() or (ROOT / path).exists(), path or name
            latest = file.parent


def test_the_index_links_every_guide_once() -> None:
    index = ROOT / "docs" / "index.md"
    linked = [
        target for target, _ in links(index) if target.suffix == ".md" and target.parent == index.parent
    ]
    assert sorted(linked) == GUIDES


def test_every_decision_is_listed_and_fits_on_a_page() -> None:
    folder = ROOT / "docs" / "decisions"
    records = sorted(folder.glob("[0-9]*.md"))
    assert [target for target, _ in links(folder / "README.md") if target.parent == folder] == records
    assert [int(record.name[:4]) for record in records] == list(range(1, len(records) + 1))


def test_pages_with_a_limit_keep_to_it() -> None:
    limits = {"README.md": 180, "ARCHITECTURE.md": 90}
    for name, limit in limits.items():
        assert len((ROOT / name).read_text("utf-8").splitlines()) <= limit, name
