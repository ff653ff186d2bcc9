"""Tests verdicts on statements made from the archive by changing one thing in each."""

from collections.abc import Iterator

import pytest

from backend.documents import landmark_archive
from backend.sources.service import SourceFinder
from backend.store.database import Database
from benchmarks.research.hard_statements import (
    format_table,
    judge_statements,
    make_statements,
    share_supported,
)
from tests.support.apps.source_finder import open_finder
from tests.support.store import databases

EVERY = 16
"""Each sixteenth event of the archive: some 400 statements."""


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SourceFinder]:
    home = tmp_path_factory.mktemp("hard")
    with databases.create_database("sqlite", home) as url:
        database = Database(url)
        with open_finder(database, home) as made:
            yield made
        database.dispose()


def test_few_false_statements_and_most_true_statements_are_supported(finder: SourceFinder) -> None:
    landmarks = landmark_archive.load_landmarks()[::EVERY]
    judged = judge_statements(finder, [*make_statements(landmarks, finder.scorer())])
    print(format_table(judged))
    assert {statement.language for statement, _ in judged} == {"en", "ja", "zh"}
    assert len({statement.kind for statement, _ in judged}) >= 10
    assert share_supported(judged, is_true=False) <= 0.03
    assert share_supported(judged, is_true=True) >= 0.85
