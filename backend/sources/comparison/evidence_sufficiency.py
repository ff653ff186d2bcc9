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

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from backend.sources.claims.actions import Verb, load_verbs
from backend.sources.claims.model import Comparison, ParsedStatement, Quantity
from backend.sources.comparison import contrasts
from backend.sources.comparison.same_event import has_shared_name

MAIN_CONTENT_SHARE, MIN_CONTENT_SHARE = 0.5, 1 / 3
"""Shares of the claim's content words that the passage must contain: alone, and together with a common
act."""
MIN_WORDS, MIN_ACTS, MIN_DATES, MIN_ENTITIES = 2, 2, 2, 3
ACRONYM_CHARS = (3, 4)
MIN_STEM_CHARS = 5
"""Letters from which a stem is also searched inside other words."""
MIN_LARGE_NUMBER, EXACT = 100, 3
"""Minimum bare number, and minimum significant digits of any figure, whose agreement is no coincidence."""

_OF_THE_ACT = frozenset({"agent", "roles", "polarity"})
"""Slots of one act, which a single altered word can change together."""


@dataclass(frozen=True, slots=True)
class _Agreement:
    """The agreement of a claim and a passage, in addition to the slots of ``comparison``."""

    claim: ParsedStatement
    passage: ParsedStatement
    comparison: Comparison
    has_unknown_agent: bool
    """True if an agent of the claim is unknown to the source."""

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(difference.slot for difference in self.comparison.differences)

    @property
    def has_content_words(self) -> bool:
        """True if the claim's content words can be searched in the passage."""
        return bool(self.content_words) and self.claim.language == self.passage.language

    @property
    def content_share(self) -> float:
        """The share of content words that the passage contains; 0 if they cannot be searched."""
        if not self.has_content_words:
            return 0.0
        return len(self.shared_content_words) / len(self.content_words)

    @property
    def shared_content_words(self) -> list[str]:
        """The content words in the passage. Long words are also searched inside its names (the Treasury in
        the U.S. Treasury)."""
        if not self.has_content_words:
            return []
        lowered = self.passage.text.lower()
        passage_words = self.passage.words
        return [
            word
            for word in self.content_words
            if word in passage_words
            or (_is_searched_inside_words(word) and word in lowered)
            or _is_acronym(word, lowered)
        ]

    @property
    def content_words(self) -> list[str]:
        """The claim's content words without those of a differing agent."""
        differing = " ".join(
            difference.claimed.lower()
            for difference in self.comparison.differences
            if difference.slot == "agent"
        )
        return [word for word in self.claim.content_terms if word not in differing]

    @property
    def same_figures(self) -> list[Quantity]:
        agreed_texts = {
            matching_slot.claimed
            for matching_slot in self.comparison.agreed
            if matching_slot.slot == "figure"
        }
        return [
            quantity
            for quantity in self.claim.quantities
            if quantity.text in agreed_texts
            and (quantity.unit is not None or abs(quantity.value) >= MIN_LARGE_NUMBER)
        ]

    @property
    def has_exact_figure(self) -> bool:
        """True if a figure agrees that is too exact for coincidence, which round figures are not."""
        return any(len(figure.value.normalize().as_tuple().digits) >= EXACT for figure in self.same_figures)

    @property
    def has_other_unit(self) -> bool:
        """True if the figure that differs has the same number: 7,000 bitcoin against 7,000 ether."""
        return bool(self._list_values_of_other_unit())

    @property
    def has_exact_figure_of_other_unit(self) -> bool:
        """True if that number is too exact for coincidence."""
        return any(
            len(value.normalize().as_tuple().digits) >= EXACT for value in self._list_values_of_other_unit()
        )

    @property
    def is_only_figure_of_its_unit(self) -> bool:
        """True if the passage has one figure of the unit of the claim's figure that differs."""
        differing = {slot.claimed for slot in self.comparison.differences if slot.slot == "figure"}
        units = {figure.unit for figure in self.claim.quantities if figure.text in differing} - {None}
        return any(sum(figure.unit == unit for figure in self.passage.quantities) == 1 for unit in units)

    def _list_values_of_other_unit(self) -> list[Decimal]:
        differing = {slot.claimed for slot in self.comparison.differences if slot.slot == "figure"}
        values = {figure.value for figure in self.passage.quantities}
        return [
            figure.value
            for figure in self.claim.quantities
            if figure.text in differing and figure.value in values
        ]

    @property
    def has_same_date(self) -> bool:
        return self.comparison.same_dates > 0


def _is_acronym(word: str, lowered: str) -> bool:
    """True if a word of three or four letters is made of the initials of adjacent words in a text."""
    if len(word) not in ACRONYM_CHARS or not word.isascii():
        return False
    return re.search(r"\b" + r"\w* ".join(map(re.escape, word)) + r"\w*", lowered) is not None


def _is_searched_inside_words(word: str) -> bool:
    return not word.isascii() or len(word) >= MIN_STEM_CHARS


def is_sufficient(
    claim: ParsedStatement,
    passage: ParsedStatement,
    comparison: Comparison,
    *,
    source_entities: Collection[str],
    agent_ids: Collection[str],
) -> bool:
    """True if ``comparison``, of a passage about the same event, may change a probability.

    ``source_entities`` are the entities of the source, ``agent_ids`` the entities of the claim that can be
    agents.
    """
    agreement = _Agreement(claim, passage, comparison, bool(set(agent_ids) - set(source_entities)))
    if len(agreement.slots) > 1 and not _is_one_alteration(
        agreement
    ):  # an altered statement changes one slot
        return False
    if not (_agents_agree(agreement) and _acts_agree(agreement)):
        return False
    return "date" not in agreement.slots or _is_same_occurrence(agreement)


