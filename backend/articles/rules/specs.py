"""Runs the specs of rules, their examples, against a complete set of rules."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from backend.articles.engine import correct
from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.model import Pack, Rule, RuleExample


def _ignore_progress(count: int) -> None:
    """The default callback."""


@dataclass(frozen=True, slots=True)
class SpecFailure:
    """A spec that does not hold."""

    rule_id: str
    number: int
    """Index among the rule's specs, from 0."""
    text: str
    expected: str
    actual: str
    reason: str

    def __str__(self) -> str:
        return f"rule '{self.rule_id}': spec {self.number + 1}: {self.reason}"


def find_failures(
    rules: RuleSet, tested: Iterable[Rule], done: Callable[[int], object] = _ignore_progress
) -> list[SpecFailure]:
    """List the specs of ``tested`` rules that do not hold in the set ``rules``.

    ``done`` is called after each rule with its number of specs.
    """
    found: list[SpecFailure] = []
    for rule in tested:
        for number, spec in enumerate(rule.specs):
            if failure := _failure(rules, rule, number, spec):
                found.append(failure)
        done(len(rule.specs))
    return found


def find_failures_in_pack(
    pack: Pack, rule_ids: Iterable[str], done: Callable[[int], object] = _ignore_progress
) -> list[SpecFailure]:
    """List the specs of the rules with these ids that do not hold in ``pack``.

    Disabled rules are enabled for the test: first together, and those that fail again alone, since house
    styles may contradict each other.
    """
    wanted = set(rule_ids)
    chosen = [rule for rule in pack.rules if rule.id in wanted]
    found = find_failures(compile_rules([pack]), (rule for rule in chosen if rule.enabled), done)
    disabled = [rule for rule in chosen if not rule.enabled]
    failing = _failing_together(pack, disabled)
    # Contradicting styles are often neighbours, so each half is tested again.
    failing = _failing_together(pack, failing[::2]) + _failing_together(pack, failing[1::2])
    for rule in failing:
        found += find_failures(compile_rules([enable_rules(pack, {rule.id})]), [rule])
    done(sum(len(rule.specs) for rule in disabled))
    return found


def _failing_together(pack: Pack, rules: list[Rule]) -> list[Rule]:
    """List the rules whose specs fail with all of ``rules`` enabled."""
    if not rules:
        return []
    compiled = compile_rules([enable_rules(pack, {rule.id for rule in rules})])
    return [rule for rule in rules if find_failures(compiled, [rule])]


def enable_rules(pack: Pack, ids: set[str]) -> Pack:
    """Return ``pack`` with the rules of these ``ids`` enabled."""
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
            outcome = "report something" if spec.finds else "report nothing"
            reason = f"the rule should {outcome} in {spec.from_!r}, but {'did' if found else 'did not'}"
            return SpecFailure(rule.id, number, spec.from_, spec.to, corrected.text, reason)
    return None
