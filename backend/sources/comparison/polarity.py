"""Decides whether a claim and a passage state the same act, or one denies what the other states.

In addition to the list of opposites: an act that the claim contains too does not contradict it. Acts that
another verb of the source presupposes (the ban that was set aside, the suit that was dropped) are background
and contradict nothing. A record states its event in its first sentence and later developments after it: for a
claim about the record's day the first sentence decides. A record states what happened: if a claim says in any
words that it did not happen, and the record contains no refusal at all, the two differ."""

import re
from collections.abc import Iterable, Mapping
from itertools import takewhile

from backend.entities.model import Language
from backend.sources.claims import dates, negation, roles
from backend.sources.claims.actions import BARRING, Verb, verbs
from backend.sources.claims.model import Action, Claim, Difference
from backend.sources.comparison import case_outcomes

MAX_SHOWN_CHARS = 60
"""Characters of a record's first sentence that are shown if none of its verbs corresponds to the claim's."""


def actions(
    claim: Claim, passage: Claim, *, is_record: bool = False, on_its_day: bool = False
) -> tuple[int, Difference | None]:
    """Count the actions of the claim that agree, and find the first that the passage contradicts.

    ``on_its_day``: the claim has the date of the record's event.
    """
    listed = verbs()
    told = _told(passage.actions)
    later = _dated_otherwise(claim, passage) if is_record and on_its_day else []
    first = _told(_of_first_sentence(passage)) if is_record and on_its_day else {}
    claimed = _told(claim.actions)
    now = {key: told[key] for key in told if key not in claimed and told[key] not in later}
    ever = {key: told[key] for key in told if key not in claimed}
    background = _background(passage.actions, listed)
    same = 0
    refused = False
    granted = _background(claim.actions, listed)
    against: list[tuple[Action, Action]] = []
    converse = _find_converse(claim, passage)
    for mine in claim.actions:
        if not mine.affirmed and _WITHOUT.search(claim.text[: mine.start].lower()):
            continue  # a condition, not an act: without a licence
        if (mine.verb, mine.affirmed) in converse:
            same += 1
            continue
        if (sided := case_outcomes.compare_outcomes(mine, claim, passage)) is not None:
            same += sided.same
            if not sided.same:
                return same, _differing(claim, mine, passage, sided.told)
            continue
        unclaimed = {key: first[key] for key in first if key not in claimed}
        opposite = _opposite(mine, unclaimed, frozenset(), listed, may_follow=False)
        if opposite is None or _agrees(mine, first, listed):
            if _agrees(mine, told, listed):
                same += 1
                refused |= listed[mine.verb].refusal or mine.verb in BARRING
                continue
            # A denial holds for all times, so that what the record dates otherwise contradicts it too.
            opposite = _opposite(mine, now if mine.affirmed else ever, background, listed)
        if opposite is not None and mine.verb not in granted:
            against.append((mine, opposite))
    if refused:  # both tell the refusal: what was refused is no act in either
        against = [(mine, other) for mine, other in against if mine.verb != other.verb]
    if against:
        clearest = next((pair for pair in against if pair[0].verb != pair[1].verb), against[0])
        return same, _differing(claim, clearest[0], passage, clearest[1])
    if not is_record:
        return same, None
    if (denied := _denied_word(claim, passage)) is not None or same:
        return same, denied
    return same, _mere_refusal(claim, passage, listed, on_its_day=on_its_day)


def _find_converse(claim: Claim, passage: Claim) -> set[tuple[str, bool]]:
    """Find the acts of the claim that the passage tells from the other side (sold to, bought by)."""
    affirmed = {action.verb for action in passage.actions if action.affirmed}
    told = roles.find_roles(passage)
    return {
        (mine.verb, True)
        for mine in roles.find_roles(claim)
        for known in told
        if known.verb in affirmed and roles.are_converse(mine, known)
    }


def _denied_word(claim: Claim, passage: Claim) -> Difference | None:
    """Find a word that the claim denies and the record states."""
    if claim.language != passage.language:
        return None
    for word in sorted((claim.denied & passage.words) - passage.denied):
        places = [text.text.lower().find(word) for text in (claim, passage)]
        if min(places) >= 0:
            shown = (
                _clause(text.text, Action(word, True, at, at + len(word), word))
                for text, at in zip((claim, passage), places, strict=True)
            )
            return Difference("polarity", *shown)
    return None


def _differing(claim: Claim, mine: Action, passage: Claim, other: Action) -> Difference:
    """Build the difference from both texts: two different verbs, or the context of one verb that one side
    affirms and the other denies."""
    if mine.verb != other.verb:
        return Difference("polarity", mine.text, other.text)
    return Difference("polarity", _clause(claim.text, mine), _clause(passage.text, other))


def _clause(text: str, action: Action) -> str:
    """Return the words around a verb, up to the nearest punctuation on either side, at most sixty
    characters."""
    room = max(0, MAX_SHOWN_CHARS - (action.end - action.start)) // 2
    before, after = text[max(0, action.start - room) : action.start], text[action.end : action.end + room]
    start = _MARKS.split(before)[-1]
    if len(start) == room and " " in start:  # never from the middle of a word
        start = start.partition(" ")[2]
    end = _MARKS.split(after)[0]
    if len(end) == room and " " in end:
        end = end.rpartition(" ")[0]
    return f"{start}{text[action.start : action.end]}{end}".strip()


