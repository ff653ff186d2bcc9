"""Finds the supported Pythons of this machine, and has uv bring those that are missing."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")
DOWNLOAD_SECONDS = 180
TELL = "import platform, sqlite3; print(platform.python_version(), sqlite3.sqlite_version)"


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter. ``version`` and ``sqlite`` are as they tell them, such as ``3.12.1`` and ``3.40.1``."""

    path: Path
    version: str
    sqlite: str

    def __str__(self) -> str:
        return f"Python {self.version} with SQLite {self.sqlite}"


def supported() -> list[str]:
    """Versions that the package declares, such as ``3.11``, oldest first."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    found = [match[1] for name in declared if (match := CLASSIFIER.fullmatch(name))]
    return sorted(found, key=lambda version: int(version.partition(".")[2]))


def installed() -> dict[str, Python]:
    """The first interpreter that runs of each supported version, oldest first."""
    ran = {version: next(_running(version), None) for version in supported()}
    return {version: python for version, python in ran.items() if python is not None}


def oldest_and_newest() -> list[Python]:
    """One where the machine has one alone."""
    found = list(installed().values())
    return [found[0], found[-1]] if len(found) > 1 else found


def bring(version: str) -> None:
    """Have uv install the version; nothing where it cannot, as without a network."""
    command = [UV, "python", "install", "--no-bin", version]
    try:
        subprocess.run(command, capture_output=True, timeout=DOWNLOAD_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return


def _running(version: str) -> Iterator[Python]:
    for path in _candidates(version):
        result = subprocess.run([path, "-c", TELL], capture_output=True, text=True, check=False)
        if result.returncode == 0:  # pyenv has names on the path for versions that are not switched on
            yield Python(path, *result.stdout.split())


def _candidates(version: str) -> Iterator[Path]:
    """On the path, then pyenv's, then uv's own."""
    name = f"python{version}"
    if found := shutil.which(name):
        yield Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    result = subprocess.run([UV, "python", "dir"], capture_output=True, text=True, check=True)
    for folder, pattern in ((pyenv, f"{version}.*"), (Path(result.stdout.strip()), f"cpython-{version}.*")):
        yield from sorted(folder.glob(f"{pattern}/bin/{name}"))
