"""Checks a pack for errors that the types of its fields do not exclude."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from backend.articles.model import Pack, Pattern, Rule
from backend.articles.rules.validation_messages import Where, suggest_similar
from backend.articles.rules.yaml_reader import Document
from backend.articles.text.folding import fold
from backend.articles.text.protection import protected_spans
from backend.entities.model import Entity
from backend.formats.file_errors import FileError

STRUCTURAL = "`<>[]@#＃＠|*\\{}"
"""Characters with which a corrected text could become code, markup, a link, a handle or a hashtag."""
DERIVED = ("case", "former", "script")
"""Endings of the ids of rules that are made from an entity's facts."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
Fault = tuple[Where, str]


def find_mistakes_in_items(
    entities: Iterable[tuple[int, Entity]], rules: Iterable[tuple[int, Rule]]
) -> Iterator[Fault]:
    """Mistakes that show in one file alone: where, and a sentence."""
    for number, entity in entities:
        yield from (((("entities", number, *where)), sentence) for where, sentence in _entity(entity))
    for number, rule in rules:
        yield from (((("rules", number, *where)), sentence) for where, sentence in of_rule(rule))


def repeated(data: dict[str, Any]) -> Iterator[Fault]:
    """Ids that one file gives twice."""
    for kind in ("entities", "rules"):
        items = data.get(kind)
        seen: dict[str, int] = {}
        for number, item in enumerate(items if isinstance(items, list) else []):
            given = item.get("id") if isinstance(item, dict) else None
            if not isinstance(given, str):
                continue
            if given in seen:
                yield (
                    (kind, number, "id"),
                    "this id is given twice in the file: join the two, or rename one",
                )
            seen.setdefault(given, number)


def together(files: Sequence[tuple[Document, Pack]], some_missing: bool) -> Iterator[FileError]:
    """Mistakes that show between files, which are laid over each other in their order.

    ``some_missing``: other files could not be read, so that an id not found is no error.
    """
    if some_missing:
        return
    entities = {entity.id: entity for _, pack in files for entity in pack.entities}
    known: set[str] = set()
    for document, pack in files:
        for number, rule in enumerate(pack.rules):
            for where, sentence in _about_entity(rule, entities):
                yield document.build_error(("rules", number, *where), f"rule '{rule.id}': {sentence}")
        known |= {rule.id for rule in pack.rules} | {entity.id for entity in pack.entities}
        for name, ids in (("disable", pack.disable), ("enable", pack.enable)):
            for number, given in enumerate(ids):
                owner, _, ending = given.rpartition(".")
                if given not in known and not (ending in DERIVED and owner in known):
                    sentence = (
                        f"'{name}': there is no rule or entity '{given}'{suggest_similar(given, known)}"
                    )
                    yield document.build_error((name, number), sentence)


def of_rule(rule: Rule) -> Iterator[Fault]:
    """Mistakes of one rule by itself: where within it, and a sentence."""
    if rule.first_mention is None and not rule.match:
        yield ("match",), "needs 'match' with at least one surface, or 'first_mention'"
    if rule.first_mention is not None:
        yield from _first_mention(rule)
    for number, given in enumerate(rule.match):
        pattern = given if isinstance(given, Pattern) else Pattern(text=given)
        for name, surfaces in (
            ("text", (pattern.text,)),
            ("not_before", pattern.not_before),
            ("not_after", pattern.not_after),
        ):
            for surface in surfaces:
                if fault := unreadable(surface):
                    yield ("match", number, name), f"'{name}' {fault}"
        if is_never_touched(pattern.text):
            sentence = f"{pattern.text!r} is code, markup, an address, a handle or a hashtag: never touched"
            yield ("match", number, "text"), sentence
    yield from _suggestion(rule)


def unreadable(surface: str) -> str | None:
    """Why nothing can match ``surface``; None where something can."""
    if not fold(surface).text.strip():
        return "holds nothing but spaces"
    for character in surface:
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
            code = f"U+{ord(character):04X}"
            return f"holds the invisible character {code} or a line break: remove it"
    return None


