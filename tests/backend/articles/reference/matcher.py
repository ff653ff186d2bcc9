"""A slow and plain matcher: what the rules mean, written down a second time.

It tries every meaning at every span of a field and shares nothing with the engine but the models of its
packs and what is told by the words around a name, which has tests of its own. First mentions are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from backend.articles.matching.neighbours import among_latin
from backend.articles.model import Pack
from backend.articles.text.protection import Protection, protected_spans
from backend.articles.text.rename_cues import has_rename_cue
from backend.entities.model import Language
from tests.backend.articles.reference.names import context_senses, entity_senses
from tests.backend.articles.reference.places import (
    COMBINING,
    Place,
    alike,
    even,
    in_capitals,
    is_cashtag,
    is_half_width,
    opens,
    touches,
)
from tests.backend.articles.reference.rules import rule_senses
from tests.backend.articles.reference.sense import Sense


@dataclass(frozen=True)
class Seen:
    """One thing found: a right name (``rule`` is None) or a wrong form."""

    start: int
    end: int
    entity: str | None
    rule: str | None
    suggestion: str | None
    auto_fix: bool


class Reference:
    """The rules of one pack, read slowly."""

    def __init__(self, pack: Pack) -> None:
        self.entities = {entity.id: entity for entity in pack.entities}
        self.pack = pack

    def read(self, text: str, language: Language, *, is_title: bool = False) -> list[Seen]:
        """All that is found in one field, chosen."""
        senses = self._senses(language)
        protected = protected_spans(text)
        held = self._candidates(senses, text, is_title)
        evidence = [place for sense, place in held if sense.evidence and sense.evidence(place)]
        found: dict[tuple[int, int], tuple[tuple[object, ...], Seen]] = {}
        for sense, place in held:
            if not sense.counts or not sense.fits(place):
                continue
            suggestion = self._written(sense, place)
            if suggestion is not None and is_right(suggestion, place.written, sense.raw):
                continue
            right = sense.rule is None
            if (
                sense.context
                and not (right and is_cashtag(place))
                and not any(
                    same_paragraph(text, place.start, other.start)
                    and abs(place.start - other.start) <= sense.near
                    for other in evidence
                )
            ):
                continue
            seen = Seen(place.start, place.end, sense.entity, sense.rule, suggestion, sense.auto_fix)
            span = (place.start, place.end)
            if span not in found or sense.rank < found[span][0]:
                found[span] = (sense.rank, seen)
        # A name may be an address of its own (Crypto.com), but none is ever corrected, nor what reads as one.
        standing = [
            one
            for _, one in found.values()
            if not (one.rule and any(a < one.end and b > one.start for a, b in protected))
            and not (one.rule and protected_spans(text[one.start : one.end]))
        ]
        return self._without_known_formers(text, leftmost_longest(standing))

    def _without_known_formers(self, text: str, seen: list[Seen]) -> list[Seen]:
        """Former names are right beside the name of today, and beside words that tell of the change."""
        former = {f"{entity.id}.former" for entity in self.pack.entities}
        former |= {rule.id for rule in self.pack.rules if rule.type == "former_name"}
        today = [one for one in seen if one.rule not in former]
        return [
            replace(one, rule=None, suggestion=None)
            if one.rule in former
            and (
                has_rename_cue(text, one.start, one.end)
                or any(o.entity == one.entity and same_paragraph(text, o.start, one.start) for o in today)
            )
            else one
            for one in seen
        ]

    def _candidates(self, senses: Sequence[Sense], text: str, is_title: bool) -> list[tuple[Sense, Place]]:
        """Every sense at every span that folds like its surface and is not protected."""
        protection = Protection(text)
        by_surface: dict[str, list[Sense]] = {}
        for sense in senses:
            by_surface.setdefault(alike(sense.surface), []).append(sense)
        longest = max((len(surface) for surface in by_surface), default=0)
        held = []
        for start in range(len(text)):
            for end in range(start + 1, min(len(text), start + 2 * longest) + 1):
                cut = text[start] in COMBINING or (end < len(text) and text[end] in COMBINING)
                if cut or touches(protection, start, end):
                    continue
                place = Place(text, start, end, is_title)
                held += [(sense, place) for sense in by_surface.get(alike(place.written), ())]
        return held

    def _senses(self, language: Language) -> list[Sense]:
        senses = [one for entity in self.pack.entities for one in entity_senses(self.pack, entity, language)]
        for rule in self.pack.rules:
            if rule.enabled and language in rule.languages:
                senses += rule_senses(self.pack, rule, language)
        return [*senses, *context_senses(self.pack)]

    def _written(self, sense: Sense, place: Place) -> str | None:
        suggestion = sense.suggestion
        if suggestion is None or sense.rule is None:
            return None
        rules = {rule.id: rule.suggest for rule in self.pack.rules}
        english = self.entities[sense.entity].name("en") if sense.entity in self.entities else ""
        is_auto = rules.get(sense.rule, "auto") == "auto"
        if is_auto and english.isascii() and place.written.isascii() and not suggestion.isascii():
            suggestion = english if among_latin(place.text, place.start, place.end) else suggestion
        shouted = place.written.isupper() and len(place.written) > 1
        if shouted and even(place.written) != even(sense.raw or sense.surface) and in_capitals(place):
            capitals = suggestion.upper()
            return capitals if alike(capitals) == alike(suggestion) else suggestion
        entity = self.entities.get(sense.entity or "")
        own_case = entity is not None and entity.case == "exact"
        if suggestion[0].islower() and place.written[0].isupper() and not own_case and opens(place):
            return suggestion[0].upper() + suggestion[1:]
        return suggestion


def is_right(suggestion: str, written: str, raw: str) -> bool:
    if suggestion == written:
        return True
    return written != raw and not is_half_width(written) and even(written) == even(suggestion)


def same_paragraph(text: str, one: int, other: int) -> bool:
    lines = text[min(one, other) : max(one, other)].split("\n")
    return not any(not line.strip() for line in lines[1:-1])


def leftmost_longest(seen: list[Seen]) -> list[Seen]:
    chosen: list[Seen] = []
    for each in sorted(seen, key=lambda one: (one.start, -one.end)):
        if not chosen or each.start >= chosen[-1].end:
            chosen.append(each)
    return chosen
