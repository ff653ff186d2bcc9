"""Checks that a model's text states nothing beyond its inputs.

Each figure, day, time, vague magnitude, name, ticker and address of the text must be in the inputs, in any
notation and language. A number keeps its currency and its place in a change. An act keeps its polarity, and a
rise is not reported as a fall. A text that fails is dropped: false rejections are preferred to false
statements. The check cannot judge names in kanji or katakana outside of the catalogue, or opinions.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property

from backend.articles.engine import RuleSet
from backend.articles.text.language_detection import detect
from backend.entities.model import Language
from backend.sources.claims import actions, numbers
from backend.sources.claims.model import DateSpan
from backend.sources.retrieval.content_sanitizer import clean_text, has_instructions
from backend.topics.generated_texts import unsupported_names
from backend.topics.generated_texts.stated_values import StatedValues, extract_values
from backend.topics.generated_texts.word_classes import find_directions, find_relative_dates

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_CJK = re.compile("[\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff]")
_MIN_JAPANESE_CHARS = 24
"""Characters from which a Japanese text contains kana."""


@dataclass(frozen=True)
class CheckInputs:
    """The inputs of one text, which limit its statements and names.

    ``texts`` are the inputs of this text, each with its language. ``around`` holds other inputs of the
    request, which allow names but no figures. The properties are computed once and used for several texts.
    """

    rules: RuleSet
    texts: Sequence[tuple[str, Language]]
    around: Sequence[str] = ()
    translated_names: Mapping[str, str] = field(default_factory=dict)
    max_chars: int = 1_200

    @cached_property
    def stated(self) -> Sequence[StatedValues]:
        return [extract_values(text, language) for text, language in self.texts]

    @cached_property
    def named(self) -> unsupported_names.NamedThings:
        return unsupported_names.collect_names(self.rules, [*(text for text, _ in self.texts), *self.around])


def find_faults(text: str, language: Language, inputs: CheckInputs) -> list[str]:
    """List the reasons why ``text`` fails the check; empty if it passes."""
    checks = (_check_form, _check_figures, _check_names, _check_sense)
    return [fault for check in checks for fault in check(text, language, inputs)]


def tidy(text: str) -> str:
    """Return ``text`` on one line, without invisible characters."""
    return " ".join(clean_text(text).split())


def _check_form(text: str, language: Language, inputs: CheckInputs) -> Iterator[str]:
    if not text.strip():
        yield "it is empty"
    if len(text) > inputs.max_chars:
        yield f"it is longer than {inputs.max_chars} characters"
    if tidy(text) != text:
        yield "it contains invisible characters"
    if has_instructions(text):
        yield "it contains instructions"
    yield from (f"it contains '{link}'" for link in unsupported_names.find_links(text))
    if not _is_in_language(text, language):
        yield f"it is not in {language}"


def _is_in_language(text: str, language: Language) -> bool:
    if language == "en":
        return _CJK.search(text) is None
    if _CJK.search(text) is None:
        return False
    if language == "zh":
        return _HIRAGANA.search(text) is None and detect([text]) != "ja"
    return len(text) < _MIN_JAPANESE_CHARS or _KANA.search(text) is not None


def _check_figures(text: str, language: Language, inputs: CheckInputs) -> Iterator[str]:
    stated, known = extract_values(text, language), inputs.stated
    pool = {value for one in known for value in one.pool} | {
        value for one in known for value in _list_factors(one)
    }
    yield from (f"the figure {value:f} is not in the inputs" for value in sorted(stated.values - pool))
    measured = {pair for one in known for pair in one.measured}
    for value, unit in sorted(stated.measured - measured):
        if value not in pool or any(value == other for other, _ in measured):
            yield f"{value:f} {unit} is not in the inputs"
    days = [day for one in known for day in one.days]
    yield from (
        f"the day '{day.text}' is not in the inputs"
        for day in stated.days
        if not any(_implies(other, day) for other in days)
    )
    for found, what in ((stated.times, "times"), (stated.magnitudes, "magnitudes"), (stated.odd, "odd")):
        allowed = {one for other in known for one in getattr(other, what)}
        yield from (f"{_format_value(one)} is not in the inputs" for one in sorted(found - allowed, key=str))
    for value, roles in stated.parts.items():
        others = [other.parts[value] for other in known if value in other.parts]
        if others and not any(roles & other for other in others):
            yield f"{value:f} is reported as the other end of a change"


def _list_factors(one: StatedValues) -> Iterator[Decimal]:
    """Generate the factors of magnitudes, so that "doubled" allows 2倍."""
    return (Decimal(name.removeprefix("times ")) for name in one.magnitudes if name.startswith("times "))


def _format_value(one: object) -> str:
    return f"the time {one[0]:02}:{one[1]:02}" if isinstance(one, tuple) else f"'{one}'"


def _implies(known: DateSpan, found: DateSpan) -> bool:
    """True if ``known`` implies ``found``, which may be less precise but not more."""
    if found.yearless or known.yearless:
        ends = [(day.month, day.day) for day in (found.first, known.first, known.last, found.last)]
        return ends == sorted(ends) and (not found.yearless or known.precision in ("day", "month"))
    days = [(known.first, known.last)] + ([(known.other, known.other)] if known.other else [])
    return any(_within(first, last, found) for first, last in days)


def _within(first: date, last: date, found: DateSpan) -> bool:
    return found.first <= first and last <= found.last


def _check_names(text: str, language: Language, inputs: CheckInputs) -> Iterator[str]:
    known = inputs.named
    for name in unsupported_names.find_unsupported_entities(inputs.rules, text, known):
        yield f"the name '{name}' is not in the inputs"
    for word in unsupported_names.find_unsupported_words(
        inputs.rules, text, language, known, inputs.translated_names
    ):
        yield f"the word '{word}' is not in the inputs"
    for place in unsupported_names.find_unsupported_references(text, known):
        yield f"the address '{place}' is not in the inputs"


def _check_sense(text: str, language: Language, inputs: CheckInputs) -> Iterator[str]:
    """Find acts with the wrong polarity, wrong directions, and relative dates that are not in the inputs."""
    shown = [(numbers.normalize(one), other) for one, other in inputs.texts]
    acts = {(one.verb, one.affirmed) for source, other in shown for one in actions.find(source, other)}
    for act in actions.find(numbers.normalize(text), language):
        if (act.verb, act.affirmed) not in acts and (act.verb, not act.affirmed) in acts:
            yield f"'{act.text}' has the opposite meaning"
    directions, known = (
        find_directions(text),
        {way for source, _ in inputs.texts for way in find_directions(source)},
    )
    if directions and known and not directions & known:
        yield "a rise is reported as a fall, or a fall as a rise"
    found = find_relative_dates(text) - {
        moment for source, _ in inputs.texts for moment in find_relative_dates(source)
    }
    yield from (f"'{moment}' is not in the inputs" for moment in sorted(found))
