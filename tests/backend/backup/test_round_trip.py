"""Tests that a restore returns all backed-up data, from and to either database."""

import stat
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command

from backend import migrations
from backend.auth import service as auth_service
from backend.auth.key_cache import KeyCache
from backend.auth.principal import CredentialHeader
from backend.backup.archive import FILES_PREFIX
from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.errors import Conflict
from backend.markets.tables import asset_icons, price_points
from backend.store.data_lock import STAGING_FOLDER
from backend.store.database import Database, change_counters
from backend.topics.model import Category, Topic, TopicText
from backend.topics.store import topic_store
from backend.topics.tables import topic_texts, topics
from tests.backend.backup.conftest import NOW, Install, Installation, read_digests
from tests.support.runs.timeline_app import build_run, store_runs
from tests.support.store.databases import Store
from tests.support.store.schema_changes import is_current

CHANGED_BY_RESTORE = {"change_counters", "jobs", "topic_texts"}


def fill(database: Database) -> bytes:
    """Insert rows with every column type; return an API key."""
    key = auth_service.create_key(database, name="desk", scopes=["read"], now=NOW)
    document = Document(
        kind="user",
        external_id="d1",
        url="https://a.example/",
        title="Zorbcoin",
        text="比特币升至 1.5",
        stored_at=NOW,
    )
    DocumentStore(database).store([document], now=NOW)
    topic = Topic(Category.NORMAL, NOW, "https://a.example/", texts={"en": TopicText("Quux rises")})
    with database.write() as connection:
        topic_store.store_topics(connection, [topic], now=NOW)
        point = {"realm": "live", "asset_id": "zorb", "at": NOW + timedelta(microseconds=1)}
        exact = {"price": Decimal("0.000000001223000000000000000001"), "source": "coingecko"}
        connection.execute(sa.insert(price_points), {**point, **exact, "spread_pct": None})
        icon = {
            "asset_id": "zorb",
            "url": "https://a.example/i",
            "content_type": "image/png",
            "body": b"\0\xff\n",
        }
        names = {column.name for column in asset_icons.columns}
        connection.execute(sa.insert(asset_icons), {name: icon.get(name, NOW) for name in names})
    store_runs(database, "own", build_run("a"))
    return key.key.encode()


def assert_restored(target: Installation, key: bytes) -> None:
    with target.open() as database:
        assert is_current(database)
        cache = KeyCache(database)
        cache.reload()
        assert cache.find(key, CredentialHeader.API_KEY) is not None
        assert [hit.document.external_id for hit in DocumentStore(database).search("比特币")] == ["d1"]
        with database.read() as connection:
            assert connection.execute(sa.select(topic_texts.c.indexed)).scalars().all() != [None]
            price = connection.execute(sa.select(price_points.c.price, price_points.c.at)).one()
        assert price == (Decimal("0.000000001223000000000000000001"), NOW + timedelta(microseconds=1))


@pytest.mark.parametrize(
    ("source_kind", "target_kind"),
    [("sqlite", "sqlite"), ("sqlite", "postgres"), ("postgres", "sqlite"), ("postgres", "postgres")],
)
def test_all_rows_are_restored_and_generated_ids_continue(
    install: Install, tmp_path: Path, source_kind: Store, target_kind: Store
) -> None:
    source, target = install(source_kind), install(target_kind, empty=True)
    with source.open() as database:
        key = fill(database)
    first = source.back_up(tmp_path / "first.zip")

    target.restore(first.file)
    assert_restored(target, key)
    second = target.back_up(tmp_path / "again.zip")

    before, after = read_digests(first.file), read_digests(second.file)
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= CHANGED_BY_RESTORE, changed
    assert set(before) == set(after)
    with target.open() as database, database.write() as connection:
        largest_id = connection.execute(sa.select(sa.func.max(topics.c.id))).scalar_one()
        topic = Topic(Category.NORMAL, NOW, "https://b.example/", texts={"en": TopicText("Next")})
        topic_store.store_topics(connection, [topic], now=NOW)
        assert connection.execute(sa.select(sa.func.max(topics.c.id))).scalar_one() > largest_id


