"""Topics of articles that their publisher changes."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from backend.store.database import Database
from backend.topics.grouping.regrouping import regroup
from backend.topics.store import topic_rows
from backend.topics.tables import topics
from tests.support.providers.feeds import NOW, Round, build_date_element, item, rss
from tests.support.providers.provider_server import ProviderServer

LATER = NOW + timedelta(hours=9)


@pytest.fixture
def round_(sqlite_database: Database, tmp_path: Path) -> Iterator[Round]:
    with ProviderServer() as server:
        yield Round(server, sqlite_database, tmp_path)


def test_a_later_fetch_with_another_text_replaces_the_summary_of_its_topic(round_: Round) -> None:
    title, dated = (
        "Quillport package replaced by thieves",
        build_date_element("Mon, 18 May 2026 10:00:00 GMT"),
    )
    first = "A package of Quillport was replaced by thieves who wanted keys on Monday."
    second = "Quillport said that it restored its package and that nobody had loaded the wrong one."
    for text in (first, second):
        round_.serve(rss([item(1, title, text, more=dated)]))
        round_.ask(LATER if text == second else NOW)
        regroup(round_.database, round_.rules.current, now=LATER, feeds=round_.listed.enabled)
        with round_.database.read() as connection:
            (number,) = connection.execute(sa.select(topics.c.id)).scalars()
            (topic,) = topic_rows.read_topics(connection, [number])
        assert topic.texts["en"].summary.endswith(text)
