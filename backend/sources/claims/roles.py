"""Finds the roles of entities in acts: who did what to whom.

English marks roles by place, prepositions and the passive (*A sued B*, *B was sued by A*), Japanese by
particles and the passive (AがBを提訴, BがAに提訴され), Chinese by place and by 被, 由, 对, 向 (A起诉B,
B被A起诉, A对B提起诉讼). Only acts with roles in ``data/verbs.yaml`` are read, and only where the text
marks the roles clearly. Converse acts (buy and sell) share the names of their roles.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims import role_nouns
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.model import Action, ParsedStatement
from backend.sources.claims.role_readers import OBJECT_END_EN, PASSIVE_JA, READERS, list_ids

NAMING = "naming"
"""The role group of acts whose roles are names."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Entity ids of the agents and the targets of an act; either may be empty."""

    verb: str
    agents: frozenset[str]
    patients: frozenset[str]
    text: str
    """The clause in its original wording."""
    recipients: frozenset[str] = frozenset()
    """Entities to whom something is done or given: sold to Coinbase."""
    givers: frozenset[str] = frozenset()
    """Entities from whom something comes: split from Bitcoin."""
    parties: frozenset[str] = frozenset()
    """All entities of the clause that can have a role."""

    def group_by_role(self) -> dict[str, frozenset[str]]:
        """Map the role names of the verb to entity ids."""
        names = load_verbs()[self.verb].roles
        ids_by_part = {
            "agent": self.agents,
            "patient": self.patients,
            "recipient": self.recipients,
            "giver": self.givers,
        }
        ids_by_role: dict[str, frozenset[str]] = {}
        for part, name in names.items():
            if ids_by_part[part]:
                ids_by_role[name] = ids_by_role.get(name, frozenset()) | ids_by_part[part]
        return ids_by_role


def find_roles(statement: ParsedStatement) -> list[Roles]:
    """Return the roles of each act of ``statement`` that has at least one of them."""
    read_roles = READERS[statement.language]
    verbs_by_name = load_verbs()
    candidates = _list_parties(statement)
    found_roles = []
    for action in statement.actions:
        if verbs_by_name[action.verb].roles and candidates:
            start, end = _find_sentence(statement.text, action)
            sentence_mentions = [
                mention for mention in candidates if start <= mention.start and mention.end <= end
            ]
            if verbs_by_name[action.verb].role_group == NAMING:  # both names belong to one entity
                sentence_mentions = [
                    replace(mention, entity_id=mention.text.lower()) for mention in sentence_mentions
                ]
            recipients, givers = _find_marked(statement, action, start, sentence_mentions)
            agents, patients = read_roles(statement.text, start, end, action, sentence_mentions)
            ambiguous = agents & patients | recipients | givers
            agents, patients = agents - ambiguous, patients - ambiguous
            if agents or patients or recipients or givers:
                clause = statement.text[start:end].strip()
                parties = frozenset(mention.entity_id for mention in sentence_mentions)
                found_roles.append(Roles(action.verb, agents, patients, clause, recipients, givers, parties))
    return [*found_roles, *_find_roles_of_nouns(statement, candidates)]


def _find_roles_of_nouns(statement: ParsedStatement, candidates: Sequence[Mention]) -> list[Roles]:
    """Return the roles that nouns tell (was the sender), joined by act."""
    ids: dict[str, dict[role_nouns.NounRole, frozenset[str]]] = {}
    for verb, role, mention in role_nouns.find_noun_roles(statement.text, statement.language, candidates):
        roles = ids.setdefault(verb, {})
        roles[role] = roles.get(role, frozenset()) | {mention.entity_id}
    parties = frozenset(mention.entity_id for mention in candidates)
    none: frozenset[str] = frozenset()
    return [
        Roles(
            verb,
            roles.get("agent", none),
            roles.get("patient", none),
            statement.text,
            roles.get("recipient", none),
            parties=parties,
        )
        for verb, roles in ids.items()
    ]


def find_participants(statement: ParsedStatement, action: Action) -> tuple[frozenset[str], frozenset[str]]:
    """Find the agents and the targets of any act by the grammar of its sentence."""
    start, end = _find_sentence(statement.text, action)
    mentions = [
        mention for mention in _list_parties(statement) if start <= mention.start and mention.end <= end
    ]
    return READERS[statement.language](statement.text, start, end, action, mentions)


