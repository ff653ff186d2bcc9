"""One field as the rules read it: which names stand where, right and wrong.

The automaton gives every surface wherever it occurs, overlapping ones too. What a boundary, a condition
or protected text rules out is dropped first, and only then the leftmost and longest are chosen: in
"ethereum classics" the longer name fails at its end, and the shorter one must not be lost with it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from operator import itemgetter
from typing import TypeAlias

from backend.articles.matching.context_evidence import Evidence, Span
from backend.articles.matching.derived_rules import is_acronym
from backend.articles.matching.former_names import Found, accept_known_former_names, is_former
from backend.articles.matching.meanings import Form, Kind, Meaning, Meant, Open, scope_bit
from backend.articles.matching.neighbours import among_latin, in_identifier
from backend.articles.matching.rule_set import RuleSet
from backend.articles.matching.surface_forms import (
    DOLLARS,
    has_form,
    is_adapted,
    is_position_dependent,
    is_token,
    matches_correction,
)
from backend.articles.model import FieldName
from backend.articles.text.boundaries import CLASS, DIGIT, WORD, ends_number
from backend.articles.text.capitalization import Lines
from backend.articles.text.folding import fold, plain
from backend.articles.text.protection import BINDS, Protection
from backend.entities.model import LANGUAGES, Language

_RIGHT_FORMS = (Kind.FIRST_MENTION, Kind.NAME, Kind.SYMBOL, Kind.ANY_CASE)
MAX_CACHED_MEANINGS = 16_384
"""How many texts are remembered for each scope, lest somebody fill the memory with odd ones."""


HasContext: TypeAlias = Callable[[int, int, Meaning], bool]
"""Whether a name of this meaning, from start to end of the field, has the context that it needs."""


class FieldMatcher:
    """One field of an article, matched."""

    def __init__(self, rules: RuleSet, text: str, path: str, field: FieldName, language: Language) -> None:
        self.rules = rules
        self.text = text
        self.path = path
        self.bit = scope_bit(language, field)
        self._field: FieldName = field
        self.language: Language = language
        self._language = LANGUAGES.index(language)
        self._folded = fold(text)
        self.protection = Protection(text)
        self.hits = rules.hits(self._folded)
        # With a line break more there is something behind every surface, and at -1 before each.
        self.low = self._folded.text + "\n"
        self.lines = Lines(text, field)
        self.found: list[Found] = []
        self.evidence = Evidence(text, self._evidence, self.found)

    def choose(self, has_context: HasContext) -> None:
        """Fills :attr:`found`. ``has_context`` says whether a name at a place has the context that it needs.

        What begins in what is chosen already, or in protected text, is passed over without a look.
        """
        text, low, folded = self.text, self.low, self._folded
        identity, beside = folded.identity, f"\n{text}\n"
        token, found = self.protection.token, self.found
        starts, ends, mark = self.protection.starts, self.protection.ends, 0
        brackets, are_label, bracket = self.protection.brackets, self.protection.labels.are_label, 0
        known = self.rules.settled.setdefault(self.bit, {})
        unseen = Open.UNSEEN
        behind = 0
        has_former = False
        for index, start, end in self.hits:
            if start < behind:
                continue
            first, last = start, end
            if identity:
                key = beside[start : end + 2]
            else:
                place = folded.source(start, end)
                if place is None:
                    continue
                first, last = place
                key = low[start - 1] + text[first:last] + low[end]
            while ends[mark] <= first:
                mark += 1
            if starts[mark] < last:
                if starts[mark] <= first:
                    behind = folded.place(ends[mark])
                continue
            while brackets[bracket][0] < last:
                opening, closing = brackets[bracket]
                if closing > first and are_label(opening, closing):
                    break
                bracket += 1
            else:
                opening = last
            if opening < last:
                if opening <= first:
                    behind = folded.place(closing)
                continue
            meant = known.get(key, unseen)
            if meant is unseen:
                meant = self._settled(index, key)
                if len(known) < MAX_CACHED_MEANINGS:
                    known[key] = meant
            if isinstance(meant, Open):
                meant = self._meant(index, text[first:last], start, end, first, has_context)
            elif meant and meant[0].context and not has_context(first, last, meant[0]):
                continue
            if not meant:
                continue
            if BINDS[key[-1]] or BINDS[key[0]] or not identity:
                protected = token(first, last)
                if protected is not None:
                    behind = folded.place(protected)
                    continue
            meaning, right = meant
            if meaning.rule is not None:
                if is_token(text[first:last]):
                    continue
                has_former = has_former or is_former(meaning)
            behind = end
            found.append((first, last, meaning, right))
        if has_former:
            accept_known_former_names(text, found)

    def _settled(self, index: int, beside: str) -> Meant | Open | None:
        """What a surface with its neighbours means in fields like this, and what should be written instead.

        None where it means nothing; :attr:`Open.POSITION_DEPENDENT` if the place decides.
        """
        written, before, after = beside[1:-1], CLASS[beside[0]], CLASS[beside[-1]]
        found: Meant | None = None
        for meaning in self.rules.meanings[index]:
            if not meaning.scope & self.bit or before & meaning.left or after & meaning.right:
                continue
            if not has_form(meaning, written):
                continue
            if found or is_position_dependent(meaning, written, beside[0]):
                return Open.POSITION_DEPENDENT
            correct = None
            if meaning.suggestions is not None:
                correct = meaning.suggestions[self._language]
                if is_adapted(written, correct, in_english=not self._language):
                    return Open.POSITION_DEPENDENT
                if matches_correction(correct, written, meaning):
                    continue
            found = meaning, correct
            if not meaning.context:
                break
        return found

    def _meant(
        self,
        index: int,
        written: str,
        start: int,
        end: int,
        at: int,
        has_context: HasContext,
    ) -> Meant | None:
        """The first meaning of a surface that holds, with what should be written instead."""
        for meaning in self.rules.meanings[index]:
            if not self._holds(meaning, written, start, end, at):
                continue
            correct = None
            if meaning.suggestions is not None:
                correct = self._correct_form(meaning, written, at)
                if matches_correction(correct, written, meaning):
                    continue
            if (
                not meaning.context
                or (meaning.kind in _RIGHT_FORMS and self._is_cashtag(at))
                or has_context(at, at + len(written), meaning)
            ):
                return meaning, correct
        return None

    def _holds(self, meaning: Meaning, written: str, start: int, end: int, at: int) -> bool:
        """Whether all conditions of ``meaning`` hold but for evidence and protection."""
        low = self.low
        if not meaning.scope & self.bit or not self._has_form(meaning, written, at):
            return False
        before = CLASS[low[start - 1]]
        if before & meaning.left or CLASS[low[end]] & meaning.right:
            return False
        if meaning.kind is Kind.SYMBOL and before & DIGIT and meaning.left and not ends_number(low, start):
            return False
        if (meaning.not_before or meaning.not_after) and self._is_part(meaning, start, end):
            return False
        return meaning.kind is not Kind.OTHER_CASE or not (
            self._is_cashtag(at) or in_identifier(self.text, at, at + len(written))
        )

    def _is_part(self, meaning: Meaning, start: int, end: int) -> bool:
        """Whether the text beside a surface makes it part of another word."""
        return self.low.startswith(meaning.not_before, end) or self.low.endswith(meaning.not_after, 0, start)

    def _has_form(self, meaning: Meaning, written: str, at: int) -> bool:
        if not has_form(meaning, written):
            return False
        if meaning.form is Form.CAPITALS:
            return self.lines.in_capitals(at)
        return meaning.form is not Form.OPENING or self.lines.opens_sentence(at)

    def _correct_form(self, meaning: Meaning, written: str, at: int) -> str | None:
        """The suggestion as it is written at this place: in capitals where its line is."""
        correct = meaning.suggestions[self._language] if meaning.suggestions else None
        if correct is None or meaning.suggestions is None:
            return None
        if self._language and self._keeps_script(meaning, written, correct, at):
            correct = meaning.suggestions[0] or correct
        # A ticker is in capitals anyway, and tells nothing of its line.
        own = meaning.form is not Form.CAPITALS and plain(written) == (meaning.raw or meaning.exact)
        if written.isupper() and len(written) > 1 and not own and self.lines.in_capitals(at):
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
        return at > 0 and text[at - 1] in DOLLARS and (at < 2 or not CLASS[text[at - 2]] & WORD)

    def find_names(self, first: int, last: int) -> list[tuple[int, int, bool, str]]:
        """Find the right names that begin in ``[first:last]``, overlapping ones too, without terms.

        Each has its start, its end, whether it needs context, and its entity.
        """
        hits, place = self.hits, self._folded.place
        begin = bisect_left(hits, place(first), key=itemgetter(1))
        behind = bisect_right(hits, place(last), begin, key=itemgetter(1))
        names: list[tuple[int, int, bool, str]] = []
        for index, start, end in hits[begin:behind]:
            span = self._folded.source(start, end)
            if span is None or span[1] > last:
                continue
            written = self.text[span[0] : span[1]]
            for meaning in self.rules.meanings[index]:
                if meaning.kind not in _RIGHT_FORMS or not self._holds(meaning, written, start, end, span[0]):
                    continue
                if meaning.entity and self.rules.entities[meaning.entity].type != "term":
                    names.append((*span, meaning.context, meaning.entity))
                break
        return names

    def _evidence(self, first: int, last: int) -> list[Span]:
        """Spans of all unprotected evidence that begins in ``[first:last]`` of the field, by place."""
        rules, low, hits, place = self.rules, self.low, self.hits, self._folded.place
        begin = bisect_left(hits, place(first), key=itemgetter(1))
        behind = bisect_right(hits, place(last), begin, key=itemgetter(1))
        spans: list[Span] = []
        for index, start, end in hits[begin:behind]:
            telling = rules.evidence[index]
            if (
                not telling
                or CLASS[low[start - 1]] & rules.left[index]
                or CLASS[low[end]] & rules.right[index]
            ):
                continue
            span = self._folded.source(start, end)
            if span is None or not first <= span[0] < last or self.protection.is_markup(*span):
                continue
            written = self.text[span[0] : span[1]]
            if (
                any(self._tells(meaning, written, start, end, span[0]) for meaning in telling)
                and self.protection.token(*span) is None
            ):
                spans.append(span)
        return spans

    def _tells(self, meaning: Meaning, written: str, start: int, end: int, at: int) -> bool:
        """Whether a surface is evidence: right names in any case are, since their case may be corrected, but
        for acronyms, which in small letters are likely something else."""
        if not meaning.evidence:  # a ticker that needs evidence itself, unless it is a cashtag
            return self._is_cashtag(at) and self._holds(meaning, written, start, end, at)
        if meaning.kind in (Kind.NAME, Kind.HALF_WIDTH):
            low, entity = self.low, self.rules.entities[meaning.entity or ""]
            if not written.isupper() and is_acronym(entity, meaning.raw):
                return False
            if entity.case == "any-near-evidence" and written.islower() and written.isascii():
                return False
            if CLASS[low[start - 1]] & meaning.left or CLASS[low[end]] & meaning.right:
                return False
            return not (meaning.not_before or meaning.not_after) or not self._is_part(meaning, start, end)
        return self._holds(meaning, written, start, end, at)
