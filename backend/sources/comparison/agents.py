"""Whether a claim names another doer than the source: one of the catalogue, or one that it lacks."""

import re
from collections.abc import Collection, Iterable

from backend.entities.mention import Mention
from backend.sources.claims import agent_phrases
from backend.sources.claims.model import Claim, Difference
from backend.sources.comparison.claim_passage import Held
from backend.sources.comparison.same_event import names_known

MOST_OF_TICKER = 5
_LATIN_PERSON = re.compile(r"[A-Z][a-z]+[ ·][A-Z][a-z]+")


def difference(held: Held) -> Difference | None:
    """An entity of the claim that the record lacks, in the place of one of its kind that the claim lacks.

    Both are the first of their kind; or, against a record of one event, neither side names more of that
    kind than the other. A text that adds somebody and leaves nobody out does not differ.
    """
    claimed = {mention.entity_id for mention in held.claim.mentions}
    for kind in _ALL_KINDS:
        ours = _of_kind(held, held.claim.mentions, kind)
        theirs = [one for one in _of_kind(held, held.passage.mentions, kind) if _is_of_record(held, one)]
        strangers = [mention for mention in ours if mention.entity_id not in held.record_ids]
        missing = [mention for mention in theirs if mention.entity_id not in claimed]
        if not strangers or not missing:
            continue
        if _is_short_for(strangers[0].text, missing[0].text):
            continue
        foremost = strangers[0] is ours[0] and missing[0] is theirs[0]
        evenly = held.happened is not None and len(ours) <= len(theirs)
        if foremost or evenly:
            return Difference("agent", strangers[0].text, missing[0].text)
    return _unlisted_agent(held, claimed) or _stranger(held, claimed) or _culprit(held) or _country(held)


def _culprit(held: Held) -> Difference | None:
    """Another doer in a phrase that names one, whom the source does not know at all."""
    if held.claim.language != held.passage.language:
        return None
    ours = agent_phrases.named(held.claim.text, held.claim.language)
    theirs = agent_phrases.named(held.passage.text, held.passage.language)
    if ours is None or theirs is None or ours.lower() in held.passage.text.lower():
        return None
    own = {m.entity_id for m in held.claim.mentions if ours in m.text or m.text in ours}
    if own & held.record_ids or theirs.lower() in held.claim.text.lower():
        return None
    return Difference("agent", ours, theirs)


def _stranger(held: Held, claimed: Collection[str]) -> Difference | None:
    """A doer whom neither the catalogue nor the source knows (任天堂は…), in the place of the source's: a
    person in that of a person, another in that of whom the record is about, where the claim lacks them."""
    claim, passage, subject = held.claim, held.passage, held.claim.subject
    if subject is None or claim.language != passage.language or _is_known(subject.name, passage.text):
        return None
    others = [one for one in passage.mentions if one.entity_id not in claimed and _is_of_record(held, one)]
    if subject.is_person:
        persons = [one.text for one in others if "person" in held.kinds(one.entity_id)]
        if passage.subject is not None and passage.subject.is_person:
            persons.append(passage.subject.name)
        unnamed = [name for name in persons if not _is_known(name, claim.text)]
        return Difference("agent", subject.name, unnamed[0]) if unnamed else None
    actors = [one for one in passage.mentions if _acts(held, one) and _is_of_record(held, one)]
    if not actors or actors[0].entity_id in claimed or _is_ticker(subject.name, actors[0].text):
        return None
    return Difference("agent", subject.name, actors[0].text)


def _is_known(name: str, text: str) -> bool:
    """Whether any part of a name stands in ``text``: a word, or in Chinese and Japanese two characters."""
    parts = name.split() if name.isascii() else [name[at : at + 2] for at in range(len(name) - 1)]
    low = text.lower()
    return any(part.lower() in low for part in parts)


def _country(held: Held) -> Difference | None:
    """Another country than any that the record names, in a claim that names only one and nobody else whom
    the record knows to act."""
    ours, theirs = held.claim.places, held.passage.places
    if held.happened is None or len(ours) != 1 or not theirs or ours.keys() & theirs.keys():
        return None
    if any(_acts(held, one) and one.entity_id in held.record_ids for one in held.claim.mentions):
        return None
    return Difference("agent", next(iter(ours.values())), next(iter(theirs.values())))


def _is_of_record(held: Held, mention: Mention) -> bool:
    """Whether a name in a record is one of those that it is about, where it lists them."""
    return not held.listed or mention.entity_id in held.listed


def _is_short_for(one: str, other: str) -> bool:
    """Whether a name is a part of another (证监会 of 香港证监会)."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    return short in long


def _unlisted_agent(held: Held, claimed: Collection[str]) -> Difference | None:
    """A name that the catalogue lacks as the claim's subject, in the place of the record's, which the claim
    lacks: "Google bought" against "Tesla bought"."""
    claim, passage = held.claim, held.passage
    if not claim.actions or claim.language != passage.language or names_known(claim, passage) is not False:
        return None
    actors = [one for one in passage.mentions if _acts(held, one) and _is_of_record(held, one)]
    named = [mention.start for mention in claim.mentions if _acts(held, mention)]
    before = claim.text[: min([claim.actions[0].start, *named])]
    subject = next((name for name in claim.names if name in before), None)
    if subject is None or not actors or actors[0].entity_id in claimed:
        return None
    if claim.language != "en" and _LATIN_PERSON.search(claim.text, claim.text.find(subject)):
        return None  # whom the source may name in its own script
    if named and not _is_subject(passage, actors[0]):
        return None
    return None if _is_ticker(subject, actors[0].text) else Difference("agent", subject, actors[0].text)


def _is_subject(passage: Claim, actor: Mention) -> bool:
    """Whether a record begins with who acted."""
    return bool(passage.actions) and actor.end <= passage.actions[0].start


def _is_ticker(short: str, name: str) -> bool:
    """Whether a word in capitals can stand for a name: its letters come in the name in their order."""
    letters = iter(name.upper())
    return short.isupper() and len(short) <= MOST_OF_TICKER and all(letter in letters for letter in short)


def _acts(held: Held, mention: Mention) -> bool:
    return bool(held.kinds(mention.entity_id).intersection(_ACTING))


_ACTING = ("firm", "authority", "person")
_ALL_KINDS = (*_ACTING, "network")


def _of_kind(held: Held, mentions: Iterable[Mention], kind: str) -> list[Mention]:
    """The first mention of each entity of a kind, in order."""
    first: dict[str, Mention] = {}
    for mention in mentions:
        if kind in held.kinds(mention.entity_id):
            first.setdefault(mention.entity_id, mention)
    return list(first.values())
