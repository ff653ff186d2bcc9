"""Checks rules by running them on generated texts: finds patterns that never match and wrong suggestions."""

from collections.abc import Callable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import islice, pairwise

from backend.articles.engine import correct
from backend.articles.lint.lint_context import LintContext, LintIssue, RulePattern, get_first_field
from backend.articles.model import Rule
from backend.articles.text.protection import protected_spans


def check_behaviour(
    context: LintContext, rules: Sequence[Rule], done: Callable[[int], object] | None
) -> Iterator[LintIssue]:
    """Generate the issues of ``rules``. ``done`` is called with the number of rules checked."""
    wanted = {rule.id for rule in rules}
    patterns: dict[str, list[RulePattern]] = {}
    for pattern in context.patterns:
        if pattern.rule.id in wanted:
            patterns.setdefault(pattern.rule.id, []).append(pattern)
    evidence = _build_evidence(context)
    for rule in rules:
        for pattern in patterns.get(rule.id, ()):
            if issue := _check_reachable(context, pattern, evidence):
                yield issue
        if done is not None:
            done(1)
    yield from _check_suggestions(context, wanted)


def _build_evidence(context: LintContext) -> str:
    """Build a text that is context evidence, so that names beside it match that need context."""
    words = [word for several in context.pack.context_words.values() for word in several[:1]]
    telling = (
        entity for entity in context.pack.entities if entity.is_domain_evidence and entity.context is False
    )
    for entity in islice(telling, 1):
        words += entity.names.values()
    return " ".join(words)


def _check_reachable(context: LintContext, pattern: RulePattern, evidence: str) -> LintIssue | None:
    text = pattern.text
    forms = [text] if pattern.exact else list(dict.fromkeys((text, text.lower(), text.upper(), text.title())))
    instead: set[str] = set()
    for form in forms:
        for before, after in (("", ""), (f"{evidence} ", f" {evidence}"), ("これは ", f" 。 {evidence}")):
            corrected = correct(
                context.compiled,
                f"{before}{form}{after}",
                language=pattern.rule.languages[0],
                field=get_first_field(pattern.rule),
            )
            start, end = len(before), len(before) + len(form)
            reporting = {
                violation["rule_id"]
                for violation in corrected.violations
                if violation["start_offset"] < end and violation["end_offset"] > start
            }
            if pattern.rule.id in reporting:
                return None
            instead |= reporting
    if protected_spans(text):
        reason = "it is protected text, such as a URL, a handle or markup, which is never corrected."
    elif instead:
        reason = f"rule '{min(instead)}' is always reported instead."
    else:
        reason = "a correct name or its own conditions always prevent it."
    return LintIssue(
        "unreachable",
        pattern.rule.id,
        "error",
        f"'{text}' can never be reported: {reason}",
        "Remove the pattern, or change its conditions.",
        pattern.where,
    )


def _check_suggestions(context: LintContext, wanted: set[str]) -> Iterator[LintIssue]:
    """Generate issues of suggestions that are violations themselves, and of cyclic corrections."""
    reported_by: dict[str, set[str]] = {}
    suggested_names: dict[tuple[str, str], str] = {}
    for rule in context.rules:
        for language, names in context.list_suggestions(rule).items():
            for name in _sentence_forms(context, rule, names):
                corrected = correct(context.compiled, name, language=language, field=get_first_field(rule))
                for violation in corrected.violations:
                    reported_by.setdefault(rule.id, set()).add(violation["rule_id"])
                    suggested_names.setdefault((rule.id, violation["rule_id"]), name)
    cycle = _find_cycle(reported_by)
    cycle_edges = set(pairwise(cycle))
    if cycle and wanted & set(cycle):
        yield LintIssue(
            "circle",
            next(rule_id for rule_id in cycle if rule_id in wanted),
            "error",
            f"corrections form a cycle: {' → '.join(cycle)}.",
            "Decide which name is correct, and remove it from 'match' in the other rule.",
            ("suggest",),
        )
    for (rule_id, other), name in suggested_names.items():
        if rule_id not in wanted or (rule_id, other) in cycle_edges:
            continue
        if rule_id == other:
            sentence = f"its suggestion '{name}' contains a text that it corrects."
            advice = "Add 'not_before' or 'not_after', or make the suggestion a correct name of an entity."
            yield LintIssue("wrong_inside_right", rule_id, "error", sentence, advice, ("suggest",))
        else:
            sentence = f"its suggestion '{name}' is reported by rule '{other}'."
            advice = f"Suggest another name, or remove it from '{other}'."
            yield LintIssue("wrong_suggestion", rule_id, "error", sentence, advice, ("suggest",))


def _sentence_forms(context: LintContext, rule: Rule, names: Sequence[str]) -> list[str]:
    """List the forms of ``names``, also with the first letter capitalised as at the start of a sentence."""
    if rule.entity is not None and context.entities[rule.entity].case == "exact":
        return list(names)
    return list(dict.fromkeys(form for name in names for form in (name, name[:1].upper() + name[1:])))


def _find_cycle(reported_by: dict[str, set[str]]) -> list[str]:
    """Return a cycle of rules, whose first and last are the same; empty if there is none."""
    graph = {rule: sorted(others - {rule}) for rule, others in sorted(reported_by.items())}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []
