"""Registers the importers of naming rules, detects the format of a file, and imports it as a pack.

The result lists the rules that could not be converted exactly.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from backend.articles.importers import csv_table, prh, textlint_terminology, vale, vale_vocabulary
from backend.articles.importers.rule_drafts import ImportResult
from backend.articles.importers.spec_checks import drop_rules_with_failing_specs
from backend.articles.model import Pack
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.yaml_reader import read_document, read_text
from backend.entities.model import Language
from backend.formats.file_errors import WHOLE_FILE, FileError

Format = Literal["prh", "vale", "terminology", "csv"]
FORMATS: tuple[Format, ...] = get_args(Format)
MAX_VALE_FILES = 2_000

_SINGLE_FILE_IMPORTERS: dict[Format, Callable[..., ImportResult]] = {
    "prh": prh.read,
    "terminology": textlint_terminology.read,
    "csv": csv_table.read,
}


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an import."""

    auto_fix: bool = False
    """Whether fixes are applied without approval; a setting in the imported file takes precedence."""
    languages: tuple[Language, ...] = ()
    """Languages of all imported rules. By default, rules with kana are for Japanese, and others for all
    languages."""


def import_rules(
    path: Path,
    format: Format | None = None,
    *,
    existing_packs: Sequence[Pack] = (),
    options: Options | None = None,
) -> ImportResult:
    """Import the rules of ``path``: a file, or a folder of Vale styles.

    A rule is dropped if one of its test examples (specs) fails when it is applied together with the rules of
    ``existing_packs``.

    :param existing_packs: the packs that the import will be merged into.
    :raises InvalidRulesError: if ``path`` cannot be read or its format is unknown.
    """
    options = options or Options()
    rule_format = format or detect(path)
    if rule_format == "vale":
        imported = _import_vale(path, options)
    elif path.is_dir():
        raise InvalidRulesError(
            [FileError(path, WHOLE_FILE, "must be a file: only folders of Vale styles can be imported")]
        )
    else:
        imported = _SINGLE_FILE_IMPORTERS[rule_format](path, auto_fix=options.auto_fix)
    if options.languages:
        imported.rules = [rule.model_copy(update={"languages": options.languages}) for rule in imported.rules]
    drop_rules_with_failing_specs(imported, existing_packs)
    return imported


def detect(path: Path) -> Format:
    """Detect the format of ``path``.

    :raises InvalidRulesError: if it is unknown.
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
            raise InvalidRulesError([FileError(path, WHOLE_FILE, f"must be valid JSON: {error}")]) from None
    elif suffix in (".yml", ".yaml"):
        data = read_document(path).data
        if vale.is_supported(data):
            return "vale"
        if prh.is_supported(data):
            return "prh"
    known = ", ".join(FORMATS)
    raise InvalidRulesError(
        [FileError(path, WHOLE_FILE, f"has an unknown format: name it with --format ({known})")]
    )


def _import_vale(path: Path, options: Options) -> ImportResult:
    imported = ImportResult(path, "vale")
    for file in _list_vale_files(path):
        try:
            if file.name in vale_vocabulary.FILES:
                vale_vocabulary.add(imported, file)
            else:
                vale.add(imported, read_document(file), auto_fix=options.auto_fix)
        except InvalidRulesError as error:
            if file == path:
                raise
            for file_error in error.errors:
                imported.skip(file_error.file, file_error.line, file.name, file_error.reason)
    return imported


def _list_vale_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(
        file
        for file in path.rglob("*")
        if file.is_file() and (file.suffix in (".yml", ".yaml") or file.name in vale_vocabulary.FILES)
    )
    if not files or len(files) > MAX_VALE_FILES:
        reason = f"must contain 1 to {MAX_VALE_FILES} Vale styles and vocabularies, but contains {len(files)}"
        raise InvalidRulesError([FileError(path, WHOLE_FILE, reason)])
    return files
