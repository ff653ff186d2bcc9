"""Finds the correct and incorrect names in one field of an article.

The automaton finds every surface, overlapping ones too. Invalid candidates are dropped before the leftmost
and longest ones are chosen. Otherwise "ethereum classic", which is invalid in "ethereum classics", would hide
the valid "ethereum".

Offsets belong to one of three texts: the source (the field as given), the visible text (what a reader sees)
and the folded text (the visible text in lower case, in which the automaton searches).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from backend.articles.matching.author_intent import AuthorIntent
from backend.articles.matching.context_evidence import Evidence, Span
from backend.articles.matching.correct_spelling import CorrectSpelling
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
)
from backend.articles.model import FieldName
from backend.articles.slips.han_characters import leans_traditional
from backend.articles.text.boundaries import CLASS, DIGIT, WORD, ends_number
from backend.articles.text.capitalization import Lines, ends_sentence
from backend.articles.text.folding import fold
from backend.articles.text.markup import Labels, find_link_targets
from backend.articles.text.protection import BINDS, Protection
from backend.articles.text.visible_text import VisibleText, find_collapsed_spans, unwrap
from backend.entities.model import LANGUAGES, Language

_CORRECT_NAME_KINDS = (Kind.FIRST_MENTION, Kind.NAME, Kind.SYMBOL, Kind.ANY_CASE)
MAX_CACHED_MEANINGS = 16_384
"""Maximum number of cached meanings for each scope, so that unusual texts cannot fill the memory."""


class FoundName(NamedTuple):
    """A correct name in a field. Offsets are those of the visible text."""

    start: int
    end: int
    needs_context: bool
    entity_id: str


HasContext: TypeAlias = Callable[[int, int, Meaning], bool]
"""Tells whether a name at ``[start:end]`` of the visible text has the context that its meaning needs."""


class MatchedField:
    """A field of an article and the names found in it."""

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
        self.rules = rules
        labels, link_targets = Labels(text), list(find_link_targets(text))
        self.visible = VisibleText(
            text, find_collapsed_spans(text, labels.bracket_spans, link_targets, rules.is_word)
        )
        source, text = text, unwrap(self.visible.text)
        self.visible_text = text
        """Offsets in this class refer to it; those of ``protection`` to the source, of ``hits`` to the folded
        text."""
        self.field_path = path
        self.scope_bit = scope_bit(language, field)
        self._field: FieldName = field
        self.language: Language = language
        self._language_index = LANGUAGES.index(language)
        # A name may be split over two lines. A blank line becomes several spaces, so no name crosses it.
        self._text_on_one_line = text.replace("\n", " ")
        self._folded = fold(self._text_on_one_line)
        collapsed_spans = {(start, end) for start, end, _ in self.visible.collapsed_spans}
        self.protection = Protection(self.visible.source, labels, link_targets, collapsed_spans)
        self.hits = rules.hits(self._folded)
        # The line break at the end is a sentinel: the character after the last surface and, through the
        # index -1, the one before a surface at offset 0.
        self.folded_text = self._folded.text + "\n"
        self.capitalization = Lines(text, field)
        self._correct_spelling = CorrectSpelling(
            rules, language, self.capitalization, is_traditional or (lambda: leans_traditional(source))
        )
        self.occurrences: list[Occurrence] = []
        self.evidence = Evidence(text, self._find_evidence, self.occurrences)
        self.author_intent: AuthorIntent | None = None
        """Naming decisions of the author; None until a finding needs them."""

    def to_visible_span(self, start: int, end: int) -> tuple[int, int] | None:
        """Map ``[start:end]`` of the folded text to the visible text; None if a bound splits a character."""
        return self._folded.to_original(start, end)

    def is_unprotected(self, start: int, end: int) -> bool:
        """Whether ``[start:end]`` of the visible text touches no markup and no token (a URL, a handle)."""
        span = self.to_source_span(start, end)
        return not self.protection.is_markup(*span) and self.protection.token(*span) is None

    def find_occurrences(self, has_context: HasContext) -> None:
        """Find the names of the field and append them to ``occurrences``.

        Hits that begin inside an accepted name or inside protected text are skipped.
        """
        text, folded_text, folded = self._text_on_one_line, self.folded_text, self._folded
        identity, padded = folded.identity, f"\n{text}\n"
        has_collapsed_spans, to_source_span = not self.visible.is_unchanged, self.visible.to_source_span
        to_folded = self._to_folded
        token, occurrences = self.protection.token, self.occurrences
        starts, ends, protected_index = self.protection.starts, self.protection.ends, 0
        bracket_spans, are_label, bracket_index = (
            self.protection.bracket_spans,
            self.protection.labels.are_label,
            0,
        )
        cache = self.rules.settled.setdefault(self.scope_bit, {})
        unseen = Unresolved.UNSEEN
        next_start = 0
        has_former = False
        for surface_index, folded_start, folded_end in self.hits:
            if folded_start < next_start:
                continue
            visible_start, visible_end = folded_start, folded_end
            if identity:
                neighbourhood = padded[folded_start : folded_end + 2]
            else:
                span = folded.to_original(folded_start, folded_end)
                if span is None:
                    continue
                visible_start, visible_end = span
                neighbourhood = (
                    folded_text[folded_start - 1] + text[visible_start:visible_end] + folded_text[folded_end]
                )
            source_start, source_end = (
                to_source_span(visible_start, visible_end)
                if has_collapsed_spans
                else (visible_start, visible_end)
            )
            while ends[protected_index] <= source_start:
                protected_index += 1
            if starts[protected_index] < source_end:
                if starts[protected_index] <= source_start:
                    next_start = to_folded(ends[protected_index])
                continue
            while bracket_spans[bracket_index][0] < source_end:
                opening, closing = bracket_spans[bracket_index]
                if closing > source_start and are_label(opening, closing):
                    break
                bracket_index += 1
            else:
                opening = source_end
            if opening < source_end:
                if opening <= source_start:
                    next_start = to_folded(closing)
                continue
            resolved = cache.get(neighbourhood, unseen)
            if resolved is unseen:
                resolved = self._resolve_by_neighbours(surface_index, neighbourhood)
                if len(cache) < MAX_CACHED_MEANINGS:
                    cache[neighbourhood] = resolved
            if isinstance(resolved, Unresolved):
                resolved = self._resolve_at(
                    surface_index,
                    text[visible_start:visible_end],
                    folded_start,
                    folded_end,
                    visible_start,
                    has_context,
                )
            elif (
                resolved and resolved[0].context and not has_context(visible_start, visible_end, resolved[0])
            ):
                continue
            if not resolved:
                continue
            if BINDS[neighbourhood[-1]] or BINDS[neighbourhood[0]] or not identity or has_collapsed_spans:
                protected = token(source_start, source_end)
                if protected is not None:
                    next_start = to_folded(protected)
                    continue
            meaning, correct = resolved
            if meaning.rule is not None:
                if is_token(text[visible_start:visible_end]):
                    continue
                has_former = has_former or is_former(meaning)
                if correct and correct[-1] != "." and ends_sentence(self.visible_text, visible_end):
                    visible_end -= 1
            next_start = folded_end
            occurrences.append((visible_start, visible_end, meaning, correct))
        if has_former:
            accept_known_former_names(self.visible_text, occurrences)

    def _to_folded(self, position: int) -> int:
        """Map ``position`` in the source to the folded text."""
        return self._folded.from_original(self.visible.to_visible_offset(position))

    def to_source_span(self, start: int, end: int) -> Span:
        """Map ``[start:end]`` of the visible text to the source."""
        return self.visible.to_source_span(start, end)

    def _resolve_by_neighbours(
        self, surface_index: int, neighbourhood: str
    ) -> ResolvedMeaning | Unresolved | None:
        """Resolve the meaning of a surface from its spelling and the two neighbouring characters.

        The result is the same in all fields of the same language and kind, so it can be cached.
        ``neighbourhood`` is the surface with one character on either side. The result is None if the surface
        has no meaning, and :attr:`Unresolved.POSITION_DEPENDENT` if the position decides.
        """
        written = neighbourhood[1:-1]
        before, after = CLASS[neighbourhood[0]], CLASS[neighbourhood[-1]]
        resolved: ResolvedMeaning | None = None
        for meaning in self.rules.meanings[surface_index]:
            if not meaning.scope & self.scope_bit or before & meaning.left or after & meaning.right:
                continue
            if not has_form(meaning, written):
                continue
            if resolved or is_position_dependent(meaning, written, neighbourhood[0]):
                return Unresolved.POSITION_DEPENDENT
            correct = None
            if meaning.suggestions is not None:
                correct = meaning.suggestions[self._language_index]
                if is_adapted(written, correct) or self._correct_spelling.depends_on_script(meaning, correct):
                    return Unresolved.POSITION_DEPENDENT
                if matches_correction(correct, written, meaning):
                    continue
            resolved = meaning, correct
            if not meaning.context:
                break
        return resolved

    def _resolve_at(
        self,
        surface_index: int,
        written: str,
        start: int,
        end: int,
        position: int,
        has_context: HasContext,
    ) -> ResolvedMeaning | None:
        """Return the first meaning of a surface that holds at ``position``, with its correction."""
        for meaning in self.rules.meanings[surface_index]:
            if not self._holds(meaning, written, start, end, position):
                continue
            correct = None
            if meaning.suggestions is not None:
                correct = self._correct_spelling.spell(meaning, written, position)
                if matches_correction(correct, written, meaning):
                    continue
            if (
                not meaning.context
                or (meaning.kind in _CORRECT_NAME_KINDS and self._is_cashtag(position))
                or has_context(position, position + len(written), meaning)
            ):
                return meaning, correct
        return None

    def _holds(self, meaning: Meaning, written: str, start: int, end: int, position: int) -> bool:
        """Whether all conditions of ``meaning`` hold, apart from evidence and protection."""
        folded_text = self.folded_text
        if not meaning.scope & self.scope_bit or not self._has_form(meaning, written, position):
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
        if (meaning.not_before or meaning.not_after) and self._is_part_of_longer_word(meaning, start, end):
            return False
        if meaning.kind is Kind.WRONG and folded_text[start - 1] == "-":
            return not is_in_hyphenated_identifier(self.visible_text, position, position + len(written))
        return meaning.kind is not Kind.OTHER_CASE or not (
            self._is_cashtag(position)
            or is_in_identifier(self.visible_text, position, position + len(written))
        )

    def _is_part_of_longer_word(self, meaning: Meaning, start: int, end: int) -> bool:
        """Whether the text beside a surface makes it part of a longer word."""
        return self.folded_text.startswith(meaning.not_before, end) or self.folded_text.endswith(
            meaning.not_after, 0, start
        )

    def _has_form(self, meaning: Meaning, written: str, position: int) -> bool:
        if not has_form(meaning, written):
            return False
        if meaning.form is Form.CAPITALS:
            return self.capitalization.in_capitals(position)
        return meaning.form is not Form.OPENING or self.capitalization.opens_sentence(position)

    def _is_cashtag(self, position: int) -> bool:
        text = self.visible_text
        return (
            position > 0
            and text[position - 1] in DOLLARS
            and (position < 2 or not CLASS[text[position - 2]] & WORD)
        )

    def find_names(self, start: int, end: int) -> list[FoundName]:
        """Find the correct names that begin in ``[start:end]``, overlapping ones too.

        Entities of type ``term`` are left out.
        """
        hits, to_folded = self.hits, self._folded.from_original
        first_hit = bisect_left(hits, to_folded(start), key=itemgetter(1))
        stop = bisect_right(hits, to_folded(end), first_hit, key=itemgetter(1))
        names: list[FoundName] = []
        for surface_index, folded_start, folded_end in hits[first_hit:stop]:
            span = self._folded.to_original(folded_start, folded_end)
            if span is None or not start <= span[0] < end:
                continue
            written = self._text_on_one_line[span[0] : span[1]]
            for meaning in self.rules.meanings[surface_index]:
                if meaning.kind not in _CORRECT_NAME_KINDS or not self._holds(
                    meaning, written, folded_start, folded_end, span[0]
                ):
                    continue
                if meaning.entity and self.rules.entities[meaning.entity].type != "term":
                    names.append(FoundName(*span, meaning.context, meaning.entity))
                break
        return names

    def _find_evidence(self, start: int, end: int) -> list[Span]:
        """Return the spans, in order, of unprotected evidence that begins in ``[start:end]``."""
        rules, folded_text, hits = self.rules, self.folded_text, self.hits
        to_folded = self._folded.from_original
        first_hit = bisect_left(hits, to_folded(start), key=itemgetter(1))
        stop = bisect_right(hits, to_folded(end), first_hit, key=itemgetter(1))
        spans: list[Span] = []
        for surface_index, folded_start, folded_end in hits[first_hit:stop]:
            meanings = rules.evidence[surface_index]
            if (
                not meanings
                or CLASS[folded_text[folded_start - 1]] & rules.left[surface_index]
                or CLASS[folded_text[folded_end]] & rules.right[surface_index]
            ):
                continue
            span = self._folded.to_original(folded_start, folded_end)
            if span is None or not start <= span[0] < end:
                continue
            source_span = self.visible.to_source_span(*span)
            if self.protection.is_markup(*source_span):
                continue
            written = self._text_on_one_line[span[0] : span[1]]
            if (
                any(
                    self._is_evidence(meaning, written, folded_start, folded_end, span[0])
                    for meaning in meanings
                )
                and self.protection.token(*source_span) is None
            ):
                spans.append(span)
        return spans

    def _is_evidence(self, meaning: Meaning, written: str, start: int, end: int, position: int) -> bool:
        """Whether a surface is evidence.

        Correct names count in any case, because their case may be corrected later. Acronyms count only in
        capitals; in small letters they are probably ordinary words.
        """
        if not meaning.evidence:  # Tickers that need evidence themselves count only as cashtags.
            return self._is_cashtag(position) and self._holds(meaning, written, start, end, position)
        if meaning.kind in (Kind.NAME, Kind.HALF_WIDTH):
            folded_text, entity = self.folded_text, self.rules.entities[meaning.entity or ""]
            if not written.isupper() and is_acronym(entity, meaning.raw):
                return False
            if entity.case == "any-near-evidence" and written.islower() and written.isascii():
                return False
            if CLASS[folded_text[start - 1]] & meaning.left or CLASS[folded_text[end]] & meaning.right:
                return False
            return not (meaning.not_before or meaning.not_after) or not self._is_part_of_longer_word(
                meaning, start, end
            )
        return self._holds(meaning, written, start, end, position)
