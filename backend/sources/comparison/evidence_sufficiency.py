"""Decides whether the agreement of a passage with a claim suffices to call the claim true or false.

The same agent in the same month is not sufficient, because an agent does many things in a month. Each slot
that identifies the claim's event must match:

- *who*: an entity of the claim, and no agent of the claim is unknown to the source, unless the agent is the
  slot in which the two differ; - *what*: the same act (or its opposite) done to the same thing, a figure that
  agrees, or most of the claim's content words. A common act (launched, announced) does not count without
  these; - *which one*, if only the date differs: an act that happens once (a listing, a bankruptcy), or one
  identified by a figure, a name or its words. A purchase in one month says nothing about another month.

If two slots differ at once, only a figure too exact for coincidence connects the two.

Insufficient evidence shows related content of the source and leaves the claim unverified.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from backend.sources.claims.actions import Verb, verbs
from backend.sources.claims.model import Claim, Comparison, Quantity
from backend.sources.comparison.same_event import names_known

MAIN_CONTENT_SHARE, MIN_CONTENT_SHARE = 0.5, 1 / 3
"""Shares of the claim's content words that the passage must contain: alone, and together with a common
act."""
MIN_WORDS, MIN_ACTS = 2, 2
MIN_STEM_CHARS = 5
"""Letters from which a stem is also searched inside other words."""
MIN_LARGE_NUMBER, EXACT = 100, 3
"""Minimum bare number, and minimum significant digits of any figure, whose agreement is no coincidence."""


@dataclass(frozen=True, slots=True)
class _Shared:
    """The agreement of a claim and a passage, in addition to the slots of ``found``."""

    claim: Claim
    passage: Claim
    found: Comparison
    strangers: bool
    """True if an agent of the claim is unknown to the source."""

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(difference.slot for difference in self.found.differences)

    @property
    def has_matter(self) -> bool:
        """True if the claim's content words can be searched in the passage."""
        return bool(self.wanted) and self.claim.language == self.passage.language

    @property
    def matter(self) -> float:
        """The share of content words that the passage contains; 0 if they cannot be searched."""
        if not self.has_matter:
            return 0.0
        return len(self.shared_matter) / len(self.wanted)

    @property
    def shared_matter(self) -> list[str]:
        """The content words in the passage. Long words are also searched inside its names (the Treasury in
        the U.S. Treasury)."""
        if not self.has_matter:
            return []
        low = self.passage.text.lower()
        pair = self.passage.words
        return [word for word in self.wanted if word in pair or (_is_telling(word) and word in low)]

    @property
    def wanted(self) -> list[str]:
        """The claim's content words without those of a differing agent."""
        differing = " ".join(one.claimed.lower() for one in self.found.differences if one.slot == "agent")
        return [word for word in self.claim.matter if word not in differing]

    @property
    def same_figures(self) -> list[Quantity]:
        agreed = {same.claimed for same in self.found.agreed if same.slot == "figure"}
        return [
            one
            for one in self.claim.quantities
            if one.text in agreed and (one.unit is not None or abs(one.value) >= MIN_LARGE_NUMBER)
        ]

    @property
    def telling_figure(self) -> bool:
        """True if a figure agrees that is too exact for coincidence, which round figures are not."""
        return any(len(one.value.normalize().as_tuple().digits) >= EXACT for one in self.same_figures)

    @property
    def same_date(self) -> bool:
        return self.found.same_dates > 0


def _is_telling(word: str) -> bool:
    return not word.isascii() or len(word) >= MIN_STEM_CHARS


def is_sufficient(
    claim: Claim,
    passage: Claim,
    found: Comparison,
    *,
    known: Collection[str],
    acting: Collection[str],
) -> bool:
    """True if ``found``, of a passage about the same event, may change a probability. ``known`` are the
    entities of the source, ``acting`` the entities of the claim that can be agents."""
    shared = _Shared(claim, passage, found, bool(set(acting) - set(known)))
    if len(shared.slots) > 1 and not shared.telling_figure:  # an altered statement changes one slot
        return False
    if not (_who(shared) and _what(shared)):
        return False
    return "date" not in shared.slots or _which_one(shared)


def _who(shared: _Shared) -> bool:
    if "agent" in shared.slots:
        undated = not shared.claim.dates and shared.found.shared_entities > 0
        return shared.same_date or bool(shared.same_figures) or undated
    if shared.strangers and len(shared.found.agreed) < MIN_WORDS:
        return False
    if shared.found.shared_entities or not shared.claim.mentions:
        return True
    return names_known(shared.claim, shared.passage) is True


def _what(shared: _Shared) -> bool:
    if shared.telling_figure:
        return True
    enough = MIN_WORDS - shared.same_date
    named = names_known(shared.claim, shared.passage) is True
    if "agent" in shared.slots and named:  # the agents differ, but the named object is the same
        return True
    if (
        "agent" not in shared.slots
        and shared.matter >= MAIN_CONTENT_SHARE
        and len(shared.shared_matter) >= enough
    ):
        return True
    others = shared.matter > 0 or shared.found.shared_entities > 1 or named
    own = not shared.wanted or (not shared.has_matter and shared.same_date)
    if shared.same_figures and (others or own):
        return True
    listed = verbs()
    if shared.same_date and any(listed[verb].once for verb in _same_acts(shared)):
        return True
    acts = _acts(shared, listed)
    if any(not listed[verb].generic for verb in acts):
        return others or own or bool(shared.same_figures and shared.found.shared_entities)
    if acts or ("figure" in shared.slots and shared.same_date):
        return own or shared.matter >= MIN_CONTENT_SHARE
    return False


def _acts(shared: _Shared, listed: Mapping[str, Verb]) -> set[str]:
    """Return the acts of the passage that the claim contains, or whose opposites it contains."""
    ours = {action.verb for action in shared.claim.actions}
    return {
        action.verb
        for action in shared.passage.actions
        if action.verb in ours or listed[action.verb].opposites & ours
    }


def _same_acts(shared: _Shared) -> set[str]:
    return {action.verb for action in shared.claim.actions} & {
        action.verb for action in shared.passage.actions
    }


def _which_one(shared: _Shared) -> bool:
    if shared.same_figures:
        return True
    if shared.strangers or names_known(shared.claim, shared.passage) is False:
        return False
    listed = verbs()
    same = [listed[verb] for verb in _same_acts(shared)]
    if any(verb.once for verb in same) or sum(not verb.generic for verb in same) >= MIN_ACTS:
        return True
    if names_known(shared.claim, shared.passage) is True or shared.matter >= MAIN_CONTENT_SHARE:
        return True
    return shared.found.shared_entities > 1 and shared.matter > 0
