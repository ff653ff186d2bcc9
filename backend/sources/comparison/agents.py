"""Finds an agent in a claim that differs from the source's, by the catalogue or by an unlisted name."""

import re
from collections import Counter
from collections.abc import Collection, Iterable

from backend.entities.mention import Mention
from backend.sources.claims import agent_phrases
from backend.sources.claims.lexical_features import normalize_name
from backend.sources.claims.model import Claim, Difference
from backend.sources.comparison.claim_passage import ClaimAndPassage
from backend.sources.comparison.same_event import names_known

MAX_TICKER_CHARS = 5
_LATIN_PERSON = re.compile(r"[A-Z][a-z]+[ ·][A-Z][a-z]+")


def difference(pair: ClaimAndPassage) -> Difference | None:
    """Find an entity of the claim that the record lacks, in place of one of its kind that the claim lacks.

    Both must be the first of their kind, or, for a record of one event, neither side may name more of that
    kind than the other. A text that adds an agent and omits none does not differ.
    """
    claimed = {mention.entity_id for mention in pair.claim.mentions}
    for kind in _ALL_KINDS:
        ours = _of_kind(pair, pair.claim.mentions, kind)
        theirs = [one for one in _of_kind(pair, pair.passage.mentions, kind) if _is_of_record(pair, one)]
        strangers = [mention for mention in ours if mention.entity_id not in pair.record_ids]
        missing = [mention for mention in theirs if mention.entity_id not in claimed]
        if not strangers or not missing:
            continue
        if _is_short_for(strangers[0].text, missing[0].text):
            continue
        foremost = strangers[0] is ours[0] and missing[0] is theirs[0]
        evenly = pair.happened is not None and len(ours) <= len(theirs)
        if foremost or evenly:
            return Difference("agent", strangers[0].text, missing[0].text)
    return _unlisted_agent(pair, claimed) or _stranger(pair, claimed) or _culprit(pair) or _country(pair)


def _culprit(pair: ClaimAndPassage) -> Difference | None:
    """Find a different agent in a phrase such as "carried out by", which the source does not name at all."""
    if pair.claim.language != pair.passage.language:
        return None
    ours = agent_phrases.named(pair.claim.text, pair.claim.language)
    theirs = agent_phrases.named(pair.passage.text, pair.passage.language)
    if ours is None or theirs is None or normalize_name(ours) in normalize_name(pair.passage.text):
        return None
    own = {m.entity_id for m in pair.claim.mentions if ours in m.text or m.text in ours}
    if own & pair.record_ids or theirs.lower() in pair.claim.text.lower():
        return None
    return Difference("agent", ours, theirs)


def _stranger(pair: ClaimAndPassage, claimed: Collection[str]) -> Difference | None:
    """Find an agent that neither the catalogue nor the source knows (任天堂は…), in place of the source's: a
    person in place of a person, another agent in place of the record's first actor, if the claim lacks
    them."""
    claim, passage, subject = pair.claim, pair.passage, pair.claim.subject
    if subject is None or claim.language != passage.language:
        return None
    if _is_known(subject.name, passage.text) or subject.name in pair.names:
        return None
    others = [one for one in passage.mentions if one.entity_id not in claimed and _is_of_record(pair, one)]
    if subject.is_person:
        persons = [one.text for one in others if "person" in pair.kinds(one.entity_id)]
        if passage.subject is not None and passage.subject.is_person:
            persons.append(passage.subject.name)
        unnamed = [name for name in persons if not _is_known(name, claim.text)]
        return Difference("agent", subject.name, unnamed[0]) if unnamed else None
    actors = [one for one in passage.mentions if _acts(pair, one) and _is_of_record(pair, one)]
    if not actors or actors[0].entity_id in claimed or _is_ticker(subject.name, actors[0].text):
        return None
    return Difference("agent", subject.name, actors[0].text)


def _is_known(name: str, text: str) -> bool:
    """True if ``text`` contains any part of a name: a word, or in Chinese and Japanese two characters."""
    parts = name.split() if name.isascii() else [name[at : at + 2] for at in range(len(name) - 1)]
    low = text.lower()
    return any(part.lower() in low for part in parts) or normalize_name(name) in normalize_name(text)


def _country(pair: ClaimAndPassage) -> Difference | None:
    """Find a country that the record does not name, in a claim that names one country and no agent of the
    record."""
    ours, theirs = pair.claim.places, pair.passage.places
    if pair.happened is None or len(ours) != 1 or not theirs or ours.keys() & theirs.keys():
        return None
    if any(_acts(pair, one) and one.entity_id in pair.record_ids for one in pair.claim.mentions):
        return None
    return Difference("agent", next(iter(ours.values())), next(iter(theirs.values())))


def _is_of_record(pair: ClaimAndPassage, mention: Mention) -> bool:
    """True if a mention is one of the entities that the record lists, or if it lists none."""
    return not pair.listed or mention.entity_id in pair.listed


def _is_short_for(one: str, other: str) -> bool:
    """True if one name is a part or an abbreviation of the other (证监会 and 金管局 of 金融管理局)."""
    short, long = sorted((normalize_name(one), normalize_name(other)), key=len)
    letters = iter(long)
    return short in long or (not short.isascii() and all(letter in letters for letter in short))


def _unlisted_agent(pair: ClaimAndPassage, claimed: Collection[str]) -> Difference | None:
    """Find an unlisted name as the claim's subject, in place of the record's, which the claim lacks: "Google
    bought" against "Tesla bought"."""
    claim, passage = pair.claim, pair.passage
    if not claim.actions or claim.language != passage.language or names_known(claim, passage) is not False:
        return None
    actors = [one for one in passage.mentions if _acts(pair, one) and _is_of_record(pair, one)]
    named = [mention.start for mention in claim.mentions if _acts(pair, mention)]
    before = claim.text[: min([claim.actions[0].start, *named])]
    subject = next((name for name in claim.names if name in before), None)
    if subject is None or subject in pair.names or not actors or actors[0].entity_id in claimed:
        return None
    if claim.language != "en" and _LATIN_PERSON.search(claim.text, claim.text.find(subject)):
        return None  # the source may write this person's name in its own script
    if named and not _is_subject(passage, actors[0]):
        return None
    return None if _is_ticker(subject, actors[0].text) else Difference("agent", subject, actors[0].text)


def _is_subject(passage: Claim, actor: Mention) -> bool:
    """True if the actor precedes the first act of a record."""
    return bool(passage.actions) and actor.end <= passage.actions[0].start


def _is_ticker(short: str, name: str) -> bool:
    """True if a word in capitals can abbreviate a name, which contains its letters (UST of TerraUSD)."""
    return short.isupper() and len(short) <= MAX_TICKER_CHARS and not Counter(short) - Counter(name.upper())


def _acts(pair: ClaimAndPassage, mention: Mention) -> bool:
    return bool(pair.kinds(mention.entity_id).intersection(_ACTING))


_ACTING = ("firm", "authority", "person")
_ALL_KINDS = (*_ACTING, "network")


def _of_kind(pair: ClaimAndPassage, mentions: Iterable[Mention], kind: str) -> list[Mention]:
    """List the first mention of each entity of a kind, in order."""
    first: dict[str, Mention] = {}
    for mention in mentions:
        if kind in pair.kinds(mention.entity_id):
            first.setdefault(mention.entity_id, mention)
    return list(first.values())