_ATTRIBUTE = re.compile(
    r" (?:spot |perpetual )?(?:futures|options|etfs?|etps?|trust|price|network|mining|miners?|blockchain"
    r"|transactions?|holdings|token|coins?|platform|payments?)\b"
    "|先物|オプション|現物|取引|価格|ネットワーク|保有|マイニング|担保|建て|決済"
    "|期权|期货|现货|交易|平台|价格|网络|代币|信托|市场|矿机|矿工|挖矿|持有|区块"
)


def _list_parties(statement: ParsedStatement) -> list[Mention]:
    """List the mentions that can have a role: no coins of an amount, no attributes (bitcoin futures).

    An agent outside of the catalogue is a party by its name.
    """
    amounts = [(quantity.start, quantity.end) for quantity in statement.quantities]
    lowered = statement.text.lower()
    uncatalogued = []
    if statement.subject is not None:
        name = statement.subject.name
        start = statement.text.index(name)
        uncatalogued.append(Mention(f"name:{name}", start, start + len(name), name))
    return [
        mention
        for mention in sorted((*statement.mentions, *uncatalogued), key=attrgetter("start"))
        if not any(start <= mention.start < end for start, end in amounts)
        and not _ATTRIBUTE.match(lowered, mention.end)
    ]


_TO_MARKS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:to|into) (?:(?:the|its|a|an|rival|exchange|lender|broker|[a-z]+ exchange) ?){0,3}$"
    ),
    "ja": re.compile("(?:側|社|氏)?(?:に(?!よ|対)|へ)"),
    "zh": re.compile("(?:给|予|向|至|(?<![遭受得])到|为|成|作)(?:了)?$"),
}
_FROM_MARKS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:from|off) (?:(?:the|its|a|an|rival) ){0,2}$"),
    "ja": re.compile("(?:側|社|氏)?(?:から|より)"),
    "zh": re.compile("(?:从|自|由)$"),
}


def _find_marked(
    statement: ParsedStatement, action: Action, start: int, mentions: Sequence[Mention]
) -> tuple[frozenset[str], frozenset[str]]:
    """Find the entities marked as recipient (to, に, 给) and as origin (from, から, 从) of an act.

    In English they follow the act, in Japanese their mark follows them, in Chinese their mark precedes them.
    """
    names = load_verbs()[action.verb].roles
    id_sets = []
    for role, marks in (("recipient", _TO_MARKS), ("giver", _FROM_MARKS)):
        ids: frozenset[str] = frozenset()
        for mention in mentions if role in names else ():
            if _is_marked(statement, action, start, mention, marks[statement.language]):
                ids |= list_ids(statement.text, mentions, mention)
        id_sets.append(ids)
    return id_sets[0], id_sets[1]


_LAST_PREPOSITION_EN = re.compile(r"\b(?:from|to|for) (?:\S+ ){0,3}$")


def _is_marked(
    statement: ParsedStatement, action: Action, start: int, mention: Mention, mark: re.Pattern[str]
) -> bool:
    lowered = statement.text.lower()
    if statement.language == "en":
        if mention.start < action.end or not mark.search(lowered[action.start : mention.start]):
            return False
        return not OBJECT_END_EN.search(_LAST_PREPOSITION_EN.sub("", lowered[action.end : mention.start]))
    if statement.language == "ja":
        is_passive = PASSIVE_JA.match(statement.text[action.end : action.end + 10])
        return not is_passive and mention.end <= action.start and mark.match(lowered, mention.end) is not None
    return mark.search(lowered[max(start, mention.start - 4) : mention.start]) is not None


_STOP = re.compile(r"[.;](?=\s|$)|[。；\n]")
_ABBREVIATED = re.compile(r"\b(?:U\.S|U\.K|Mr|Ms|Inc|Corp|No|vs?)$")


def _find_sentence(text: str, action: Action) -> tuple[int, int]:
    start, end = 0, len(text)
    for stop in _STOP.finditer(text):
        if stop.group() == "." and _ABBREVIATED.search(text[: stop.start()]):
            continue
        if stop.end() <= action.start:
            start = stop.end()
        elif stop.start() >= action.end:
            end = stop.start()
            break
    return start, end
