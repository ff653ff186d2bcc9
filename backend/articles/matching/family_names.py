"""Disables automatic correction of case where a word may be a family name: Ondrej Certik is not CertiK."""

import re
from dataclasses import replace
from functools import lru_cache

from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.meanings import CompiledRule
from backend.articles.text.common_words import load_descriptive_words

_GIVEN_NAME = re.compile(r"(?<![\w.@#/-])([A-Z][a-z]+)(?: [A-Z]\.)? \Z")
MAX_GIVEN_NAME_CHARS = 24


def disable_auto_fix_for_family_names(text: str, occurrences: list[Occurrence]) -> None:
    """Disable automatic correction of case in ``occurrences`` that seem to follow a given name."""
    for index, (start, end, meaning, right) in enumerate(occurrences):
        rule = meaning.rule
        if rule is None or rule.type != "wrong_case" or not rule.auto_fix:
            continue
        if text[start:end].istitle() and text[start:end].isalpha() and _follows_given_name(text, start):
            occurrences[index] = (start, end, meaning._replace(rule=_disable_auto_fix(rule)), right)


def _follows_given_name(text: str, start: int) -> bool:
    before = _GIVEN_NAME.search(text, max(0, start - MAX_GIVEN_NAME_CHARS), start)
    return before is not None and before[1].lower() not in load_descriptive_words()


@lru_cache(maxsize=16_384)
def _disable_auto_fix(rule: CompiledRule) -> CompiledRule:
    return replace(rule, auto_fix=False)
