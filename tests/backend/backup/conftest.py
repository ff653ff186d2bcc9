"""Provides installations to back up and to restore into, on SQLite and PostgreSQL."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from backend.backup import service
from backend.backup.archive import ArchiveReader
from backend.backup.service import BackupResult, RestoreResult
from backend.settings import Settings
from backend.store.database import Database, sqlite_file
from tests.support.apps.market_app import settings_in
from tests.support.store import databases
from tests.support.store.data_folders import set_up_home
from tests.support.store.databases import Store

NOW = datetime(2026, 5, 18, 12, tzinfo=UTC)


@dataclass
class Installation:
    """A data folder and its store."""

    settings: Settings

    @property
    def home(self) -> Path:
        return self.settings.home

    @contextlib.contextmanager
    def open(self) -> Iterator[Database]:
        database = Database(self.settings.app_database_url)
        try:
            yield database
        finally:
            database.dispose()

    def back_up(self, target: Path, **options: Any) -> BackupResult:
        return service.back_up(self.settings, target, clock=lambda: NOW, **options)

    def restore(self, file: Path, **options: Any) -> RestoreResult:
        return service.restore(self.settings, file, clock=lambda: NOW, **options)

    def read_rows(self, table: sa.Table) -> list[Any]:
        with self.open() as database, database.read() as connection:
            return list(connection.execute(sa.select(table).order_by(*table.primary_key.columns)).all())


Install = Callable[..., Installation]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Create new installations; ``empty`` ones have no schema yet."""
    set_up_home(tmp_path, monkeypatch)
    with contextlib.ExitStack() as stack:

        def create(kind: Store, *, empty: bool = False) -> Installation:
            home = tmp_path / f"home-{len(list(tmp_path.glob('home-*')))}"
            home.mkdir()
            url = None
            if kind == "postgres":
                url = stack.enter_context(databases.create_database(kind, tmp_path, migrated=not empty))
            elif not empty:
                with databases.create_database(kind, tmp_path) as template:
                    shutil.copyfile(str(sqlite_file(template)), home / "chainproof.db")
            return Installation(settings_in(home, database_url=url))

        yield create


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> Store:
    store: Store = request.param
    return store


def read_digests(file: Path) -> dict[str, str]:
    """Read the digest of each table from an archive."""
    with ArchiveReader(file) as archive:
        return {table.name: table.member.sha256 for table in archive.manifest.tables}
