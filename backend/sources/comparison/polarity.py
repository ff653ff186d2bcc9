"""Decides whether a claim and a passage state the same act, or one denies what the other states.

In addition to the list of opposites: an act that the claim contains too does not contradict it. Acts that
another verb of the source presupposes (the ban that was set aside, the suit that was dropped) are background
and contradict nothing. A record states its event in its first sentence and later developments after it: for a
claim about the record's day the first sentence decides. A record states what happened: if a claim says in any
words that it did not happen, and the record contains no refusal at all, the two differ."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import takewhile

from backend.entities.model import Language
from backend.sources.claims import dates, negation, role_relations, roles
from backend.sources.claims.actions import BARRING, Verb, load_verbs
from backend.sources.claims.model import Action, ComparedValue, ParsedStatement
from backend.sources.comparison import case_outcomes

TRADE = "trade"
"""The role group of buying and selling."""
MAX_SHOWN_CHARS = 60
"""Characters of a record's first sentence that are shown if none of its verbs corresponds to the claim's."""


def compare_actions(
    claim: ParsedStatement,
    passage: ParsedStatement,
    *,
    is_record: bool = False,
    is_on_event_day: bool = False,
) -> tuple[int, ComparedValue | None]:
    """Count the actions of the claim that agree, and find the first that the passage contradicts.

    ``is_on_event_day``: the claim has the date of the record's event.
    """
    verbs_by_name = load_verbs()
    claim, passage = _without_attributes(claim), _without_attributes(passage)
    passage_acts = _index_actions(passage.actions)
    acts_on_other_days = _list_actions_on_other_days(claim, passage) if is_record and is_on_event_day else []
    first_sentence_acts = (
        _index_actions(_list_first_sentence_actions(passage)) if is_record and is_on_event_day else {}
    )
    claim_acts = _index_actions(claim.actions)
    acts_on_event_day = {
        key: passage_acts[key]
        for key in passage_acts
        if key not in claim_acts and passage_acts[key] not in acts_on_other_days
    }
    unclaimed_acts = {key: passage_acts[key] for key in passage_acts if key not in claim_acts}
    background = _list_presupposed_verbs(passage.actions, verbs_by_name)
    same_count = 0
    is_refusal_shared = False
    claim_background = _list_presupposed_verbs(claim.actions, verbs_by_name)
    contradictions: list[tuple[Action, Action]] = []
    converse = _find_converse(claim, passage)
    for claim_action in claim.actions:
        if _is_condition(claim, claim_action):
            continue
        if (claim_action.verb, claim_action.affirmed) in converse:
            same_count += 1
            continue
        if (outcome := case_outcomes.compare_outcomes(claim_action, claim, passage)) is not None:
            same_count += outcome.is_same
            if not outcome.is_same:
                return same_count, _build_difference(claim, claim_action, passage, outcome.passage_action)
            continue
        unclaimed_first_acts = {
            key: first_sentence_acts[key] for key in first_sentence_acts if key not in claim_acts
        }
        opposite = _find_opposite(
            claim_action, unclaimed_first_acts, frozenset(), verbs_by_name, may_follow=False
        )
        if opposite is None or _is_in_agreement(claim_action, first_sentence_acts, verbs_by_name):
            if _is_in_agreement(claim_action, passage_acts, verbs_by_name):
                same_count += 1
                is_refusal_shared |= verbs_by_name[claim_action.verb].refusal or claim_action.verb in BARRING
                continue
            # A denial holds for all times, so that what the record dates otherwise contradicts it too.
            opposite = _find_opposite(
                claim_action,
                acts_on_event_day if claim_action.affirmed else unclaimed_acts,
                background,
                verbs_by_name,
            )
        if (
            opposite is not None
            and claim_action.verb not in claim_background
            and not _is_same_trade(claim_action, opposite, claim, passage)
        ):
            contradictions.append((claim_action, opposite))
    if is_refusal_shared:  # both tell the refusal: what was refused is no act in either
        contradictions = [
            (claim_action, passage_action)
            for claim_action, passage_action in contradictions
            if claim_action.verb != passage_action.verb or _is_lifted_later(passage, passage_action)
        ]
    if contradictions:
        clearest = next(
            (
                contradiction
                for contradiction in contradictions
                if contradiction[0].verb != contradiction[1].verb
            ),
            contradictions[0],
        )
        return same_count, _build_difference(claim, clearest[0], passage, clearest[1])
    if not is_record:
        return same_count, None
    if (denied := _find_denied_word(claim, passage)) is not None or same_count:
        return same_count, denied
    return same_count, _find_unsupported_refusal(
        claim, passage, verbs_by_name, is_on_event_day=is_on_event_day
    )


def _is_lifted_later(passage: ParsedStatement, action: Action) -> bool:
    """True if a passage tells an act in a dated sentence of its own, after the one that barred it."""
    stops = [stop.end() for stop in _STOP.finditer(passage.text, 0, action.start) if stop.group()]
    start = max(stops, default=0)
    is_dated = any(start <= span.start < action.start for span in passage.dates)
    barring = [other for other in passage.actions if other.verb in BARRING and other.affirmed]
    return action.affirmed and is_dated and bool(barring) and all(other.end <= start for other in barring)


def _without_attributes(statement: ParsedStatement) -> ParsedStatement:
    """Leave out acts whose denial only says which one of several is meant: *the chain that did not fork*."""
    actions = tuple(
        action
        for action in statement.actions
        if action.affirmed
        or not negation.is_attributive_denial(
            statement.text.lower(), action.start, action.end, statement.language
        )
    )
    return statement if len(actions) == len(statement.actions) else replace(statement, actions=actions)


def _is_condition(statement: ParsedStatement, action: Action) -> bool:
    return not action.affirmed and negation.is_conditional_denial(
        statement.text.lower(), action.start, action.end, statement.language
    )


def _find_converse(claim: ParsedStatement, passage: ParsedStatement) -> set[tuple[str, bool]]:
    """Find the acts of the claim that the passage tells from the other side (sold to, bought by)."""
    affirmed = {action.verb for action in passage.actions if action.affirmed}
    passage_roles = roles.find_roles(passage)
    return {
        (claim_roles.verb, True)
        for claim_roles in roles.find_roles(claim)
        for other_roles in passage_roles
        if other_roles.verb in affirmed and role_relations.are_converse(claim_roles, other_roles)
    }


def _is_same_trade(
    claim_action: Action, passage_action: Action, claim: ParsedStatement, passage: ParsedStatement
) -> bool:
    """True if one text names the purchase and the other the sale, which contradict only of one agent."""
    verbs_by_name = load_verbs()
    if claim_action.verb == passage_action.verb or TRADE not in (
        verbs_by_name[claim_action.verb].role_group,
        verbs_by_name[passage_action.verb].role_group,
    ):
        return False
    agents = [
        frozenset().union(*(act.agents for act in roles.find_roles(text) if act.verb == action.verb))
        for text, action in ((claim, claim_action), (passage, passage_action))
    ]
    subjects = [
        _find_name_before(text.text, action)
        for text, action in ((claim, claim_action), (passage, passage_action))
    ]
    if claim.language != "en" and subjects[0] and subjects[0] == subjects[1]:
        return False
    leading = {mention.entity_id for mention in passage.mentions[:1]}
    return verbs_by_name[claim_action.verb].role_group == verbs_by_name[
        passage_action.verb
    ].role_group and not agents[0] & (agents[1] or leading)


_NAME_BEFORE = re.compile(
    r"(?<![\w.\u30a1-\u30fc])(?P<name>[A-Z][\w.]*|[\u30a1-\u30fc]{3,})(?:は|が|、|则|也)? ?\Z", re.ASCII
)


def _find_name_before(text: str, action: Action) -> str:
    """Return the word in Latin letters or katakana right before an act; empty if there is none."""
    match = _NAME_BEFORE.search(text, max(0, action.start - MAX_SHOWN_CHARS), action.start)
    return match["name"].lower() if match is not None else ""


def _find_denied_word(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Find a word that the claim denies and the record states, or the reverse."""
    if claim.language != passage.language:
        return None
    denied = {
        word
        for word in (claim.negated_terms & passage.words) - passage.negated_terms
        if not re.search(rf"(?:[未没沒无無]|未经|没有){re.escape(word)}", passage.text)
    }
    lowered = claim.text.lower()
    if negation.is_exceptive(lowered, claim.language):
        return None  # not without a licence: a condition
    first_otherwise = negation.find_first_otherwise(lowered, claim.language)
    missing_things = set() if first_otherwise else negation.find_absent_things(lowered, claim.language)
    denied |= {
        thing
        for thing in missing_things - negation.find_absent_things(passage.text.lower(), passage.language)
        if thing in passage.text.lower()
    }
    if negation.find_negation(lowered, claim.language) is None and all(
        action.affirmed for action in claim.actions
    ):
        absent = negation.find_absent_things(passage.text.lower(), passage.language)
        denied |= {word for word in absent if word in lowered and not _is_without(lowered, word)}
    for word in sorted(denied):
        positions = [text.text.lower().find(word) for text in (claim, passage)]
        if min(positions) >= 0:
            quotes = (
                _quote_context(text.text, Action(word, True, position, position + len(word), word))
                for text, position in zip((claim, passage), positions, strict=True)
            )
            return ComparedValue("polarity", *quotes)
    return None


