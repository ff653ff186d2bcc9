"""Builds the rule that reports a name written in several right ways, and its reason with both counts."""

from collections.abc import Mapping

from backend.articles.matching.meanings import CompiledRule
from backend.articles.model import FIELDS, Rule
from backend.entities.model import LANGUAGES, Language

RULE_ID = "consistency"

GENERAL: Mapping[Language, str] = {
    "en": "The article writes this name in several ways.",
    "ja": "この記事では、同じ名称が複数の表記で書かれています。",
    "zh": "本文对同一名称使用了多种写法。",
}


def build_rule(entity: str | None = None, reasons: Mapping[Language, str] | None = None) -> CompiledRule:
    """Build the rule, or that of one finding with its ``reasons``. It always asks.

    It is not validated, since its parts are known to be right.
    """
    rule = Rule.model_construct(
        id=RULE_ID,
        entity=entity,
        type="inconsistent",
        languages=LANGUAGES,
        match=(),
        first_mention=None,
        suggest=(),
        auto_fix=False,
        severity="info",
        case="any",
        context=False,
        boundary="auto",
        fields=FIELDS,
        enabled=True,
        until=None,
        note=dict(GENERAL),
        source="Derived from the names of all entities.",
        specs=(),
    )
    return CompiledRule(RULE_ID, entity, "inconsistent", "info", False, True, rule, reasons)


def explain(majority: str, most: int, form: str, count: int) -> dict[Language, str]:
    """Build the reason in every language."""
    return {
        "en": f"This article has “{majority}” {_format_times(most)} and “{form}” {_format_times(count)}.",
        "ja": f"この記事では「{majority}」が{most}回、「{form}」が{count}回使われています。",
        "zh": f"本文中“{majority}”出现{most}次，“{form}”出现{count}次。",
    }


def _format_times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
