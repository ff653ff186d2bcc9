"""Decides whether a passage is about the same event as a claim, by a logit of their common features.

A false statement usually changes only one slot of the true one; another event of the same agents shares few.
The weights are the rounded coefficients of a logistic regression. Its data are statements made from records
of events, true ones and ones with an altered date, figure or agent, against their own record and against
others, with words removed to simulate other wordings.
"""

from collections.abc import Iterable, Mapping

from backend.sources.claims import agent_phrases
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.lexical_features import normalize_name
from backend.sources.claims.model import Action, Comparison, ParsedStatement

MIN_SAME_EVENT_CLOSENESS = 0.0
"""Minimum closeness (a logit) of texts about the same event."""
INTERCEPT = -5.8
"""The closeness of texts that share nothing."""
WEIGHTS: Mapping[str, float] = {
    "further shared entities": 1.4,  # beyond the first, two at the most
    "share of the claim's entities": 3.3,
    "same date": 3.7,
    "same figure": 2.0,
    "same action or its opposite": 0.7,
    "actions of other themes": -2.0,
    "share of the claim's words": 3.9,
    "unlisted name known": 1.4,
    "unlisted name unknown": -1.8,
    "other date": -1.0,
    "other figure": -0.4,
    "several differences": -3.1,
    "another action and another date, agent or name": -1.8,
    "both name who did one deed": 0.8,
    "an act that happens once": 1.5,  # by all entities of the claim; not fitted
    "rare terms shared": 1.2,  # the score of the search by tens, three at the most
}
MAX_SEARCH_SCORE, DEFAULT_SEARCH_SCORE = 30.0, 15.0
"""Maximum search score that counts, and the score assumed without a search."""
_NO_ENTITY, _NO_WORDS = 0.5, 0.4
"""Shares assumed for a claim without entities, and for texts in different languages."""


def compute_closeness(
    claim: ParsedStatement, passage: ParsedStatement, comparison: Comparison, bm25: float | None = None
) -> float:
    """Compute the logit that ``passage`` is about the event of ``claim``; ``comparison`` holds the compared
    slots. ``bm25`` is the search score, which grows with the rare terms that both contain."""
    features = _compute_features(claim, passage, comparison, DEFAULT_SEARCH_SCORE if bm25 is None else bm25)
    return INTERCEPT + sum(WEIGHTS[name] * feature for name, feature in features.items())


def _compute_features(
    claim: ParsedStatement, passage: ParsedStatement, comparison: Comparison, bm25: float
) -> dict[str, float]:
    slots = {difference.slot for difference in comparison.differences}
    entities = {mention.entity_id for mention in claim.mentions}
    both_act = bool(claim.actions and passage.actions)
    same_act = comparison.same_actions > 0 or "polarity" in slots
    has_name = has_shared_name(claim, passage)
    comparable = claim.words and claim.language == passage.language
    return {
        "further shared entities": min(max(comparison.shared_entities - 1, 0), 2),
        "share of the claim's entities": comparison.shared_entities / len(entities)
        if entities
        else _NO_ENTITY,
        "same date": min(comparison.same_dates, 1),
        "same figure": min(comparison.same_figures, 1),
        "same action or its opposite": same_act,
        "actions of other themes": both_act
        and not same_act
        and not _share_theme(claim.actions, passage.actions),
        "share of the claim's words": (
            len(claim.words & passage.words) / len(claim.words) if comparable else _NO_WORDS
        ),
        "unlisted name known": has_name is True,
        "unlisted name unknown": has_name is False,
        "other date": "date" in slots,
        "other figure": "figure" in slots,
        "several differences": len(slots) > 1,
        "another action and another date, agent or name": (
            both_act
            and not same_act
            and (
                has_name is False or (has_name is None and bool({"date", "agent"} & slots)) or "date" in slots
            )
        ),
        "both name who did one deed": same_act and _both_name_agent(claim, passage),
        "an act that happens once": 0 < len(entities) == comparison.shared_entities
        and _share_once(claim, passage),
        "rare terms shared": min(max(bm25, 0.0), MAX_SEARCH_SCORE) / 10,
    }