def _is_without(lowered: str, word: str) -> bool:
    return re.search(rf"\bwithout (?:\w+ ){{0,2}}{re.escape(word)}\b", lowered) is not None


def _build_difference(
    claim: ParsedStatement, claim_action: Action, passage: ParsedStatement, passage_action: Action
) -> ComparedValue:
    """Build the difference from both texts: two different verbs, or the context of one verb that one side
    affirms and the other denies."""
    if claim_action.verb != passage_action.verb:
        return ComparedValue("polarity", claim_action.text, passage_action.text)
    return ComparedValue(
        "polarity", _quote_context(claim.text, claim_action), _quote_context(passage.text, passage_action)
    )


def _quote_context(text: str, action: Action) -> str:
    """Return the words around a verb, up to the nearest punctuation on either side, at most sixty
    characters."""
    margin = max(0, MAX_SHOWN_CHARS - (action.end - action.start)) // 2
    before, after = text[max(0, action.start - margin) : action.start], text[action.end : action.end + margin]
    start = _MARKS.split(before)[-1]
    if len(start) == margin and " " in start:  # never from the middle of a word
        start = start.partition(" ")[2]
    end = _MARKS.split(after)[0]
    if len(end) == margin and " " in end:
        end = end.rpartition(" ")[0]
    return f"{start}{text[action.start : action.end]}{end}".strip()


