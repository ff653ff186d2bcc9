"""Spells a suggestion as its position asks: in capitals, capitalised, in Traditional characters."""

from collections.abc import Callable

from backend.articles.matching.chinese_script import has_han, to_traditional
from backend.articles.matching.meanings import Form, Meaning
from backend.articles.matching.rule_set import RuleSet
from backend.articles.matching.surface_forms import starts_lowercase
from backend.articles.text.capitalization import Lines
from backend.articles.text.folding import fold, plain
from backend.entities.model import LANGUAGES, Language


class CorrectSpelling:
    """The spelling of suggestions in one field of an article. Positions are those of its visible text."""

    def __init__(
        self, rules: RuleSet, language: Language, capitalization: Lines, is_traditional: Callable[[], bool]
    ) -> None:
        """``is_traditional`` tells whether a Chinese article is in Traditional characters."""
        self._entities = rules.entities
        self._language: Language = language
        self._language_index = LANGUAGES.index(language)
        self._capitalization = capitalization
        self._is_traditional = is_traditional

    def spell(self, meaning: Meaning, written: str, position: int) -> str | None:
        """Return the suggestion for ``written`` at ``position``; None if the meaning has none."""
        correct = meaning.suggestions[self._language_index] if meaning.suggestions else None
        if correct is None:
            return None
        if self.depends_on_script(meaning, correct) and self._is_traditional():
            correct = to_traditional(correct, self._entities.get(meaning.entity or ""))
        # If the name's own spelling is in capitals, its capitals do not show that the whole line is.
        is_own_form = meaning.form is not Form.CAPITALS and plain(written) == (meaning.raw or meaning.exact)
        if (
            written.isupper()
            and len(written) > 1
            and not is_own_form
            and self._capitalization.in_capitals(position)
        ):
            capitals = correct.upper()
            if fold(capitals).text == fold(correct).text:
                return capitals
        elif (
            starts_lowercase(correct) and written[0].isupper() and self._may_be_capitalised(meaning, position)
        ):
            return correct[0].upper() + correct[1:]
        return correct

    def depends_on_script(self, meaning: Meaning, correct: str | None) -> bool:
        """Whether a suggestion is a name that has a variant in Traditional characters.

        A suggestion that is not one of the entity's names is not converted.
        """
        if self._language != "zh" or correct is None or meaning.rule is None or not has_han(correct):
            return False
        if isinstance(meaning.rule.rule.suggest, dict) or meaning.rule.rule.suggest == "auto":
            return True
        entity = self._entities.get(meaning.entity or "")
        return entity is not None and correct in entity.names.values()

    def _may_be_capitalised(self, meaning: Meaning, position: int) -> bool:
        """Whether a name gets a capital here: a sentence begins, and its case is not fixed (as in dYdX)."""
        entity = self._entities.get(meaning.entity or "")
        return (entity is None or entity.case != "exact") and self._capitalization.opens_sentence(position)
