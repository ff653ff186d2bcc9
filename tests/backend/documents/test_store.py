"""Tests that documents are stored, replaced and deleted together with their index entries."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents import document_rows
from backend.documents import store as store_module
from backend.documents.document_writer import StoreCounts
from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.documents.tables import SEARCH_TABLE, document_terms
from backend.formats.timestamps import utc_now
from backend.store.database import Database

Make = Callable[..., Document]


def count_indexed(database: Database) -> tuple[int, int]:
    """How many documents the index and the counts hold."""
    with database.read() as connection:
        in_index = connection.execute(sa.text(f"SELECT count(*) FROM {SEARCH_TABLE}")).scalar_one()
        counts = connection.execute(sa.select(sa.func.count()).select_from(document_terms)).scalar_one()
    return in_index, counts


def titles(store: DocumentStore, text: str) -> list[str]:
    return [hit.document.title for hit in store.search(text)]


def test_a_document_is_loaded_as_it_was_stored(store: DocumentStore, make: Make, now: datetime) -> None:
    document = make(
        "Halving",
        "At block 840,000",
        kind="landmark",
        language="en",
        published_at=datetime(2024, 4, 20, 0, 9, 27, tzinfo=UTC),
        date_precision="second",
        source_type="onchain",
        url="https://a.example/1",
        urls=("https://a.example/1", "https://b.example/2"),
        entities=("bitcoin",),
        facts={"reward_btc": "3.125"},
        event="lm-2024",
    )
    store.store([document], now=now)
    (found,) = store.search("halving")
    assert replace(found.document, id=None) == replace(document, stored_at=now)
    assert found.document.id is not None


def test_storing_counts_added_changed_and_unchanged_documents(
    store: DocumentStore, make: Make, now: datetime
) -> None:
    first, second = make("one", "alpha"), make("two", "beta")
    assert store.store([first, second], now=now) == StoreCounts(2, 0, 0)
    assert store.store([first, replace(second, text="gamma"), make("three")], now=now) == StoreCounts(1, 1, 1)


def test_a_replaced_document_keeps_its_id_and_is_found_only_by_its_new_words(
    database: Database, store: DocumentStore, make: Make, now: datetime
) -> None:
    store.store([make("one", "alpha")], now=now)
    (before,) = store.search("alpha")
    store.store([make("one", "omega", language="en")], now=now + timedelta(hours=1))
    assert store.search("alpha") == []
    (after,) = store.search("omega")
    assert after.document.id == before.document.id
    assert after.document.stored_at == now + timedelta(hours=1)
    assert count_indexed(database) == (1, 1)


def test_a_changed_language_is_indexed_even_with_the_same_text(
    store: DocumentStore, make: Make, now: datetime
) -> None:
    store.store([make("分叉", language="ja")], now=now)
    store.store([make("分叉", language="zh")], now=now)
    assert store.search("分叉", languages=["ja"]) == []
    assert len(store.search("分叉", languages=["zh"])) == 1


def test_of_two_documents_with_one_key_the_last_is_stored(
    store: DocumentStore, make: Make, now: datetime
) -> None:
    assert store.store([make("one", "alpha"), make("one", "omega")], now=now) == StoreCounts(1, 0, 0)
    assert titles(store, "alpha") == []
    assert titles(store, "omega") == ["one"]


def test_two_kinds_can_share_an_external_id(store: DocumentStore, make: Make, now: datetime) -> None:
    store.store([make("one"), make("one", kind="user")], now=now)
    assert store.count() == {"page": 1, "user": 1}


def test_a_deleted_document_is_not_found_regardless_of_how_it_was_deleted(
    database: Database, store: DocumentStore, make: Make, now: datetime
) -> None:
    store.store([make("one", "alpha"), make("two", "alpha"), make("three", "alpha")], now=now)
    with database.write() as connection:
        assert store.delete(connection, "page", ["one", "unknown"]) == 1
        connection.execute(sa.text("DELETE FROM documents WHERE external_id = 'two'"))
    assert titles(store, "alpha") == ["three"]
    assert count_indexed(database) == (1, 1)


def test_a_transaction_that_fails_leaves_neither_the_document_nor_its_index(
    database: Database, store: DocumentStore, make: Make, now: datetime
) -> None:
    def store_and_fail() -> None:
        with database.write() as connection:
            store.put(connection, document_rows.prepare_documents([make("one", "alpha")]), now=now)
            raise RuntimeError("the power went")

    with pytest.raises(RuntimeError):
        store_and_fail()
    assert store.search("alpha") == []
    assert count_indexed(database) == (0, 0)


def test_characters_that_databases_reject_are_replaced(
    store: DocumentStore, make: Make, now: datetime
) -> None:
    store.store([make("one", "alpha\x00beta\ud800gamma")], now=now)
    (hit,) = store.search("beta")
    assert hit.document.text == "alpha\ufffdbeta\ufffdgamma"


def test_many_documents_are_stored_in_batches(
    store: DocumentStore, make: Make, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "DOCUMENTS_PER_STATEMENT", 7)
    many_documents = [make(f"number {place}", f"word{place}") for place in range(30)]
    assert store.store(many_documents, now=now) == StoreCounts(30, 0, 0)
    assert store.store(many_documents[:20], now=now) == StoreCounts(0, 0, 20)
    assert titles(store, "word29") == ["number 29"]


def test_a_document_with_the_maximum_of_indexed_terms_can_be_stored(
    store: DocumentStore, make: Make, now: datetime
) -> None:
    hostile = [
        " ".join(f"{place:x}" for place in range(150_000)),
        "".join(chr(0x4E00 + place * 7 % 20_000) for place in range(300_000)),
        "é" * 24 + " " + " ".join(f"éééééééééééééééé{place}" for place in range(30_000)),
    ]
    store.store([make(f"long {place}", text) for place, text in enumerate(hostile)], now=now)
    assert sorted(titles(store, "long")) == ["long 0", "long 1", "long 2"]


def test_the_newest_documents_are_listed_first(store: DocumentStore, make: Make, now: datetime) -> None:
    for name in ("one", "two", "three"):
        store.store([make(name), make(name, kind="user")], now=now)
    pages = store.recent(limit=2, kinds=["page"])
    assert [document.title for document in pages] == ["three", "two"]
    assert len(store.recent()) == 6


def test_documents_split_by_an_earlier_tokenizer_are_indexed_again(
    database: Database, store: DocumentStore, make: Make, now: datetime
) -> None:
    store.store([make("one", "alpha"), make("two", "alpha")], now=now)
    with database.write() as connection:
        connection.execute(sa.update(document_terms).values(version=0, counts=b"", length=0))
        assignment = "terms = 'old'" if database.is_sqlite else "terms = 'old'::tsvector"
        connection.execute(sa.text(f"UPDATE {SEARCH_TABLE} SET {assignment}"))
    assert titles(store, "alpha") == []
    assert store.reindex() == 2
    assert sorted(titles(store, "alpha")) == ["one", "two"]
    assert store.reindex() == 0


def test_an_unchanged_document_split_by_an_earlier_tokenizer_is_indexed_when_stored_again(
    database: Database, store: DocumentStore, make: Make, now: datetime
) -> None:
    store.store([make("one", "alpha")], now=now)
    with database.write() as connection:
        connection.execute(sa.update(document_terms).values(version=0, counts=b"", length=0))
    store.store([make("one", "alpha")], now=now)
    assert titles(store, "alpha") == ["one"]
    assert store.reindex() == 0


def test_texts_are_split_before_a_transaction_begins(
    database: Database, store: DocumentStore, make: Make, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    begin, cut = database.write, store_module.prepare_documents

    def record_write() -> AbstractContextManager[Connection]:
        order.append("begin")
        return begin()

    def record_cut(
        rows: Sequence[Document] | Sequence[document_rows.PreparedDocument],
    ) -> list[document_rows.PreparedDocument]:
        if not all(isinstance(row, document_rows.PreparedDocument) for row in rows):
            order.append("cut")
        return cut(rows)

    monkeypatch.setattr(database, "write", record_write)
    monkeypatch.setattr(store_module, "prepare_documents", record_cut)
    store.store([make("one")], now=now)
    assert order == ["cut", "begin"]


def test_documents_of_a_kind_are_deleted_by_age(database: Database) -> None:
    store = DocumentStore(database)
    for number, kind in enumerate(("page", "page", "user")):
        store.store([Document(kind, f"d{number}", "https://a.example/", "old words", "x")], now=utc_now())
    store.store(
        [Document("page", "d1", "https://a.example/", "new words", "x")], now=utc_now() + timedelta(days=2)
    )
    assert store.delete_stored_before("page", before=utc_now() + timedelta(days=1)) == 1
    assert {hit.document.external_id for hit in store.search("words")} == {"d1", "d2"}
