"""Finds persons whom a text names by a part of their name.

A family name counts after the full name in the same text ("Michael Saylor … Saylor said"), and with a title
where other names stand near and only one person of the catalogue bears it (アトキンス委員長). A given name
counts where the full name of a relative follows it ("Tyler and Cameron Winklevoss").
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from backend.articles.matching.automaton import Automaton
from backend.articles.matching.derived_rules import needs_context
from backend.articles.matching.rule_set import RuleSet
from backend.articles.text.protection import Protection
from backend.entities.mention import Mention
from backend.entities.model import Entity
from backend.extraction.name_words import COMMON_FAMILY_NAMES, NO_GIVEN_NAMES

NEAR = 120
"""Characters between a titled family name and the next other name."""
CACHED_RULE_SETS = 4
MIN_FAMILY_CHARS = 2
MIN_RARE_KATAKANA_CHARS = 5
"""From this length on a katakana family name with a title needs no other name near it."""
MAX_SHORT_FAMILY_CHARS = 4
"""Up to this length a Latin family name may be an ordinary word (Sun, Wood)."""


_TITLE_BEFORE = re.compile(
    r"\b(?:Mr\.?|Ms\.?|Mrs\.?|Dr\.?|Judge|Justice|Chair|Chairman|Chairwoman|Commissioner|Senator|Sen\.|Rep\.|Governor|"
    r"President|Secretary|Minister|CEO|founder|co-founder|chief executive|chief) \Z|"
    r"(?:主席|总裁|總裁|创始人|創始人|联合创始人|CEO|行政总裁|董事长|法官|议员|部长|总统|行长|创办人|理事|副主席|委员|专员|局长|首相|总理|财长)\Z"
)
_TITLE_AFTER = re.compile(
    r"(?:前|元|新|現|両|副|FRB|SEC|CFTC)*(?:大臣|外相|氏|さん|会長|社長|CEO|ＣＥＯ|委員長|委員|議長|総裁|代表|長官|財務相|首相|大統領|被告|"
    r"裁判官|判事|上院議員|下院議員|議員|兄弟|理事|創業者|知事|最高経営責任者)|"
    r"(?:主席|总裁|總裁|先生|议员|法官|部长|总统|行长|表示|说|称(?!为)|認為|认为|宣布|指出|警告|"
    r"透露|接任|再次|出任|离任|发推|发文)|"
    r"(?:['’]s lawyers)?,? (?:said|says|told|testified|tweeted|resigned|argued|warned|pleaded|"
    r"the \w+ (?:chair|chief|CEO|founder))\b|"
    r", (?:the|its|who|chair|chief|CEO|founder)\b"
)
_GIVEN_BEFORE = re.compile(r"\b([A-Z][a-z]+) (?:[A-Z]\. )?\Z")
_OFFICE_BEFORE = re.compile(
    r"\b(?:Judge|Justice|Commissioner|Senator|Sen\.|Rep\.|Governor|Secretary|Minister) \Z|"
    r"(?:委员|议员|法官|部长|行长|局长)\Z"
)
_OFFICE_AFTER = re.compile(
    r"(?:前|元)?(?:委員|議員|上院議員|下院議員|判事|裁判官|長官|大臣|総裁|知事)|(?:委员|议员|法官|部长|行长)"
)
"""Offices of the state, which no founder of the field holds."""
_SIBLING_JOINT = re.compile(r" (?:and|&) |[とや・、和与與及]|氏と")
_LATIN_LEFT = re.compile(r"[\w@#/.&'’-]\Z")
_LATIN_RIGHT = re.compile(r"\w|-\w|\.\w|[/@]| [A-Z][a-z]+")
_TRANSCRIPTION = frozenset(
    "尔斯特夫克德姆森顿格里诺伊尼亚奥巴布拉卡马莫萨塞维沃娅娜莉丽琳蒂迪鲍戴勒爾蘭達維薩馬亞奧諾頓"
)
"""Characters of names in Chinese transcription: next to one, a family name is part of another name."""
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc・＝=]")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_NAME_PARTS = re.compile(r"[ ・·]")
_SEPARATORS = re.compile(r"[・·]")
_JOINTS = ("", "的", "和", "与", "，", "、", "。")
"""What may stand before a transcribed family name without a title."""
_VERB_AFTER = re.compile(
    r"['’]s\b|,| (?:of|said|says|told|sued|wrote|added|argued|sold|bought|moved|is|was|has|will|denied)\b"
)


@dataclass(frozen=True, slots=True)
class _PersonNames:
    """Parts of the names of all persons of a rule set."""

    automaton: Automaton
    parts: Sequence[str]
    families: Mapping[str, tuple[str, ...]]
    """Ids of persons by family name."""
    full: Mapping[tuple[str, str], str]
    """Id of a person by given and family name."""


def find_persons(rules: RuleSet, text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Find persons in ``text`` by a part of their name, outside ``mentions``."""
    names = _build_names(rules)
    hits = names.automaton.find(text)
    if not hits:
        return []
    search = _PersonSearch(rules, names, text, mentions)
    starts = [mention.start for mention in mentions]
    persons: list[Mention] = []
    protection: Protection | None = None
    previous_end = 0
    for number, start, end in sorted(hits, key=lambda hit: (hit[1], -hit[2])):
        index = bisect_left(starts, start)
        adjacent = mentions[max(0, index - 1) : index + 1]
        if start < previous_end or any(mention.start < end and start < mention.end for mention in adjacent):
            continue
        part = names.parts[number]
        entity = search.find_person(part, start, end, adjacent) if _is_whole(text, part, start, end) else None
        if entity is None:
            continue
        protection = protection or Protection(text)
        if not protection.is_markup(start, end) and protection.token(start, end) is None:
            persons.append(Mention(entity, start, end, part))
            previous_end = end
    return persons


