"""Knows which characters of Japanese personal names are taken for each other."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

import yaml

from backend.articles.slips.han_characters import FILE

NAME_FILE = FILE.with_name("japanese_name_characters.yaml")


@cache
def load_name_characters() -> Mapping[str, frozenset[str]]:
    """Load, for each character, those that are taken for it: forms, equal readings and similar shapes."""
    content: dict[str, str] = yaml.load(NAME_FILE.read_text("utf-8"), yaml.CSafeLoader)
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for groups in content.values():
        for group in groups.split():
            for character in group:
                alike[character].update(group)
    return {character: frozenset(group - {character}) for character, group in alike.items()}
