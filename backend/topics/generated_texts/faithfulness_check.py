"""The check that every text of a model goes through: it says nothing that its inputs do not.

Each figure, day, time, vague magnitude, name, ticker and address of the text has to stand in what the model
was shown, in whatever notation and language; a number keeps its currency and its place in a change; an act
that was done is not told as denied, nor a rise as a fall. What fails is dropped: the check refuses rather too
much than too little. It cannot judge what has none of these: names in kanji or katakana outside of the
catalogue, and opinions.
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
from backend.topics.generated_texts.stated_values import Stated, read
from backend.topics.generated_texts.word_classes import directions, moments

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_CJK = re.compile("[\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff]")
_JAPANESE_TELLS = 24
"""Characters from which a Japanese sentence has kana in it."""


@dataclass(frozen=True)
class Given:
    """What a model was shown for one text: what it may state, and whom it may name.

    ``texts`` are the inputs of this very text, each with its language; ``around`` what else it was shown,
    which allows names and no figures. Reckoned once and used for several texts.
    """

    rules: RuleSet
    texts: Sequence[tuple[str, Language]]
    around: Sequence[str] = ()
    translated_names: Mapping[str, str] = field(default_factory=dict)
    longest: int = 1_200

    @cached_property
    def stated(self) -> Sequence[Stated]:
        return [read(text, language) for text, language in self.texts]

    @cached_property
    def named(self) -> unsupported_names.Named:
        return unsupported_names.of(self.rules, [*(text for text, _ in self.texts), *self.around])


def faults(text: str, language: Language, given: Given) -> list[str]:
    """Why ``text`` may not be shown, in words; empty when all is well."""
    looks = (_form, _figures, _names, _sense)
    return [fault for look in looks for fault in look(text, language, given)]


def tidy(text: str) -> str:
    """``text`` on one line, without invisible characters."""
    return " ".join(clean_text(text).split())


def _form(text: str, language: Language, given: Given) -> Iterator[str]:
    if not text.strip():
        yield "it is empty"
    if len(text) > given.longest:
        yield f"it is longer than {given.longest} characters"
    if tidy(text) != text:
        yield "it holds characters that are not seen"
    if has_instructions(text):
        yield "it gives instructions"
    yield from (f"it holds '{link}'" for link in unsupported_names.links(text))
    if not _is_in(text, language):
        yield f"it is not in {language}"


def _is_in(text: str, language: Language) -> bool:
    if language == "en":
        return _CJK.search(text) is None
    if _CJK.search(text) is None:
        return False
    if language == "zh":
        return _HIRAGANA.search(text) is None and detect([text]) != "ja"
    return len(text) < _JAPANESE_TELLS or _KANA.search(text) is not None


def _figures(text: str, language: Language, given: Given) -> Iterator[str]:
    said, known = read(text, language), given.stated
    pool = {value for one in known for value in one.pool} | {
        value for one in known for value in _of_magnitudes(one)
    }
    yield from (f"the figure {value:f} is not in the inputs" for value in sorted(said.values - pool))
    measured = {pair for one in known for pair in one.measured}
    for value, unit in sorted(said.measured - measured):
        if value not in pool or any(value == other for other, _ in measured):
            yield f"{value:f} {unit} is not in the inputs"
    days = [day for one in known for day in one.days]
    yield from (
        f"the day '{day.text}' is not in the inputs"
        for day in said.days
        if not any(_tells(other, day) for other in days)
    )
    for told, what in ((said.times, "times"), (said.magnitudes, "magnitudes"), (said.odd, "odd")):
        allowed = {one for other in known for one in getattr(other, what)}
        yield from (f"{_shown(one)} is not in the inputs" for one in sorted(told - allowed, key=str))
    for value, roles in said.parts.items():
        others = [other.parts[value] for other in known if value in other.parts]
        if others and not any(roles & other for other in others):
            yield f"{value:f} is told as the other end of a change"


def _of_magnitudes(one: Stated) -> Iterator[Decimal]:
    """Doubled allows 2倍."""
    return (Decimal(name.removeprefix("times ")) for name in one.magnitudes if name.startswith("times "))


def _shown(one: object) -> str:
    return f"the time {one[0]:02}:{one[1]:02}" if isinstance(one, tuple) else f"'{one}'"


def _tells(known: DateSpan, told: DateSpan) -> bool:
    """Whether ``known`` says what ``told`` does, which may be coarser and not finer."""
    if told.yearless or known.yearless:
        ends = [(day.month, day.day) for day in (told.first, known.first, known.last, told.last)]
        return ends == sorted(ends) and (not told.yearless or known.precision in ("day", "month"))
    days = [(known.first, known.last)] + ([(known.other, known.other)] if known.other else [])
    return any(_within(first, last, told) for first, last in days)


def _within(first: date, last: date, told: DateSpan) -> bool:
    return told.first <= first and last <= told.last


def _names(text: str, language: Language, given: Given) -> Iterator[str]:
    known = given.named
    for name in unsupported_names.foreign_entities(given.rules, text, known):
        yield f"the name '{name}' is not in the inputs"
    for word in unsupported_names.foreign_words(given.rules, text, language, known, given.translated_names):
        yield f"the word '{word}' is not in the inputs"
    for place in unsupported_names.foreign_places(text, known):
        yield f"the address '{place}' is not in the inputs"


def _sense(text: str, language: Language, given: Given) -> Iterator[str]:
    """Acts that are told the other way round, directions, and words that say when without a day."""
    shown = [(numbers.plain(one), other) for one, other in given.texts]
    acts = {(one.verb, one.affirmed) for source, other in shown for one in actions.find(source, other)}
    for act in actions.find(numbers.plain(text), language):
        if (act.verb, act.affirmed) not in acts and (act.verb, not act.affirmed) in acts:
            yield f"'{act.text}' is told the other way round"
    ways, known = directions(text), {way for source, _ in given.texts for way in directions(source)}
    if ways and known and not ways & known:
        yield "a rise is told as a fall, or a fall as a rise"
    told = moments(text) - {moment for source, _ in given.texts for moment in moments(source)}
    yield from (f"'{moment}' is not in the inputs" for moment in sorted(told))
