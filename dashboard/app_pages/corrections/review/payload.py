"""Builds the messages that the review component receives. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from backend.articles.schemas import MAX_ACCEPTED_CHARS
from dashboard.app_pages.corrections import markdown_tree, text_diff
from dashboard.app_pages.corrections.applied_changes import AppliedChange, list_changes
from dashboard.app_pages.corrections.article_edits import list_texts
from dashboard.app_pages.corrections.edit_history import Step
from dashboard.app_pages.corrections.findings import Finding
from dashboard.app_pages.corrections.inconsistent_names import InconsistentName, map_finding_to_name_index
from dashboard.app_pages.corrections.visible_name import build_visible_name
from dashboard.client.articles import RuleEntity, RuleFacts, RuleSet
from dashboard.i18n.languages import HTML_LANG, LANGUAGES

NAMED_FIELDS = ("title", "summary", "content")


def encode_article(
    step: Step, rule_set: RuleSet | None, labels: Mapping[str, str], words: Mapping[str, Any], lang: str
) -> bytes:
    """Encode a step with the rules and entities of its findings as JSON; the first line is its version.

    ``labels`` name the fields ``title``, ``summary``, ``content`` and ``tag`` (with ``{n}``). ``words`` are
    the component's texts in ``lang``.
    """
    facts_used = _select_facts(step.findings, rule_set)
    mixed_by_finding = map_finding_to_name_index(step.inconsistent_names)
    html_lang = HTML_LANG.get(step.language or "")
    texts = list_texts(step.article)
    body = {
        "number": step.number,
        "lang": HTML_LANG[lang],
        "words": words,
        "fields": [
            {
                "path": path,
                "kind": path if path in NAMED_FIELDS else "tag",
                "label": build_label(path, labels),
                "text": text,
                "lang": html_lang,
            }
            for path, text in texts.items()
            if text
        ],
        "findings": [
            _encode_finding(finding, facts_used.rules, lang, mixed_by_finding.get(number))
            for number, finding in enumerate(step.findings)
        ],
        "mixed": [_encode_inconsistent_name(name) for name in step.inconsistent_names],
        "accepted": step.article["accept"],
        "changes": [_encode_change(change, labels, html_lang) for change in list_changes(step)],
        "date": {"day": step.date.iso, "origin": step.date.origin},
        "rules": {rule_id: _encode_rule(facts, lang) for rule_id, facts in facts_used.rules.items()},
        "entities": {
            entity_id: _encode_entity(facts, lang) for entity_id, facts in facts_used.entities.items()
        },
    }
    # The version includes the rules, because they may arrive after the article.
    version = f"{step.number}-{lang}-{len(facts_used.rules)}-{step.rules_version}"
    return version.encode() + b"\n" + orjson.dumps(body)


def build_state_message(
    step: Step,
    article: bytes,
    *,
    can_undo: bool,
    can_redo: bool,
    action_count: int,
    focus: str,
    message: str,
    view: Mapping[str, str],
    labels: Mapping[str, str],
) -> dict[str, Any]:
    """Build the small message with the state that an action or a decision changes.

    ``action_count`` counts the actions; ``message`` is the result of the last one. A new ``focus`` moves the
    focus to the current finding. The comparison and the rendered text are included only if ``view`` shows
    them.
    """
    return {
        "version": article.split(b"\n", 1)[0].decode(),
        "action_count": action_count,
        "focus": focus,
        "message": message,
        "undo": can_undo,
        "redo": can_redo,
        "decisions": [[n, decision.status, decision.text] for n, decision in step.decisions.items()],
        "carried_count": step.carried_count,
        "view": dict(view),
        "compare": build_comparison(step, labels) if view["view"] == "compare" else None,
        "rendered": build_rendered(step) if view["view"] == "rendered" else None,
    }


def build_comparison(step: Step, labels: Mapping[str, str]) -> dict[str, Any]:
    """Build the changed fields by lines: unchanged lines as one text, changed lines as two sides.

    Approved corrections count as applied.
    """
    before, after = list_texts(step.original), step.preview_pieces
    lang = HTML_LANG.get(step.language or "")
    fields = []
    for path, pieces in after.items():
        old = before.get(path, "")
        lines = text_diff.build_lines(old, pieces)
        if any(line.changed for line in lines):
            rows = [
                [line.before, line.after] if line.changed else line.before[0][1] if line.before else ""
                for line in lines
            ]
            fields.append({"label": build_label(path, labels), "lang": lang, "lines": rows})
    return {"version": f"{step.number}-{hash(tuple(step.decisions.items()))}", "fields": fields}


def build_rendered(step: Step) -> dict[str, Any]:
    """Build the article as readers see it, with approved corrections counting as applied."""
    before = list_texts(step.original)
    texts = {
        name: text_diff.join_pieces(before.get(name, ""), pieces)
        for name, pieces in step.preview_pieces.items()
    }
    title = texts.get("title", "")
    nodes: list[markdown_tree.Node] = [["h1", None, [title]]] if title else []
    for name in ("summary", "content"):
        nodes += markdown_tree.build_tree(texts.get(name, ""))
    version = f"{step.number}-{hash(tuple(step.decisions.items()))}"
    return {"version": version, "lang": HTML_LANG.get(step.language or ""), "nodes": nodes}


def build_label(path: str, labels: Mapping[str, str]) -> str:
    if path.startswith("tags["):
        return labels["tag"].format(n=int(path[5:-1]) + 1)
    return labels[path]


class _RuleFacts:
    def __init__(self, rules: dict[str, RuleFacts], entities: dict[str, RuleEntity]) -> None:
        self.rules = rules
        self.entities = entities


def _select_facts(findings: Sequence[Finding], rule_set: RuleSet | None) -> _RuleFacts:
    if rule_set is None:
        return _RuleFacts({}, {})
    rules, entities = {finding.rule for finding in findings}, {finding.entity for finding in findings}
    return _RuleFacts(
        {facts["id"]: facts for facts in rule_set["rules"] if facts["id"] in rules},
        {facts["id"]: facts for facts in rule_set["entities"] if facts["id"] in entities},
    )


def _encode_finding(
    finding: Finding, rules: Mapping[str, RuleFacts], lang: str, mixed: int | None
) -> dict[str, Any]:
    facts = rules.get(finding.rule)
    suggestions = facts["suggest"] if facts and finding.suggestion is None else None
    return {
        "field": finding.field,
        "start": finding.start,
        "end": finding.end,
        "text": finding.text,
        "rule": finding.rule,
        "entity": finding.entity,
        "type": finding.type,
        "severity": finding.severity,
        "language": HTML_LANG.get(finding.language),
        "suggestion": finding.suggestion,
        "safe": finding.safe,
        "reason": (finding.reasons or {}).get(lang),
        "choices": suggestions if isinstance(suggestions, list) else [],
        "accept": _get_acceptable_name(finding),
        "mixed": mixed,
    }


def _get_acceptable_name(finding: Finding) -> str | None:
    """Return the name that the editor can accept; None if accepting it would not settle the finding."""
    name = build_visible_name(finding.text)
    return name if finding.type != "missing_symbol" and len(name) <= MAX_ACCEPTED_CHARS else None


def _encode_change(
    change: AppliedChange, labels: Mapping[str, str], lang: str | None
) -> dict[str, str | None]:
    label = build_label(change.field, labels)
    return {"label": label, "before": change.old, "after": change.new, "lang": lang}


def _encode_inconsistent_name(name: InconsistentName) -> list[dict[str, Any]]:
    return [
        {"text": form.text, "places": [list(occurrence) for occurrence in form.occurrences]}
        for form in name.forms
    ]


def _encode_rule(facts: RuleFacts, lang: str) -> dict[str, Any]:
    """Encode a rule. Derived rules have no note: the finding's type has the same text, translated."""
    note = facts["notes"].get(lang) or facts["note"]
    return {"note": None if facts["derived"] else note, "source": facts["source"]}


def _encode_entity(facts: RuleEntity, lang: str) -> dict[str, Any]:
    names = facts["names"]
    domain = next(iter(facts.get("official_domains") or ()), None)
    former = [[former_name["name"], former_name["until"]] for former_name in facts.get("former") or ()]
    return {
        "name": names.get(lang) or names.get("en") or next(iter(names.values())),
        "names": [[code, names[code]] for code in LANGUAGES if code in names],
        "former": former,
        "site": [domain, f"https://{domain}"] if domain else None,
    }
