"""Finds an agent in a claim that differs from the source's, by the catalogue or by an unlisted name."""

import re
from collections import Counter
from collections.abc import Collection, Iterable

from backend.entities.mention import Mention
from backend.sources.claims import agent_phrases, subjects
from backend.sources.claims.lexical_features import normalize_name
from backend.sources.claims.model import ComparedValue, ParsedStatement
from backend.sources.claims.places import find_cities, find_countries
from backend.sources.comparison.claim_passage import ClaimAndPassage

MAX_TICKER_CHARS = 5
_LATIN_PERSON = re.compile(r"[A-Z][a-z]+[ ·][A-Z][a-z]+")


def find_differing_agent(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Find an entity of the claim that the record lacks, in place of one of its kind that the claim lacks.

    Both must be the first of their kind, or, for a record of one event, neither side may name more of that
    kind than the other. A text that adds an agent and omits none does not differ.
    """
    claimed = {mention.entity_id for mention in inputs.claim.mentions}
    for kind in _ALL_KINDS:
        claim_mentions = _list_mentions_of_kind(inputs, inputs.claim.mentions, kind)
        passage_mentions = [
            mention
            for mention in _list_mentions_of_kind(inputs, inputs.passage.mentions, kind)
            if _is_of_record(inputs, mention)
        ]
        unknown_mentions = [
            mention
            for mention in claim_mentions
            if mention.entity_id not in inputs.record_entity_ids
            and not _stands_for_other(inputs.claim, mention)
        ]
        unclaimed_mentions = [mention for mention in passage_mentions if mention.entity_id not in claimed]
        if not unknown_mentions or not unclaimed_mentions:
            continue
        if _is_short_for(unknown_mentions[0].text, unclaimed_mentions[0].text):
            continue
        are_first = unknown_mentions[0] is claim_mentions[0] and unclaimed_mentions[0] is passage_mentions[0]
        are_balanced = inputs.event_date is not None and len(claim_mentions) <= len(passage_mentions)
        if are_first or are_balanced:
            return ComparedValue("agent", unknown_mentions[0].text, unclaimed_mentions[0].text)
    return (
        _find_unlisted_agent(inputs, claimed)
        or _find_agent_instead_of_unlisted(inputs)
        or _find_uncatalogued_agent(inputs, claimed)
        or _find_differing_culprit(inputs)
        or _find_differing_country(inputs)
        or _find_differing_city(inputs)
    )


def _find_differing_culprit(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Find a different agent in a phrase such as "carried out by", which the source does not name at all."""
    if inputs.claim.language != inputs.passage.language:
        return None
    claim_agent = agent_phrases.find_named_agent(inputs.claim.text, inputs.claim.language)
    passage_agent = agent_phrases.find_named_agent(inputs.passage.text, inputs.passage.language)
    if (
        claim_agent is None
        or passage_agent is None
        or normalize_name(claim_agent) in normalize_name(inputs.passage.text)
    ):
        return None
    agent_ids = {
        mention.entity_id
        for mention in inputs.claim.mentions
        if claim_agent in mention.text or mention.text in claim_agent
    }
    if agent_ids & inputs.record_entity_ids or passage_agent.lower() in inputs.claim.text.lower():
        return None
    return ComparedValue("agent", claim_agent, passage_agent)


def _find_uncatalogued_agent(inputs: ClaimAndPassage, claimed: Collection[str]) -> ComparedValue | None:
    """Find an agent that neither the catalogue nor the source knows (任天堂は…), in place of the source's: a
    person in place of a person, another agent in place of the record's first actor, if the claim lacks
    them."""
    claim, passage, subject = inputs.claim, inputs.passage, inputs.claim.subject
    if subject is None or claim.language != passage.language or _is_place(subject.name):
        return None
    if subjects.is_known(subject.name, passage.text) or subject.name in inputs.record_names:
        return None
    unclaimed_mentions = [
        mention
        for mention in passage.mentions
        if mention.entity_id not in claimed and _is_of_record(inputs, mention)
    ]
    if subject.is_person:
        persons = [
            mention.text
            for mention in unclaimed_mentions
            if "person" in inputs.list_entity_kinds(mention.entity_id)
        ]
        if passage.subject is not None and passage.subject.is_person:
            persons.append(passage.subject.name)
        unnamed = [name for name in persons if not subjects.is_known(name, claim.text)]
        return ComparedValue("agent", subject.name, unnamed[0]) if unnamed else None
    actors = [
        mention
        for mention in passage.mentions
        if _can_act(inputs, mention) and _is_of_record(inputs, mention)
    ]
    if not actors or actors[0].entity_id in claimed or _is_ticker(subject.name, actors[0].text):
        return None
    return ComparedValue("agent", subject.name, actors[0].text)


def _find_differing_city(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Find the only city or state of a claim, where the record names one too, and another one."""
    claim_text, passage_text = inputs.claim.text, inputs.passage.text
    claim_cities, passage_cities = find_cities(claim_text), find_cities(passage_text)
    if inputs.event_date is None or len(claim_cities) != 1 or len(passage_cities) != 1:
        return None
    if claim_cities.keys() & (passage_cities.keys() | find_cities(" ".join(inputs.record_names)).keys()):
        return None
    (start, end), (other_start, other_end) = (*claim_cities.values(), *passage_cities.values())
    if any(mention.start <= start and end <= mention.end for mention in inputs.claim.mentions):
        return None
    return ComparedValue("agent", claim_text[start:end], passage_text[other_start:other_end])


def _is_place(name: str) -> bool:
    """True if a name is that of a city, a country or its capital, which can stand for an authority there."""
    return bool(find_cities(name) or find_countries(name))


def _find_differing_country(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Find a country that the record does not name, in a claim that names one country and no agent of the
    record."""
    claim_places, passage_places = inputs.claim.places, inputs.passage.places
    if (
        inputs.event_date is None
        or len(claim_places) != 1
        or not passage_places
        or claim_places.keys() & passage_places.keys()
    ):
        return None
    if any(
        _can_act(inputs, mention) and mention.entity_id in inputs.record_entity_ids
        for mention in inputs.claim.mentions
    ):
        return None
    return ComparedValue("agent", next(iter(claim_places.values())), next(iter(passage_places.values())))


_STANDS_FOR_OTHER = (
    re.compile(
        r"\b(?:owner|parent|operator|founder|creator|maker|backer|subsidiary|arm|unit|affiliate)s?"
        r"(?: company| firm)? of (?:the )?$"
    ),
    re.compile(
        r"(?:'s|’s)? (?:owner|parent|operator|founder|creator|maker|backer|subsidiary|arm|unit|affiliate)s?\b"
        "|の(?:親会社|運営会社|創業者|創設者|子会社)|(?:的)?(?:母公司|运营方|创始人|所有者|子公司)"
    ),
)
"""Words before and after a name that make it stand for another agent: the owner of X, X's parent."""


def _stands_for_other(claim: ParsedStatement, mention: Mention) -> bool:
    lead, trail = _STANDS_FOR_OTHER
    lowered = claim.text.lower()
    return (
        lead.search(lowered[max(0, mention.start - 40) : mention.start]) is not None
        or trail.match(lowered, mention.end) is not None
    )


def _is_of_record(inputs: ClaimAndPassage, mention: Mention) -> bool:
    """True if a mention is one of the entities that the record lists, or if it lists none."""
    return not inputs.listed_entity_ids or mention.entity_id in inputs.listed_entity_ids


def _is_short_for(name: str, other_name: str) -> bool:
    """True if one name is a part or an abbreviation of the other (证监会 and 金管局 of 金融管理局)."""
    short, long = sorted((normalize_name(name), normalize_name(other_name)), key=len)
    letters = iter(long)
    return short in long or (not short.isascii() and all(letter in letters for letter in short))


def _find_unlisted_agent(inputs: ClaimAndPassage, claimed: Collection[str]) -> ComparedValue | None:
    """Find an unlisted name as the claim's subject, in place of the record's, which the claim lacks: "Google
    bought" against "Tesla bought"."""
    claim, passage = inputs.claim, inputs.passage
    if not claim.actions or claim.language != passage.language:
        return None
    actors = [
        mention
        for mention in passage.mentions
        if _can_act(inputs, mention) and _is_of_record(inputs, mention)
    ]
    agent_starts = [mention.start for mention in claim.mentions if _can_act(inputs, mention)]
    subject = _find_leading_name(claim)
    if subject is None or _is_place(subject) or normalize_name(subject) in normalize_name(passage.text):
        return None
    if subject in inputs.record_names or not actors or actors[0].entity_id in claimed:
        return None
    if claim.language != "en" and _LATIN_PERSON.search(claim.text, claim.text.find(subject)):
        return None  # the source may write this person's name in its own script
    if agent_starts and not _is_subject(passage, actors[0]):
        return None
    return None if _is_ticker(subject, actors[0].text) else ComparedValue("agent", subject, actors[0].text)


_SAYS_EN = re.compile(r" (?:said|says|say|told|announce[sd]?|report(?:s|ed)|claim(?:s|ed)|confirm(?:s|ed))\b")
_IDENTIFIED_EN = re.compile(
    r"(?:^|[.;] )(?:It was|It is) (?:the )?(?P<name>[A-Z][\w&.-]*(?: [A-Z][\w&.-]*){0,3})(?:'s)?"
    r" (?:that|who|which)\b"
    r"|(?:^|[.;] )(?P<subject>[A-Z][\w&.-]*(?: [A-Z][\w&.-]*){0,3})(?:'s)? (?:was|is) (?:the|an?) "
    r"(?:[\w-]+ ){1,4}(?:that|who|which)\b"
)
"""A sentence that tells who it was: It was X that, X was the company that."""


def _find_leading_name(claim: ParsedStatement) -> str | None:
    """Find an unlisted name that the claim makes the agent: before its first act, or identified by name.

    Beside other unlisted names, which may be known, only a name that identifies the agent counts.
    """
    identified = _IDENTIFIED_EN.search(claim.text) if claim.language == "en" else None
    if identified is not None:
        found = identified["name"] or identified["subject"]
        return next((name for name in claim.names if name in found), None)
    agent_starts = [mention.start for mention in claim.mentions]
    before = claim.text[: min([claim.actions[0].start, *agent_starts])]
    names = [name for name in claim.names if name in before]
    if len(names) != 1:
        return None
    end = claim.text.find(names[0]) + len(names[0])
    is_subject = before.rstrip().endswith(names[0]) or _SAYS_EN.match(claim.text, end) is not None
    return names[0] if is_subject or claim.language != "en" else None


def _find_agent_instead_of_unlisted(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Find the claim's subject, unknown to the record, in place of an unlisted name that leads the record:
    "Google unveiled" against "Facebook announces"."""
    claim, passage = inputs.claim, inputs.passage
    leading = next((name for name in passage.names if passage.text.startswith(name)), None)
    if leading is None or inputs.event_date is None or not claim.actions:
        return None
    subject = next((mention for mention in claim.mentions if _can_act(inputs, mention)), None)
    if subject is None:
        return _find_unlisted_instead_of_unlisted(inputs, leading)
    if subject.entity_id in inputs.record_entity_ids or subject.end > claim.actions[0].start:
        return None
    passage_actors = [
        mention
        for mention in passage.mentions
        if _can_act(inputs, mention) and "network" not in inputs.list_entity_kinds(mention.entity_id)
    ]
    is_named = normalize_name(leading) in normalize_name(claim.text)
    if is_named or passage_actors or _stands_for_other(claim, subject) or claim.language != passage.language:
        return None
    return ComparedValue("agent", subject.text, leading)


def _find_unlisted_instead_of_unlisted(inputs: ClaimAndPassage, leading: str) -> ComparedValue | None:
    """The same for a subject that the catalogue does not list either: "Sotheby's sold"."""
    claim, passage = inputs.claim, inputs.passage
    told = normalize_name(" ".join((passage.text, *inputs.record_names)))
    subject = _find_leading_name(claim)
    if subject is None or claim.language != passage.language or _is_place(subject):
        return None
    if normalize_name(subject) in told or normalize_name(leading) in normalize_name(claim.text):
        return None
    return ComparedValue("agent", subject, leading)


def _is_subject(passage: ParsedStatement, actor: Mention) -> bool:
    """True if the actor precedes the first act of a record."""
    return bool(passage.actions) and actor.end <= passage.actions[0].start


def _is_ticker(short: str, name: str) -> bool:
    """True if a word in capitals can abbreviate a name, which contains its letters (UST of TerraUSD)."""
    return short.isupper() and len(short) <= MAX_TICKER_CHARS and not Counter(short) - Counter(name.upper())


def _can_act(inputs: ClaimAndPassage, mention: Mention) -> bool:
    return bool(inputs.list_entity_kinds(mention.entity_id).intersection(_ACTING))


_ACTING = ("firm", "authority", "person")
_ALL_KINDS = (*_ACTING, "network")


def _list_mentions_of_kind(inputs: ClaimAndPassage, mentions: Iterable[Mention], kind: str) -> list[Mention]:
    """List the first mention of each entity of a kind, in order."""
    first_mentions: dict[str, Mention] = {}
    for mention in mentions:
        if kind in inputs.list_entity_kinds(mention.entity_id):
            first_mentions.setdefault(mention.entity_id, mention)
    return list(first_mentions.values())
