"""Imports the rules of other tools as packs; rules that cannot be converted exactly are listed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from backend.articles.importers import csv_table, prh, textlint_terminology, vale, vale_vocabulary
from backend.articles.importers.rule_drafts import Import, Skipped
from backend.articles.importers.spec_checks import drop_rules_with_failing_specs
from backend.articles.importers.yaml_writer import as_yaml
from backend.articles.model import Pack
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.yaml_reader import read_document, read_text
from backend.entities.model import Language
from backend.formats.file_errors import FileError

__all__ = ["FORMATS", "Format", "Import", "Skipped", "as_yaml", "detect", "import_rules"]

Format = Literal["prh", "vale", "terminology", "csv"]
FORMATS: tuple[Format, ...] = get_args(Format)
MAX_FILES = 2_000

_READERS: dict[Format, Callable[..., Import]] = {
    "prh": prh.read,
    "terminology": textlint_terminology.read,
    "csv": csv_table.read,
}


@dataclass(frozen=True, slots=True)
class Options:
    """What the one who imports decides."""

    auto_fix: bool = False
    """Whether corrections may be made without approval where the source does not say."""
    languages: tuple[Language, ...] = ()
    """Languages of articles that all rules are for; by default Japanese where kana is in it, else all."""


def import_rules(
    path: Path,
    format: Format | None = None,
    *,
    base: Sequence[Pack] = (),
    options: Options | None = None,
) -> Import:
    """The rules of ``path`` (a file, or a folder of Vale styles), each proven by its specs beside ``base``.

    :param base: the packs that the imported one will be laid over.
    :raises InvalidRulesError: where ``path`` cannot be read, or its format cannot be told.
    """
    chosen = options or Options()
    kind = format or detect(path)
    if kind == "vale":
        made = _vale(path, chosen)
    elif path.is_dir():
        raise InvalidRulesError([FileError(path, 0, "is a folder: only those of Vale can be imported whole")])
    else:
        made = _READERS[kind](path, auto_fix=chosen.auto_fix)
    if chosen.languages:
        made.rules = [rule.model_copy(update={"languages": chosen.languages}) for rule in made.rules]
    drop_rules_with_failing_specs(made, base)
    return made


def detect(path: Path) -> Format:
    """The format of what is at ``path``.

    :raises InvalidRulesError: where it is none that is known.
    """
    suffix = path.suffix.lower()
    if path.is_dir() or path.name in vale_vocabulary.FILES:
        return "vale"
    if suffix in (".csv", ".tsv"):
        return "csv"
    if suffix in (".json", ".jsonc"):
        try:
            if textlint_terminology.is_supported(textlint_terminology.load(read_text(path))):
                return "terminology"
        except (json.JSONDecodeError, ValueError, RecursionError) as error:
            if isinstance(error, InvalidRulesError):
                raise
            raise InvalidRulesError([FileError(path, 0, f"must be valid JSON: {error}")]) from None
    elif suffix in (".yml", ".yaml"):
        data = read_document(path).data
        if vale.is_supported(data):
            return "vale"
        if prh.is_supported(data):
            return "prh"
    known = ", ".join(FORMATS)
    raise InvalidRulesError([FileError(path, 0, f"has an unknown format: name it with --format ({known})")])


def _vale(path: Path, options: Options) -> Import:
    made = Import(path, "vale")
    for file in _vale_files(path):
        try:
            if file.name in vale_vocabulary.FILES:
                vale_vocabulary.add(made, file)
            else:
                vale.add(made, read_document(file), auto_fix=options.auto_fix)
        except InvalidRulesError as refused:
            if file == path:
                raise
            for error in refused.errors:
                made.skip(error.file, error.line, file.name, error.reason)
    return made


def _vale_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(
        file
        for file in path.rglob("*")
        if file.is_file() and (file.suffix in (".yml", ".yaml") or file.name in vale_vocabulary.FILES)
    )
    if not files or len(files) > MAX_FILES:
        reason = f"holds {len(files)} Vale styles and vocabularies: between 1 and {MAX_FILES} can be imported"
        raise InvalidRulesError([FileError(path, 0, reason)])
    return files
