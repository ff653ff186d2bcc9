"""An insight in a model's words: each part by itself, as far as it passes the check."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import orjson

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.sources.retrieval import content_sanitizer
from backend.topics.generated_texts.faithfulness_check import Given, faults
from backend.topics.generated_texts.word_classes import directions
from backend.topics.insights.facts import InsightFacts, Move
from backend.topics.insights.sections import Part
from backend.topics.number_format import format_percent

_SENTENCES = re.compile(r"(?<=[.!?;])\s|(?<=[。！？；])")
_CONFIRMS = re.compile(
    r"\bconfirm|\bofficial|\bverified\b|確認|公式|裏付け|证实|證實|官方|确认|確認", re.IGNORECASE
)
_DENIES = re.compile(
    r"\b(?:no|not|none|nor|without|yet|awaits?|awaiting|unconfirmed)\b|n't\b|ない|なく|なし|未|ません|尚|没|沒|无|無|暂",
    re.IGNORECASE,
)

Ask = Callable[[Sequence[tuple[str, str]]], Mapping[str, str]]
"""Gives prose for parts of a draft, by their names."""


class Worded(NamedTuple):
    """Prose that passed, by the digest of its facts, and why other prose did not."""

    by_basis: dict[str, str]
    faults: list[str]


def is_worth_wording(facts: InsightFacts) -> bool:
    """Whether there is more to tell than who reports it; reports on our own figures are written already."""
    around = facts.differences or facts.moves or facts.related
    return not facts.is_report and (bool(around) or len(facts.sources) > 1)


def digest_of(facts: InsightFacts, parts: Sequence[Part]) -> str:
    """What a model is shown, but for prices that change within a stage."""
    told = [facts.title, facts.summary, *(part.basis for part in parts)]
    return hashlib.sha256(orjson.dumps(told)).hexdigest()


def has_instructions(facts: InsightFacts, parts: Sequence[Part]) -> bool:
    """Whether what would be shown talks to the reader; such a thing is shown to no model."""
    return content_sanitizer.has_instructions("\n".join(text for _, text in shown(facts, parts)))


def shown(facts: InsightFacts, parts: Sequence[Part]) -> list[tuple[str, str]]:
    """What a model is shown: the topic's own words, then the parts."""
    told = [("topic", "\n".join(one for one in (facts.title, facts.summary) if one))]
    return told + [(part.name, part.text) for part in parts]


def worded(
    facts: InsightFacts, parts: Sequence[Part], language: Language, rules: RuleSet, ask: Ask
) -> Worded:
    """Ask for prose on ``parts`` and keep what says nothing else than they do."""
    said = ask(shown(facts, parts))
    kept: dict[str, str] = {}
    wrong: list[str] = []
    for part in parts:
        text = said.get(part.name, "")
        if not text:
            continue
        given = _given(facts, parts, part, language, rules)
        found = faults(text, language, given) + _swapped(text, part, facts)
        found += _confirmed(text, facts) + _turned(text, facts)
        if found:
            wrong += [f"{part.name}: {fault}" for fault in found]
        else:
            kept[part.basis] = text
    return Worded(kept, wrong)


def _given(
    facts: InsightFacts, parts: Sequence[Part], part: Part, language: Language, rules: RuleSet
) -> Given:
    """The conclusion may tell whatever stands in the topic and in any part, another part its own alone."""
    every = [one.text for one in parts]
    texts = [facts.title, facts.summary, *every] if part.name == "conclusion" else [part.text]
    names = [source.name for source in facts.sources]
    return Given(rules, [(text, language) for text in texts if text], [facts.title, *names])


def _swapped(text: str, part: Part, facts: InsightFacts) -> list[str]:
    """Whether a figure is told of another source or asset than its own: both have to come in one order."""
    pairs: list[tuple[str, str]] = []
    if part.name == "differ":
        pairs = [(one.source, one.text) for pair in facts.differences for one in pair]
    elif part.name in ("market", "conclusion") and len(facts.moves) > 1:
        pairs = [(move.name, _change(move)) for move in facts.moves]
    places = [(_place(text, name), _place(text, figure)) for name, figure in pairs]
    told = [at for at, (name, figure) in enumerate(places) if name is not None and figure is not None]
    alone = [
        (name is None) != (figure is None) and (part.name != "conclusion" or name is None)
        for name, figure in places
    ]
    if any(alone) or (part.name == "differ" and len(told) < len(pairs)):
        return ["a figure and whose it is do not stand together"]
    chosen = [pairs[at] for at in told]
    if any(len({pair[side] for pair in chosen}) < len(chosen) for side in (0, 1)):
        return []  # one source, or one figure, of several: the order tells nothing
    by_name = sorted(told, key=lambda at: places[at][0] or 0)
    by_figure = sorted(told, key=lambda at: places[at][1] or 0)
    return [] if by_name == by_figure else ["figures are told of others than their own"]


def _confirmed(text: str, facts: InsightFacts) -> list[str]:
    """Whether it calls confirmed what no official source does."""
    if any(source.official for source in facts.sources):
        return []
    sentences = (one for one in _SENTENCES.split(text) if _CONFIRMS.search(one))
    return [] if all(_DENIES.search(one) for one in sentences) else ["nobody official confirms it"]


def _turned(text: str, facts: InsightFacts) -> list[str]:
    """Whether a sentence with one change tells it as the opposite."""
    for sentence in _SENTENCES.split(text):
        told = [move for move in facts.moves if _place(sentence, _change(move)) is not None]
        ways = directions(sentence)
        if len(told) == 1 and told[0].change and ways == {"down" if told[0].change > 0 else "up"}:
            return ["a rise is told as a fall, or a fall as a rise"]
    return []


def _change(move: Move) -> str:
    return format_percent(move.change).lstrip("+−")


def _place(text: str, wanted: str) -> int | None:
    found = re.search(rf"(?<![A-Za-z0-9.,]){re.escape(wanted)}(?![A-Za-z0-9])", text)
    return None if found is None else found.start()
