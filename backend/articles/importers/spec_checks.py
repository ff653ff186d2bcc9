"""Runs the specs of imported rules, and drops the rules whose specs fail."""

from collections.abc import Sequence

from backend.articles.importers.rule_drafts import ImportResult, make_unique
from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import compile_rules
from backend.articles.model import Pack, Rule
from backend.articles.rules.specs import SpecFailure, find_failures


def drop_rules_with_failing_specs(imported: ImportResult, existing_packs: Sequence[Pack]) -> None:
    """Keep the rules whose specs hold together with ``existing_packs``, and list the others as skipped.

    Specs run again after rules were dropped, because the remaining rules may now pass.
    """
    _drop_known(imported, existing_packs)
    _drop_failing(imported, _find_failing(imported, existing_packs, alone=True))
    while failing := _find_failing(imported, existing_packs, alone=False):
        _drop_failing(imported, failing)


def build_pack(imported: ImportResult) -> Pack:
    """Build a pack of the imported entities and rules."""
    return Pack(
        version=1,
        name=f"Imported from {imported.file.name}",
        entities=tuple(imported.entities),
        rules=tuple(imported.rules),
    )


def _drop_known(imported: ImportResult, existing_packs: Sequence[Pack]) -> None:
    """Skip names that are already known, and make the ids of the others unique."""
    existing_pack = merge_packs(existing_packs)
    right = {
        name: entity.id
        for entity in existing_pack.entities
        for name in (*entity.names.values(), *(n for names in entity.also.values() for n in names))
    }
    kept = []
    for entity in imported.entities:
        name = next(iter(entity.names.values()))
        if name in right:
            imported.skip(imported.file, 0, name, f"it is already a correct name of '{right[name]}'")
        else:
            kept.append(entity)
    taken, numbers = {entity.id for entity in existing_pack.entities}, dict[str, int]()
    imported.entities = [e.model_copy(update={"id": _make_unique(e.id, taken, numbers)}) for e in kept]
    taken, numbers = {rule.id for rule in existing_pack.rules}, dict[str, int]()
    places = imported.places
    imported.places = {}
    renamed: list[Rule] = []
    for rule in imported.rules:
        fresh = rule.model_copy(update={"id": _make_unique(rule.id, taken, numbers)})
        imported.places[fresh.id] = places[rule.id]
        renamed.append(fresh)
    imported.rules = renamed


def _make_unique(wanted: str, taken: set[str], numbers: dict[str, int]) -> str:
    given = make_unique(wanted, taken, numbers)
    taken.add(given)
    return given


def _find_failing(
    imported: ImportResult, existing_packs: Sequence[Pack], *, alone: bool
) -> dict[str, SpecFailure]:
    """Return the first failure of each rule whose specs fail; ``alone`` tests without ``existing_packs``."""
    pack = build_pack(imported)
    rules = compile_rules([merge_packs([pack] if alone else [*existing_packs, pack])])
    failing: dict[str, SpecFailure] = {}
    for failure in find_failures(rules, imported.rules):
        failing.setdefault(failure.rule_id, failure)
    return failing


def _drop_failing(imported: ImportResult, failing: dict[str, SpecFailure]) -> None:
    kept = []
    for rule in imported.rules:
        if rule.id in failing:
            file, line = imported.places.pop(rule.id)
            label = rule.suggest if isinstance(rule.suggest, str) else rule.id
            imported.skip(file, line, label, f"its spec fails: {failing[rule.id].reason}")
        else:
            kept.append(rule)
    imported.rules = kept
