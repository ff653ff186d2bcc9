"""Checks an archive against this version and its settings before a restore changes anything."""

import os
import tomllib
from collections.abc import Sequence

from backend import migrations
from backend.backup.archive import FILES_PREFIX, ArchiveMember, ArchiveReader
from backend.backup.user_files import CONFIG_FILE
from backend.errors import Conflict
from backend.settings import Settings


def check_archive(settings: Settings, archive: ArchiveReader, files: Sequence[ArchiveMember]) -> None:
    """Raise :class:`Conflict` if this version cannot restore the archive, or if the archived settings name
    a different store than the target.
    """
    manifest = archive.manifest
    if not migrations.is_known(manifest.schema):
        newest = migrations.find_newest_revision()
        raise Conflict(
            f"{archive.file} was made by version {manifest.version}, whose schema {manifest.schema} is newer "
            f"than this version's {newest}. Restore it with that version or later.",
            code="newer_schema",
        )
    configured = next((member for member in files if member.path == FILES_PREFIX + CONFIG_FILE), None)
    if configured is not None and "CHAINPROOF_DATABASE_URL" not in os.environ:
        archived_url = _read_database_url(b"".join(archive.read_chunks(configured)))
        current_url = settings.database_url and settings.database_url.get_secret_value()
        if archived_url != current_url:
            raise Conflict(
                f"The {CONFIG_FILE} in {archive.file} names a different database_url than the current one. "
                "Set CHAINPROOF_DATABASE_URL to the intended store, or use --data-only to skip the file."
            )


def _read_database_url(configuration: bytes) -> str | None:
    try:
        url = tomllib.loads(configuration.decode()).get("database_url")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):  # restored unchanged, with its mistakes
        return None
    return str(url) if url else None
