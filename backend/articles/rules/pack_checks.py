"""Checks a pack for errors that the types of its fields do not exclude."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from backend.articles.matching import consistency_rule
from backend.articles.model import Pack, Pattern, Rule
from backend.articles.rules.validation_messages import FieldPath, suggest_similar
from backend.articles.rules.yaml_reader import Document
from backend.articles.slips import reasons as slip_reasons
from backend.articles.text.folding import fold
from backend.articles.text.protection import protected_spans
from backend.entities.model import Entity
from backend.formats.file_errors import FileError

STRUCTURAL_CHARS = "`<>[]@#＃＠|*\\{}"
"""Characters that could turn a corrected text into code, markup, a link, a handle or a hashtag."""
DERIVED_RULE_SUFFIXES = ("case", "former", "script")
"""Id suffixes of rules that are derived from an entity."""
BUILT_IN_RULE_IDS = (consistency_rule.RULE_ID, slip_reasons.RULE_ID)
"""Rules that no pack lists and that packs may switch off."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
Problem = tuple[FieldPath, str]


def check_items(
    entities: Iterable[tuple[int, Entity]], rules: Iterable[tuple[int, Rule]]
) -> Iterator[Problem]:
    """Generate the errors within one file: path and message."""
    for number, entity in entities:
        yield from (((("entities", number, *where)), sentence) for where, sentence in _check_entity(entity))
    for number, rule in rules:
        yield from (((("rules", number, *where)), sentence) for where, sentence in check_rule(rule))


def find_repeated_ids(data: dict[str, Any]) -> Iterator[Problem]:
    """Generate the errors of ids that occur twice in a file."""
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
                    "this id occurs twice in the file: merge both entries, or rename one",
                )
            seen.setdefault(given, number)


def check_across_files(files: Sequence[tuple[Document, Pack]], some_missing: bool) -> Iterator[FileError]:
    """Generate the errors between files, which are merged in their order.

    With ``some_missing``, other files could not be read, so an unknown id is not an error.
    """
    if some_missing:
        return
    entities = {entity.id: entity for _, pack in files for entity in pack.entities}
    known = set(BUILT_IN_RULE_IDS)
    for document, pack in files:
        for number, rule in enumerate(pack.rules):
            for where, sentence in _check_entity_reference(rule, entities):
                yield document.build_error(("rules", number, *where), f"rule '{rule.id}': {sentence}")
        known |= {rule.id for rule in pack.rules} | {entity.id for entity in pack.entities}
        for name, ids in (("disable", pack.disable), ("enable", pack.enable)):
            for number, given in enumerate(ids):
                owner, _, ending = given.rpartition(".")
                if given not in known and not (ending in DERIVED_RULE_SUFFIXES and owner in known):
                    sentence = (
                        f"'{name}': there is no rule or entity '{given}'{suggest_similar(given, known)}"
                    )
                    yield document.build_error((name, number), sentence)


def check_rule(rule: Rule) -> Iterator[Problem]:
    """Generate the errors within one rule: path and message."""
    if rule.first_mention is None and not rule.match:
        yield ("match",), "needs 'match' with at least one text, or 'first_mention'"
    if rule.first_mention is not None:
        yield from _check_first_mention(rule)
    for number, given in enumerate(rule.match):
        pattern = given if isinstance(given, Pattern) else Pattern(text=given)
        for name, surfaces in (
            ("text", (pattern.text,)),
            ("not_before", pattern.not_before),
            ("not_after", pattern.not_after),
        ):
            for surface in surfaces:
                if problem := find_unmatchable_reason(surface):
                    yield ("match", number, name), f"'{name}' {problem}"
        if is_protected(pattern.text):
            sentence = (
                f"{pattern.text!r} is code, markup, a URL, a handle or a hashtag, which is never corrected"
            )
            yield ("match", number, "text"), sentence
    yield from _check_suggestion(rule)


def find_unmatchable_reason(surface: str) -> str | None:
    """Return why nothing can match ``surface``; None if something can."""
    if not fold(surface).text.strip():
        return "must not consist of spaces only"
    for character in surface:
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
            code = f"U+{ord(character):04X}"
            return f"must not contain the invisible character {code} or a line break"
    return None


