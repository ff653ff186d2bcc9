"""What the browser is sent of an article under review. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from dashboard.app_pages.corrections import text_diff
from dashboard.app_pages.corrections.article_edits import texts
from dashboard.app_pages.corrections.edit_history import Step
from dashboard.app_pages.corrections.findings import Finding
from dashboard.client.articles import RuleEntity, RuleFacts, RuleSet

HTML_LANG = {"en": "en", "ja": "ja", "zh": "zh-Hans"}
LANGUAGES = ("en", "ja", "zh")
KINDS = {"title": "title", "summary": "summary", "content": "content"}


def article_bytes(
    step: Step, book: RuleSet | None, labels: Mapping[str, str], words: Mapping[str, Any], lang: str
) -> bytes:
    """``step`` with the facts of the rules and entities that it needs; the first line is its version.

    ``labels`` name the fields ``title``, ``summary``, ``content`` and ``tag`` (with ``{n}``), ``words``
    are the component's texts in ``lang``.
    """
    known = _facts(step.findings, book)
    html_lang = HTML_LANG.get(step.language or "")
    have = texts(step.article)
    body = {
        "number": step.number,
        "lang": HTML_LANG[lang],
        "words": words,
        "fields": [
            {
                "path": path,
                "kind": KINDS.get(path, "tag"),
                "label": label(path, labels),
                "text": text,
                "lang": html_lang,
            }
            for path, text in have.items()
            if text
        ],
        "findings": [_finding(one, known.rules) for one in step.findings],
        "rules": {one: _rule(facts, lang) for one, facts in known.rules.items()},
        "entities": {one: _entity(facts, lang) for one, facts in known.entities.items()},
    }
    # The version tells rules apart too: they may arrive after the article.
    version = f"{step.number}-{lang}-{len(known.rules)}-{step.rules_version}"
    return version.encode() + b"\n" + orjson.dumps(body)


def head_of(
    step: Step,
    article: bytes,
    *,
    can_undo: bool,
    can_redo: bool,
    turn: int,
    focus: str,
    message: str,
    view: Mapping[str, str],
    labels: Mapping[str, str],
) -> dict[str, Any]:
    """What a key press changes.

    ``turn`` counts what was done, ``message`` says what came of the last of it; ``focus`` changes when
    the finding at hand is to be given the focus. The comparison is sent only where ``view`` shows it.
    """
    return {
        "version": article.split(b"\n", 1)[0].decode(),
        "turn": turn,
        "focus": focus,
        "message": message,
        "undo": can_undo,
        "redo": can_redo,
        "decisions": [[n, one.status, one.text] for n, one in step.decisions.items()],
        "settled": step.settled,
        "view": dict(view),
        "compare": comparison(step, labels) if view["view"] == "compare" else None,
    }


def comparison(step: Step, labels: Mapping[str, str]) -> dict[str, Any]:
    """Each field that was changed, by lines: those that are the same as one text, others as two sides.

    Approved corrections that are not applied yet are shown as they would be.
    """
    before, after = texts(step.original), step.proposed
    lang = HTML_LANG.get(step.language or "")
    fields = []
    for path, pieces in after.items():
        old = before.get(path, "")
        shown = text_diff.lines(old, pieces)
        if any(line.changed for line in shown):
            rows = [
                [line.before, line.after] if line.changed else line.before[0][1] if line.before else ""
                for line in shown
            ]
            fields.append({"label": label(path, labels), "lang": lang, "lines": rows})
    return {"version": f"{step.number}-{hash(tuple(step.decisions.items()))}", "fields": fields}


def label(path: str, labels: Mapping[str, str]) -> str:
    if path.startswith("tags["):
        return labels["tag"].format(n=int(path[5:-1]) + 1)
    return labels[path]


class _Known:
    def __init__(self, rules: dict[str, RuleFacts], entities: dict[str, RuleEntity]) -> None:
        self.rules = rules
        self.entities = entities


def _facts(found: Sequence[Finding], book: RuleSet | None) -> _Known:
    if book is None:
        return _Known({}, {})
    rules, entities = {one.rule for one in found}, {one.entity for one in found}
    return _Known(
        {facts["id"]: facts for facts in book["rules"] if facts["id"] in rules},
        {facts["id"]: facts for facts in book["entities"] if facts["id"] in entities},
    )


def _finding(one: Finding, rules: Mapping[str, RuleFacts]) -> dict[str, Any]:
    facts = rules.get(one.rule)
    offered = facts["suggest"] if facts and one.suggestion is None else None
    return {
        "field": one.field,
        "start": one.start,
        "end": one.end,
        "text": one.text,
        "rule": one.rule,
        "entity": one.entity,
        "type": one.type,
        "severity": one.severity,
        "language": HTML_LANG.get(one.language),
        "suggestion": one.suggestion,
        "safe": one.safe,
        "choices": offered if isinstance(offered, list) else [],
    }


def _rule(facts: RuleFacts, lang: str) -> dict[str, Any]:
    """A pack's own words; of derived rules the kind of the finding says as much, in the reader's language."""
    note = facts["notes"].get(lang) or facts["note"]
    return {"note": None if facts["derived"] else note, "source": facts["source"]}


def _entity(facts: RuleEntity, lang: str) -> dict[str, Any]:
    names = facts["names"]
    domain = next(iter(facts.get("official_domains") or ()), None)
    former = [
        f"{one['name']} (–{one['until']})" if one["until"] else one["name"]
        for one in facts.get("former") or ()
    ]
    return {
        "name": names.get(lang) or names.get("en") or next(iter(names.values())),
        "names": [[one, names[one]] for one in LANGUAGES if one in names],
        "former": former,
        "site": [domain, f"https://{domain}"] if domain else None,
    }
