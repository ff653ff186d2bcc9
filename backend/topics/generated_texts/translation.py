"""A topic's text in another language by a model, as far as it passes the check."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.sources.retrieval.content_sanitizer import has_instructions
from backend.topics import ai_disclosure
from backend.topics.generated_texts import prompts
from backend.topics.generated_texts.faithfulness_check import Given, faults, tidy
from backend.topics.grouping.glossary import terms_in
from backend.topics.model import Topic, TopicText

Ask = Callable[[dict[str, object]], prompts.Translation]
LONGEST_SOURCE = 6_000
"""Characters of a text that is translated; a longer one stays as it is."""
_GROWS = 5
"""How much longer English may be than the same in kanji."""


class Translated(NamedTuple):
    """``text`` is None where not even the title passed."""

    text: TopicText | None
    faults: list[str]


def source_of(topic: Topic, language: Language) -> Language | None:
    """What a topic without ``language`` would be translated from: its own language before others, and no
    translation. None where it has a text of its own in ``language``."""
    original = [one for one, text in topic.texts.items() if text.origin != "model"]
    return None if language in original or not original else original[0]


def problem_of(text: TopicText) -> str:
    """Why a text is shown to no model; empty where it may be."""
    told = _pieces(text)
    if has_instructions("\n".join(told)):
        return "the text gives instructions to whoever reads it"
    return "the text is too long" if sum(map(len, told)) > LONGEST_SOURCE else ""


def shown(text: TopicText) -> dict[str, object]:
    return {
        "title": text.title,
        "subtitle": text.subtitle,
        "summary": text.summary,
        "bullets": [list(group) for group in text.bullets],
    }


def translated(
    source: TopicText, from_language: Language, language: Language, rules: RuleSet, ask: Ask
) -> Translated:
    """Ask for a translation, and keep each piece of it that says what its source does and nothing else."""
    said = ask(shown(source))
    names = {one.source: one.translated for one in said.names}
    every, wrong = _pieces(source), list[str]()

    def passed(what: str, piece: str, told: str) -> str:
        text = tidy(told)
        if not piece or not text:
            return ""
        longest = _GROWS * len(piece) + 60
        given = Given(rules, [(piece, from_language)], every, names, longest)
        found = faults(text, language, given)
        wrong.extend(f"{what}: {fault}" for fault in found)
        return "" if found else text

    title = passed("title", source.title, said.title)
    if not title:
        return Translated(None, wrong or ["title: it is empty"])
    subtitle = passed("subtitle", source.subtitle, said.subtitle)
    summary = passed("summary", source.summary, said.summary)
    if [len(group) for group in said.bullets] != [len(group) for group in source.bullets]:
        wrong.append("bullets: they are not those of the source")
        said = said.model_copy(update={"bullets": [[""] * len(group) for group in source.bullets]})
    bullets = [
        tuple(
            told for piece, text in zip(group, texts, strict=True) if (told := passed("bullet", piece, text))
        )
        for group, texts in zip(source.bullets, said.bullets, strict=True)
    ]
    return Translated(_text(title, subtitle, summary, bullets, from_language, language), wrong)


def _text(
    title: str,
    subtitle: str,
    summary: str,
    bullets: Sequence[tuple[str, ...]],
    from_language: Language,
    language: Language,
) -> TopicText:
    kept = tuple(group for group in bullets if group)
    every = [title, summary, *(one for group in kept for one in group)]
    return TopicText(
        title=title,
        subtitle=ai_disclosure.add_translation_label(language, from_language, subtitle),
        summary=summary,
        bullets=kept,
        terms=terms_in(every, language),
        origin="model",
    )


def _pieces(text: TopicText) -> list[str]:
    every = (text.title, text.subtitle, text.summary, *(one for group in text.bullets for one in group))
    return [piece for piece in every if piece]
