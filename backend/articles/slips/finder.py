"""Finds in one field the slips that no rule lists, and decides which may be corrected unasked."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.meanings import Kind, Meaning
from backend.articles.slips import confidence
from backend.articles.slips.edits import EditKind
from backend.articles.slips.lexicon import load_lexicon
from backend.articles.slips.own_names import OwnNames, follows_given_name
from backend.articles.slips.slip_index import SlipIndex
from backend.articles.slips.targets import Candidate, Name, Need
from backend.articles.slips.weak_evidence import WEAK_EVIDENCE, WeakEvidence
from backend.articles.slips.weak_words import MIN_LEXICON_CHARS
from backend.articles.text.katakana_runs import DOTTED_KATAKANA, KATAKANA_RUN

if TYPE_CHECKING:
    from backend.articles.matching.matched_field import MatchedField

_LATIN_TOKEN = re.compile("[a-z0-9_\u00df-\u024f\u0370-\u04ff]{5,32}")
_HAN = re.compile("[\u4e00-\u9fff]{2}")
_KATAKANA = re.compile("[\u30a1-\u30fa]{2}")
MAX_KATAKANA_CHARS = 30
MIN_DELIBERATE = 3
"""A word that a field has so often may be another name."""

MIN_LEAD = 0.2
"""By how much a slip must be likelier for its name than for another entity's to be corrected unasked."""

_CONTRAST = re.compile(
    r"['’]?s?,? (?:and|or|not|nor|versus|vs\.?|unlike|instead of|rather than) (?:the |to )?"
    r"|(?:ではなく|じゃなく|でなく|とは異なる|と|や|及び|および|または)、?|(?:而不是|而非|不是|与|與|和|及|或)",
    re.IGNORECASE,
)
"""What stands between a name and another one that is like it and means something else."""

_NEEDS_CAPITAL = frozenset((Need.EVIDENCE, Need.OWN_NAME))

HasEvidence = Callable[[int], bool]
"""Whether evidence of the field stands near a place of the text."""


class _Slip(NamedTuple):
    """A slip at ``[start:end]`` of the visible text."""

    start: int
    end: int
    confidence: float
    candidate: Candidate
    right: str
    dots: int
    """By how many middle dots it differs from the name."""
    is_contrasted: bool
    """Whether the right name is joined to it. Then it is no slip, also not for another name."""

    @property
    def name(self) -> Name:
        return self.candidate.word.name

    def rank(self) -> tuple[float, int, int, int, bool, str, str]:
        """Return the order in which overlapping slips are chosen."""
        name = self.name
        place = self.start, -self.end
        return -self.confidence, *place, self.dots, not name.is_canonical, name.text, name.entity


def add_slips(matched_field: "MatchedField", index: SlipIndex, has_evidence: HasEvidence) -> None:
    """Add the slips of a field to what was found in it. What is found already stays."""
    slips = _choose_best(_list_slips(matched_field, index, has_evidence))
    if not slips:
        return
    occurrences = matched_field.occurrences
    covered = [(slip.start, slip.end) for slip, _ in slips]
    kept = [occurrence for occurrence in occurrences if not _is_covered(occurrence[0], covered)]
    added = [_build_occurrence(index, slip, is_doubtful=is_doubtful) for slip, is_doubtful in slips]
    occurrences[:] = sorted([*kept, *added], key=itemgetter(0))


def _build_occurrence(index: SlipIndex, slip: _Slip, *, is_doubtful: bool) -> Occurrence:
    name, kind = slip.name, slip.candidate.edit.kind
    # Houses differ about ヴ, a final length mark and foreign persons, and a former name may be meant.
    is_style = kind is EditKind.STYLE or (kind is EditKind.SOUND and name.type == "person")
    is_weak = slip.candidate.need is not Need.NOTHING
    needs_question = is_doubtful or name.is_former or is_style or is_weak
    rule = index.get_rule(
        name, kind, auto_fix=slip.confidence >= confidence.MIN_UNASKED and not needs_question
    )
    return slip.start, slip.end, Meaning(Kind.WRONG, name.entity, rule, raw=name.text), slip.right


def _is_covered(start: int, covered: list[tuple[int, int]]) -> bool:
    index = bisect_left(covered, (start + 1,)) - 1
    return index >= 0 and covered[index][0] <= start < covered[index][1]


