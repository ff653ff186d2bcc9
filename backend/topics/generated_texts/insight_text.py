"""Has a model rewrite the parts of an insight and keeps each part that passes the check."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import orjson

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.sources.retrieval import content_sanitizer
from backend.topics.generated_texts.faithfulness_check import CheckInputs, find_faults
from backend.topics.generated_texts.word_classes import find_directions
from backend.topics.insights.model import InsightFacts, Move
from backend.topics.insights.sections import Part
from backend.topics.number_format import format_percent

_SENTENCES = re.compile(r"(?<=[.!?;])\s|(?<=[。！？；])")
_CONFIRMATION = re.compile(
    r"\bconfirm|\bofficial|\bverified\b|確認|公式|裏付け|证实|證實|官方|确认|確認", re.IGNORECASE
)
_NEGATION = re.compile(
    r"\b(?:no|not|none|nor|without|yet|awaits?|awaiting|unconfirmed)\b|n't\b|ない|なく|なし|未|ません|尚|没|沒|无|無|暂",
    re.IGNORECASE,
)

Request = Callable[[Sequence[tuple[str, str]]], Mapping[str, str]]
"""Requests prose for the parts of a draft; returns it by part name."""


class InsightProse(NamedTuple):
    """The prose that passed the check, by the digest of its facts, and the faults of the rest."""

    by_basis: dict[str, str]
    faults: list[str]


def is_worth_writing(facts: InsightFacts) -> bool:
    """True if the facts contain more than one source's report. Reports of this service need no rewriting."""
    context = facts.differences or facts.moves or facts.related or facts.next_dates or facts.denials
    return not facts.is_report and (bool(context) or len(facts.sources) > 1)


def hash_inputs(facts: InsightFacts, parts: Sequence[Part]) -> str:
    """Return a digest of the model's inputs, without the prices that change within a stage."""
    inputs = [facts.title, facts.summary, *(part.basis for part in parts)]
    return hashlib.sha256(orjson.dumps(inputs)).hexdigest()


def has_instructions(facts: InsightFacts, parts: Sequence[Part]) -> bool:
    """True if the inputs contain instructions; such inputs are sent to no model."""
    return content_sanitizer.has_instructions("\n".join(text for _, text in build_inputs(facts, parts)))


def build_inputs(facts: InsightFacts, parts: Sequence[Part]) -> list[tuple[str, str]]:
    """Build the model's inputs: the topic's own text, then the parts."""
    topic_input = [("topic", "\n".join(line for line in (facts.title, facts.summary) if line))]
    return topic_input + [(part.name, part.text) for part in parts]


def write_parts(
    facts: InsightFacts, parts: Sequence[Part], language: Language, rules: RuleSet, request: Request
) -> InsightProse:
    """Request prose for ``parts`` and keep the parts that pass the check."""
    response = request(build_inputs(facts, parts))
    passed: dict[str, str] = {}
    faults: list[str] = []
    for part in parts:
        text = response.get(part.name, "")
        if not text:
            continue
        inputs = _build_check_inputs(facts, parts, part, language, rules)
        part_faults = find_faults(text, language, inputs) + _check_attribution(text, part, facts)
        part_faults += _check_confirmation(text, facts) + _check_directions(text, facts)
        if part_faults:
            faults += [f"{part.name}: {fault}" for fault in part_faults]
        else:
            passed[part.basis] = text
    return InsightProse(passed, faults)


def _build_check_inputs(
    facts: InsightFacts, parts: Sequence[Part], part: Part, language: Language, rules: RuleSet
) -> CheckInputs:
    """Build the inputs of one part: for the conclusion the topic and all parts, for others their own text."""
    part_texts = [any_part.text for any_part in parts]
    texts = [facts.title, facts.summary, *part_texts] if part.name == "conclusion" else [part.text]
    names = [source.name for source in facts.sources]
    return CheckInputs(rules, [(text, language) for text in texts if text], [facts.title, *names])


def _check_attribution(text: str, part: Part, facts: InsightFacts) -> list[str]:
    """Check that each figure stays with its source or asset: names and figures must have the same order."""
    pairs: list[tuple[str, str]] = []
    if part.name == "differ":
        pairs = [(figure.source, figure.text) for pair in facts.differences for figure in pair]
    elif part.name in ("market", "conclusion") and len(facts.moves) > 1:
        pairs = [(move.name, _format_change(move)) for move in facts.moves]
    offsets = [(_find_offset(text, name), _find_offset(text, figure)) for name, figure in pairs]
    paired = [
        index for index, (name, figure) in enumerate(offsets) if name is not None and figure is not None
    ]
    is_unpaired = [
        (name is None) != (figure is None) and (part.name != "conclusion" or name is None)
        for name, figure in offsets
    ]
    if any(is_unpaired) or (part.name == "differ" and len(paired) < len(pairs)):
        return ["a figure appears without its source or asset"]
    chosen = [pairs[index] for index in paired]
    if any(len({pair[side] for pair in chosen}) < len(chosen) for side in (0, 1)):
        return []  # a source or a figure occurs twice: the order proves nothing
    by_name = sorted(paired, key=lambda index: offsets[index][0] or 0)
    by_figure = sorted(paired, key=lambda index: offsets[index][1] or 0)
    return [] if by_name == by_figure else ["figures are attributed to the wrong source or asset"]


def _check_confirmation(text: str, facts: InsightFacts) -> list[str]:
    """Check that the text claims no confirmation without an official source."""
    if any(source.official for source in facts.sources):
        return []
    sentences = (sentence for sentence in _SENTENCES.split(text) if _CONFIRMATION.search(sentence))
    is_negated = all(_NEGATION.search(sentence) for sentence in sentences)
    return [] if is_negated else ["no official source confirms it"]


def _check_directions(text: str, facts: InsightFacts) -> list[str]:
    """Check that a sentence with one change does not reverse its direction."""
    for sentence in _SENTENCES.split(text):
        stated_moves = [
            move for move in facts.moves if _find_offset(sentence, _format_change(move)) is not None
        ]
        ways = find_directions(sentence)
        if (
            len(stated_moves) == 1
            and stated_moves[0].change
            and ways == {"down" if stated_moves[0].change > 0 else "up"}
        ):
            return ["a rise is reported as a fall, or a fall as a rise"]
    return []


def _format_change(move: Move) -> str:
    return format_percent(move.change).lstrip("+−")


def _find_offset(text: str, searched: str) -> int | None:
    match = re.search(rf"(?<![A-Za-z0-9.,]){re.escape(searched)}(?![A-Za-z0-9])", text)
    return None if match is None else match.start()