_MARKS = re.compile(r"[.,;:!?](?=\s|$)|[。、，；：！？\n]")


def _index_actions(actions: Iterable[Action]) -> dict[tuple[str, bool], Action]:
    return {(action.verb, action.affirmed): action for action in actions}


def _is_in_agreement(
    claim_action: Action, passage_acts: Mapping[tuple[str, bool], Action], verbs_by_name: Mapping[str, Verb]
) -> bool:
    if (claim_action.verb, claim_action.affirmed) in passage_acts:
        return True
    if (claim_action.verb, not claim_action.affirmed) in passage_acts:
        return False
    return any(
        (opposite, not claim_action.affirmed) in passage_acts
        for opposite in verbs_by_name[claim_action.verb].opposites
    )


def _find_opposite(
    claim_action: Action,
    passage_acts: Mapping[tuple[str, bool], Action],
    background: frozenset[str],
    verbs_by_name: Mapping[str, Verb],
    *,
    may_follow: bool = True,
) -> Action | None:
    """Find an action that contradicts ``claim_action``: the same act denied, or its opposite, unless it is
    background or presupposes the claimed act."""
    if (denied := passage_acts.get((claim_action.verb, not claim_action.affirmed))) is not None:
        return denied
    for opposite in sorted(verbs_by_name[claim_action.verb].opposites - background):
        passage_action = passage_acts.get((opposite, claim_action.affirmed))
        follows = may_follow and claim_action.verb in verbs_by_name[opposite].after
        if passage_action is not None and claim_action.affirmed and not follows:
            return passage_action
    return None


