"""A slow and plain matcher: what the rules mean, written down a second time.

It tries every meaning at every span of a field and shares nothing with the engine but the models of its
packs and what is told by the words around a name, which has tests of its own. First mentions are left out.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from backend.articles.matching.neighbours import among_latin, in_identifier
from backend.articles.model import Pack, Pattern, Rule
from backend.articles.text.protection import Protection, protected_spans
from backend.articles.text.renaming import tells_of_renaming
from backend.entities.model import Entity, Language

HALF_WIDTH = [chr(code) for code in range(0xFF65, 0xFFA0)]
COMBINING = {chr(code) for code in range(0x300, 0x370)} | set("\u3099\u309a\uff9e\uff9f")
SEVERITY = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True)
class Seen:
    """One thing found: a right name (``rule`` is None) or a wrong form."""

    start: int
    end: int
    entity: str | None
    rule: str | None
    suggestion: str | None
    auto_fix: bool


@dataclass(frozen=True)
class Sense:
    """One meaning of one surface; the smallest ``rank`` wins where several hold at one span."""

    rank: tuple[object, ...]
    surface: str
    entity: str | None
    rule: str | None
    auto_fix: bool
    suggestion: str | None
    fits: Callable[["Place"], bool]
    context: bool = False
    evidence: Callable[["Place"], bool] | None = None
    raw: str = ""
    counts: bool = True
    """False for words that are evidence only."""


@dataclass(frozen=True)
class Place:
    text: str
    start: int
    end: int
    is_title: bool

    @property
    def written(self) -> str:
        return self.text[self.start : self.end]

    @property
    def before(self) -> str:
        return self.text[: self.start]

    @property
    def after(self) -> str:
        return self.text[self.end :]

    @property
    def line(self) -> str:
        return self.before.rpartition("\n")[2] + self.written + self.after.partition("\n")[0]


def even(text: str) -> str:
    """``text`` with width, composition and typographic signs evened out."""
    for odd, plain in {"’": "'", "\u3000": " ", "\u00a0": " ", "\u2010": "-", "\u2011": "-"}.items():
        text = text.replace(odd, plain)
    wide = ""
    for character in text:
        code = ord(character)
        narrow = 0xFF10 <= code <= 0xFF19 or 0xFF21 <= code <= 0xFF3A or 0xFF41 <= code <= 0xFF5A
        if narrow or 0xFF65 <= code <= 0xFF9F or 0xFB00 <= code <= 0xFB06:
            character = unicodedata.normalize("NFKC", character)
        wide += character
    return unicodedata.normalize("NFC", wide)


def alike(text: str) -> str:
    """What two forms of one surface have in common."""
    return even(text.replace("\u0130", "I").lower().replace("ς", "σ")).replace("i\u0307", "i")


def is_half_width(text: str) -> bool:
    return any(character in HALF_WIDTH for character in text)


def is_cjk(character: str) -> bool:
    name = unicodedata.name(character, "")
    kinds = ("CJK", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC")
    return name.startswith(kinds) or character in "々ー"


def is_katakana(character: str) -> bool:
    name = unicodedata.name(character, "")
    return character == "ー" or ("KATAKANA" in name and unicodedata.category(character)[0] == "L")


def is_letter(character: str) -> bool:
    return not is_cjk(character) and (unicodedata.category(character)[0] in "LM" or character == "_")


def is_word(character: str) -> bool:
    return is_letter(character) or (unicodedata.category(character) == "Nd" and not is_cjk(character))


def bounded(place: Place, surface: str, boundary: str, *, symbol: bool = False) -> bool:
    folded = alike(surface)
    before, after = alike(place.before)[-1:], alike(place.after)[:1]
    if after and unicodedata.category(after)[0] == "M":
        return False
    if boundary == "none":
        return True
    short = len(folded) <= 4 and all(map(is_katakana, folded))
    if boundary == "katakana-run" or (boundary == "auto" and short):
        at_start = is_katakana(folded[0]) and before and is_katakana(before)
        at_end = is_katakana(folded[-1]) and after and is_katakana(after)
        return not at_start and not at_end
    if is_word(folded[-1]) and after and is_word(after):
        return False
    if not (is_word(folded[0]) and before and is_word(before)):
        return True
    if not symbol or is_letter(before) or not is_letter(folded[0]):
        return False
    number = alike(place.before)
    amount = number[: len(number) - 1].rstrip("0123456789.,")
    return not amount or not is_letter(amount[-1])


def in_capitals(place: Place) -> bool:
    return not any("a" <= c <= "z" or "ß" <= c <= "ÿ" or "ａ" <= c <= "ｚ" for c in place.line if c != "÷")


def opens(place: Place) -> bool:
    if place.is_title or place.before.rpartition("\n")[2].startswith("#"):
        return True
    left = place.before.rpartition("\n")[2].rstrip(" \t\u3000\"'“”‘’«»「『（([*_>#+-•–—")
    return not left or left[-1] in ".!?…:。！？："


def is_cashtag(place: Place) -> bool:
    before = place.before
    return before[-1:] in ("$", "＄") and not (len(before) > 1 and is_word(before[-2]))


def is_cased(text: str) -> bool:
    return text.lower() != text.upper()


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
                and not any(same_paragraph(text, place.start, other.start) for other in evidence)
            ):
                continue
            seen = Seen(place.start, place.end, sense.entity, sense.rule, suggestion, sense.auto_fix)
            span = (place.start, place.end)
            if span not in found or sense.rank < found[span][0]:
                found[span] = (sense.rank, seen)
        # A name may be an address of its own (Crypto.com), but none is ever corrected.
        standing = [
            one
            for _, one in found.values()
            if not (one.rule and any(a < one.end and b > one.start for a, b in protected))
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
                tells_of_renaming(text, one.start, one.end)
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
                if cut or protection.touches(start, end):
                    continue
                place = Place(text, start, end, is_title)
                held += [(sense, place) for sense in by_surface.get(alike(place.written), ())]
        return held

    def _senses(self, language: Language) -> list[Sense]:
        senses: list[Sense] = []
        for entity in self.pack.entities:
            senses += self._names(entity, language)
        for rule in self.pack.rules:
            if rule.enabled and language in rule.languages:
                senses += self._rule(rule, language)
        for words in self.pack.context_words.values():
            for word in words:
                near = boundary_of(word)
                senses.append(Sense((10,), word, None, None, False, None, near, evidence=near, counts=False))
        return senses

    def _names(self, entity: Entity, language: Language) -> list[Sense]:
        senses = []
        for order, name in enumerate(names_of(entity)):
            context = needs_context(entity, name)
            near = boundary_of(name)
            tells = None if context else near
            any_case = entity.case == "any" and not context

            def sense(
                kind: int,
                fits: Callable[[Place], bool],
                rule: str | None = None,
                auto: bool = False,
                name: str = name,
                order: int = order,
                context: bool = context,
                tells: Callable[[Place], bool] | None = tells,
            ) -> Sense:
                rank = (kind, not context, 1 if rule else 0, order, rule or entity.id)
                suggestion = name if rule else None
                return Sense(rank, name, entity.id, rule, auto, suggestion, fits, context, tells, raw=name)

            def right(place: Place, name: str = name, near: Callable[[Place], bool] = near) -> bool:
                return near(place) and not is_half_width(place.written) and even(place.written) == even(name)

            def capitals(place: Place, name: str = name, near: Callable[[Place], bool] = near) -> bool:
                return near(place) and even(place.written) == even(name).upper() and in_capitals(place)

            def opening(place: Place, name: str = name, near: Callable[[Place], bool] = near) -> bool:
                words = " ".join(word[:1].upper() + word[1:] for word in name.split(" "))
                forms = (name[:1].upper() + name[1:], words)
                return near(place) and even(place.written) in forms and opens(place)

            def half(place: Place, name: str = name, near: Callable[[Place], bool] = near) -> bool:
                return near(place) and is_half_width(place.written) and even(place.written) == even(name)

            def full(place: Place, near: Callable[[Place], bool] = near) -> bool:
                return near(place) and not is_half_width(place.written)

            senses.append(sense(2, right))
            if any_case and is_cased(name):
                senses.append(sense(6, full))
            if not any_case and not context and is_cased(name):
                senses.append(sense(2, capitals))
                if entity.case == "title-at-sentence-start":
                    senses.append(sense(2, opening))
                other = self._other_case(entity, name, near)
                if other:
                    senses.append(sense(8, other, f"{entity.id}.case", self._fixes_case(entity)))
            if any(map(is_katakana, alike(name))):
                senses.append(sense(5, half, f"{entity.id}.script", True))
        for symbol in entity.symbols:
            senses.append(self._symbol(entity, symbol))
        for former in entity.former:
            senses.append(self._former(entity, former.name, language))
        return senses

    def _other_case(
        self, entity: Entity, name: str, near: Callable[[Place], bool]
    ) -> Callable[[Place], bool] | None:
        """When a name in other capitals is a mistake; None where it is not plain which name is meant."""
        same = [
            (other, each)
            for other in self.pack.entities
            for each in names_of(other)
            if alike(each) == alike(name)
        ]
        if any(needs_context(other, each) or other.case == "any" for other, each in same):
            return None
        if len({other.id for other, _ in same}) > 1 and len({even(each) for _, each in same}) > 1:
            return None
        first = min(same, key=lambda pair: (names_of(pair[0]).index(pair[1]), pair[0].id))
        if (first[0].id, first[1]) != (entity.id, name):
            return None
        known = {even(each) for _, each in same}
        for other in self.pack.entities:
            known |= {even(symbol) for symbol in other.symbols if alike(symbol) == alike(name)}
            known |= {even(old.name) for old in other.former if alike(old.name) == alike(name)}
        for rule in self.pack.rules:
            if rule.enabled:
                known |= {
                    even(p.text)
                    for p in patterns_of(rule)
                    if (p.case or rule.case) == "exact" and alike(p.text) == alike(name)
                }
                known |= {
                    even(text)
                    for language in rule.languages
                    for text in self._suggested(rule, language)
                    if alike(text) == alike(name)
                    and any(alike(p.text) in alike(text) != alike(p.text) for p in patterns_of(rule))
                }
        return lambda place: (
            near(place)
            and even(place.written) not in known
            and not is_cashtag(place)
            and not in_identifier(place.text, place.start, place.end)
        )

    def _fixes_case(self, entity: Entity) -> bool:
        cased = [n for n in names_of(entity) if is_cased(n) and not needs_context(entity, n)]
        return not any(len(name) < 3 or (name.islower() and " " not in name) for name in cased)

    def _symbol(self, entity: Entity, symbol: str) -> Sense:
        def fits(place: Place) -> bool:
            exact = even(place.written) == even(symbol)
            return exact and bounded(place, symbol, "auto", symbol=True)

        context = entity.symbols_need_context

        def tells(place: Place) -> bool:
            return fits(place) and (not context or is_cashtag(place))

        return Sense(
            (3, not context, 0, 0, entity.id), symbol, entity.id, None, False, None, fits, context, tells
        )

    def _former(self, entity: Entity, name: str, language: Language) -> Sense:
        context = needs_context(entity, name)
        plain_entity = not any(needs_context(entity, each) for each in entity.names.values())

        def fits(place: Place) -> bool:
            if not bounded(place, name, "auto") or is_half_width(place.written):
                return False
            if even(place.written) == even(name):
                return True
            capitals = is_cased(name) and not context and even(place.written) == even(name).upper()
            return capitals and in_capitals(place)

        rule = f"{entity.id}.former"
        tells = fits if plain_entity and not context else None
        return Sense(
            (7, not context, 2, 0, rule),
            name,
            entity.id,
            rule,
            False,
            entity.name(language),
            fits,
            context,
            tells,
        )

    def _rule(self, rule: Rule, language: Language) -> list[Sense]:
        senses = []
        entity = self.entities.get(rule.entity or "")
        suggested = self._suggested(rule, language)
        single = suggested[0] if not isinstance(rule.suggest, tuple) else None
        plain_entity = entity is not None and not any(needs_context(entity, n) for n in entity.names.values())
        for pattern in patterns_of(rule):
            exact = (pattern.case or rule.case) == "exact"

            def near(place: Place, pattern: Pattern = pattern) -> bool:
                return (
                    bounded(place, pattern.text, pattern.boundary or rule.boundary)
                    and not alike(place.after).startswith(tuple(map(alike, pattern.not_before)))
                    and not alike(place.before).endswith(tuple(map(alike, pattern.not_after)))
                )

            def fits(
                place: Place,
                near: Callable[[Place], bool] = near,
                exact: bool = exact,
                text: str = pattern.text,
            ) -> bool:
                return near(place) and (not exact or even(place.written) == even(text))

            def verbatim(
                place: Place, near: Callable[[Place], bool] = near, text: str = pattern.text
            ) -> bool:
                return near(place) and even(place.written) == even(text)

            tells = fits if plain_entity and not rule.context else None
            for kind, condition in ((4, fits), (0, verbatim)):
                if kind == 0 and not self._is_right_name(pattern.text, rule.entity):
                    continue
                senses.append(
                    Sense(
                        (kind, not rule.context, SEVERITY[rule.severity], 0, rule.id, even(pattern.text)),
                        pattern.text,
                        rule.entity,
                        rule.id,
                        rule.auto_fix,
                        single,
                        condition,
                        rule.context,
                        tells,
                        raw=pattern.text,
                    )
                )
        loose = rule.boundary == "none" or any(p.boundary == "none" for p in patterns_of(rule))
        for text in suggested:
            if not any(
                alike(p.text) in alike(text) and alike(p.text) != alike(text) for p in patterns_of(rule)
            ):
                continue
            shield = exactly(text, "none" if loose else rule.boundary)
            senses.append(Sense((9, True, 0, 0, ""), text, None, None, False, None, shield))
        return senses

    def _is_right_name(self, text: str, about: str | None) -> bool:
        entities = [entity for entity in self.pack.entities if about in (None, entity.id)]
        return any(even(text) == even(n) for e in entities for n in (*names_of(e), *e.symbols))

    def _suggested(self, rule: Rule, language: Language) -> tuple[str, ...]:
        if isinstance(rule.suggest, tuple):
            return rule.suggest
        if isinstance(rule.suggest, dict):
            if language in rule.suggest:
                return (rule.suggest[language],)
            if rule.entity:
                return (self.entities[rule.entity].name(language),)
            return (rule.suggest.get("en") or next(iter(rule.suggest.values())),)
        if rule.suggest == "auto":
            return (self.entities[rule.entity or ""].name(language),)
        return (rule.suggest,)

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


def names_of(entity: Entity) -> list[str]:
    return list(
        dict.fromkeys([*entity.names.values(), *(n for names in entity.also.values() for n in names)])
    )


def needs_context(entity: Entity, name: str) -> bool:
    if isinstance(entity.context, tuple):
        return name in entity.context
    return entity.context and " " not in name


def patterns_of(rule: Rule) -> list[Pattern]:
    return [given if isinstance(given, Pattern) else Pattern(text=given) for given in rule.match]


def boundary_of(name: str) -> Callable[[Place], bool]:
    return lambda place: bounded(place, name, "auto")


def exactly(text: str, boundary: str) -> Callable[[Place], bool]:
    return lambda place: (
        bounded(place, text, boundary)
        and not is_half_width(place.written)
        and even(place.written) == even(text)
    )


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
