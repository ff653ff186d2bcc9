"""Finds names that one article writes in several right ways, and reports the way that it uses less.

Ways that are compared: other spacing, dots and sound marks (white paper and whitepaper, Mt. Gox and Mt.Gox,
ヴィタリック and ビタリック), Simplified and Traditional characters, the present and a former name, and in
Japanese and Chinese articles Latin letters and kana or Han. Abbreviations and family names are no other way.
Such a finding always asks: only the author knows whether the difference is meant.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from backend.articles.matching.author_intent import AuthorIntent
from backend.articles.matching.consistency_rule import build_rule, explain
from backend.articles.matching.dated_names import describes_earlier_time
from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.meanings import Kind, Meaning
from backend.articles.matching.written_alike import build_skeleton, build_spelling
from backend.articles.slips.han_characters import load_han_characters
from backend.articles.slips.targets import MIN_HAN_CHARS
from backend.articles.text.author_marks import has_author_mark
from backend.articles.text.rename_cues import has_rename_cue
from backend.articles.text.scripts import script_of
from backend.entities.model import Entity, Language

if TYPE_CHECKING:
    from backend.articles.matching.matched_field import MatchedField

MAJORITY_FACTOR = 2
"""How many times as often the majority form must occur as another one, and at least."""
_FAR = date(9999, 1, 1)

_COUNTED = (Kind.NAME, Kind.ANY_CASE, Kind.FORMER, Kind.SYMBOL, Kind.WRONG)
MAX_OTHER_SCRIPT = 3
"""A name in another script than most is meant if it occurs more often than this."""
_ALIAS = re.compile(
    r"(?:英文(?:名|名称|名稱|全称)?|英語(?:名|表記)?|英名|中文(?:名|名称)?|日文(?:名)?|又|亦|也|俗|简|簡|别名|別名|通称|略称|または|"
    r"\b(?:also (?:known as|called|written|spelled)|known as|called|named|aka|a\.k\.a\.|i\.e\.))"
    r"[为為是叫称稱名では：:]{0,3} ?[\"“「『《*_]*\Z",
    re.IGNORECASE,
)
_OPENING_BRACKET = re.compile(r"[(（［\[〔][^)）］\]〕\n]{0,60}\Z")
_BRACKET_AFTER = re.compile(r"[\"'”’」』*_]{0,2} ?[(（［\[〔]")
_QUOTE_BEFORE, _QUOTE_AFTER = frozenset("\"'“‘「『《〈"), frozenset("\"'”’」』》〉")
_LATIN_BEFORE, _LATIN_AFTER = re.compile(r"[A-Za-z0-9.][ -]\Z"), re.compile(r"[ -][A-Za-z0-9]")


class _Position(NamedTuple):
    """The position of a name: the indices of the field, and of the occurrence in the field."""

    field: int
    number: int


class Inconsistency(NamedTuple):
    """A place at which the minority form stands, as it is to be found there."""

    field: int
    number: int
    occurrence: Occurrence


def find_inconsistencies(
    matched_fields: Sequence["MatchedField"], entities: Mapping[str, Entity], language: Language
) -> Iterator[Inconsistency]:
    """Generate a finding for each place of a minority form in the ``matched_fields`` of one article."""
    for name, forms in _group_forms_by_entity(matched_fields).items():
        if len(forms) < 2:
            continue
        groups: defaultdict[str, dict[str, list[_Position]]] = defaultdict(dict)
        keys = _group_keys(entities[name], language)
        for form, positions in forms.items():
            skeleton = build_skeleton(form)
            group = groups[keys.get(skeleton, skeleton)]
            group.setdefault(build_spelling(form, entities[name]), []).extend(positions)
        for group in groups.values():
            if len(group) > 1:
                yield from _compare_forms(matched_fields, entities[name], language, group)


def _group_forms_by_entity(
    matched_fields: Sequence["MatchedField"],
) -> Mapping[str, Mapping[str, list[_Position]]]:
    """Collect the places of right names by the form that is listed, for entities with several forms."""
    mixed = _find_mixed(matched_fields)
    forms: defaultdict[str, defaultdict[str, list[_Position]]] = defaultdict(lambda: defaultdict(list))
    if not mixed:
        return forms
    for field, matched_field in enumerate(matched_fields):
        if matched_field.field_path.startswith("tags"):
            continue
        for number, (_, _, meaning, _) in enumerate(matched_field.occurrences):
            if meaning.entity in mixed and meaning.rule is None and meaning.kind in _COUNTED:
                forms[meaning.entity][meaning.raw or meaning.exact].append(_Position(field, number))
    return forms


def _find_mixed(matched_fields: Sequence["MatchedField"]) -> set[str]:
    """Find the entities with names in several forms. Most articles have few, and most names one meaning."""
    first_meanings: dict[str | None, Meaning] = {}
    mixed: set[str] = set()
    for matched_field in matched_fields:
        for _, _, meaning, _ in matched_field.occurrences:
            first_meaning = first_meanings.setdefault(meaning.entity, meaning)
            if (
                first_meaning is not meaning
                and meaning.entity
                and meaning.raw + meaning.exact != first_meaning.raw + first_meaning.exact
            ):
                mixed.add(meaning.entity)
    return mixed


@lru_cache(maxsize=4096)
def _build_group_keys(names: tuple[str, ...], alternatives: tuple[tuple[str, ...], ...]) -> dict[str, str]:
    keys: dict[str, str] = {build_skeleton(name): "name" for name in names}
    for number, group in enumerate(alternatives):
        skeletons = [build_skeleton(name) for name in group]
        key = next((keys[skeleton] for skeleton in skeletons if skeleton in keys), f"alternative {number}")
        keys.update(dict.fromkeys(skeletons, key))
    return keys


@lru_cache(maxsize=4096)
def _list_sound_alike(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """List pairs of names in Han that write the same sounds in other characters (以太坊, 乙太坊)."""
    characters = load_han_characters()
    by_name = {name: characters.simplify(name) for name in names if not name.isascii()}
    return tuple(
        (name, other)
        for name, other in combinations(by_name, 2)
        if len(name) == len(other) >= MIN_HAN_CHARS
        and all(
            character == other_character or characters.is_sound_alike(character, other_character)
            for character, other_character in zip(by_name[name], by_name[other], strict=True)
        )
    )


def _group_keys(entity: Entity, language: Language) -> dict[str, str]:
    """Map skeletons of names that mean the same, though they are written differently, to one key."""
    names = [former.name for former in entity.former]
    if entity.type == "term":
        names += [entity.name(language)]
    else:
        own_name = entity.names.get(language) or next(iter(entity.also.get(language, ())), None)
        names += [name for name in (entity.names.get("en"), own_name) if name]
        if entity.type == "stablecoin" and language != "en":
            names += entity.symbols[:1]
    alternatives = entity.alternatives
    if language == "zh":
        forms = (entity.names.get(language), *entity.also.get(language, ()))
        alternatives += _list_sound_alike(tuple(filter(None, forms)))
    return _build_group_keys(tuple(names), alternatives)


def _compare_forms(
    matched_fields: Sequence["MatchedField"],
    entity: Entity,
    language: Language,
    group: Mapping[str, Sequence[_Position]],
) -> Iterator[Inconsistency]:
    """Compare the forms of one group, without places at which another form is meant."""
    counted = {
        form: [position for position in positions if _is_unexplained(matched_fields, position)]
        for form, positions in group.items()
    }
    counts = Counter({form: len(positions) for form, positions in counted.items() if positions})
    if len(counts) < 2:
        return
    written = {
        form: _most_frequent(matched_fields, positions) for form, positions in counted.items() if positions
    }
    former_spellings = {build_spelling(former.name, entity) for former in entity.former}
    majority, majority_count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    if majority_count < MAJORITY_FACTOR or majority in former_spellings:
        return
    for form, count in counts.items():
        if form == majority or count * MAJORITY_FACTOR > majority_count:
            continue
        is_other_script = script_of(form) != script_of(majority)
        if is_other_script and not _may_differ_in_script(entity, language, form, count):
            continue
        # The reason counts every place that a reader sees, also in quotes and glosses.
        reasons = explain(written[majority], len(group[majority]), written[form], len(group[form]))
        rule = build_rule(entity.id, reasons)
        for position in counted[form]:
            matched_field = matched_fields[position.field]
            start, end, meaning, _ = matched_field.occurrences[position.number]
            if matched_field.author_intent is None:
                matched_field.author_intent = AuthorIntent(matched_field.visible_text)
            intent = matched_field.author_intent
            if not intent.is_disabled(start, rule, entity.id) and not intent.accepts(start, end):
                right = _adapt_form(matched_field.visible_text[start:end], written[majority])
                yield Inconsistency(*position, (start, end, meaning._replace(rule=rule), right))


def _may_differ_in_script(entity: Entity, language: Language, form: str, count: int) -> bool:
    """Whether a name in another script can be a finding.

    In English it is a gloss. A name in any case (Bitcoin, bitcoin) means a network and its unit: texts that
    write the network in Latin letters may write the unit in kana or Han, but not the reverse.
    """
    may_be_unit = entity.case == "any" and not form.isascii()
    return language != "en" and not may_be_unit and count <= MAX_OTHER_SCRIPT


def _most_frequent(matched_fields: Sequence["MatchedField"], positions: Sequence[_Position]) -> str:
    """The listed name that most of ``positions`` hold, which has its capitals."""
    meanings = [matched_fields[position.field].occurrences[position.number][2] for position in positions]
    return Counter(meaning.raw or meaning.exact for meaning in meanings).most_common(1)[0][0]


def _is_unexplained(matched_fields: Sequence["MatchedField"], position: _Position) -> bool:
    """Whether no neighbour explains the spelling of a name: a gloss, a quote or a longer name."""
    matched_field = matched_fields[position.field]
    text = matched_field.visible_text
    start, end, meaning, _ = matched_field.occurrences[position.number]
    before, after = text[max(0, start - 64) : start], text[end : end + 4]
    if _OPENING_BRACKET.search(before) or _ALIAS.search(before):
        return False
    if _BRACKET_AFTER.match(after) and _is_glossed(matched_field, position.number):
        return False
    if before[-1:] in _QUOTE_BEFORE and after[:1] in _QUOTE_AFTER:
        return False
    if has_author_mark(text, start, end):
        return False
    if matched_field.language != "en" and text[start:end].isascii() and _touches_latin(before, after):
        return False
    return not _is_former(meaning) or not _mentions_change(text, start, end)


def _is_glossed(matched_field: "MatchedField", number: int) -> bool:
    """Whether the bracket behind a name holds another form of it: Ethereum（イーサリアム）."""
    if number + 1 == len(matched_field.occurrences):
        return False
    _, end, meaning, _ = matched_field.occurrences[number]
    start, _, following, _ = matched_field.occurrences[number + 1]
    return following.entity == meaning.entity and start - end < 24


def _touches_latin(before: str, after: str) -> bool:
    return _LATIN_BEFORE.search(before) is not None or _LATIN_AFTER.match(after) is not None


def _is_former(meaning: Meaning) -> bool:
    return meaning.kind in (Kind.FORMER, Kind.WRONG)


def _mentions_change(text: str, start: int, end: int) -> bool:
    return has_rename_cue(text, start, end) or describes_earlier_time(text, start, end, _FAR)


def _adapt_form(written: str, majority: str) -> str:
    """The majority form, in the plural and with an initial capital where ``written`` has one."""
    right = majority
    if written.isascii() and written[-1:] == "s" and majority.isascii() and majority[-1:] not in "sS":
        right += "s"
    if written[:1].isupper() and right[:1].islower() and right.islower():
        right = right[:1].upper() + right[1:]
    return right


def apply_inconsistencies(
    matched_fields: Sequence["MatchedField"], inconsistencies: Iterable[Inconsistency]
) -> list[Inconsistency]:
    """Put the findings in the place of the right names, and return them."""
    findings = list(inconsistencies)
    for finding in findings:
        matched_fields[finding.field].occurrences[finding.number] = finding.occurrence
    return findings
