"""Writes a correction in Traditional characters where the article is in Traditional characters."""

from backend.articles.matching.derived_rules import right_names
from backend.articles.slips.han_characters import load_han_characters
from backend.articles.text.scripts import has_han_or_kana
from backend.entities.model import Entity


def has_han(text: str) -> bool:
    """Whether a suggestion contains characters that may have another form in Traditional script."""
    return not text.isascii() and has_han_or_kana(text, 0, len(text))


def to_traditional(name: str, entity: Entity | None) -> str:
    """Return the Traditional form of ``name``: the one that ``entity`` lists, or character by character."""
    characters = load_han_characters()
    if entity is not None:
        for right in right_names(entity):
            simplified = "".join(characters.simplified.get(character, character) for character in right.text)
            if simplified == name != right.text:
                return right.text
    return "".join(characters.traditional.get(character, character) for character in name)
