"""Back up, verify, restore: what the commands call."""

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from backend.backup import restore_postgres, restore_sqlite, user_files
from backend.backup.archive import FILES, FORMAT, LEVEL, ArchiveReader, ArchiveWriter, Manifest, Part
from backend.backup.dump_rows import dump, revision_to_dump, snapshot
from backend.backup.restore_checks import check
from backend.errors import Conflict, Unavailable
from backend.formats.timestamps import Clock
from backend.settings import Settings
from backend.store.data_lock import sync_folder
from backend.store.database import Database, sqlite_file
from backend.store.sqlite_file import check_store_file

SUFFIX = ".zip"
"""By which a file is told from a folder where neither is there yet."""


@dataclass(frozen=True, slots=True)
class Written:
    """An archive that is on the disk, its length in bytes, and what it holds."""

    file: Path
    size: int
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored, and the places of the files."""

    manifest: Manifest
    files: list[Path]


def back_up(settings: Settings, target: Path, *, overwrite: bool = False, clock: Clock) -> Written:
    """Write an archive to ``target`` where that is a ``.zip`` file, else into the folder ``target``, which is
    made if need be, under a name of the instant.

    The service may run and write meanwhile. The file can be read by its owner alone, since it holds keys
    and settings, and is there whole or not at all.
    """
    at = clock()
    is_file = target.is_file() or (target.suffix == SUFFIX and not target.is_dir())
    file = target if is_file else target / f"chainproof-{at:%Y%m%dT%H%M%SZ}{SUFFIX}"
    if file.exists() and not overwrite:
        raise Conflict(f"{file} is there already. Choose another name, or say --overwrite.")
    store = sqlite_file(settings.app_database_url)
    if store is not None:
        if not store.exists():
            raise Conflict(f"There is nothing to back up: {store} does not exist.", code="nothing_there")
        check_store_file(store)
    with _made_folder(file.parent):
        return _write_archive(settings, file, clock)


@contextmanager
def _made_folder(folder: Path) -> Iterator[None]:
    """``folder`` and those above it, made if need be; what was made goes again where the block fails."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield
    except BaseException:
        for each in missing:
            with suppress(OSError):
                each.rmdir()
        raise


def _write_archive(settings: Settings, file: Path, clock: Clock) -> Written:
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.unfinished")
    try:
        descriptor = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w+b") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
                manifest = _write(settings, ArchiveWriter(archive), clock)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(file)
        sync_folder(file.parent)
    except OSError as error:
        raise Unavailable(
            f"The archive cannot be written to {file.parent}: {error.strerror}. Choose a folder that can be "
            "written and has room."
        ) from error
    finally:
        with suppress(OSError):  # of a folder that cannot be written
            unfinished.unlink(missing_ok=True)
    return Written(file, file.stat().st_size, manifest)


def verify(file: Path) -> Manifest:
    """Read an archive whole; raises :class:`~backend.backup.archive.ArchiveDamaged`, an ``OSError``."""
    with ArchiveReader(file) as archive:
        archive.verify()
        return archive.manifest


def restore(settings: Settings, file: Path, *, data_only: bool = False, clock: Clock) -> Restored:
    """Restore an archive into an empty data folder or database: all of it or nothing.

    It is verified whole first. Raises :class:`Conflict` with a sentence where it is of a newer schema or
    where data are there. With ``data_only`` the files of the data folder stay as they are.
    """
    with ArchiveReader(file) as archive:
        archive.verify()
        files = [] if data_only else archive.manifest.files
        check(settings, archive, files)
        put = restore_sqlite.restore if settings.is_sqlite else restore_postgres.restore
        put(settings, archive, files, at=clock())
    places = [settings.home / part.path.removeprefix(FILES) for part in files]
    return Restored(archive.manifest, places)


def _write(settings: Settings, archive: ArchiveWriter, clock: Clock) -> Manifest:
    database = Database(settings.app_database_url)
    try:
        with snapshot(database) as connection:
            revision = revision_to_dump(connection)
            at, store = clock(), connection.dialect.name
            tables = dump(connection, archive, revision)
    finally:
        database.dispose()
    manifest = Manifest(
        format=FORMAT,
        version=version("chainproof"),
        schema=revision,
        store=store,
        taken_at=at,
        tables=tables,
        files=_write_files(settings, archive),
        files_elsewhere=[str(path) for path in user_files.elsewhere(settings)],
    )
    archive.finish(manifest)
    return manifest


def _write_files(settings: Settings, archive: ArchiveWriter) -> list[Part]:
    home = settings.home
    found = [(file.relative_to(home).as_posix(), file.read_bytes()) for file in user_files.in_home(settings)]
    return [archive.add(FILES + path, [content]) for path, content in found]
