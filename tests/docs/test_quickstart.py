"""The quickstart does what it says: its examples run against the sample service of the test run."""

import shutil
from pathlib import Path

import pytest

from tests.support.processes import running
from tests.support.test_session import doc_examples

PAGE = Path(__file__).parents[2] / "docs" / "quickstart.md"
EXAMPLES = doc_examples.examples(PAGE)

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def printed(service: running.Service, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What each example prints, run from top to bottom as a reader would."""
    folder = tmp_path_factory.mktemp("quickstart")
    shutil.copytree(PAGE.parent / "examples", folder / "docs" / "examples")
    settings = running.environment(service.home)
    return doc_examples.run_examples(
        EXAMPLES, folder, settings, replacing={"http://127.0.0.1:8000": service.url}
    )


@pytest.mark.parametrize("number", range(len(EXAMPLES)), ids=[f"line {example.line}" for example in EXAMPLES])
def test_an_example_prints_what_the_page_shows(printed: list[str], number: int) -> None:
    expected = EXAMPLES[number].printed
    assert expected is not None, "The page does not show what this example prints."
    assert doc_examples.mask_changing_values(printed[number]) == doc_examples.mask_changing_values(expected)