def is_never_touched(surface: str) -> bool:
    """Whether ``surface`` is protected text. The names of firms that are domains (Crypto.com) are none."""
    tells = "://" in surface or any(character in surface for character in "@＠#＃`<[")
    return tells and bool(protected_spans(surface))


def unsuggestable(name: str, *, but: str = "") -> str | None:
    """Why ``name`` must not be put into a text; None where it may."""
    if fault := unreadable(name):
        return fault
    found = next((character for character in name if character in STRUCTURAL and character not in but), None)
    if found is not None:
        return f"holds '{found}', which would change the structure of the text: leave it out"
    return "holds '://', which would make it an address: leave it out" if "://" in name else None


def suggestions(rule: Rule) -> tuple[str, ...]:
    """The names that ``rule`` itself suggests, without those of its entity."""
    if isinstance(rule.suggest, dict):
        return tuple(rule.suggest.values())
    if isinstance(rule.suggest, tuple):
        return rule.suggest
    return () if rule.suggest == "auto" else (rule.suggest,)


def _entity(entity: Entity) -> Iterator[Fault]:
    for language, name in entity.names.items():
        if fault := unsuggestable(name):
            yield ("names", language), f"the name {name!r} {fault}"
    for field, names in (
        *((("also", language), names) for language, names in entity.also.items()),
        (("symbols",), entity.symbols),
        (("former",), tuple(former.name for former in entity.former)),
    ):
        for number, name in enumerate(names):
            if fault := unreadable(name):
                yield (*field, number), f"the name {name!r} {fault}"
    if isinstance(entity.context, tuple):
        own = {
            *entity.names.values(),
            *entity.symbols,
            *(name for names in entity.also.values() for name in names),
            *(former.name for former in entity.former),
        }
        for number, name in enumerate(entity.context):
            if name not in own:
                yield ("context", number), f"{name!r} is none of its names{suggest_similar(name, own)}"


def _first_mention(rule: Rule) -> Iterator[Fault]:
    if rule.match:
        yield ("match",), "'match' cannot stand beside 'first_mention': make two rules of it"
    if rule.entity is None:
        yield ("first_mention",), "'first_mention' needs 'entity'"
    forms = rule.first_mention or {}
    for language, form in forms.items():
        for placeholder in _PLACEHOLDER.findall(form):
            if placeholder not in ("name", "symbol"):
                yield (
                    ("first_mention", language),
                    f"'{{{placeholder}}}' stands for nothing: use {{name}} or {{symbol}}",
                )
        if fault := unsuggestable(_PLACEHOLDER.sub("x", form)):
            yield ("first_mention", language), f"the form {fault}"


def _suggestion(rule: Rule) -> Iterator[Fault]:
    if rule.suggest == "auto" and rule.entity is None:
        yield ("suggest",), "'suggest: auto' needs 'entity': name it, or say what to suggest"
    for name in suggestions(rule):
        if fault := unsuggestable(name):
            yield ("suggest",), f"the suggestion {name!r} {fault}"
    if isinstance(rule.suggest, dict) and rule.entity is None:
        lacking = [language for language in rule.languages if language not in rule.suggest]
        if lacking:
            yield (
                ("suggest",),
                f"suggests nothing for {', '.join(lacking)}: add it, or narrow 'languages'",
            )
    if isinstance(rule.suggest, tuple) and rule.auto_fix:
        yield ("auto_fix",), "'auto_fix' needs one suggestion, not a list: choose, or remove 'auto_fix'"


def _about_entity(rule: Rule, entities: dict[str, Entity]) -> Iterator[Fault]:
    if rule.entity is None:
        return
    entity = entities.get(rule.entity)
    if entity is None:
        yield ("entity",), f"there is no entity '{rule.entity}'{suggest_similar(rule.entity, entities)}"
    elif not entity.symbols and any("{symbol}" in form for form in (rule.first_mention or {}).values()):
        yield ("first_mention",), f"entity '{rule.entity}' has no symbol for {{symbol}}"
