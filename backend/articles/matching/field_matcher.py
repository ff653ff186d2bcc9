"""One field as the rules read it: which names stand where, right and wrong.

The automaton gives every surface wherever it occurs, overlapping ones too. What a boundary, a condition
or protected text rules out is dropped first, and only then the leftmost and longest are chosen: in
"ethereum classics" the longer name fails at its end, and the shorter one must not be lost with it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from backend.articles.matching.author_intent import AuthorIntent
from backend.articles.matching.chinese_script import has_han, to_traditional
from backend.articles.matching.context_evidence import Evidence, Span
from backend.articles.matching.derived_rules import is_acronym
from backend.articles.matching.former_names import Occurrence, accept_known_former_names, is_former
from backend.articles.matching.meanings import Form, Kind, Meaning, ResolvedMeaning, Unresolved, scope_bit
from backend.articles.matching.neighbours import is_in_hyphenated_identifier, is_in_identifier
from backend.articles.matching.rule_set import RuleSet
from backend.articles.matching.surface_forms import (
    DOLLARS,
    has_form,
    is_adapted,
    is_position_dependent,
    is_token,
    matches_correction,
    starts_lowercase,
)
from backend.articles.model import FieldName
from backend.articles.slips.han_characters import leans_traditional
from backend.articles.text.boundaries import CLASS, DIGIT, WORD, ends_number
from backend.articles.text.capitalization import Lines, ends_sentence
from backend.articles.text.folding import fold, plain
from backend.articles.text.markup import Labels, target_spans
from backend.articles.text.protection import BINDS, Protection
from backend.articles.text.visible_text import VisibleText, find_joints, unwrap
from backend.entities.model import LANGUAGES, Language

_RIGHT_FORMS = (Kind.FIRST_MENTION, Kind.NAME, Kind.SYMBOL, Kind.ANY_CASE)
MAX_CACHED_MEANINGS = 16_384
"""How many texts are remembered for each scope, lest somebody fill the memory with odd ones."""


class FoundName(NamedTuple):
    """A right name in a field."""

    start: int
    end: int
    needs_context: bool
    entity: str


HasContext: TypeAlias = Callable[[int, int, Meaning], bool]
"""Whether a name of this meaning, from start to end of the field, has the context that it needs."""


class FieldMatcher:
    """One field of an article, matched."""

    def __init__(
        self,
        rules: RuleSet,
        text: str,
        path: str,
        field: FieldName,
        language: Language,
        is_traditional: Callable[[], bool] | None = None,
    ) -> None:
        """``is_traditional`` tells whether a Chinese article is in Traditional characters."""
        self._is_traditional = is_traditional or (lambda: leans_traditional(text))
        self.rules = rules
        labels, targets = Labels(text), list(target_spans(text))
        self.visible = VisibleText(text, find_joints(text, labels.brackets, targets, rules.is_word))
        text = unwrap(self.visible.text)
        self.text = text
        """The visible text, with which all places of this class but those of :attr:`protection` go."""
        self.path = path
        self.bit = scope_bit(language, field)
        self._field: FieldName = field
        self.language: Language = language
        self._language = LANGUAGES.index(language)
        # A name may stand on two lines. Blank lines stay more than one space.
        self._spaced = text.replace("\n", " ")
        self._folded = fold(self._spaced)
        joints = {(start, end) for start, end, _ in self.visible.joints}
        self.protection = Protection(self.visible.source, labels, targets, joints)
        self.hits = rules.hits(self._folded)
        # With a line break more there is something behind every surface, and at -1 before each.
        self.folded_text = self._folded.text + "\n"
        self.lines = Lines(text, field)
        self.found: list[Occurrence] = []
        self.evidence = Evidence(text, self._find_evidence, self.found)
        self.intent: AuthorIntent | None = None
        """What the author has decided; null while nothing is found that it could settle."""

    def place_in_text(self, start: int, end: int) -> tuple[int, int] | None:
        """Map ``[start:end]`` of the folded text to the visible one; None if a bound splits a character."""
        return self._folded.source(start, end)

    def is_free(self, start: int, end: int) -> bool:
        """Whether ``[start:end]`` of the visible text touches no markup and no token (a URL, a handle)."""
        first, last = self.source_span(start, end)
        return not self.protection.is_markup(first, last) and self.protection.token(first, last) is None

    def choose(self, has_context: HasContext) -> None:
        """Fills :attr:`found`. ``has_context`` says whether a name at a place has the context that it needs.

        What begins in what is chosen already, or in protected text, is passed over without a look.
        """
        text, folded_text, folded = self._spaced, self.folded_text, self._folded
        identity, padded = folded.identity, f"\n{text}\n"
        has_joints, in_source = not self.visible.is_source, self.visible.source_span
        to_folded = self._to_folded
        token, occurrences = self.protection.token, self.found
        starts, ends, protected_index = self.protection.starts, self.protection.ends, 0
        brackets, are_label, bracket_index = self.protection.brackets, self.protection.labels.are_label, 0
        cache = self.rules.settled.setdefault(self.bit, {})
        unseen = Unresolved.UNSEEN
        next_start = 0
        has_former = False
        for index, start, end in self.hits:
            if start < next_start:
                continue
            first, last = start, end
            if identity:
                key = padded[start : end + 2]
            else:
                span = folded.source(start, end)
                if span is None:
                    continue
                first, last = span
                key = folded_text[start - 1] + text[first:last] + folded_text[end]
            outer, outer_end = in_source(first, last) if has_joints else (first, last)
            while ends[protected_index] <= outer:
                protected_index += 1
            if starts[protected_index] < outer_end:
                if starts[protected_index] <= outer:
                    next_start = to_folded(ends[protected_index])
                continue
            while brackets[bracket_index][0] < outer_end:
                opening, closing = brackets[bracket_index]
                if closing > outer and are_label(opening, closing):
                    break
                bracket_index += 1
            else:
                opening = outer_end
            if opening < outer_end:
                if opening <= outer:
                    next_start = to_folded(closing)
                continue
            resolved = cache.get(key, unseen)
            if resolved is unseen:
                resolved = self._resolve_by_neighbours(index, key)
                if len(cache) < MAX_CACHED_MEANINGS:
                    cache[key] = resolved
            if isinstance(resolved, Unresolved):
                resolved = self._resolve_at(index, text[first:last], start, end, first, has_context)
            elif resolved and resolved[0].context and not has_context(first, last, resolved[0]):
                continue
            if not resolved:
                continue
            if BINDS[key[-1]] or BINDS[key[0]] or not identity or has_joints:
                protected = token(outer, outer_end)
                if protected is not None:
                    next_start = to_folded(protected)
                    continue
            meaning, right = resolved
            if meaning.rule is not None:
                if is_token(text[first:last]):
                    continue
                has_former = has_former or is_former(meaning)
                if right and right[-1] != "." and ends_sentence(self.text, last):
                    last -= 1
            next_start = end
            occurrences.append((first, last, meaning, right))
        if has_former:
            accept_known_former_names(self.text, occurrences)

    def _to_folded(self, position: int) -> int:
        """Map ``position`` in the source to the folded text."""
        return self._folded.place(self.visible.place(position))

    def source_span(self, start: int, end: int) -> Span:
        """Map ``[start:end]`` of the visible text to the field as it was given."""
        return self.visible.source_span(start, end)

    def _resolve_by_neighbours(self, index: int, context: str) -> ResolvedMeaning | Unresolved | None:
        """Resolve what a surface means in fields like this, from its form and its neighbouring characters.

        ``context`` is the surface with one character on either side. The result is None if the surface has no
        meaning, and :attr:`Unresolved.POSITION_DEPENDENT` if the position decides.
        """
        written, before, after = context[1:-1], CLASS[context[0]], CLASS[context[-1]]
        resolved: ResolvedMeaning | None = None
        for meaning in self.rules.meanings[index]:
            if not meaning.scope & self.bit or before & meaning.left or after & meaning.right:
                continue
            if not has_form(meaning, written):
                continue
            if resolved or is_position_dependent(meaning, written, context[0]):
                return Unresolved.POSITION_DEPENDENT
            correct = None
            if meaning.suggestions is not None:
                correct = meaning.suggestions[self._language]
                if is_adapted(written, correct) or self._may_be_traditional(meaning, correct):
                    return Unresolved.POSITION_DEPENDENT
                if matches_correction(correct, written, meaning):
                    continue
            resolved = meaning, correct
            if not meaning.context:
                break
        return resolved

    def _resolve_at(
        self,
        index: int,
        written: str,
        start: int,
        end: int,
        position: int,
        has_context: HasContext,
    ) -> ResolvedMeaning | None:
        """Return the first meaning of a surface that holds at ``position``, with its correction."""
        for meaning in self.rules.meanings[index]:
            if not self._holds(meaning, written, start, end, position):
                continue
            correct = None
            if meaning.suggestions is not None:
                correct = self._correct_form(meaning, written, position)
                if matches_correction(correct, written, meaning):
                    continue
            if (
                not meaning.context
                or (meaning.kind in _RIGHT_FORMS and self._is_cashtag(position))
                or has_context(position, position + len(written), meaning)
            ):
                return meaning, correct
        return None

    def _holds(self, meaning: Meaning, written: str, start: int, end: int, position: int) -> bool:
        """Whether all conditions of ``meaning`` hold, apart from evidence and protection."""
        folded_text = self.folded_text
        if not meaning.scope & self.bit or not self._has_form(meaning, written, position):
            return False
        before = CLASS[folded_text[start - 1]]
        if before & meaning.left or CLASS[folded_text[end]] & meaning.right:
            return False
        if (
            meaning.kind is Kind.SYMBOL
            and before & DIGIT
            and meaning.left
            and not ends_number(folded_text, start)
        ):
            return False
        if (meaning.not_before or meaning.not_after) and self._is_part(meaning, start, end):
            return False
        if meaning.kind is Kind.WRONG and folded_text[start - 1] == "-":
            return not is_in_hyphenated_identifier(self.text, position, position + len(written))
        return meaning.kind is not Kind.OTHER_CASE or not (
            self._is_cashtag(position) or is_in_identifier(self.text, position, position + len(written))
        )

    def _is_part(self, meaning: Meaning, start: int, end: int) -> bool:
        """Whether the text beside a surface makes it part of another word."""
        return self.folded_text.startswith(meaning.not_before, end) or self.folded_text.endswith(
            meaning.not_after, 0, start
        )

    def _has_form(self, meaning: Meaning, written: str, position: int) -> bool:
        if not has_form(meaning, written):
            return False
        if meaning.form is Form.CAPITALS:
            return self.lines.in_capitals(position)
        return meaning.form is not Form.OPENING or self.lines.opens_sentence(position)

    def _correct_form(self, meaning: Meaning, written: str, position: int) -> str | None:
        """The suggestion as it is written at this place: in capitals where its line is."""
        correct = meaning.suggestions[self._language] if meaning.suggestions else None
        if correct is None or meaning.suggestions is None:
            return None
        if self._may_be_traditional(meaning, correct) and self._is_traditional():
            correct = to_traditional(correct, self.rules.entities.get(meaning.entity or ""))
        # A ticker is in capitals anyway, and tells nothing of its line.
        is_own_form = meaning.form is not Form.CAPITALS and plain(written) == (meaning.raw or meaning.exact)
        if written.isupper() and len(written) > 1 and not is_own_form and self.lines.in_capitals(position):
            capitals = correct.upper()
            if fold(capitals).text == fold(correct).text:
                return capitals
        elif (
            starts_lowercase(correct) and written[0].isupper() and self._may_be_capitalised(meaning, position)
        ):
            return correct[0].upper() + correct[1:]
        return correct

    def _may_be_traditional(self, meaning: Meaning, correct: str | None) -> bool:
        """Whether a suggestion is a name that has another form in Traditional characters.

        A text that a rule suggests and that is no name of its entity stays as the rule has it.
        """
        if self.language != "zh" or correct is None or meaning.rule is None or not has_han(correct):
            return False
        if isinstance(meaning.rule.rule.suggest, dict) or meaning.rule.rule.suggest == "auto":
            return True
        entity = self.rules.entities.get(meaning.entity or "")
        return entity is not None and correct in entity.names.values()

    def _may_be_capitalised(self, meaning: Meaning, position: int) -> bool:
        """Whether a sentence or title begins here with a small letter that is not a name's own (dYdX)."""
        entity = self.rules.entities.get(meaning.entity or "")
        return (entity is None or entity.case != "exact") and self.lines.opens_sentence(position)

    def _is_cashtag(self, position: int) -> bool:
        text = self.text
        return (
            position > 0
            and text[position - 1] in DOLLARS
            and (position < 2 or not CLASS[text[position - 2]] & WORD)
        )

    def find_names(self, first: int, last: int) -> list[FoundName]:
        """Find the right names that begin in ``[first:last]``, overlapping ones too, without terms."""
        hits, place = self.hits, self._folded.place
        begin = bisect_left(hits, place(first), key=itemgetter(1))
        behind = bisect_right(hits, place(last), begin, key=itemgetter(1))
        names: list[FoundName] = []
        for index, start, end in hits[begin:behind]:
            span = self._folded.source(start, end)
            if span is None or not first <= span[0] < last:
                continue
            written = self._spaced[span[0] : span[1]]
            for meaning in self.rules.meanings[index]:
                if meaning.kind not in _RIGHT_FORMS or not self._holds(meaning, written, start, end, span[0]):
                    continue
                if meaning.entity and self.rules.entities[meaning.entity].type != "term":
                    names.append(FoundName(*span, meaning.context, meaning.entity))
                break
        return names

    def _find_evidence(self, first: int, last: int) -> list[Span]:
        """Spans of all unprotected evidence that begins in ``[first:last]`` of the field, by place."""
        rules, folded_text, hits, to_folded = self.rules, self.folded_text, self.hits, self._folded.place
        first_hit = bisect_left(hits, to_folded(first), key=itemgetter(1))
        stop = bisect_right(hits, to_folded(last), first_hit, key=itemgetter(1))
        spans: list[Span] = []
        for index, start, end in hits[first_hit:stop]:
            meanings = rules.evidence[index]
            if (
                not meanings
                or CLASS[folded_text[start - 1]] & rules.left[index]
                or CLASS[folded_text[end]] & rules.right[index]
            ):
                continue
            span = self._folded.source(start, end)
            if span is None or not first <= span[0] < last:
                continue
            source_span = self.visible.source_span(*span)
            if self.protection.is_markup(*source_span):
                continue
            written = self._spaced[span[0] : span[1]]
            if (
                any(self._is_evidence(meaning, written, start, end, span[0]) for meaning in meanings)
                and self.protection.token(*source_span) is None
            ):
                spans.append(span)
        return spans

    def _is_evidence(self, meaning: Meaning, written: str, start: int, end: int, position: int) -> bool:
        """Whether a surface is evidence: right names in any case are, since their case may be corrected, but
        for acronyms, which in small letters are likely something else."""
        if not meaning.evidence:  # a ticker that needs evidence itself, unless it is a cashtag
            return self._is_cashtag(position) and self._holds(meaning, written, start, end, position)
        if meaning.kind in (Kind.NAME, Kind.HALF_WIDTH):
            folded_text, entity = self.folded_text, self.rules.entities[meaning.entity or ""]
            if not written.isupper() and is_acronym(entity, meaning.raw):
                return False
            if entity.case == "any-near-evidence" and written.islower() and written.isascii():
                return False
            if CLASS[folded_text[start - 1]] & meaning.left or CLASS[folded_text[end]] & meaning.right:
                return False
            return not (meaning.not_before or meaning.not_after) or not self._is_part(meaning, start, end)
        return self._holds(meaning, written, start, end, position)
