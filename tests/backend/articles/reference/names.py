"""What the names, symbols and former names of entities mean, and the words that are evidence only."""

from collections.abc import Iterator

from backend.articles.matching.neighbours import in_identifier
from backend.articles.model import Pack
from backend.entities.model import Entity, Language
from tests.backend.articles.reference.places import (
    Place,
    alike,
    bounded,
    even,
    in_capitals,
    is_cased,
    is_cashtag,
    is_half_width,
    is_katakana,
    opens,
)
from tests.backend.articles.reference.rules import suggested
from tests.backend.articles.reference.sense import (
    Condition,
    Sense,
    boundary_of,
    exactly,
    is_of_field,
    is_telling,
    names_of,
    needs_context,
    patterns_of,
)


def entity_senses(pack: Pack, entity: Entity, language: Language) -> Iterator[Sense]:
    for order, name in enumerate(names_of(entity)):
        yield from _name(pack, entity, name, order)
    for symbol in entity.symbols:
        yield _symbol(entity, symbol)
    for former in entity.former:
        yield _former(entity, former.name, language)


def context_senses(pack: Pack) -> Iterator[Sense]:
    for words in pack.context_words.values():
        for word in words:
            near = boundary_of(word)
            yield Sense((10,), word, None, None, False, None, near, evidence=near, counts=False)


def _name(pack: Pack, entity: Entity, name: str, order: int) -> Iterator[Sense]:
    context = needs_context(entity, name)
    near = boundary_of(name, ordinary=context)
    acronym = entity.type != "term" and entity.case != "any" and len(name) <= 4 and name.isupper()

    def sense(
        kind: int, fits: Condition, rule: str | None = None, auto: bool = False, asks: bool = context
    ) -> Sense:
        rank = (kind, not asks, 1 if rule else 0, order, rule or entity.id)
        suggestion = name if rule else None
        tells = _telling(near, acronym) if is_of_field(entity) and not context else None
        return Sense(rank, name, entity.id, rule, auto, suggestion, fits, asks, tells, raw=name)

    yield sense(2, exactly(name, "auto", ordinary=context))
    any_case = entity.case == "any" and not context
    if any_case and is_cased(name):
        yield sense(6, lambda place: near(place) and not is_half_width(place.written))
    if not any_case and not context and is_cased(name):
        yield sense(2, _capitals(name))
        if entity.case == "title-at-sentence-start":
            yield sense(2, _opening(name))
        other = _other_case(pack, entity, name)
        if other:
            yield sense(8, other, f"{entity.id}.case", _fixes_case(entity), asks=acronym)
    if any(map(is_katakana, alike(name))):
        yield sense(5, _half_width(name, context), f"{entity.id}.script", True)


def _telling(near: Condition, acronym: bool) -> Condition:
    return lambda place: near(place) and (not acronym or place.written.isupper())


def _capitals(name: str) -> Condition:
    near = boundary_of(name)
    return lambda place: near(place) and even(place.written) == even(name).upper() and in_capitals(place)


def _opening(name: str) -> Condition:
    words = " ".join(word[:1].upper() + word[1:] for word in name.split(" "))
    near, forms = boundary_of(name), (name[:1].upper() + name[1:], words)
    return lambda place: near(place) and even(place.written) in forms and opens(place)


def _half_width(name: str, ordinary: bool) -> Condition:
    near = boundary_of(name, ordinary=ordinary)
    return lambda place: near(place) and is_half_width(place.written) and even(place.written) == even(name)


def _other_case(pack: Pack, entity: Entity, name: str) -> Condition | None:
    """When a name in other capitals is a mistake; None where it is not plain which name is meant."""
    same = [
        (other, each) for other in pack.entities for each in names_of(other) if alike(each) == alike(name)
    ]
    if any(needs_context(other, each) or other.case == "any" for other, each in same):
        return None
    if len({other.id for other, _ in same}) > 1 and len({even(each) for _, each in same}) > 1:
        return None
    first = min(same, key=lambda pair: (names_of(pair[0]).index(pair[1]), pair[0].id))
    if (first[0].id, first[1]) != (entity.id, name):
        return None
    known = {even(each) for _, each in same} | set(_other_right_forms(pack, name))
    near = boundary_of(name)
    return lambda place: (
        near(place)
        and even(place.written) not in known
        and not is_cashtag(place)
        and not in_identifier(place.text, place.start, place.end)
    )


def _other_right_forms(pack: Pack, name: str) -> Iterator[str]:
    """What is written like ``name`` in other capitals and means something of its own."""
    for other in pack.entities:
        yield from (even(symbol) for symbol in other.symbols if alike(symbol) == alike(name))
        yield from (even(old.name) for old in other.former if alike(old.name) == alike(name))
    for rule in pack.rules:
        if not rule.enabled:
            continue
        for pattern in patterns_of(rule):
            if (pattern.case or rule.case) == "exact" and alike(pattern.text) == alike(name):
                yield even(pattern.text)
        for language in rule.languages:
            for text in suggested(pack, rule, language):
                if alike(text) == alike(name) and any(
                    alike(p.text) in alike(text) != alike(p.text) for p in patterns_of(rule)
                ):
                    yield even(text)


def _fixes_case(entity: Entity) -> bool:
    cased = [n for n in names_of(entity) if is_cased(n) and not needs_context(entity, n)]
    return not any(len(name) < 3 or (name.islower() and " " not in name) for name in cased)


def _symbol(entity: Entity, symbol: str) -> Sense:
    context = entity.symbols_need_context

    def fits(place: Place) -> bool:
        exact = even(place.written) == even(symbol)
        return exact and bounded(place, symbol, "auto", symbol=True)

    def tells(place: Place) -> bool:
        return is_of_field(entity) and fits(place) and (not context or is_cashtag(place))

    rank = (3, not context, 0, 0, entity.id)
    return Sense(rank, symbol, entity.id, None, False, None, fits, context, tells, near=100)


def _former(entity: Entity, name: str, language: Language) -> Sense:
    context = needs_context(entity, name)

    def fits(place: Place) -> bool:
        if not bounded(place, name, "auto", ordinary=context) or is_half_width(place.written):
            return False
        if even(place.written) == even(name):
            return True
        capitals = is_cased(name) and not context and even(place.written) == even(name).upper()
        return capitals and in_capitals(place)

    rule = f"{entity.id}.former"
    rank = (7, not context, 2, 0, rule)
    tells = fits if is_telling(entity) and not context else None
    return Sense(rank, name, entity.id, rule, False, entity.name(language), fits, context, tells)
