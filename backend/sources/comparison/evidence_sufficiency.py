"""Whether what a passage shares with a claim is ground enough to call the claim true or false.

That somebody is the same and the month is the same is no ground: people do many things in a month. Each slot
that sets the claim's event apart has to be met:

- *who*: somebody whom the claim names, and nobody who acts in it stays unknown to the source, unless that is
  the very slot in which the two differ;
- *what*: the same act (or its opposite) done to the same thing, a figure that agrees, or most of the words
  that tell what the claim is about. An act that all texts tell (launched, announced) is none without those;
- *which one*, where only the date differs: what is done once (a listing, a bankruptcy) or what is told apart
  by a figure, a name or its words. That somebody bought in one month says nothing of another month.

Where two slots differ at once, only a figure too exact for chance holds the two together.

Evidence without ground shows what the source tells nearby, and leaves the claim unverified.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from backend.sources.claims.actions import Verb, verbs
from backend.sources.claims.model import Claim, Comparison, Quantity
from backend.sources.comparison.same_event import names_known

MOST_MATTER, SOME_MATTER = 0.5, 1 / 3
"""Shares of the claim's matter that a passage of the same event holds: alone, or beside a common act."""
FEWEST_WORDS, FEWEST_ACTS = 2, 2
TELLING = 5
"""Letters from which a stem is looked for inside other words."""
LARGE, EXACT = 100, 3
"""From which a bare number, and from how many significant digits any figure, is no chance agreement."""


@dataclass(frozen=True, slots=True)
class _Shared:
    """What a claim and a passage share, beside the slots of ``found``."""

    claim: Claim
    passage: Claim
    found: Comparison
    strangers: bool
    """Whether somebody who acts in the claim is unknown to the source."""

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(difference.slot for difference in self.found.differences)

    @property
    def has_matter(self) -> bool:
        """Whether the claim's words beside its slots and acts can be looked for in the passage."""
        return bool(self.wanted) and self.claim.language == self.passage.language

    @property
    def matter(self) -> float:
        """The share of them that the passage holds; 0 where they cannot be looked for."""
        if not self.has_matter:
            return 0.0
        return len(self.shared_matter) / len(self.wanted)

    @property
    def shared_matter(self) -> list[str]:
        """Looked for in the passage's names too (the Treasury in the U.S. Treasury), where a word is long
        enough to be no chance part of another."""
        if not self.has_matter:
            return []
        low = self.passage.text.lower()
        held = self.passage.words
        return [word for word in self.wanted if word in held or (_is_telling(word) and word in low)]

    @property
    def wanted(self) -> list[str]:
        """The claim's matter without the words in which it differs."""
        differing = " ".join(one.claimed.lower() for one in self.found.differences if one.slot == "agent")
        return [word for word in self.claim.matter if word not in differing]

    @property
    def same_figures(self) -> list[Quantity]:
        agreed = {same.claimed for same in self.found.agreed if same.slot == "figure"}
        return [
            one
            for one in self.claim.quantities
            if one.text in agreed and (one.unit is not None or abs(one.value) >= LARGE)
        ]

    @property
    def telling_figure(self) -> bool:
        """Whether a figure agrees that is too exact to agree by chance, as round ones can."""
        return any(len(one.value.normalize().as_tuple().digits) >= EXACT for one in self.same_figures)

    @property
    def same_date(self) -> bool:
        return self.found.same_dates > 0


def _is_telling(word: str) -> bool:
    return not word.isascii() or len(word) >= TELLING


def is_sufficient(
    claim: Claim,
    passage: Claim,
    found: Comparison,
    *,
    known: Collection[str],
    acting: Collection[str],
) -> bool:
    """Whether ``found``, of a passage of the same event, may move a probability. ``known`` are the entities
    of the source, ``acting`` those of the claim that can be a doer."""
    shared = _Shared(claim, passage, found, bool(set(acting) - set(known)))
    if len(shared.slots) > 1 and not shared.telling_figure:  # who alters a statement changes one thing
        return False
    if not (_who(shared) and _what(shared)):
        return False
    return "date" not in shared.slots or _which_one(shared)


def _who(shared: _Shared) -> bool:
    if "agent" in shared.slots:
        undated = not shared.claim.dates and shared.found.shared_entities > 0
        return shared.same_date or bool(shared.same_figures) or undated
    if shared.strangers and len(shared.found.agreed) < FEWEST_WORDS:
        return False
    if shared.found.shared_entities or not shared.claim.mentions:
        return True
    return names_known(shared.claim, shared.passage) is True


def _what(shared: _Shared) -> bool:
    if shared.telling_figure:
        return True
    enough = FEWEST_WORDS - shared.same_date
    named = names_known(shared.claim, shared.passage) is True
    if "agent" in shared.slots and named:  # whoever did it, it is the thing of that name
        return True
    if "agent" not in shared.slots and shared.matter >= MOST_MATTER and len(shared.shared_matter) >= enough:
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
        return others or own
    if acts or ("figure" in shared.slots and shared.same_date):
        return own or shared.matter >= SOME_MATTER
    return False


def _acts(shared: _Shared, listed: Mapping[str, Verb]) -> set[str]:
    """The acts of the passage that the claim tells too, or tells the opposite of."""
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
    if any(verb.once for verb in same) or sum(not verb.generic for verb in same) >= FEWEST_ACTS:
        return True
    if names_known(shared.claim, shared.passage) is True or shared.matter >= MOST_MATTER:
        return True
    return shared.found.shared_entities > 1 and shared.matter > 0
