"""Files of the data folder on their way back to it."""

import os
from collections.abc import Sequence
from pathlib import Path

from backend.backup import own_files
from backend.backup.archive import FILES, ArchiveReader, Part
from backend.data_lock import Move
from backend.settings import Settings

STAGING, ASIDE = ".restore-", "before-restore-"
"""How the folders begin, within the data folder, that hold what comes and what was there."""


def stage_files(archive: ArchiveReader, files: Sequence[Part], staging: Path) -> None:
    """Each into ``staging``, for its owner alone, and on the disk."""
    for part in files:
        target = staging / part.path
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            for piece in archive.pieces(part):
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())


def moves_for(settings: Settings, files: Sequence[Part], staging: Path, aside: Path) -> list[Move]:
    """What is in the way goes aside first. Rules of the user's own are one set: where the archive has some,
    all that are there go. What the archive does not have stays as it is."""
    places = {part.path.removeprefix(FILES): staging / part.path for part in files}
    rules = settings.user_rules_dir
    present = [file for file in own_files.in_home(settings) if file.is_relative_to(rules)]
    replaced = present if any((settings.home / place).is_relative_to(rules) for place in places) else []
    in_the_way = dict.fromkeys([*(settings.home / place for place in places), *replaced])
    away = [(file, aside / file.relative_to(settings.home)) for file in in_the_way if file.exists()]
    return [*away, *((source, settings.home / place) for place, source in places.items())]
