"""A slow and simple matcher: a second implementation of the rules, to compare the engine with.

It tries every meaning at every span of a field. It shares the pack models, the tests of neighbouring words
and ends of sentences, and the choice of a name in the same script with the engine; those have their own
tests. First mentions are not implemented.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from backend.articles.model import Pack
from backend.articles.text.capitalization import ends_sentence
from backend.articles.text.protection import Protection, protected_spans
from backend.articles.text.rename_cues import has_rename_cue
from backend.articles.text.visible_text import VisibleText, unwrap
from backend.entities.model import Language
from tests.backend.articles.reference.entity_meanings import list_context_meanings, list_entity_meanings
from tests.backend.articles.reference.meaning import Meaning
from tests.backend.articles.reference.rule_meanings import list_rule_meanings
from tests.backend.articles.reference.spans import (
    COMBINING,
    TextSpan,
    fold,
    is_cashtag,
    is_half_width,
    is_line_in_capitals,
    is_protected,
    is_sentence_start,
    normalise,
)


@dataclass(frozen=True)
class Finding:
    """A correct name (``rule`` is None) or a violation."""

    start: int
    end: int
    entity: str | None
    rule: str | None
    suggestion: str | None
    auto_fix: bool


class Reference:
    """Matches the rules of one pack."""

    def __init__(self, pack: Pack) -> None:
        self.entities = {entity.id: entity for entity in pack.entities}
        self.pack = pack

    def read(self, visible: VisibleText, language: Language, *, is_title: bool = False) -> list[Finding]:
        """Find all names and violations of one field; the results do not overlap.

        All offsets are those of the visible text; what is protected depends on its source.
        """
        text = unwrap(visible.text)
        meanings = self._list_meanings(language)
        protected = protected_spans(visible.source)
        candidates = self._list_candidates(meanings, visible, is_title)
        evidence = [span for meaning, span in candidates if meaning.is_evidence and meaning.is_evidence(span)]
        found: dict[tuple[int, int], tuple[tuple[object, ...], Finding]] = {}
        for meaning, span in candidates:
            if not meaning.is_match or not meaning.matches(span):
                continue
            suggestion = self._build_suggestion(meaning, span)
            if suggestion is not None and is_correct(suggestion, span.matched, meaning.name):
                continue
            is_correct_name = meaning.rule is None
            if (
                meaning.needs_context
                and not (is_correct_name and is_cashtag(span))
                and not any(
                    same_paragraph(text, span.start, other.start)
                    and abs(span.start - other.start) <= meaning.evidence_chars
                    for other in evidence
                )
            ):
                continue
            seen = Finding(
                span.start,
                span.end - keeps_stop(span, suggestion),
                meaning.entity,
                meaning.rule,
                suggestion,
                meaning.auto_fix,
            )
            bounds = (span.start, span.end)
            if bounds not in found or meaning.rank < found[bounds][0]:
                found[bounds] = (meaning.rank, seen)
        # A name may itself be a URL (Crypto.com), but URLs are never corrected.
        correctable = [
            one
            for _, one in found.values()
            if not (one.rule and overlaps_any(visible, one.start, one.end, protected))
            and not (one.rule and protected_spans(text[one.start : one.end]))
        ]
        return self._accept_explained_former_names(text, leftmost_longest(correctable))

    def _accept_explained_former_names(self, text: str, seen: list[Finding]) -> list[Finding]:
        """Former names are correct near the current name, and beside words that describe the change."""
        former = {f"{entity.id}.former" for entity in self.pack.entities}
        former |= {rule.id for rule in self.pack.rules if rule.type == "former_name"}
        current_names = [one for one in seen if one.rule not in former]
        return [
            replace(one, rule=None, suggestion=None)
            if one.rule in former
            and (
                has_rename_cue(text, one.start, one.end)
                or any(
                    o.entity == one.entity and same_paragraph(text, o.start, one.start) for o in current_names
                )
            )
            else one
            for one in seen
        ]

    def _list_candidates(
        self, meanings: Sequence[Meaning], visible: VisibleText, is_title: bool
    ) -> list[tuple[Meaning, TextSpan]]:
        """List every meaning with every unprotected span that folds like its surface."""
        text = unwrap(visible.text)
        collapsed_spans = [(start, end) for start, end, _ in visible.collapsed_spans]
        protection = Protection(visible.source, unprotected=collapsed_spans)
        by_surface: dict[str, list[Meaning]] = {}
        for meaning in meanings:
            by_surface.setdefault(fold(meaning.surface), []).append(meaning)
        longest = max((len(surface) for surface in by_surface), default=0)
        candidates = []
        for start in range(len(text)):
            for end in range(start + 1, min(len(text), start + 2 * longest) + 1):
                cut = text[start] in COMBINING or (end < len(text) and text[end] in COMBINING)
                if cut or is_protected(protection, *visible.to_source_span(start, end)):
                    continue
                span = TextSpan(text, start, end, is_title)
                candidates += [(meaning, span) for meaning in by_surface.get(fold(span.matched), ())]
        return candidates

    def _list_meanings(self, language: Language) -> list[Meaning]:
        meanings = [
            one for entity in self.pack.entities for one in list_entity_meanings(self.pack, entity, language)
        ]
        for rule in self.pack.rules:
            if rule.enabled and language in rule.languages:
                meanings += list_rule_meanings(self.pack, rule, language)
        return [*meanings, *list_context_meanings(self.pack)]

    def _build_suggestion(self, meaning: Meaning, span: TextSpan) -> str | None:
        suggestion = meaning.suggestion
        if suggestion is None or meaning.rule is None:
            return None
        is_in_capitals = span.matched.isupper() and len(span.matched) > 1
        if (
            is_in_capitals
            and normalise(span.matched) != normalise(meaning.name or meaning.surface)
            and is_line_in_capitals(span)
        ):
            capitals = suggestion.upper()
            return capitals if fold(capitals) == fold(suggestion) else suggestion
        entity = self.entities.get(meaning.entity or "")
        has_fixed_case = entity is not None and entity.case == "exact"
        if (
            suggestion[0].islower()
            and not any(character.isupper() for character in suggestion)
            and span.matched[0].isupper()
            and not has_fixed_case
            and is_sentence_start(span)
        ):
            return suggestion[0].upper() + suggestion[1:]
        return suggestion


def overlaps_any(visible: VisibleText, start: int, end: int, protected: Sequence[tuple[int, int]]) -> bool:
    """Whether protected text overlaps a name that has no markup inside."""
    first, last = visible.to_source_span(start, end)
    return not visible.list_collapsed_spans(start, end) and any(a < last and b > first for a, b in protected)


def is_correct(suggestion: str, written: str, name: str) -> bool:
    if suggestion == written:
        return True
    return written != name and not is_half_width(written) and normalise(written) == normalise(suggestion)


def keeps_stop(span: TextSpan, suggestion: str | None) -> bool:
    """True if the stop of an abbreviation also ends the sentence, and the suggestion has none."""
    return bool(suggestion) and not str(suggestion).endswith(".") and ends_sentence(span.text, span.end)


def same_paragraph(text: str, one: int, other: int) -> bool:
    lines = text[min(one, other) : max(one, other)].split("\n")
    return not any(not line.strip() for line in lines[1:-1])


def leftmost_longest(seen: list[Finding]) -> list[Finding]:
    chosen: list[Finding] = []
    for each in sorted(seen, key=lambda one: (one.start, -one.end)):
        if not chosen or each.start >= chosen[-1].end:
            chosen.append(each)
    return chosen
