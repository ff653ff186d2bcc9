"""Caches the response of ``GET /articles/rules``, which is built once per version of the rules."""

import threading

import orjson

from backend.articles.matching.meanings import CompiledRule
from backend.articles.matching.rule_set import RuleSet
from backend.articles.rules.active_rules import ActiveRules
from backend.http.prepared_responses import Prepared

PATH = "/articles/rules"
VERSION_HEADER = "X-Rules-Version"


class RulesResponseCache:
    """Caches the response of the version that was requested last."""

    def __init__(self, rules: ActiveRules) -> None:
        self._rules = rules
        self._lock = threading.Lock()
        self._cached: tuple[str, Prepared] | None = None

    def find(self, path: str, query: bytes) -> Prepared | None:
        """Return the cached response if it belongs to the active rules."""
        if path != PATH or query:
            return None
        cached = self._cached
        return cached[1] if cached is not None and cached[0] == self._rules.version else None

    def load(self) -> Prepared:
        rules = self._rules.current
        with self._lock:
            if self._cached is None or self._cached[0] != rules.version:
                response = build_response(rules)
                response.compress()
                self._cached = (rules.version, response)
            return self._cached[1]


def build_response(rules: RuleSet) -> Prepared:
    body = {
        "version": rules.version,
        "entities": [entity.model_dump(mode="json") for entity in rules.entities.values()],
        "rules": [_rule_as_json(compiled) for compiled in rules.rules],
    }
    return Prepared(orjson.dumps(body), extra=[(VERSION_HEADER.lower().encode(), rules.version.encode())])


def _rule_as_json(compiled: CompiledRule) -> dict[str, object]:
    rule = compiled.rule
    notes = rule.note if isinstance(rule.note, dict) else {}
    fields = rule.model_dump(mode="json", by_alias=True)
    return {**fields, "note": rule.reason("en"), "notes": notes, "derived": compiled.derived}