def is_protected(surface: str) -> bool:
    """True if ``surface`` is protected text. Company names that are domains (Crypto.com) are not."""
    tells = "://" in surface or any(character in surface for character in "@＠#＃`<[")
    return tells and bool(protected_spans(surface))


def find_unsuggestable_reason(name: str, *, allowed_chars: str = "") -> str | None:
    """Return why ``name`` must not be inserted into a text; None if it may."""
    if problem := find_unmatchable_reason(name):
        return problem
    found = next(
        (character for character in name if character in STRUCTURAL_CHARS and character not in allowed_chars),
        None,
    )
    if found is not None:
        return f"must not contain '{found}', which would change the structure of the text"
    return "must not contain '://', which would make it a URL" if "://" in name else None


def list_suggestions(rule: Rule) -> tuple[str, ...]:
    """List the names that ``rule`` itself suggests, without those of its entity."""
    if isinstance(rule.suggest, dict):
        return tuple(rule.suggest.values())
    if isinstance(rule.suggest, tuple):
        return rule.suggest
    return () if rule.suggest == "auto" else (rule.suggest,)


def _check_entity(entity: Entity) -> Iterator[Problem]:
    for language, name in entity.names.items():
        if problem := find_unsuggestable_reason(name):
            yield ("names", language), f"the name {name!r} {problem}"
    for field, names in (
        *((("also", language), names) for language, names in entity.also.items()),
        (("symbols",), entity.symbols),
        (("former",), tuple(former.name for former in entity.former)),
    ):
        for number, name in enumerate(names):
            if problem := find_unmatchable_reason(name):
                yield (*field, number), f"the name {name!r} {problem}"
    if isinstance(entity.context, tuple):
        own = {
            *entity.names.values(),
            *entity.symbols,
            *(name for names in entity.also.values() for name in names),
            *(former.name for former in entity.former),
        }
        for number, name in enumerate(entity.context):
            if name not in own:
                yield ("context", number), f"{name!r} is not one of its names{suggest_similar(name, own)}"


def _check_first_mention(rule: Rule) -> Iterator[Problem]:
    if rule.match:
        yield ("match",), "'match' and 'first_mention' exclude each other: split the rule in two"
    if rule.entity is None:
        yield ("first_mention",), "'first_mention' needs 'entity'"
    forms = rule.first_mention or {}
    for language, form in forms.items():
        for placeholder in _PLACEHOLDER.findall(form):
            if placeholder not in ("name", "symbol"):
                yield (
                    ("first_mention", language),
                    f"'{{{placeholder}}}' is not a placeholder: use {{name}} or {{symbol}}",
                )
        if problem := find_unsuggestable_reason(_PLACEHOLDER.sub("x", form)):
            yield ("first_mention", language), f"the form {problem}"


def _check_suggestion(rule: Rule) -> Iterator[Problem]:
    if rule.suggest == "auto" and rule.entity is None:
        yield ("suggest",), "'suggest: auto' needs 'entity': name it, or say what to suggest"
    for name in list_suggestions(rule):
        if problem := find_unsuggestable_reason(name):
            yield ("suggest",), f"the suggestion {name!r} {problem}"
    if isinstance(rule.suggest, dict) and rule.entity is None:
        lacking = [language for language in rule.languages if language not in rule.suggest]
        if lacking:
            yield (
                ("suggest",),
                f"suggests nothing for {', '.join(lacking)}: add a suggestion, or limit 'languages'",
            )
    if isinstance(rule.suggest, tuple) and rule.auto_fix:
        yield ("auto_fix",), "'auto_fix' needs one suggestion, not a list: choose, or remove 'auto_fix'"


def _check_entity_reference(rule: Rule, entities: dict[str, Entity]) -> Iterator[Problem]:
    if rule.entity is None:
        return
    entity = entities.get(rule.entity)
    if entity is None:
        yield ("entity",), f"there is no entity '{rule.entity}'{suggest_similar(rule.entity, entities)}"
    elif not entity.symbols and any("{symbol}" in form for form in (rule.first_mention or {}).values()):
        yield ("first_mention",), f"entity '{rule.entity}' has no symbol for {{symbol}}"