def _list_presupposed_verbs(actions: Iterable[Action], verbs_by_name: Mapping[str, Verb]) -> frozenset[str]:
    return frozenset(
        verb for action in actions if action.affirmed for verb in verbs_by_name[action.verb].after
    )


def _list_first_sentence_actions(passage: ParsedStatement) -> list[Action]:
    end = next(
        (
            match.start()
            for match in _STOP.finditer(passage.text)
            if match.group() and not _is_abbreviated(match)
        ),
        len(passage.text),
    )
    return [*takewhile(lambda action: action.start < end, passage.actions)]


def _list_actions_on_other_days(claim: ParsedStatement, passage: ParsedStatement) -> list[Action]:
    """Return the actions in clauses of a record that have their own dates, none of them the claim's."""
    dated_actions: list[Action] = []
    start = 0
    for match in _CLAUSE_STOP.finditer(passage.text):
        clause_dates = [span for span in passage.dates if start <= span.start < match.end()]
        if clause_dates and not any(
            dates.can_agree(claim_date, span) for claim_date in claim.dates for span in clause_dates
        ):
            dated_actions += [action for action in passage.actions if start <= action.start < match.end()]
        start = match.end()
    return dated_actions


_STOP = re.compile(r"[.;](?=\s)|[。；\n]|$")
_CLAUSE_STOP = re.compile(r"[.;](?=\s)|[。；，、\n]|$")
"""In English a comma may stand between an act and its date (on 3 May, the court ruled)."""
_ABBREVIATED = re.compile(r"\b(?:[A-Z]\.)*[A-Z]$|\b(?:Mr|Ms|Inc|Corp|Ltd|No|vs?)$")


def _is_abbreviated(stop: re.Match[str]) -> bool:
    """True if a full stop ends an abbreviation (U.S.)."""
    return stop.group() == "." and _ABBREVIATED.search(stop.string, 0, stop.start()) is not None


def _find_unsupported_refusal(
    claim: ParsedStatement,
    passage: ParsedStatement,
    verbs_by_name: Mapping[str, Verb],
    *,
    is_on_event_day: bool,
) -> ComparedValue | None:
    """Find a claim that something did not happen, against a record without any refusal."""
    if negation.is_exceptive(claim.text.lower(), claim.language):
        return None
    refusals = [
        action
        for action in claim.actions
        if not _WITHOUT_LICENCE.search(claim.text.lower())
        and not _is_condition(claim, action)
        and action.affirmed
        == (verbs_by_name[action.verb].refusal or (is_on_event_day and action.verb in _STOPPING))
    ]
    if not refusals or any(_is_negative(action, verbs_by_name) for action in passage.actions):
        return None
    stops = all(action.verb in _STOPPING for action in refusals)
    if stops and not any(action.verb in _BEGINNING for action in passage.actions):
        return None
    if _NEGATIVE[passage.language].search(passage.text):
        return None
    end = len(passage.text.split("\n")[0].split("。")[0])
    return ComparedValue("polarity", refusals[0].text, passage.text[: min(end, MAX_SHOWN_CHARS)].rstrip(". "))


def _is_negative(action: Action, verbs_by_name: Mapping[str, Verb]) -> bool:
    verb = verbs_by_name[action.verb]
    return not action.affirmed or verb.refusal or bool(verb.after) or verb.name in _ENDING


_WITHOUT_LICENCE = re.compile(
    r"\bwithout (?:[\w.'’]+ ){0,4}?(?:licen[cs]es?|registration)\b|無登録|無免許|无牌|未经注册"
)
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
        r"\b(?:not|never|refus\w+|declin\w+|fail\w*|den(?:y|ied|ies|ials?)|without|cease\w*|stop(?:s|ped)?|halt\w*)\b"
    ),
    "ja": re.compile(r"ない|なかっ|ません|拒|却下|断っ|中止|停止|見送|応じず|ず(?:に|、|。)"),
    "zh": re.compile(r"拒|未|没|沒|不(?!同|断|斷|仅|僅|过|過|少|久)|禁|停止|取消"),
}
