"""Writes an imported pack as YAML in a stable order, with skipped rules as comments."""

from typing import Any

import yaml

from backend.articles.importers.rule_drafts import Import
from backend.articles.model import Rule
from backend.entities.model import LANGUAGES, Entity
from backend.formats.plurals import format_count
from backend.formats.yaml_loader import SafeDumper


class _Dumper(SafeDumper):
    """Writes no aliases, which the reader refuses."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def as_yaml(made: Import) -> str:
    """The text of a pack that the loader takes."""
    document: dict[str, Any] = {"version": 1, "name": f"Imported from {made.file.name}"}
    if made.entities:
        document["entities"] = [_entity(entity) for entity in made.entities]
    if made.rules:
        document["rules"] = [_rule(rule) for rule in made.rules]
    body = yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)
    return _head(made) + body


def _head(made: Import) -> str:
    names = f" and {format_count(len(made.entities), 'name')}" if made.entities else ""
    carried = f"{format_count(len(made.rules), 'rule')}{names}"
    lines = [f"Imported from {made.file.name} ({made.format}): {carried} carried over."]
    narrowed = sum(rule.languages != LANGUAGES for rule in made.rules)
    if narrowed:
        rules = format_count(narrowed, "rule")
        lines.append(f"For articles in some languages only, because of kana or --language: {rules}.")
    if made.skipped:
        lines.append("Not carried over:")
        lines += [f"  {' '.join(str(skipped).split())}" for skipped in made.skipped]
    return "".join(f"# {_printable(line)}\n" for line in lines)


def _printable(line: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in line)


def _entity(entity: Entity) -> dict[str, Any]:
    return entity.model_dump(mode="json", exclude_defaults=True)


def _rule(rule: Rule) -> dict[str, Any]:
    written = rule.model_dump(mode="json", exclude_defaults=True, by_alias=True)
    written["suggest"] = list(rule.suggest) if isinstance(rule.suggest, tuple) else rule.suggest
    return written
