"""The rules in force as ``GET /articles/rules`` tells them: built once for each set."""

import threading

import orjson

from backend.articles.matching.meanings import CompiledRule
from backend.articles.matching.rule_set import RuleSet
from backend.articles.rules.active_rules import ActiveRules
from backend.http.prepared_responses import Prepared

PATH = "/articles/rules"
VERSION_HEADER = "X-Rules-Version"


class RulesResponseCache:
    """Holds the answer for the set that was asked for last."""

    def __init__(self, rules: ActiveRules) -> None:
        self._rules = rules
        self._lock = threading.Lock()
        self._made: tuple[str, Prepared] | None = None

    def find(self, path: str, query: bytes) -> Prepared | None:
        """The answer, if it stands ready for the set in force."""
        if path != PATH or query:
            return None
        made = self._made
        return made[1] if made is not None and made[0] == self._rules.version else None

    def answer(self) -> Prepared:
        rules = self._rules.current
        with self._lock:
            if self._made is None or self._made[0] != rules.version:
                answer = build(rules)
                answer.compress()
                self._made = (rules.version, answer)
            return self._made[1]


def build(rules: RuleSet) -> Prepared:
    body = {
        "version": rules.version,
        "entities": [entity.model_dump(mode="json") for entity in rules.entities.values()],
        "rules": [_told(each) for each in rules.rules],
    }
    return Prepared(orjson.dumps(body), extra=[(VERSION_HEADER.lower().encode(), rules.version.encode())])


def _told(compiled: CompiledRule) -> dict[str, object]:
    rule = compiled.rule
    notes = rule.note if isinstance(rule.note, dict) else {}
    told = rule.model_dump(mode="json", by_alias=True)
    return {**told, "note": rule.reason("en"), "notes": notes, "derived": compiled.derived}
