"""Lists the user's files in the data folder, and files in use outside of it."""

from pathlib import Path

from backend.runtime.data_folder import find_config_file
from backend.settings import Settings

CONFIG_FILE = "chainproof.toml"


def list_in_home(settings: Settings) -> list[Path]:
    """List the files of the data folder for an archive.

    In order: settings, the local key, the user's assets, feeds and profiles, and all files of the rules
    folder. Everything else there is the store, or is rebuilt.
    """
    return [file for file in _list_used(settings) if _is_inside(file, settings.home)]


def list_external(settings: Settings) -> list[Path]:
    """List the files in use outside the data folder, which the user backs up separately."""
    return [file.absolute() for file in _list_used(settings) if not _is_inside(file, settings.home)]


def _list_used(settings: Settings) -> list[Path]:
    candidates = [
        find_config_file(),
        settings.home / CONFIG_FILE,
        settings.local_key_file,
        settings.user_assets_file,
        settings.user_feeds_file,
        settings.profiles_file,
    ]
    rules = sorted(settings.user_rules_dir.rglob("*")) if settings.user_rules_dir.is_dir() else []
    files = [file for file in (*candidates, *rules) if file is not None and file.is_file()]
    return list({file.resolve(): file for file in files}.values())


def _is_inside(file: Path, folder: Path) -> bool:
    return file.resolve().is_relative_to(folder.resolve())
