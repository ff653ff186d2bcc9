"""Writes an imported pack as YAML in a stable order, with skipped rules as comments."""

from typing import Any

import yaml

from backend.articles.importers.rule_drafts import ImportResult
from backend.articles.model import Rule
from backend.entities.model import LANGUAGES, Entity
from backend.formats.plurals import format_count
from backend.formats.yaml_loader import SafeDumper


class _Dumper(SafeDumper):
    """Writes no aliases, which the reader rejects."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def format_yaml(imported: ImportResult) -> str:
    """Format the import as a pack that the loader accepts."""
    document: dict[str, Any] = {"version": 1, "name": f"Imported from {imported.file.name}"}
    if imported.entities:
        document["entities"] = [_entity(entity) for entity in imported.entities]
    if imported.rules:
        document["rules"] = [_rule(rule) for rule in imported.rules]
    body = yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)
    return _head(imported) + body


def _head(imported: ImportResult) -> str:
    names = f" and {format_count(len(imported.entities), 'name')}" if imported.entities else ""
    carried = f"{format_count(len(imported.rules), 'rule')}{names}"
    lines = [f"Imported from {imported.file.name} ({imported.format}): {carried} imported."]
    narrowed = sum(rule.languages != LANGUAGES for rule in imported.rules)
    if narrowed:
        rules = format_count(narrowed, "rule")
        lines.append(f"For articles in some languages only, because of kana or --language: {rules}.")
    if imported.skipped:
        lines.append("Not imported:")
        lines += [f"  {' '.join(str(skipped).split())}" for skipped in imported.skipped]
    return "".join(f"# {_printable(line)}\n" for line in lines)


def _printable(line: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in line)


def _entity(entity: Entity) -> dict[str, Any]:
    return entity.model_dump(mode="json", exclude_defaults=True)


def _rule(rule: Rule) -> dict[str, Any]:
    written = rule.model_dump(mode="json", exclude_defaults=True, by_alias=True)
    written["suggest"] = list(rule.suggest) if isinstance(rule.suggest, tuple) else rule.suggest
    return written
