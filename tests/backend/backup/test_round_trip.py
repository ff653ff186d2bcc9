"""What is backed up comes back, whichever of the two databases it came from and goes to."""

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
from backend.backup.archive import FILES
from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.errors import Conflict
from backend.markets.tables import asset_icons, price_points
from backend.store.data_lock import STAGING_FOLDER
from backend.store.database import Database, change_counters
from backend.topics.model import Category, Topic, TopicText
from backend.topics.store import topic_store
from backend.topics.tables import topic_texts, topics
from tests.backend.backup.conftest import NOW, Install, Installation, digests
from tests.support.databases import Store
from tests.support.schema_changes import is_current
from tests.support.timelines import made_run, put

MADE_OTHER_ON_PURPOSE = {"change_counters", "jobs", "topic_texts"}


def fill(database: Database) -> bytes:
    """Rows of every type of column there is; gives an API key."""
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
    put(database, "own", made_run("a"))
    return key.key.encode()


def is_the_same(there: Installation, key: bytes) -> None:
    with there.open() as database:
        assert is_current(database)
        ring = KeyCache(database)
        ring.reload()
        assert ring.find(key, CredentialHeader.API_KEY) is not None
        assert [hit.document.external_id for hit in DocumentStore(database).search("比特币")] == ["d1"]
        with database.read() as connection:
            assert connection.execute(sa.select(topic_texts.c.indexed)).scalars().all() != [None]
            price = connection.execute(sa.select(price_points.c.price, price_points.c.at)).one()
        assert price == (Decimal("0.000000001223000000000000000001"), NOW + timedelta(microseconds=1))


@pytest.mark.parametrize(
    ("source", "target"),
    [("sqlite", "sqlite"), ("sqlite", "postgres"), ("postgres", "sqlite"), ("postgres", "postgres")],
)
def test_all_rows_come_back_and_ids_are_counted_on(
    install: Install, tmp_path: Path, source: Store, target: Store
) -> None:
    here, there = install(source), install(target, empty=True)
    with here.open() as database:
        key = fill(database)
    first = here.back_up(tmp_path / "first.zip")

    there.restore(first.file)
    is_the_same(there, key)
    again = there.back_up(tmp_path / "again.zip")

    before, after = digests(first.file), digests(again.file)
    differ = {name for name in before if before[name] != after[name]}
    assert differ <= MADE_OTHER_ON_PURPOSE, differ
    assert set(before) == set(after)
    with there.open() as database, database.write() as connection:
        known = connection.execute(sa.select(sa.func.max(topics.c.id))).scalar_one()
        topic = Topic(Category.NORMAL, NOW, "https://b.example/", texts={"en": TopicText("Next")})
        topic_store.store_topics(connection, [topic], now=NOW)
        assert connection.execute(sa.select(sa.func.max(topics.c.id))).scalar_one() > known


def test_no_cached_answer_is_mistaken_for_one_after_a_restore(
    install: Install, tmp_path: Path, kind: Store
) -> None:
    here, there = install(kind), install(kind, empty=True)
    with here.open() as database:
        fill(database)
    counted = {row.topic: row.n for row in here.rows(change_counters)}
    there.restore(here.back_up(tmp_path / "b.zip").file)
    after = {row.topic: row.n for row in there.rows(change_counters)}
    assert all(after[name] > number + 1_000 for name, number in counted.items())


def test_an_older_backup_is_brought_to_the_newest_schema(
    install: Install, tmp_path: Path, kind: Store
) -> None:
    here = install(kind, empty=True)
    config = migrations.build_alembic_config()
    config.attributes["url"] = here.settings.app_database_url
    command.upgrade(config, "0002")
    with here.open() as database, database.write() as connection:
        connection.execute(sa.insert(change_counters).values(topic="kept", n=7))
    written = here.back_up(tmp_path / "old.zip")
    assert written.manifest.schema == "0002"
    with here.open() as database:
        assert not is_current(database), "A backup changes nothing."

    there = install(kind, empty=True)
    there.restore(written.file)

    with there.open() as database:
        assert is_current(database)
    assert [row.n % 1_000 for row in there.rows(change_counters)] == [7]


def test_the_users_own_files_come_back_for_their_owner_alone(install: Install, tmp_path: Path) -> None:
    here = install("sqlite")
    own = {"assets.yaml": b"assets: []\n", "rules/deep/a.yaml": b"rules: []\n", "local.key": b"cp_local"}
    for name, content in own.items():
        (here.home / name).parent.mkdir(parents=True, exist_ok=True)
        (here.home / name).write_bytes(content)
    (here.home / "notes.txt").write_text("not ours")
    written = here.back_up(tmp_path)
    assert written.file.name == "chainproof-20260518T120000Z.zip"
    assert stat.S_IMODE(written.file.stat().st_mode) == 0o600
    assert {part.path for part in written.manifest.files} == {FILES + name for name in own}

    there = install("sqlite", empty=True)
    restored = there.restore(written.file)

    assert {path.relative_to(there.home).as_posix() for path in restored.files} == set(own)
    assert {name: (there.home / name).read_bytes() for name in own} == own
    assert stat.S_IMODE((there.home / "local.key").stat().st_mode) == 0o600
    assert not (there.home / "notes.txt").exists()
    assert not (there.home / STAGING_FOLDER).exists()


@pytest.mark.parametrize("changed", ["assets.yaml", "rules/later.yaml"])
def test_a_file_of_the_users_is_never_replaced_nor_mixed_with_others(
    install: Install, tmp_path: Path, kind: Store, changed: str
) -> None:
    here, there = install(kind), install(kind, empty=True)
    for home in (here.home, there.home):
        (home / "rules").mkdir()
        for name in ("assets.yaml", "rules/a.yaml"):
            (home / name).write_text("same\n")
    file = here.back_up(tmp_path / "b.zip").file
    (there.home / changed).write_text("mine\n")
    with pytest.raises(Conflict, match="--data-only"):
        there.restore(file)
    there.restore(file, data_only=True)
    assert (there.home / changed).read_text() == "mine\n"


def test_files_that_lie_elsewhere_are_named_and_left_out(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = install("sqlite")
    feeds = tmp_path / "feeds.yaml"
    feeds.write_text("feeds: []\n")
    here.settings = here.settings.model_copy(update={"feeds_file": feeds})
    manifest = here.back_up(tmp_path / "b.zip").manifest
    assert (manifest.files, manifest.files_elsewhere) == ([], [str(feeds)])
