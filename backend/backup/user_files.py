"""The files that a user has put into the data folder, and those in use that lie elsewhere."""

from pathlib import Path

from backend.runtime.data_folder import find_config_file
from backend.settings import Settings

CONFIGURATION = "chainproof.toml"


def in_home(settings: Settings) -> list[Path]:
    """Files of the data folder that an archive holds, in order: settings, the local key, the user's own
    assets, feeds and profiles, and the folder of rules whole. All else there is the store, or made again."""
    return [file for file in _in_use(settings) if _is_inside(file, settings.home)]


def elsewhere(settings: Settings) -> list[Path]:
    """Files in use that lie outside of the data folder, where whoever put them there looks after them."""
    return [file.absolute() for file in _in_use(settings) if not _is_inside(file, settings.home)]


def _in_use(settings: Settings) -> list[Path]:
    single = [
        find_config_file(),
        settings.home / CONFIGURATION,
        settings.local_key_file,
        settings.user_assets_file,
        settings.user_feeds_file,
        settings.profiles_file,
    ]
    rules = sorted(settings.user_rules_dir.rglob("*")) if settings.user_rules_dir.is_dir() else []
    found = [file for file in (*single, *rules) if file is not None and file.is_file()]
    return list({file.resolve(): file for file in found}.values())


def _is_inside(file: Path, folder: Path) -> bool:
    return file.resolve().is_relative_to(folder.resolve())