def _choose_best(slips: Iterator[_Slip]) -> list[tuple[_Slip, bool]]:
    """Choose the best of overlapping slips, and tell of each whether another entity is nearly as likely."""
    chosen: list[_Slip] = []
    chosen_spans: list[tuple[int, int, int]] = []
    doubtful: set[int] = set()
    for slip in sorted(slips, key=_Slip.rank):
        index = bisect_left(chosen_spans, (slip.start, slip.end, 0))
        overlapping = [
            span
            for span in chosen_spans[max(0, index - 1) : index + 1]
            if span[0] < slip.end and slip.start < span[1]
        ]
        for _, _, number in overlapping:
            rival = chosen[number]
            if rival.name.entity != slip.name.entity and rival.confidence - slip.confidence < MIN_LEAD:
                doubtful.add(number)
        if not overlapping:
            chosen_spans.insert(index, (slip.start, slip.end, len(chosen)))
            chosen.append(slip)
    return [
        (chosen[number], number in doubtful)
        for _, _, number in chosen_spans
        if not chosen[number].is_contrasted
    ]


def _list_slips(
    matched_field: "MatchedField", index: SlipIndex, has_evidence: HasEvidence
) -> Iterator[_Slip]:
    judge = _SlipJudge(matched_field, index, has_evidence)
    for start, end, candidate in _list_candidates(matched_field, index):
        slip = judge.judge(start, end, candidate)
        if slip is not None:
            yield slip


def _list_candidates(matched_field: "MatchedField", index: SlipIndex) -> Iterator[tuple[int, int, Candidate]]:
    """Generate candidates with the places of their whole names in the folded text."""
    folded = matched_field.folded_text
    yield from _find_in_words(folded, _LATIN_TOKEN, index, matched_field.visible_text)
    for candidate in index.phrases.find(folded):
        yield candidate.start, candidate.end, candidate
    if folded.isascii():
        return
    if _KATAKANA.search(folded):
        yield from _find_in_words(folded, KATAKANA_RUN, index, folded, is_katakana=True)
        if "・" in folded or "＝" in folded:
            yield from _find_in_words(folded, DOTTED_KATAKANA, index, folded, is_katakana=True)
    by_language = {"zh": "han", "ja": "japanese_han"}
    if matched_field.language in by_language and _HAN.search(folded):
        for candidate in getattr(index, by_language[matched_field.language]).find(folded):
            yield candidate.start, candidate.end, candidate


def _find_in_words(
    folded: str, token: re.Pattern[str], index: SlipIndex, written: str, *, is_katakana: bool = False
) -> Iterator[tuple[int, int, Candidate]]:
    new_words = set(token.findall(folded)).difference(index.ordinary)
    slips = {}
    for word in new_words:
        candidates_of_word = index.slips.get(word)
        if candidates_of_word is None:
            if is_katakana and len(word) > MAX_KATAKANA_CHARS:
                continue
            candidates_of_word = index.find_in_word(word, is_katakana=is_katakana)
        if candidates_of_word:
            slips[word] = candidates_of_word
    for word, candidates in slips.items():
        if word[0].upper() + word[1:] not in written:
            candidates = tuple(candidate for candidate in candidates if candidate.need not in _NEEDS_CAPITAL)
            if not candidates:
                continue
        starts = list(_find_starts(word, folded, token))
        if len(starts) >= MIN_DELIBERATE:
            candidates = tuple(
                candidate.reduce_likelihood(confidence.REPEATED)
                for candidate in candidates
                if candidate.need is Need.NOTHING
            )
        for start, candidate in product(starts, candidates):
            name_word = candidate.word
            first, last = start + candidate.start, start + candidate.end
            if not folded.startswith(name_word.after, last) or not folded.endswith(
                name_word.before, 0, first
            ):
                continue
            yield first - len(name_word.before), last + len(name_word.after), candidate


def _find_starts(word: str, folded: str, token: re.Pattern[str]) -> Iterator[int]:
    """Generate where ``word`` stands as a whole token."""
    start = folded.find(word)
    while start >= 0:
        match = token.match(folded, start)
        is_whole = match is not None and match.group() == word
        if is_whole and not (start and token.match(folded, start - 1)):
            yield start
        start = folded.find(word, start + len(word))


