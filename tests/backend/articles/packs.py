"""Small packs for tests of the engine, and one in the place of those that ship."""

from pathlib import Path
from typing import Any

import pytest

from backend.articles.model import Pack
from backend.articles.rules import pack_loader, rules_loader

SHIPPED = """\
version: 1
entities:
  - {{id: {id}, type: asset, names: {{en: {name}}}}}
rules:
  - {{id: shipped, type: forbidden_variant, entity: {id}, match: [{wrong}],
     specs: [{{from: {wrong}, to: {name}}}]}}
"""


def rule(match: list[Any], **changes: Any) -> dict[str, Any]:
    """A rule about whatever entity ``changes`` name."""
    made = {
        "id": "spelling",
        "type": "forbidden_variant",
        "match": match,
        "auto_fix": True,
        "specs": [{"from": "x", "to": "x"}],
    }
    return made | changes


def entity(name: str, **changes: Any) -> dict[str, Any]:
    """An entity with ``name`` in English."""
    return {"id": name.lower().replace(" ", "-"), "type": "asset", "names": {"en": name}} | changes


def pack(*parts: dict[str, Any], **changes: Any) -> Pack:
    """A pack of ``parts``, entities and rules in any order."""
    return Pack.model_validate(
        {
            "version": 1,
            "entities": [part for part in parts if "names" in part],
            "rules": [part for part in parts if "specs" in part],
        }
        | changes
    )


def pack_of(name: str, *wrong: str, **changes: Any) -> Pack:
    """One entity and a rule against wrong spellings of it, fixed unasked."""
    made = entity(name, **changes)
    return pack(made, rule(list(wrong), id=f"{made['id']}-spelling", entity=made["id"]))


def ship(folder: Path, monkeypatch: pytest.MonkeyPatch, *, name: str, wrong: str) -> Path:
    """One entity and one rule in the place of all that ship; gives their folder."""
    shipped = folder / "shipped"
    shipped.mkdir()
    pack = SHIPPED.format(id=name.lower(), name=name, wrong=wrong)
    (shipped / "pack.yaml").write_text(pack, encoding="utf-8")
    for module in (pack_loader, rules_loader):
        monkeypatch.setattr(module, "SHIPPED", (shipped,))
    return shipped