def _share_theme(claim_actions: Iterable[Action], passage_actions: Iterable[Action]) -> bool:
    """True if any two actions share a theme."""
    verbs_by_name = load_verbs()
    themes = frozenset().union(*(verbs_by_name[action.verb].themes for action in claim_actions))
    return any(themes & verbs_by_name[action.verb].themes for action in passage_actions)


def _share_once(claim: ParsedStatement, passage: ParsedStatement) -> bool:
    """True if both name the same entity first and tell of an act that nobody is likely to do twice."""
    if [mention.entity_id for mention in claim.mentions[:1]] != [
        mention.entity_id for mention in passage.mentions[:1]
    ]:
        return False
    passage_verbs = {action.verb for action in passage.actions}
    return any(action.verb in passage_verbs and load_verbs()[action.verb].once for action in claim.actions)


def has_shared_name(claim: ParsedStatement, passage: ParsedStatement) -> bool | None:
    """True if the passage contains an unlisted name of the claim; None if the claim has none or the languages
    differ."""
    if not claim.names or claim.language != passage.language:
        return None
    text = normalize_name(passage.text)
    return any(normalize_name(name) in text for name in claim.names)


MIN_POINTS = 2
"""Minimum points for features that identify one event."""
_SHARE, _FEW = 0.5, 2


def is_distinctive(
    claim: ParsedStatement, passage: ParsedStatement, comparison: Comparison, bm25: float | None = None
) -> bool:
    """True if the common features are more than known agents and a common verb.

    A day, month or quarter, a figure that agrees, or an agent named on both sides is enough. Otherwise two
    of these are needed: a year; an act that is not common to all texts, or its opposite, and once more if
    nobody is likely to do it twice; a second entity; an unlisted name; half of the claim's own words; rare
    terms. One more is needed if another agent replaces the claim's, if the two differ in two slots, or if
    another figure appears without a common act, because it may measure something else. A text without any
    entity of the claim and without agreement is about another event."""
    slots = {difference.slot for difference in comparison.differences}
    shares_no_entity = claim.mentions and not comparison.shared_entities and not comparison.agreed
    if shares_no_entity and "agent" not in slots and has_shared_name(claim, passage) is not True:
        return False
    has_precise_date = any(span.precision != "year" for span in claim.dates)
    points = (2 if has_precise_date else 1) * bool(comparison.same_dates) + 2 * bool(comparison.same_figures)
    points += _share_distinctive_act(claim, passage) + (comparison.shared_entities > 1)
    if comparison.shared_entities and comparison.same_actions and _both_name_agent(claim, passage):
        points += 2
    points += has_shared_name(claim, passage) is True
    points += bool(comparison.shared_entities) and _share_once(claim, passage)
    if claim.words and claim.language == passage.language:
        shared = len(claim.words & passage.words)
        points += shared >= _FEW and shared / len(claim.words) >= _SHARE
    points += bm25 is not None and bm25 >= DEFAULT_SEARCH_SCORE
    other_measure = "figure" in slots and not comparison.same_actions
    return points >= MIN_POINTS + ("agent" in slots) + (len(slots) > 1) + other_measure


def _both_name_agent(claim: ParsedStatement, passage: ParsedStatement) -> bool:
    """True if both texts name the agent of an act in a phrase."""
    return all(
        agent_phrases.find_named_agent(statement.text, statement.language) is not None
        for statement in (claim, passage)
    )


def _share_distinctive_act(claim: ParsedStatement, passage: ParsedStatement) -> bool:
    verbs_by_name = load_verbs()
    passage_verbs = {action.verb for action in passage.actions}
    claim_verbs = {action.verb for action in claim.actions if not verbs_by_name[action.verb].generic}
    return any(verb in passage_verbs or verbs_by_name[verb].opposites & passage_verbs for verb in claim_verbs)
