"""Rules tried out on texts made for them: whether they ever report, and what becomes of what they suggest."""

from collections.abc import Callable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import islice, pairwise

from backend.articles.engine import correct
from backend.articles.lint.lint_context import LintContext, LintIssue, RulePattern, first_field
from backend.articles.model import Rule
from backend.articles.text.protection import protected_spans


def trials(
    ground: LintContext, rules: Sequence[Rule], done: Callable[[int], object] | None
) -> Iterator[LintIssue]:
    """Doubts about ``rules``; ``done`` is called with the number of rules tried."""
    wanted = {rule.id for rule in rules}
    surfaces: dict[str, list[RulePattern]] = {}
    for surface in ground.surfaces:
        if surface.rule.id in wanted:
            surfaces.setdefault(surface.rule.id, []).append(surface)
    evidence = _evidence(ground)
    for rule in rules:
        for surface in surfaces.get(rule.id, ()):
            if doubt := _unreachable(ground, surface, evidence):
                yield doubt
        if done is not None:
            done(1)
    yield from _suggestions(ground, wanted)


def _evidence(ground: LintContext) -> str:
    """A text beside which names that need context count."""
    words = [word for several in ground.pack.context_words.values() for word in several[:1]]
    telling = (
        entity for entity in ground.pack.entities if entity.is_domain_evidence and entity.context is False
    )
    for entity in islice(telling, 1):
        words += entity.names.values()
    return " ".join(words)


def _unreachable(ground: LintContext, surface: RulePattern, evidence: str) -> LintIssue | None:
    text = surface.text
    forms = [text] if surface.exact else list(dict.fromkeys((text, text.lower(), text.upper(), text.title())))
    instead: set[str] = set()
    for form in forms:
        for before, after in (("", ""), (f"{evidence} ", f" {evidence}"), ("これは ", f" 。 {evidence}")):
            corrected = correct(
                ground.compiled,
                f"{before}{form}{after}",
                language=surface.rule.languages[0],
                field=first_field(surface.rule),
            )
            start, end = len(before), len(before) + len(form)
            reporting = {
                violation["rule_id"]
                for violation in corrected.violations
                if violation["start_offset"] < end and violation["end_offset"] > start
            }
            if surface.rule.id in reporting:
                return None
            instead |= reporting
    if protected_spans(text):
        why = "it is protected text, as an address, a handle or markup is, and is never touched."
    elif instead:
        why = f"rule '{min(instead)}' is always reported instead."
    else:
        why = "a right name or its own conditions are always in its way."
    return LintIssue(
        "unreachable",
        surface.rule.id,
        "error",
        f"'{text}' can never be reported: {why}",
        "Remove the surface, or change its conditions.",
        surface.where,
    )


def _suggestions(ground: LintContext, wanted: set[str]) -> Iterator[LintIssue]:
    """Suggestions that are wrong themselves, and corrections that lead around in a circle."""
    leads: dict[str, set[str]] = {}
    told: dict[tuple[str, str], str] = {}
    for rule in ground.rules:
        for language, names in ground.suggested(rule).items():
            for name in _as_written(ground, rule, names):
                corrected = correct(ground.compiled, name, language=language, field=first_field(rule))
                for violation in corrected.violations:
                    leads.setdefault(rule.id, set()).add(violation["rule_id"])
                    told.setdefault((rule.id, violation["rule_id"]), name)
    circle = _circle(leads)
    around = set(pairwise(circle))
    if circle and wanted & set(circle):
        yield LintIssue(
            "circle",
            next(rule_id for rule_id in circle if rule_id in wanted),
            "error",
            f"corrections lead around in a circle: {' → '.join(circle)}.",
            "Decide which of the names is right, and remove it from the other rule's 'match'.",
            ("suggest",),
        )
    for (rule_id, other), name in told.items():
        if rule_id not in wanted or (rule_id, other) in around:
            continue
        if rule_id == other:
            sentence = f"what it suggests, '{name}', holds what it corrects."
            advice = "Add 'not_before' or 'not_after', or make the suggestion a right name of an entity."
            yield LintIssue("wrong_inside_right", rule_id, "error", sentence, advice, ("suggest",))
        else:
            sentence = f"what it suggests, '{name}', is reported by '{other}'."
            advice = f"Suggest another name, or remove it from '{other}'."
            yield LintIssue("wrong_suggestion", rule_id, "error", sentence, advice, ("suggest",))


def _as_written(ground: LintContext, rule: Rule, names: Sequence[str]) -> list[str]:
    """What may come to stand in a text: small first letters get a capital where a sentence begins."""
    if rule.entity is not None and ground.entities[rule.entity].case == "exact":
        return list(names)
    return list(dict.fromkeys(form for name in names for form in (name, name[:1].upper() + name[1:])))


def _circle(leads: dict[str, set[str]]) -> list[str]:
    """A circle of rules, first and last the same; empty where there is none."""
    between = {rule: sorted(others - {rule}) for rule, others in sorted(leads.items())}
    try:
        TopologicalSorter(between).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []
