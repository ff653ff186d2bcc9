"""Finds the data folder, the configuration file and the folder of a user's own naming rules.

This is separate from the other settings: commands that only scan need nothing else and start much faster.
"""

import contextlib
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

CONFIG_VARIABLE, HOME_VARIABLE = "CHAINPROOF_CONFIG", "CHAINPROOF_HOME"


@dataclass(frozen=True, slots=True)
class ScanFolders:
    """The folders of a user's own rules and of the compiled rule cache."""

    rules: Path
    rules_must_exist: bool
    """Whether a setting names the folder."""
    cache: Path


def default_home() -> Path:
    """:raises ValueError: for a user without a home folder, as containers may have."""
    with contextlib.suppress(RuntimeError):
        folder = platformdirs.user_data_dir("chainproof", appauthor=False)
        if not folder.startswith("~"):  # as older versions of platformdirs leave it
            return Path(folder)
    raise ValueError("This user has no home folder. Set CHAINPROOF_HOME to a folder for Chainproof's data.")


def find_config_file() -> Path | None:
    """Find the first that exists: ``$CHAINPROOF_CONFIG``, ``./chainproof.toml``, the data folder's one."""
    named_file = os.environ.get(CONFIG_VARIABLE)
    home = Path(os.environ.get(HOME_VARIABLE) or default_home())
    candidates = [Path(named_file)] if named_file else [Path("chainproof.toml"), home / "chainproof.toml"]
    return next((path for path in candidates if _is_file(path)), None)


def _is_file(path: Path) -> bool:
    """:raises PermissionError: with the folder of a file that this user may not look for."""
    try:
        return path.is_file()
    except PermissionError as error:
        raise PermissionError(error.errno, error.strerror, str(path.parent)) from None


def find_scan_folders() -> ScanFolders:
    """Find them by the environment, then ``chainproof.toml``, then the defaults. Creates no folder.

    :raises ValueError: for a configuration file that cannot be read, with its name and the reason.
    """
    file, named_file = find_config_file(), os.environ.get(CONFIG_VARIABLE)
    if file is None and named_file:
        raise ValueError(
            f"{CONFIG_VARIABLE} names {named_file}, which is not a file. Create it, or unset the variable."
        )
    configured = {} if file is None else _read_toml(file)
    home = _find_path("home", file, configured)
    rules = _find_path("rules_dir", file, configured)
    cache = home or Path(platformdirs.user_cache_dir("chainproof", appauthor=False))
    return ScanFolders(rules or (home or default_home()) / "rules", rules is not None, cache)


def _find_path(name: str, file: Path | None, configured: dict[str, Any]) -> Path | None:
    value = os.environ.get(f"CHAINPROOF_{name.upper()}") or configured.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{file}: {name} must be the path of a folder, in quotation marks.")
    return None if value is None else Path(value)


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"{file}: cannot be read: {reason}. Correct the file.") from None
