"""Tests that the archive of landmarks is read strictly and imported once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents import landmark_archive
from backend.documents.landmark_archive import (
    InvalidArchiveError,
    import_archive,
    load_landmarks,
    to_documents,
)
from backend.documents.store import DocumentStore
from backend.documents.tables import document_archives
from backend.store.database import Database

EVENTS = """\
version: 1
events:
  - id: lm-2024-04-20-bitcoin
    date: 2024-04-20
    time_utc: "2024-04-20T00:09:27Z"
    category: protocol
    title: {en: Fourth Bitcoin halving, ja: ビットコイン、4回目の半減期, zh: 比特币第四次减半}
    detail:
      en: At block 840,000 the reward fell from 6.25 to 3.125 BTC.
      ja: ブロック高840,000で報酬が6.25BTCから3.125BTCに減った。
      zh: 在区块高度840,000，奖励由6.25枚BTC减至3.125枚。
    primary_sources: [https://mempool.space/block/840000]
    general_sources: ["https://bitcoin.org/"]
    entities: [bitcoin]
    facts: {block: 840000, reward_after_btc: 3.125}
  - id: lm-2022-09-15-no
    date: 2022-09-15
    time_utc: null
    category: protocol
    title: {en: "no", ja: 統合, zh: 合并}
    detail: {en: Proof of stake began., ja: 移行した。, zh: 已转换。}
    primary_sources:
      - https://ethereum.org/en/roadmap/merge/
    entities: [ethereum]
    facts: {}
"""
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(text: str) -> Path:
        file = tmp_path / "events.yaml"
        file.write_text(text, "utf-8")
        return file

    return write_file


def test_an_event_becomes_a_document_in_each_language(write: Write) -> None:
    english, japanese, chinese, undated, *_ = to_documents(
        load_landmarks(write(EVENTS)), lambda url, about: "onchain"
    )
    assert (english.kind, english.event, english.language) == ("landmark", "lm-2024-04-20-bitcoin", "en")
    assert english.url == english.urls[0] == "https://mempool.space/block/840000"
    assert (len(english.urls), english.general_urls) == (2, ("https://bitcoin.org/",))
    assert (english.published_at, english.date_precision) == (
        datetime(2024, 4, 20, 0, 9, 27, tzinfo=UTC),
        "second",
    )
    assert (undated.published_at, undated.date_precision) == (datetime(2022, 9, 15, tzinfo=UTC), "day")
    assert english.facts == {"block": "840000", "reward_after_btc": "3.125"}
    assert english.source_type == "onchain"
    assert japanese.title == "ビットコイン、4回目の半減期"
    assert "3.125枚" in chinese.text
    assert undated.title == "no"
    assert len({english.external_id, japanese.external_id, chinese.external_id}) == 3


def test_the_source_type_is_classified_by_the_first_url_and_the_entities(write: Write) -> None:
    calls = []
    to_documents(load_landmarks(write(EVENTS)), lambda url, about: calls.append((url, about)) or "court")
    assert calls[0] == ("https://mempool.space/block/840000", ("bitcoin",))


def test_a_figure_keeps_its_digits(write: Write) -> None:
    figures = "{block: 840000, reward_after_btc: 3.125}"
    archive = write(EVENTS.replace(figures, "{a: 0.1000000000000000000001, b: 1e3, c: -2}"))
    assert to_documents(load_landmarks(archive))[0].facts == {
        "a": "0.1000000000000000000001",
        "b": "1000",
        "c": "-2",
    }


@pytest.mark.parametrize(
    ("slip", "instead", "line", "reason"),
    [
        ("category: protocol", "category: sport", 6, "category"),
        ("zh: 比特币第四次减半}", "fr: x}", 7, "title"),
        (", zh: 比特币第四次减半", "", 7, "title"),
        ("date: 2024-04-20", "date: 2024-04-31", 4, "a day that there is"),
        ("date: 2024-04-20", "date: 2024-04-21", 3, "id must hold the day"),
        ("00:09:27Z", "00:09", 5, "time_utc"),
        ("[https://mempool.space/block/840000]", "[http://mempool.space]", 12, "https://"),
        ("[https://mempool.space/block/840000]", "[https://mempool.space/]", 3, "is a home page"),
        (
            "https://bitcoin.org/",
            "https://mempool.space/block/840000",
            3,
            "sources must not give anything twice",
        ),
        (
            "primary_sources:\n      - https://ethereum.org/en/roadmap/merge/",
            "primary_sources: []",
            16,
            "an address",
        ),
        ("[bitcoin]", "[]", 14, "entities"),
        ("[bitcoin]", "[bitcoin, bitcoin]", 3, "entities must not give anything twice"),
        ("3.125}", "many}", 15, "'many' is none"),
        ("3.125}", "nan}", 15, "finite"),
        ("facts: {}", "fact: {}", 16, "facts"),
        ("facts: {}", "facts: {}\n    colour: red", 26, "colour"),
        ('en: "no"', 'en: " "', 20, "title.en"),
        (
            "lm-2022-09-15-no\n    date: 2022-09-15",
            "lm-2024-04-20-bitcoin\n    date: 2024-04-20",
            16,
            "is taken, in line 3",
        ),
        ("    time_utc: null", "    date: 2022-09-15\n    time_utc: null", 18, "'date' twice"),
        ("version: 1", "version: 2", 1, "version: 1"),
        ("facts: {}", "facts: {", 26, ""),
    ],
)
def test_an_error_names_file_line_and_reason(
    write: Write, slip: str, instead: str, line: int, reason: str
) -> None:
    assert slip in EVENTS
    file = write(EVENTS.replace(slip, instead, 1))
    with pytest.raises(InvalidArchiveError) as refused:
        load_landmarks(file)
    first = str(refused.value).splitlines()[0]
    assert first.startswith(f"{file}:{line}: "), first
    assert reason in first


def test_all_errors_are_reported_at_once(write: Write) -> None:
    with pytest.raises(InvalidArchiveError) as refused:
        load_landmarks(write(EVENTS.replace("category: protocol", "category: sport")))
    assert len(str(refused.value).splitlines()) == 2


def test_an_event_can_have_general_sources_alone(write: Write) -> None:
    content = EVENTS.replace("primary_sources: [https://mempool.space/block/840000]", "primary_sources: []")
    english = to_documents(load_landmarks(write(content)))[0]
    assert english.url == "https://bitcoin.org/"
    assert english.urls == english.general_urls


def test_a_stored_document_keeps_its_general_urls(database: Database, write: Write, now: datetime) -> None:
    import_archive(database, now=now, path=write(EVENTS))
    names = ["lm-2024-04-20-bitcoin:en", "lm-2022-09-15-no:en"]
    halving, merge = DocumentStore(database).load_documents("landmark", names)
    assert halving.urls == ("https://mempool.space/block/840000", "https://bitcoin.org/")
    assert (halving.general_urls, merge.general_urls) == (("https://bitcoin.org/",), ())


def test_the_archive_is_imported_once(database: Database, write: Write, now: datetime) -> None:
    file, store = write(EVENTS), DocumentStore(database)
    assert import_archive(database, now=now, path=file)
    assert store.count() == {"landmark": 6}
    assert store.search("4回目の半減期", languages=["ja"])[0].document.event == "lm-2024-04-20-bitcoin"
    assert not import_archive(database, now=now + timedelta(days=1), path=file)
    assert {document.stored_at for document in store.recent()} == {now}


def test_a_changed_archive_replaces_the_previous_one(database: Database, write: Write, now: datetime) -> None:
    store = DocumentStore(database)
    store.store(
        [replace(to_documents(load_landmarks(write(EVENTS)))[0], kind="user", external_id="own")], now=now
    )
    import_archive(database, now=now, path=write(EVENTS))
    first_event = EVENTS[: EVENTS.index("  - id: lm-2022")].replace("3.125}", "3.1250}")
    assert import_archive(database, now=now, path=write(first_event))
    assert store.count() == {"landmark": 3, "user": 1}
    assert {found.facts["reward_after_btc"] for found in store.recent(kinds=["landmark"])} == {"3.1250"}


def test_a_changed_source_type_is_imported(database: Database, write: Write, now: datetime) -> None:
    file = write(EVENTS)
    import_archive(database, now=now, path=file)
    assert import_archive(database, now=now, path=file, source_type=lambda url, about: "official")
    assert {found.source_type for found in DocumentStore(database).recent()} == {"official"}


def test_an_invalid_archive_leaves_the_previous_one(database: Database, write: Write, now: datetime) -> None:
    import_archive(database, now=now, path=write(EVENTS))
    with pytest.raises(InvalidArchiveError):
        import_archive(database, now=now, path=write("version: 1\nevents: [{}]"))
    assert DocumentStore(database).count() == {"landmark": 6}


def test_of_several_concurrent_imports_one_writes(
    database: Database, write: Write, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(EVENTS)
    looked = landmark_archive._load_stored_digest

    def import_concurrently(connection: Connection) -> str | None:
        """Another process brings it in between our look and our transaction."""
        found = looked(connection)
        monkeypatch.setattr(landmark_archive, "_load_stored_digest", looked)
        assert import_archive(database, now=now, path=file)
        return found

    monkeypatch.setattr(landmark_archive, "_load_stored_digest", import_concurrently)
    assert not import_archive(database, now=now + timedelta(days=1), path=file)
    with database.read() as connection:
        assert connection.execute(sa.select(document_archives.c.stored_at)).scalar_one() == now


def test_services_that_start_together_import_without_errors(
    database: Database, write: Write, now: datetime
) -> None:
    file, together = write(EVENTS), Barrier(3)

    def start(_number: int) -> bool:
        own = Database(database.url)
        try:
            together.wait()
            return import_archive(own, now=now, path=file)
        finally:
            own.dispose()

    with ThreadPoolExecutor(3) as services:
        imported = list(services.map(start, range(3)))
    assert sorted(imported) == [False, False, True]
    assert DocumentStore(database).count() == {"landmark": 6}


def test_the_shipped_archive_is_valid() -> None:
    landmarks = load_landmarks()
    assert landmarks
    assert len(to_documents(landmarks)) == 3 * len(landmarks)


def test_the_entities_of_the_shipped_archive_are_in_the_catalogue() -> None:
    from backend.articles.rules.pack_loader import default_files, read_packs

    entity_ids = {entity.id for file in read_packs(default_files()) for entity in file.pack.entities}
    unknown = {
        (landmark.id, entity)
        for landmark in load_landmarks()
        for entity in landmark.entities
        if entity not in entity_ids
    }
    assert unknown == set()
