"""Reads what a repository accepts as it is written, from ``.chainproof.yaml`` in a folder above a text."""

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.yaml_reader import read_document
from backend.articles.schemas import AcceptedTexts
from backend.formats.file_errors import FileError

FILE_NAME = ".chainproof.yaml"


class RepositorySettings(BaseModel):
    """The content of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    accept: AcceptedTexts = []
    """Texts that are never reported as they are written here. Upper and lower case count."""


def find_settings_file(path: Path) -> Path | None:
    """Return the settings file that applies to ``path``: the nearest in its folder or one above."""
    path = path.resolve()
    return _find_in(path if path.is_dir() else path.parent)


def load_settings(path: Path | None) -> RepositorySettings:
    """Load the settings that apply to the file or folder ``path``; by default to the working folder.

    :raises InvalidRulesError: if the settings file cannot be read or is invalid.
    """
    file = find_settings_file(path or Path.cwd())
    return RepositorySettings() if file is None else read_settings(file)


@cache
def read_settings(file: Path) -> RepositorySettings:
    """Read one settings file.

    :raises InvalidRulesError: if it cannot be read or is invalid.
    """
    document = read_document(file)
    try:
        return RepositorySettings.model_validate(document.data or {})
    except ValidationError as error:
        raise InvalidRulesError(
            [
                FileError(file, document.line(*one["loc"]), f"{'.'.join(map(str, one['loc']))}: {one['msg']}")
                for one in error.errors()
            ]
        ) from None


@cache
def _find_in(folder: Path) -> Path | None:
    file = folder / FILE_NAME
    if file.is_file():
        return file
    return None if folder.parent == folder else _find_in(folder.parent)
