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
    stated, input_values = extract_values(text, language), inputs.stated
    pool = {value for input_value in input_values for value in input_value.pool} | {
        value for input_value in input_values for value in _list_factors(input_value)
    }
    yield from (f"the figure {value:f} is not in the inputs" for value in sorted(stated.values - pool))
    measured = {pair for input_value in input_values for pair in input_value.measured}
    for value, unit in sorted(stated.measured - measured):
        if value not in pool or any(value == measured_value for measured_value, _ in measured):
            yield f"{value:f} {unit} is not in the inputs"
    days = [day for input_value in input_values for day in input_value.days]
    yield from (
        f"the day '{day.text}' is not in the inputs"
        for day in stated.days
        if not any(_implies(input_day, day) for input_day in days)
    )
    for stated_items, attribute in (
        (stated.times, "times"),
        (stated.magnitudes, "magnitudes"),
        (stated.odd, "odd"),
    ):
        allowed = {item for input_value in input_values for item in getattr(input_value, attribute)}
        yield from (
            f"{_format_value(item)} is not in the inputs" for item in sorted(stated_items - allowed, key=str)
        )
    for value, roles in stated.parts.items():
        roles_by_input = [
            input_value.parts[value] for input_value in input_values if value in input_value.parts
        ]
        if roles_by_input and not any(roles & input_roles for input_roles in roles_by_input):
            yield f"{value:f} is reported as the other end of a change"


def _list_factors(values: StatedValues) -> Iterator[Decimal]:
    """Generate the factors of magnitudes, so that "doubled" allows 2倍."""
    return (Decimal(name.removeprefix("times ")) for name in values.magnitudes if name.startswith("times "))


def _format_value(item: object) -> str:
    return f"the time {item[0]:02}:{item[1]:02}" if isinstance(item, tuple) else f"'{item}'"


def _implies(input_span: DateSpan, stated_span: DateSpan) -> bool:
    """True if ``input_span`` implies ``stated_span``, which may be less precise but not more."""
    if stated_span.yearless or input_span.yearless:
        ends = [
            (day.month, day.day)
            for day in (stated_span.first, input_span.first, input_span.last, stated_span.last)
        ]
        return ends == sorted(ends) and (not stated_span.yearless or input_span.precision in ("day", "month"))
    days = [(input_span.first, input_span.last)] + (
        [(input_span.other, input_span.other)] if input_span.other else []
    )
    return any(_contains(stated_span, first, last) for first, last in days)


def _contains(span: DateSpan, first: date, last: date) -> bool:
    return span.first <= first and last <= span.last


def _check_names(text: str, language: Language, inputs: CheckInputs) -> Iterator[str]:
    input_names = inputs.named
    for name in unsupported_names.find_unsupported_entities(inputs.rules, text, input_names):
        yield f"the name '{name}' is not in the inputs"
    for word in unsupported_names.find_unsupported_words(
        inputs.rules, text, language, input_names, inputs.translated_names
    ):
        yield f"the word '{word}' is not in the inputs"
    for reference in unsupported_names.find_unsupported_references(text, input_names):
        yield f"the address '{reference}' is not in the inputs"


def _check_sense(text: str, language: Language, inputs: CheckInputs) -> Iterator[str]:
    """Find acts with the wrong polarity, wrong directions, and relative dates that are not in the inputs."""
    normalized_texts = [(numbers.normalize(text), text_language) for text, text_language in inputs.texts]
    acts = {
        (act.verb, act.affirmed)
        for source, text_language in normalized_texts
        for act in actions.find_actions(source, text_language)
    }
    for act in actions.find_actions(numbers.normalize(text), language):
        if (act.verb, act.affirmed) not in acts and (act.verb, not act.affirmed) in acts:
            yield f"'{act.text}' has the opposite meaning"
    directions, input_directions = (
        find_directions(text),
        {direction for source, _ in inputs.texts for direction in find_directions(source)},
    )
    if directions and input_directions and not directions & input_directions:
        yield "a rise is reported as a fall, or a fall as a rise"
    new_relative_dates = find_relative_dates(text) - {
        moment for source, _ in inputs.texts for moment in find_relative_dates(source)
    }
    yield from (f"'{moment}' is not in the inputs" for moment in sorted(new_relative_dates))
