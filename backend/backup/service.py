"""Writes, verifies and restores backups, for the commands."""

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from backend.backup import restore_postgres, restore_sqlite, user_files
from backend.backup.archive import (
    COMPRESSION_LEVEL,
    FILES_PREFIX,
    FORMAT_VERSION,
    ArchiveMember,
    ArchiveReader,
    ArchiveWriter,
    Manifest,
)
from backend.backup.dump_rows import dump_tables, open_snapshot, require_known_revision
from backend.backup.restore_checks import check_archive
from backend.errors import Conflict, Unavailable
from backend.formats.timestamps import Clock
from backend.settings import Settings
from backend.store.data_lock import fsync_folder
from backend.store.database import Database, sqlite_file
from backend.store.sqlite_file import check_store_file

ARCHIVE_SUFFIX = ".zip"
"""A target with this suffix is a file, any other a folder, if neither exists yet."""


@dataclass(frozen=True, slots=True)
class BackupResult:
    """A written archive, its size in bytes, and its content."""

    file: Path
    size: int
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """The content of the restored archive, and the paths of the restored files."""

    manifest: Manifest
    files: list[Path]


def back_up(settings: Settings, target: Path, *, overwrite: bool = False, clock: Clock) -> BackupResult:
    """Write an archive to the ``.zip`` file ``target``, or into the folder ``target``, named by the time.

    Creates the folder if needed. The service may run and write at the same time. Only the owner can read the
    file, because it contains keys and settings. The file appears complete or not at all.
    """
    at = clock()
    is_file = target.is_file() or (target.suffix == ARCHIVE_SUFFIX and not target.is_dir())
    file = target if is_file else target / f"chainproof-{at:%Y%m%dT%H%M%SZ}{ARCHIVE_SUFFIX}"
    if file.exists() and not overwrite:
        raise Conflict(f"{file} already exists. Choose another name, or use --overwrite.")
    store = sqlite_file(settings.app_database_url)
    if store is not None:
        if not store.exists():
            raise Conflict(
                f"The database {store} does not exist, so there is nothing to back up.", code="nothing_there"
            )
        check_store_file(store)
    with _create_folder(file.parent):
        return _write_archive(settings, file, clock)


@contextmanager
def _create_folder(folder: Path) -> Iterator[None]:
    """Create ``folder`` and its parents. If the block fails, removes the folders that it created."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield
    except BaseException:
        for path in missing:
            with suppress(OSError):
                path.rmdir()
        raise


def _write_archive(settings: Settings, file: Path, clock: Clock) -> BackupResult:
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.unfinished")
    try:
        descriptor = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w+b") as stream:
            with zipfile.ZipFile(
                stream, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL
            ) as archive:
                manifest = _write_members(settings, ArchiveWriter(archive), clock)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(file)
        fsync_folder(file.parent)
    except OSError as error:
        raise Unavailable(
            f"The archive cannot be written to {file.parent}: {error.strerror}. Choose a writable folder "
            "with enough free space."
        ) from error
    finally:
        with suppress(OSError):  # in a folder that cannot be written
            unfinished.unlink(missing_ok=True)
    return BackupResult(file, file.stat().st_size, manifest)


def verify(file: Path) -> Manifest:
    """Read a complete archive. Raises :class:`~backend.backup.archive.DamagedArchiveError` or ``OSError``."""
    with ArchiveReader(file) as archive:
        archive.verify()
        return archive.manifest


def restore(settings: Settings, file: Path, *, data_only: bool = False, clock: Clock) -> RestoreResult:
    """Restore an archive into an empty data folder or database: everything or nothing.

    Verifies the complete archive first. Raises :class:`Conflict` if its schema is newer or if the target
    contains data. With ``data_only`` the files of the data folder stay unchanged.
    """
    with ArchiveReader(file) as archive:
        archive.verify()
        files = [] if data_only else archive.manifest.files
        check_archive(settings, archive, files)
        restore_into = restore_sqlite.restore if settings.is_sqlite else restore_postgres.restore
        restore_into(settings, archive, files, at=clock())
    paths = [settings.home / member.path.removeprefix(FILES_PREFIX) for member in files]
    return RestoreResult(archive.manifest, paths)


def _write_members(settings: Settings, archive: ArchiveWriter, clock: Clock) -> Manifest:
    database = Database(settings.app_database_url)
    try:
        with open_snapshot(database) as connection:
            revision = require_known_revision(connection)
            at, store = clock(), connection.dialect.name
            tables = dump_tables(connection, archive, revision)
    finally:
        database.dispose()
    manifest = Manifest(
        format=FORMAT_VERSION,
        version=version("chainproof"),
        schema=revision,
        store=store,
        taken_at=at,
        tables=tables,
        files=_write_files(settings, archive),
        external_files=[str(path) for path in user_files.list_external(settings)],
    )
    archive.finish(manifest)
    return manifest


def _write_files(settings: Settings, archive: ArchiveWriter) -> list[ArchiveMember]:
    home = settings.home
    contents = [
        (file.relative_to(home).as_posix(), file.read_bytes()) for file in user_files.list_in_home(settings)
    ]
    return [archive.add(FILES_PREFIX + path, [content]) for path, content in contents]