def test_cached_responses_are_not_valid_after_a_restore(
    install: Install, tmp_path: Path, kind: Store
) -> None:
    source, target = install(kind), install(kind, empty=True)
    with source.open() as database:
        fill(database)
    before = {row.topic: row.n for row in source.read_rows(change_counters)}
    target.restore(source.back_up(tmp_path / "b.zip").file)
    after = {row.topic: row.n for row in target.read_rows(change_counters)}
    assert all(after[name] > number + 1_000 for name, number in before.items())


def test_an_older_backup_is_upgraded_to_the_newest_schema(
    install: Install, tmp_path: Path, kind: Store
) -> None:
    source = install(kind, empty=True)
    config = migrations.build_alembic_config()
    config.attributes["url"] = source.settings.app_database_url
    command.upgrade(config, "0002")
    with source.open() as database, database.write() as connection:
        connection.execute(sa.insert(change_counters).values(topic="kept", n=7))
    backup = source.back_up(tmp_path / "old.zip")
    assert backup.manifest.schema == "0002"
    with source.open() as database:
        assert not is_current(database), "A backup changes nothing."

    target = install(kind, empty=True)
    target.restore(backup.file)

    with target.open() as database:
        assert is_current(database)
    assert [row.n % 1_000 for row in target.read_rows(change_counters)] == [7]


def test_the_users_files_are_restored_and_only_the_owner_can_read_them(
    install: Install, tmp_path: Path
) -> None:
    source = install("sqlite")
    own = {"assets.yaml": b"assets: []\n", "rules/deep/a.yaml": b"rules: []\n", "local.key": b"cp_local"}
    for name, content in own.items():
        (source.home / name).parent.mkdir(parents=True, exist_ok=True)
        (source.home / name).write_bytes(content)
    (source.home / "notes.txt").write_text("not ours")
    backup = source.back_up(tmp_path)
    assert backup.file.name == "chainproof-20260518T120000Z.zip"
    assert stat.S_IMODE(backup.file.stat().st_mode) == 0o600
    assert {part.path for part in backup.manifest.files} == {FILES_PREFIX + name for name in own}

    target = install("sqlite", empty=True)
    restored = target.restore(backup.file)

    assert {path.relative_to(target.home).as_posix() for path in restored.files} == set(own)
    assert {name: (target.home / name).read_bytes() for name in own} == own
    assert stat.S_IMODE((target.home / "local.key").stat().st_mode) == 0o600
    assert not (target.home / "notes.txt").exists()
    assert not (target.home / STAGING_FOLDER).exists()


@pytest.mark.parametrize("changed", ["assets.yaml", "rules/later.yaml"])
def test_a_users_file_is_never_replaced_and_folders_are_not_merged(
    install: Install, tmp_path: Path, kind: Store, changed: str
) -> None:
    source, target = install(kind), install(kind, empty=True)
    for home in (source.home, target.home):
        (home / "rules").mkdir()
        for name in ("assets.yaml", "rules/a.yaml"):
            (home / name).write_text("same\n")
    file = source.back_up(tmp_path / "b.zip").file
    (target.home / changed).write_text("mine\n")
    with pytest.raises(Conflict, match="--data-only"):
        target.restore(file)
    target.restore(file, data_only=True)
    assert (target.home / changed).read_text() == "mine\n"


def test_files_outside_the_data_folder_are_listed_but_not_included(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = install("sqlite")
    feeds = tmp_path / "feeds.yaml"
    feeds.write_text("feeds: []\n")
    source.settings = source.settings.model_copy(update={"feeds_file": feeds})
    manifest = source.back_up(tmp_path / "b.zip").manifest
    assert (manifest.files, manifest.external_files) == ([], [str(feeds)])
