"""Checks imported rules against their own specs and drops those that fail."""

from collections.abc import Sequence

from backend.articles.importers.rule_drafts import Import
from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import compile_rules
from backend.articles.model import Pack, Rule
from backend.articles.rules.specs import SpecFailure, find_failures


def drop_rules_with_failing_specs(made: Import, base: Sequence[Pack]) -> None:
    """Leave in ``made`` what stands beside the packs of ``base``, and list the rest with its reason.

    Rules that fail together are tried again: without those that fail by themselves others may hold.
    """
    _drop_known(made, base)
    _keep(made, _failing(made, base, alone=True))
    while failing := _failing(made, base, alone=False):
        _keep(made, failing)


def pack_of(made: Import) -> Pack:
    """What ``made`` holds as one pack."""
    return Pack(
        version=1,
        name=f"Imported from {made.file.name}",
        entities=tuple(made.entities),
        rules=tuple(made.rules),
    )


def _drop_known(made: Import, base: Sequence[Pack]) -> None:
    """List names that are right already, and give rules ids that no other has."""
    below = merge_packs(base)
    right = {
        name: entity.id
        for entity in below.entities
        for name in (*entity.names.values(), *(n for names in entity.also.values() for n in names))
    }
    kept = []
    for entity in made.entities:
        name = next(iter(entity.names.values()))
        if name in right:
            made.skip(made.file, 0, name, f"it is a right name already, of '{right[name]}'")
        else:
            kept.append(entity)
    taken = {entity.id for entity in below.entities}
    made.entities = [e.model_copy(update={"id": _free(e.id, taken)}) for e in kept]
    taken = {rule.id for rule in below.rules}
    places = made.places
    made.places = {}
    renamed: list[Rule] = []
    for rule in made.rules:
        fresh = rule.model_copy(update={"id": _free(rule.id, taken)})
        made.places[fresh.id] = places[rule.id]
        renamed.append(fresh)
    made.rules = renamed


def _free(wanted: str, taken: set[str]) -> str:
    given, number = wanted, 1
    while given in taken:
        number += 1
        given = f"{wanted}-{number}"
    taken.add(given)
    return given


def _failing(made: Import, base: Sequence[Pack], *, alone: bool) -> dict[str, SpecFailure]:
    """The first failure of each rule whose specs do not hold: ``alone`` without ``base``."""
    pack = pack_of(made)
    rules = compile_rules([merge_packs([pack] if alone else [*base, pack])])
    failing: dict[str, SpecFailure] = {}
    for failure in find_failures(rules, made.rules):
        failing.setdefault(failure.rule_id, failure)
    return failing


def _keep(made: Import, failing: dict[str, SpecFailure]) -> None:
    kept = []
    for rule in made.rules:
        if rule.id in failing:
            file, line = made.places.pop(rule.id)
            what = rule.suggest if isinstance(rule.suggest, str) else rule.id
            made.skip(file, line, what, f"its spec does not hold here: {failing[rule.id].reason}")
        else:
            kept.append(rule)
    made.rules = kept
