"""Finds a cause that only the claim gives: because of a hack, 是因为员工偷窃."""

import re
from collections.abc import Collection, Mapping

from backend.entities.model import Language
from backend.sources.claims import lexical_features, numbers
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.model import Action, MissingElement, ParsedStatement

_CAUSES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:because(?: of)?|due to|owing to|caused by|as a result of|on account of) (?P<cause>[^,;.]+)"
    ),
    "ja": re.compile(
        "(?:^|[、。])(?:[^、。]*のは)?(?P<cause>[^、。]{2,60}?)(?:が原因|が理由|のせい|のため(?:だ|で|、)|たため(?:だ|で|、)|たからだ)"
    ),
    "zh": re.compile("(?:是?因为|是因|由于|缘于|源于|起因于|归因于)(?P<cause>[^，。；]{2,})"),
}
MIN_TOLD_SHARE = 1 / 3


def find_missing_cause(
    claim: ParsedStatement, passage: ParsedStatement, passage_entities: Collection[str]
) -> MissingElement | None:
    """Return the claim's cause if the passage has no entity, no act and less than a third of the words of it.

    An act that the claim also tells outside of its cause is no word of the cause: *lost, because keys were
    stolen*.
    """
    plain = numbers.normalize(claim.text)
    match = _CAUSES[claim.language].search(plain.lower())
    if match is None:
        return None
    start, end = match.span("cause")
    mentioned = {mention.entity_id for mention in claim.mentions if start <= mention.start < end}
    inside = [action for action in claim.actions if start <= action.start < end]
    acts = {action.verb for action in inside}
    acts -= {action.verb for action in claim.actions if not start <= action.start < end}
    spans = [(mention.start - start, mention.end - start) for mention in claim.mentions]
    terms = lexical_features.list_content_terms(
        plain[start:end], [(a, b) for a, b in spans if 0 <= a < end - start]
    )
    lowered = passage.text.lower()
    told = sum(term in passage.words or term in lowered for term in terms)
    is_told = (
        mentioned & set(passage_entities)
        or acts & {action.verb for action in passage.actions}
        or any(has_denied_opposite(action, passage) for action in inside)
        or (told and told >= len(terms) * MIN_TOLD_SHARE)
    )
    return None if is_told else MissingElement("clause", plain[start:end].strip())


def has_denied_opposite(action: Action, passage: ParsedStatement) -> bool:
    """True if a passage tells an act by denying its opposite: kept quiet about it, did not disclose it."""
    opposites = load_verbs()[action.verb].opposites
    return action.affirmed and any(
        not other.affirmed and other.verb in opposites for other in passage.actions
    )