class _PersonSearch:
    """Resolves parts of names in one text."""

    def __init__(self, rules: RuleSet, names: _PersonNames, text: str, mentions: Sequence[Mention]) -> None:
        self._rules = rules
        self._names = names
        self._text = text
        self._named = {mention.entity_id for mention in mentions if self._is_person(mention)}

    def find_person(self, part: str, start: int, end: int, adjacent: Sequence[Mention]) -> str | None:
        """The person that ``part`` names; ``adjacent`` are the mentions before and after it."""
        for mention in adjacent:
            if self._is_person(mention) and _SIBLING_JOINT.fullmatch(self._text, end, mention.start):
                relative = self._names.full.get((part, _NAME_PARTS.split(mention.text)[-1]))
                if relative is not None:
                    return relative
        return self._find_bearer(part, start, end, adjacent)

    def _find_bearer(self, family: str, start: int, end: int, adjacent: Sequence[Mention]) -> str | None:
        """The person of this family name: one whom the text names in full, or the only one with a title."""
        bearers = self._names.families.get(family, ())
        before, after = self._text[max(0, start - 24) : start], self._text[end : end + 40]
        has_title = _TITLE_BEFORE.search(before) is not None or _TITLE_AFTER.match(after) is not None
        named_bearers = [entity for entity in bearers if entity in self._named]
        is_long = not family.isascii() or len(family) > MAX_SHORT_FAMILY_CHARS
        if len(named_bearers) == 1 and (is_long or has_title or _VERB_AFTER.match(after)):
            return named_bearers[0]
        has_office = _OFFICE_BEFORE.search(before) is not None or _OFFICE_AFTER.match(after) is not None
        if has_office:
            bearers = tuple(
                entity for entity in bearers if not self._rules.entities[entity].is_domain_evidence
            )
        if len(bearers) != 1 or family in COMMON_FAMILY_NAMES:
            return None
        is_rare = len(family) >= MIN_RARE_KATAKANA_CHARS and _KATAKANA.match(family) is not None
        if not (is_rare and has_title) and not any(
            mention.start <= end + NEAR and start - NEAR <= mention.end for mention in adjacent
        ):
            return None
        is_transcribed = _HAN.fullmatch(family) is not None and self._text[start - 1 : start] in _JOINTS
        return bearers[0] if has_title or is_transcribed or self._is_listed(start, end, adjacent) else None

    def _is_listed(self, start: int, end: int, adjacent: Sequence[Mention]) -> bool:
        """Whether "and" joins the name to another person's."""
        return any(
            self._is_person(mention)
            and _SIBLING_JOINT.fullmatch(self._text, min(end, mention.end), max(start, mention.start))
            for mention in adjacent
        )

    def _is_person(self, mention: Mention) -> bool:
        return self._rules.entities[mention.entity_id].type == "person"


def is_other_person(rules: RuleSet, text: str, mention: Mention) -> bool:
    """Whether a family name alone is part of another person's full name ("Marvin Scholz")."""
    if rules.entities[mention.entity_id].type != "person" or _NAME_PARTS.search(mention.text):
        return False
    before = text[max(0, mention.start - 24) : mention.start]
    if not mention.text.isascii():
        return before[-1:] in ("・", "·")
    return _has_given_name(before)


def _has_given_name(before: str) -> bool:
    """Whether a capitalised word that may be a given name ends ``before``."""
    match = _GIVEN_BEFORE.search(before)
    return match is not None and match[1] not in NO_GIVEN_NAMES


def _is_whole(text: str, part: str, start: int, end: int) -> bool:
    """Whether a part of a name stands alone, neither in a longer word nor in another person's full name."""
    before, after = text[max(0, start - 24) : start], text[end : end + 24]
    if part.isascii():
        if _LATIN_RIGHT.match(after):
            return False
        return _LATIN_LEFT.search(before) is None and not _has_given_name(before)
    if _KATAKANA.match(part):
        return not _KATAKANA.match(before[-1:]) and not _KATAKANA.match(after[:1])
    adjacent = before[-1:] + after[:1]
    return not any(character in "·・" or character in _TRANSCRIPTION for character in adjacent)


@lru_cache(maxsize=CACHED_RULE_SETS)
def _build_names(rules: RuleSet) -> _PersonNames:
    families: defaultdict[str, dict[str, None]] = defaultdict(dict)
    full: dict[tuple[str, str], str] = {}
    for entity in rules.entities.values():
        if entity.type != "person":
            continue
        for given_name, family_name in _split_names(entity):
            families[family_name][entity.id] = None
            full[given_name, family_name] = entity.id
    parts = sorted({*families, *(given_name for given_name, _ in full if len(given_name) > 1)})
    return _PersonNames(
        Automaton(parts), parts, {key: tuple(sorted(ids)) for key, ids in families.items()}, full
    )


def _split_names(entity: Entity) -> Iterator[tuple[str, str]]:
    """Given and family name of every full name that is written with both apart."""
    for name in (*entity.names.values(), *(name for names in entity.also.values() for name in names)):
        if needs_context(entity, name):
            continue
        pieces = name.split(" ") if name.isascii() or " " in name else _SEPARATORS.split(name)
        if (
            len(pieces) >= 2
            and len(pieces[-1]) >= MIN_FAMILY_CHARS
            and pieces[-1][0].upper() == pieces[-1][0]
        ):
            yield pieces[0], pieces[-1]
        elif len(name) in (4, 5) and _HAN.fullmatch(name) and name == entity.names.get("ja"):
            yield name[2:], name[:2]
