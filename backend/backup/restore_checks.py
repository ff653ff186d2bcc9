"""What is refused before anything is touched."""

import os
import tomllib
from collections.abc import Sequence

from backend import migrations
from backend.backup.archive import FILES, ArchiveReader, Part
from backend.backup.user_files import CONFIGURATION
from backend.errors import Conflict
from backend.settings import Settings


def check(settings: Settings, archive: ArchiveReader, files: Sequence[Part]) -> None:
    """Raises :class:`Conflict` where this version cannot restore the archive, or its settings name another
    store than the one that it would be restored into."""
    manifest = archive.manifest
    if not migrations.is_known(manifest.schema):
        newest = migrations.find_newest_revision()
        raise Conflict(
            f"{archive.file} was made by version {manifest.version}, whose schema {manifest.schema} is newer "
            f"than this version's {newest}. Restore it with that version or later.",
            code="newer_schema",
        )
    configured = next((part for part in files if part.path == FILES + CONFIGURATION), None)
    if configured is not None and "CHAINPROOF_DATABASE_URL" not in os.environ:
        told = _database_url(b"".join(archive.pieces(configured)))
        now = settings.database_url and settings.database_url.get_secret_value()
        if told != now:
            raise Conflict(
                f"The {CONFIGURATION} in {archive.file} names another database_url than the one in force. "
                "Set CHAINPROOF_DATABASE_URL to the store that is meant, or say --data-only to leave it out."
            )


def _database_url(configuration: bytes) -> str | None:
    try:
        told = tomllib.loads(configuration.decode()).get("database_url")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):  # it is put back as it was, mistakes and all
        return None
    return str(told) if told else None