def _is_one_alteration(agreement: _Agreement) -> bool:
    """True if differences in several slots can come from one altered word.

    An exact figure connects the texts, or the day or month does, if only who acted, on whom and how differ: a
    court against the regulator, a victory against a defeat.
    """
    if agreement.has_exact_figure or agreement.has_exact_figure_of_other_unit:
        return True
    is_of_the_act = agreement.slots <= _OF_THE_ACT or agreement.has_other_unit
    return is_of_the_act and _is_dated_event(agreement)


def _is_dated_event(agreement: _Agreement) -> bool:
    """True if the day or month of the claim's event and an entity agree."""
    return (
        agreement.has_same_date and _has_precise_date(agreement) and agreement.comparison.shared_entities > 0
    )


def _agents_agree(agreement: _Agreement) -> bool:
    if "agent" in agreement.slots:
        undated = not agreement.claim.dates and agreement.comparison.shared_entities > 0
        is_dated = agreement.has_same_date and (
            _has_precise_date(agreement) or _shares_telling_act(agreement)
        )
        return is_dated or bool(agreement.same_figures) or undated
    if agreement.has_unknown_agent and len(agreement.comparison.agreed) < MIN_WORDS:
        return False
    if agreement.comparison.shared_entities or not agreement.claim.mentions:
        return True
    return has_shared_name(agreement.claim, agreement.passage) is True


def _has_precise_date(agreement: _Agreement) -> bool:
    return any(span.precision != "year" for span in agreement.claim.dates)


def _shares_telling_act(agreement: _Agreement) -> bool:
    """True if both tell an act that is not generic: many projects start in one year."""
    return any(not load_verbs()[verb].generic for verb in _list_shared_verbs(agreement))


def _acts_agree(agreement: _Agreement) -> bool:
    if agreement.has_exact_figure:
        return True
    min_words = MIN_WORDS - agreement.has_same_date
    has_name = has_shared_name(agreement.claim, agreement.passage) is True
    if "agent" in agreement.slots and has_name:  # the agents differ, but the named object is the same
        return True
    if (
        "agent" not in agreement.slots
        and agreement.content_share >= MAIN_CONTENT_SHARE
        and len(agreement.shared_content_words) >= min_words
    ):
        return True
    if (
        not agreement.slots
        and _is_dated_event(agreement)
        and agreement.content_share >= MIN_CONTENT_SHARE
        and len(agreement.shared_content_words) >= MIN_WORDS
    ):
        return True
    has_other_match = agreement.content_share > 0 or agreement.comparison.shared_entities > 1 or has_name
    needs_no_match = not agreement.content_words or (
        not agreement.has_content_words and agreement.has_same_date
    )
    if agreement.same_figures and (has_other_match or needs_no_match):
        return True
    if agreement.slots and agreement.same_figures and _is_dated_event(agreement):
        return True
    if agreement.slots == {"figure"} and agreement.is_only_figure_of_its_unit and _is_dated_event(agreement):
        return True
    if "polarity" in agreement.slots and _is_dated_event(agreement) and _have_other_property(agreement):
        return True
    verbs_by_name = load_verbs()
    if agreement.has_same_date and any(verbs_by_name[verb].once for verb in _list_shared_verbs(agreement)):
        return True
    shared_acts = [verb for verb in _list_shared_verbs(agreement) if not verbs_by_name[verb].generic]
    if agreement.has_same_date and len(shared_acts) >= MIN_ACTS:
        return True
    if agreement.comparison.shared_entities and agreement.comparison.same_dates >= MIN_DATES:
        return True
    if _has_precise_date(agreement) and agreement.comparison.shared_entities >= MIN_ENTITIES:
        return agreement.has_same_date
    acts = _list_shared_or_opposite_verbs(agreement, verbs_by_name)
    if any(not verbs_by_name[verb].generic for verb in acts):
        return (
            has_other_match
            or needs_no_match
            or bool(agreement.same_figures and agreement.comparison.shared_entities)
        )
    if acts or ("figure" in agreement.slots and agreement.has_same_date):
        return needs_no_match or agreement.content_share >= MIN_CONTENT_SHARE
    return False


def _have_other_property(agreement: _Agreement) -> bool:
    return contrasts.find_difference(agreement.claim, agreement.passage) is not None


def _list_shared_or_opposite_verbs(agreement: _Agreement, verbs_by_name: Mapping[str, Verb]) -> set[str]:
    """Return the acts of the passage that the claim contains, or whose opposites it contains."""
    claim_verbs = {action.verb for action in agreement.claim.actions}
    return {
        action.verb
        for action in agreement.passage.actions
        if action.verb in claim_verbs or verbs_by_name[action.verb].opposites & claim_verbs
    }


def _list_shared_verbs(agreement: _Agreement) -> set[str]:
    return {action.verb for action in agreement.claim.actions} & {
        action.verb for action in agreement.passage.actions
    }


def _is_same_occurrence(agreement: _Agreement) -> bool:
    if agreement.same_figures:
        return True
    if agreement.has_unknown_agent or has_shared_name(agreement.claim, agreement.passage) is False:
        return False
    verbs_by_name = load_verbs()
    shared_verbs = [verbs_by_name[verb] for verb in _list_shared_verbs(agreement)]
    if any(verb.once for verb in shared_verbs) or sum(not verb.generic for verb in shared_verbs) >= MIN_ACTS:
        return True
    if (
        has_shared_name(agreement.claim, agreement.passage) is True
        or agreement.content_share >= MAIN_CONTENT_SHARE
    ):
        return True
    return agreement.comparison.shared_entities > 1 and agreement.content_share > 0