class _SlipJudge:
    """Decides whether candidates of one field are slips."""

    def __init__(self, matched_field: "MatchedField", index: SlipIndex, has_evidence: HasEvidence) -> None:
        self._matched_field = matched_field
        self._index = index
        self._has_evidence = has_evidence
        self._weak_evidence = WeakEvidence(matched_field)
        self._own_names = OwnNames(matched_field)
        self._starts = [occurrence[0] for occurrence in matched_field.occurrences]

    def judge(self, first: int, last: int, candidate: Candidate) -> _Slip | None:
        """Judge a candidate at ``[first:last]`` of the folded text; None if it is no slip."""
        name = candidate.word.name
        folded_text, matched_field = self._matched_field.folded_text, self._matched_field
        span = matched_field.to_visible_span(first, last)
        is_script = candidate.edit.kind is EditKind.SCRIPT
        # Rules know forms of Chinese that are no right names in Japanese (渡邊).
        may_be_known = is_script or (candidate.need is Need.QUESTION and name.is_han)
        if span is None or self._is_taken(*span, may_be_right=may_be_known):
            return None
        written = matched_field.visible_text[span[0] : span[1]]
        if (
            not may_be_known and self._index.is_known(folded_text[first:last])
        ) or not matched_field.is_unprotected(*span):
            return None
        slip_confidence = self._rate(span, (first, last), candidate)
        if slip_confidence < confidence.MIN_REPORTED:
            return None
        right = confidence.adapt_case(
            matched_field, span[0], written, self._keep_small_words(written, candidate)
        )
        if right == written:
            return None
        dots = abs(name.folded.count("・") - written.count("・"))
        return _Slip(*span, slip_confidence, candidate, right, dots, self._is_contrasted(*span, name))

    def _rate(self, span: tuple[int, int], folded_span: tuple[int, int], candidate: Candidate) -> float:
        """Rate a candidate with regard to evidence."""
        matched_field, name = self._matched_field, candidate.word.name
        if candidate.need is not Need.NOTHING and not self._has_form(span, candidate):
            return 0.0
        is_surname = name.type == "person" and name.is_latin and " " not in name.folded
        if is_surname and follows_given_name(matched_field.visible_text, span[0]):
            return 0.0
        rating = confidence.rate_candidate(
            matched_field, span, matched_field.folded_text, folded_span, candidate
        )
        if candidate.need is Need.OWN_NAME:
            is_beside = rating > 0 and self._own_names.has_other_name(*span, name)
            return confidence.BESIDE_OWN_NAME + rating / 20 if is_beside else 0.0
        if rating >= confidence.MIN_REPORTED and not self._has_evidence(span[0]):
            penalty = self._weak_evidence.compute_penalty(*span, name)
            rating -= 1.0 if candidate.need is Need.EVIDENCE and penalty > WEAK_EVIDENCE else penalty
        if 0 < rating < confidence.MIN_REPORTED and self._own_names.has_other_name(*span, name):
            return confidence.BESIDE_OWN_NAME
        return rating

    def _has_form(self, span: tuple[int, int], candidate: Candidate) -> bool:
        """Whether a weak candidate is written as a name is."""
        matched_field, name = self._matched_field, candidate.word.name
        written = matched_field.visible_text[span[0] : span[1]]
        if not name.is_latin:
            return candidate.need is not Need.QUESTION or not name.is_han or matched_field.language == "ja"
        if candidate.need is Need.QUESTION:
            words = zip(written.split(), name.text.split(), strict=False)
            has_capitals = all(word[0].isupper() or not right[0].isupper() for word, right in words)
            is_plural = candidate.edit.kind is EditKind.SUFFIX
            before = matched_field.visible_text[max(0, span[0] - 4) : span[0]].lower()
            return has_capitals and not (is_plural and before.endswith("the "))
        is_word = len(written) < MIN_LEXICON_CHARS or written.lower() in load_lexicon("latin")
        own_names = self._own_names
        return own_names.is_capital_unexplained(*span) if is_word else own_names.is_capitalised(*span)

    @staticmethod
    def _keep_small_words(written: str, candidate: Candidate) -> str:
        """Build the right name with ordinary words in small letters as the author has them: Ronin bridge."""
        name, (before, after) = candidate.word.name, (candidate.word.before, candidate.word.after)
        right = name.text
        if name.type == "person" or len(right) != len(name.folded) or not name.is_latin:
            return right
        if before and written.startswith(before) and before.strip() in load_lexicon("latin"):
            right = before + right[len(before) :]
        if after and written.endswith(after) and after.strip() in load_lexicon("latin"):
            right = right[: -len(after)] + after
        return right

    def _is_contrasted(self, start: int, end: int, name: Name) -> bool:
        """Whether a conjunction joins a word to the right name: "Hedera and Hadera" are two names."""
        text, occurrences = self._matched_field.visible_text, self._matched_field.occurrences
        index = bisect_left(self._starts, start)
        for first, last, meaning, _ in occurrences[max(0, index - 1) : index + 2]:
            if meaning.entity != name.entity or meaning.rule is not None:
                continue
            between = text[last:start] if last <= start else text[end:first]
            if _CONTRAST.fullmatch(between):
                return True
        return False

    def _is_taken(self, start: int, end: int, *, may_be_right: bool = False) -> bool:
        """Whether something found overlaps a place, unless it is a right name inside it.

        ``may_be_right`` says that the place itself may be a right name.
        """
        occurrences = self._matched_field.occurrences
        index = max(0, bisect_left(self._starts, start) - 1)
        while index < len(occurrences) and occurrences[index][0] < end:
            first, last, meaning, _ = occurrences[index]
            if last > start and (meaning.rule is not None or first < start or last > end):
                return True
            if first == start and last == end and not may_be_right:
                return True
            index += 1
        return False