_MARKS = re.compile(r"[.,;:!?](?=\s|$)|[。、，；：！？\n]")


def _told(told: Iterable[Action]) -> dict[tuple[str, bool], Action]:
    return {(action.verb, action.affirmed): action for action in told}


def _agrees(mine: Action, told: Mapping[tuple[str, bool], Action], listed: Mapping[str, Verb]) -> bool:
    if (mine.verb, mine.affirmed) in told:
        return True
    if (mine.verb, not mine.affirmed) in told:
        return False
    return any((other, not mine.affirmed) in told for other in listed[mine.verb].opposites)


def _opposite(
    mine: Action,
    told: Mapping[tuple[str, bool], Action],
    background: frozenset[str],
    listed: Mapping[str, Verb],
    *,
    may_follow: bool = True,
) -> Action | None:
    """Find an action that contradicts ``mine``: the same act denied, or its opposite, unless it is background
    or presupposes the claimed act."""
    if (denied := told.get((mine.verb, not mine.affirmed))) is not None:
        return denied
    for other in sorted(listed[mine.verb].opposites - background):
        found = told.get((other, mine.affirmed))
        follows = may_follow and mine.verb in listed[other].after
        if found is not None and mine.affirmed and not follows:
            return found
    return None


def _background(told: Iterable[Action], listed: Mapping[str, Verb]) -> frozenset[str]:
    return frozenset(verb for action in told if action.affirmed for verb in listed[action.verb].after)


def _of_first_sentence(passage: Claim) -> list[Action]:
    end = next(
        (
            match.start()
            for match in _STOP.finditer(passage.text)
            if match.group() and not _is_abbreviated(match)
        ),
        len(passage.text),
    )
    return [*takewhile(lambda action: action.start < end, passage.actions)]


def _dated_otherwise(claim: Claim, passage: Claim) -> list[Action]:
    """Return the actions in sentences of a record that have their own dates, none of them the claim's."""
    later: list[Action] = []
    start = 0
    for match in _STOP.finditer(passage.text):
        pair = [span for span in passage.dates if start <= span.start < match.end()]
        if pair and not any(dates.agree(mine, span) for mine in claim.dates for span in pair):
            later += [action for action in passage.actions if start <= action.start < match.end()]
        start = match.end()
    return later


_STOP = re.compile(r"[.;](?=\s)|[。；\n]|$")
_ABBREVIATED = re.compile(r"\b(?:[A-Z]\.)*[A-Z]$|\b(?:Mr|Ms|Inc|Corp|Ltd|No|vs?)$")


def _is_abbreviated(stop: re.Match[str]) -> bool:
    """True if a full stop ends an abbreviation (U.S.)."""
    return stop.group() == "." and _ABBREVIATED.search(stop.string, 0, stop.start()) is not None


def _mere_refusal(
    claim: Claim, passage: Claim, listed: Mapping[str, Verb], *, on_its_day: bool
) -> Difference | None:
    """Find a claim that something did not happen, against a record without any refusal."""
    if negation.is_exceptive(claim.text.lower(), claim.language):
        return None
    refusals = [
        action
        for action in claim.actions
        if not _WITHOUT_LICENCE.search(claim.text.lower())
        and action.affirmed == (listed[action.verb].refusal or (on_its_day and action.verb in _STOPPING))
    ]
    if not refusals or any(_is_negative(action, listed) for action in passage.actions):
        return None
    stops = all(action.verb in _STOPPING for action in refusals)
    if stops and not any(action.verb in _BEGINNING for action in passage.actions):
        return None
    if _NEGATIVE[passage.language].search(passage.text):
        return None
    end = len(passage.text.split("\n")[0].split("。")[0])
    return Difference("polarity", refusals[0].text, passage.text[: min(end, MAX_SHOWN_CHARS)].rstrip(". "))


def _is_negative(action: Action, listed: Mapping[str, Verb]) -> bool:
    verb = listed[action.verb]
    return not action.affirmed or verb.refusal or bool(verb.after) or verb.name in _ENDING


_WITHOUT_LICENCE = re.compile(
    r"\bwithout (?:a |an |any )?(?:licen[cs]e|registration)|無登録|無免許|无牌|未经注册"
)
_WITHOUT = re.compile(r"\bwithout (?:a |an |any |the )?$")
_STOPPING = frozenset({"ban", "shut_down", "freeze", "delist", "stop_accepting"})
"""Acts that end or forbid something: a record without any such act states the opposite."""
_BEGINNING = frozenset(
    {
        *("launch", "activate", "list", "approve", "enact"),
        *("take_effect", "allow", "resume", "continue", "regulate"),
    }
)
_ENDING = frozenset(
    {
        *("ban", "shut_down", "freeze", "acquit", "lose_case", "bankrupt", "close_bank", "sanction", "seize"),
        *("lift_sanctions", "resign", "close_bank", "voluntary", "exempt", "not_security"),
    }
)
_NEGATIVE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:not|never|refus\w+|declin\w+|fail\w*|den(?:y|ied|ies)|without|cease\w*|stop(?:s|ped)?|halt\w*)\b"
    ),
    "ja": re.compile(r"ない|なかっ|ません|拒|却下|断っ|中止|停止|見送|応じず|ず(?:に|、|。)"),
    "zh": re.compile(r"拒|未|没|沒|不(?!同|断|斷|仅|僅|过|過|少|久)|禁|停止|取消"),
}
