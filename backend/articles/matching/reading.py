"""One field as the rules read it: which names stand where, right and wrong.

The automaton gives every surface wherever it occurs, overlapping ones too. What a boundary, a condition
or protected text rules out is dropped first, and only then the leftmost and longest are chosen: in
"ethereum classics" the longer name fails at its end, and the shorter one must not be lost with it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from operator import itemgetter

from backend.articles.matching.compiled import RuleSet
from backend.articles.matching.context import Evidence
from backend.articles.matching.formers import Found, is_former, spare_formers
from backend.articles.matching.meanings import Form, Kind, Meaning, scope_bit
from backend.articles.matching.neighbours import among_latin, in_identifier
from backend.articles.model import FieldName
from backend.articles.text.boundaries import CLASS, DIGIT, MARK, WORD, ends_number
from backend.articles.text.folding import HALF_WIDTH_KATAKANA, fold, plain
from backend.articles.text.lines import Lines
from backend.articles.text.protection import Protection
from backend.articles.text.tokens import token_spans
from backend.entities.model import LANGUAGES, Language

_RIGHT_FORMS = (Kind.FIRST_MENTION, Kind.NAME, Kind.SYMBOL, Kind.ANY_CASE)
_DOLLARS = "$＄"
MOST_SETTLED = 4_096
"""How many texts are remembered for each scope, lest somebody fill the memory with odd ones."""
MOST_KNOWN = 50_000
"""How many suggestions are remembered."""


class Reading:
    """One field of an article, matched."""

    def __init__(self, rules: RuleSet, text: str, path: str, field: FieldName, language: Language) -> None:
        self.rules = rules
        self.text = text
        self.path = path
        self.bit = scope_bit(language, field)
        self._field: FieldName = field
        self._in: Language = language
        self._language = LANGUAGES.index(language)
        self._folded = fold(text)
        self.hits = rules.automaton.find_matches_as_indexes(self._folded.text, overlapping=True)
        # With one more character there is something behind every surface, and at -1 before each.
        self._low = self._folded.text + "\n"
        self.protection = Protection(text) if self.hits else None
        self.lines = Lines(text, field)
        self.evidence = Evidence(text, self._evidence)
        self.found: list[Found] = []

    def choose(self, tells_of_field: Callable[[int], bool]) -> None:
        """Fills :attr:`found`. ``tells_of_field`` says of a place whether it has evidence beside it."""
        if not self.hits:
            return
        touches = self.protection.touches if self.protection else _touches_nothing
        found, text, behind, formers = self.found, self.text, 0, False
        for start, negative_end, meaning, right in sorted(self._candidates(tells_of_field)):
            if start < behind or touches(start, -negative_end):
                continue
            if meaning.rule is not None and _is_token(text[start:-negative_end]):
                continue
            behind = -negative_end
            found.append((start, behind, meaning, right))
            formers = formers or is_former(meaning)
        if formers:
            spare_formers(text, found)

    def _candidates(
        self, tells_of_field: Callable[[int], bool]
    ) -> list[tuple[int, int, Meaning, str | None]]:
        """Start, negative end, meaning and right form of all that holds, protected or not."""
        rules, text, low, folded = self.rules, self.text, self._low, self._folded
        left, right, classes, identity = rules.left, rules.right, CLASS, folded.identity
        settled = rules.settled.setdefault(self.bit, {})
        candidates: list[tuple[int, int, Meaning, str | None]] = []
        # This loop sees every surface that occurs anywhere, most of them in the middle of words.
        for index, start, end in self.hits:
            if classes[low[start - 1]] & left[index] or classes[low[end]] & right[index]:
                continue
            first, last = start, end
            if not identity:
                place = folded.source(start, end)
                if place is None:
                    continue
                first, last = place
            written = text[first:last]
            meaning = settled.get(written, False)
            if meaning is False:
                meaning = self._settled(index, written)
                if len(settled) < MOST_SETTLED:
                    settled[written] = meaning
            if meaning is True:
                meant = self._meant(index, written, start, end, first, tells_of_field)
                if meant:
                    candidates.append((first, -last, *meant))
            elif meaning:
                candidates.append((first, -last, meaning, None))
        return candidates

    def _settled(self, index: int, written: str) -> Meaning | bool | None:
        """What a surface means wherever it stands in fields like this; True if that depends on the place."""
        rules = self.rules
        for meaning in rules.meanings[index]:
            if not meaning.scope & self.bit:
                continue
            by_place = meaning.form in (Form.CAPITALS, Form.OPENING)
            if not (plain(written) == meaning.exact if by_place else self._has_form(meaning, written, 0)):
                continue
            edges = meaning.left != rules.left[index] or meaning.right != rules.right[index]
            asks = meaning.rule or meaning.context or meaning.not_before or meaning.not_after
            if by_place or edges or asks or meaning.kind is Kind.SYMBOL:
                return True
            return meaning
        return None

    def _meant(
        self,
        index: int,
        written: str,
        start: int,
        end: int,
        at: int,
        tells_of_field: Callable[[int], bool],
    ) -> tuple[Meaning, str | None] | None:
        """The first meaning of a surface that holds, with what should be written instead."""
        for meaning in self.rules.meanings[index]:
            if not self._holds(meaning, written, start, end, at):
                continue
            correct = None
            if meaning.suggestions is not None:
                correct = self._correct_form(meaning, written, at)
                if _is_right(correct, written, meaning):
                    continue
            if (
                not meaning.context
                or (meaning.kind in _RIGHT_FORMS and self._is_cashtag(at))
                or tells_of_field(at)
            ):
                return meaning, correct
        return None

    def _holds(self, meaning: Meaning, written: str, start: int, end: int, at: int) -> bool:
        """Whether all conditions of ``meaning`` hold but for evidence and protection."""
        low = self._low
        if not meaning.scope & self.bit or not self._has_form(meaning, written, at):
            return False
        before = CLASS[low[start - 1]]
        if before & meaning.left or CLASS[low[end]] & meaning.right:
            return False
        if meaning.kind is Kind.SYMBOL and before & DIGIT and meaning.left and not ends_number(low, start):
            return False
        if meaning.not_before and low.startswith(meaning.not_before, end):
            return False
        if meaning.not_after and low.endswith(meaning.not_after, 0, start):
            return False
        return meaning.kind is not Kind.OTHER_CASE or not (
            self._is_cashtag(at) or in_identifier(self.text, at, at + len(written))
        )

    def _has_form(self, meaning: Meaning, written: str, at: int) -> bool:
        form = meaning.form
        if form is Form.ANY:
            return True
        half_width = not written.isascii() and HALF_WIDTH_KATAKANA.search(written) is not None
        if form is Form.ANY_FULL_WIDTH:
            return not half_width
        if form is Form.UNKNOWN:
            return plain(written) not in meaning.known
        if plain(written) != meaning.exact:
            return False
        if form is Form.EXACT_ANY_WIDTH:
            return True
        if half_width != (form is Form.HALF_WIDTH):
            return False
        if form is Form.CAPITALS:
            return self.lines.in_capitals(at)
        return form is not Form.OPENING or self.lines.opens_sentence(at)

    def _correct_form(self, meaning: Meaning, written: str, at: int) -> str | None:
        """The suggestion as it is written at this place: in capitals where its line is."""
        correct = meaning.suggestions[self._language] if meaning.suggestions else None
        if correct is None or meaning.suggestions is None:
            return None
        if self._language and self._keeps_script(meaning, written, correct, at):
            correct = meaning.suggestions[0] or correct
        # A ticker is in capitals anyway, and tells nothing of its line.
        shouted = written.isupper() and len(written) > 1 and plain(written) != (meaning.raw or meaning.exact)
        if shouted and self.lines.in_capitals(at):
            capitals = correct.upper()
            if fold(capitals).text == fold(correct).text:
                return capitals
        elif correct[0].islower() and written[0].isupper() and self._may_be_capitalised(meaning, at):
            return correct[0].upper() + correct[1:]
        return correct

    def _keeps_script(self, meaning: Meaning, written: str, correct: str, at: int) -> bool:
        """Whether a Latin slip stands among Latin words ("The Etherium Handbook" in a Japanese text)."""
        if meaning.rule is None or meaning.rule.rule.suggest != "auto" or not meaning.suggestions:
            return False
        english = meaning.suggestions[0]
        if not written.isascii() or correct.isascii() or english is None or not english.isascii():
            return False
        return among_latin(self.text, at, at + len(written))

    def _may_be_capitalised(self, meaning: Meaning, at: int) -> bool:
        """Whether a sentence or title begins here with a small letter that is not a name's own (dYdX)."""
        entity = self.rules.entities.get(meaning.entity or "")
        return (entity is None or entity.case != "exact") and self.lines.opens_sentence(at)

    def _is_cashtag(self, at: int) -> bool:
        text = self.text
        return at > 0 and text[at - 1] in _DOLLARS and (at < 2 or not CLASS[text[at - 2]] & WORD)

    def _is_unprotected(self, start: int, end: int) -> bool:
        return self.protection is None or not self.protection.touches(start, end)

    def _evidence(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Spans of all unprotected evidence in ``[first:last]`` of the field."""
        rules, low = self.rules, self._low
        # A text folds to at least half and at most three times its length; mostly to just its length.
        begin = first if self._folded.identity else 0
        for k in range(bisect_left(self.hits, begin, key=itemgetter(2)), len(self.hits)):
            index, start, end = self.hits[k]
            if self._folded.identity and end - rules.longest > last:
                return
            if not rules.evidence[index]:
                continue
            if CLASS[low[start - 1]] & rules.left[index] or CLASS[low[end]] & rules.right[index]:
                continue
            place = self._folded.source(start, end)
            if place is None or place[0] < first or place[1] > last:
                continue
            written = self.text[place[0] : place[1]]
            if (
                any(self._tells(meaning, written, start, end, place[0]) for meaning in rules.evidence[index])
            ) and self._is_unprotected(*place):
                yield place

    def _tells(self, meaning: Meaning, written: str, start: int, end: int, at: int) -> bool:
        """Whether a surface is evidence: right names in any case are, since their case may be corrected."""
        if not meaning.evidence:  # a ticker that needs evidence itself, unless it is a cashtag
            return self._is_cashtag(at) and self._holds(meaning, written, start, end, at)
        if meaning.kind in (Kind.NAME, Kind.HALF_WIDTH):
            low = self._low
            return not (CLASS[low[start - 1]] & meaning.left or CLASS[low[end]] & meaning.right)
        return self._holds(meaning, written, start, end, at)

    @property
    def has_markup(self) -> bool:
        """Whether brackets or code may stand in the field."""
        return any(sign in self.text for sign in "[<`{")

    def alone(self, name: str) -> tuple[bool, bool]:
        """Of a suggestion: whether nothing in it is wrong, wherever it stands, and whether it is evidence."""
        key = (self.bit, name)
        known = self.rules.suggested.get(key)
        if known is None:
            reading = Reading(self.rules, name, self.path, self._field, self._in)
            known = reading._is_harmless(), reading.evidence.anywhere()
            if len(self.rules.suggested) < MOST_KNOWN:
                self.rules.suggested[key] = known
        return known

    def _is_harmless(self) -> bool:
        if not self._folded.identity:
            return False
        candidates = sorted(self._candidates(lambda _: True))
        if self.lines.asked or self.lines.asked_sentence:
            return False
        if not any(meaning.rule for _, _, meaning, _ in candidates):
            return True
        start, negative_end, meaning, _ = candidates[0]
        whole = start == 0 and -negative_end == len(self.text)
        return (
            whole
            and meaning.rule is None
            and not meaning.context
            and not (meaning.left | meaning.right) & ~MARK
        )


def _touches_nothing(_start: int, _end: int) -> bool:
    return False


def _is_token(written: str) -> bool:
    """Whether a wrong form is an address itself: Crypto.com is a name, but crypto.com a domain."""
    return not written.isalnum() and next(token_spans(written), None) is not None


def _is_right(correct: str | None, written: str, meaning: Meaning) -> bool:
    """Whether a wrong form is what should be written anyway, perhaps in another width or composition."""
    if correct is None or correct == written:
        return correct is not None
    if written == meaning.raw or HALF_WIDTH_KATAKANA.search(written):
        return False
    return plain(written) == plain(correct)
