"""The examples that rules carry, held against the whole set."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from backend.articles.engine import correct
from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.model import Pack, Rule, RuleExample


def _tell_nobody(count: int) -> None:
    """For those who need no progress."""


@dataclass(frozen=True, slots=True)
class SpecFailure:
    """An example that does not hold."""

    rule_id: str
    number: int
    """Its place among the rule's specs, from 0."""
    text: str
    wanted: str
    got: str
    reason: str

    def __str__(self) -> str:
        return f"rule '{self.rule_id}': spec {self.number + 1}: {self.reason}"


def failures(
    rules: RuleSet, of: Iterable[Rule], done: Callable[[int], object] = _tell_nobody
) -> list[SpecFailure]:
    """Those of the specs of the rules ``of`` that do not hold in the set ``rules``.

    ``done`` is called with the number of specs of each rule when they have been looked at.
    """
    found: list[SpecFailure] = []
    for rule in of:
        for number, spec in enumerate(rule.specs):
            if failure := _failure(rules, rule, number, spec):
                found.append(failure)
        done(len(rule.specs))
    return found


def failures_of_all(
    pack: Pack, of: Iterable[str], done: Callable[[int], object] = _tell_nobody
) -> list[SpecFailure]:
    """Those of the specs of the rules with the ids ``of`` that do not hold in ``pack``.

    A rule that is off is tried as if it were on: together with others that are off, and by itself where
    that fails, since house styles may contradict each other.
    """
    wanted = set(of)
    chosen = [rule for rule in pack.rules if rule.id in wanted]
    found = failures(compile_rules([pack]), (rule for rule in chosen if rule.enabled), done)
    off = [rule for rule in chosen if not rule.enabled]
    doubtful = _failing_together(pack, off)
    # Styles that contradict each other tend to stand side by side.
    doubtful = _failing_together(pack, doubtful[::2]) + _failing_together(pack, doubtful[1::2])
    for rule in doubtful:
        found += failures(compile_rules([switched_on(pack, {rule.id})]), [rule])
    done(sum(len(rule.specs) for rule in off))
    return found


def _failing_together(pack: Pack, rules: list[Rule]) -> list[Rule]:
    """Those of ``rules`` whose specs do not all hold with all of them on."""
    if not rules:
        return []
    compiled = compile_rules([switched_on(pack, {rule.id for rule in rules})])
    return [rule for rule in rules if failures(compiled, [rule])]


def switched_on(pack: Pack, ids: set[str]) -> Pack:
    """``pack`` with the rules of these ``ids`` on."""
    rules = tuple(
        rule.model_copy(update={"enabled": True}) if rule.id in ids else rule for rule in pack.rules
    )
    return pack.model_copy(update={"rules": rules})


def _failure(rules: RuleSet, rule: Rule, number: int, spec: RuleExample) -> SpecFailure | None:
    language = spec.language or rule.languages[0]
    corrected = correct(rules, spec.from_, language=language, field=spec.field)
    if corrected.text != spec.to:
        if spec.from_ == spec.to:
            reason = f"{spec.from_!r} should stay, but became {corrected.text!r}"
        elif corrected.text == spec.from_:
            reason = f"{spec.from_!r} should become {spec.to!r}, but stayed"
        else:
            reason = f"{spec.from_!r} should become {spec.to!r}, but became {corrected.text!r}"
        return SpecFailure(rule.id, number, spec.from_, spec.to, corrected.text, reason)
    if spec.finds is not None:
        found = any(violation["rule_id"] == rule.id for violation in corrected.violations)
        if found != spec.finds:
            what = "find something" if spec.finds else "find nothing"
            reason = (
                f"the rule should {what} in {spec.from_!r}, but {'found' if found else 'did not find'} it"
            )
            return SpecFailure(rule.id, number, spec.from_, spec.to, corrected.text, reason)
    return None
