"""Translates a topic's text with a language model and keeps each part that passes the faithfulness check."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.sources.retrieval.content_sanitizer import has_instructions
from backend.topics import ai_disclosure
from backend.topics.generated_texts import prompts
from backend.topics.generated_texts.faithfulness_check import CheckInputs, find_faults, tidy
from backend.topics.grouping.glossary import find_terms
from backend.topics.model import Topic, TopicText

RequestTranslation = Callable[[dict[str, object]], prompts.Translation]
"""Sends the fields of the prompt to the model and returns its translation."""
MAX_SOURCE_CHARS = 6_000
"""A longer text is not translated."""
_MAX_LENGTH_RATIO = 5
"""A part may grow by this factor, as English does from Chinese or Japanese."""
_EXTRA_CHARS = 60
"""Characters that a part may have in addition, so that short parts are not cut off."""


class TranslationResult(NamedTuple):
    """A checked translation. ``text`` is None if the title failed the check."""

    text: TopicText | None
    faults: list[str]


def find_source_language(topic: Topic, language: Language) -> Language | None:
    """Return the language of the topic's first original (not translated) text.

    Returns None if there is no original text, or if one is in ``language`` already.
    """
    original = [code for code, text in topic.texts.items() if text.origin != "model"]
    return None if language in original or not original else original[0]


def find_exclusion_reason(text: TopicText) -> str:
    """Return the reason why a text must not be sent to a model; empty if it may be sent."""
    parts = _list_parts(text)
    if has_instructions("\n".join(parts)):
        return "the text contains a possible prompt injection"
    return "the text is too long" if sum(map(len, parts)) > MAX_SOURCE_CHARS else ""


def build_prompt_fields(text: TopicText) -> dict[str, object]:
    return {
        "title": text.title,
        "subtitle": text.subtitle,
        "summary": text.summary,
        "bullets": [list(group) for group in text.bullets],
    }


def translate(
    source: TopicText,
    from_language: Language,
    to_language: Language,
    rules: RuleSet,
    request_translation: RequestTranslation,
) -> TranslationResult:
    """Request a translation and keep each part that passes the check against its source."""
    response = request_translation(build_prompt_fields(source))
    names = {name.source: name.translated for name in response.names}
    parts, faults = _list_parts(source), list[str]()

    def check_part(field: str, part: str, translation: str) -> str:
        text = tidy(translation)
        if not part or not text:
            return ""
        max_chars = _MAX_LENGTH_RATIO * len(part) + _EXTRA_CHARS
        inputs = CheckInputs(rules, [(part, from_language)], parts, names, max_chars)
        part_faults = find_faults(text, to_language, inputs)
        faults.extend(f"{field}: {fault}" for fault in part_faults)
        return "" if part_faults else text

    title = check_part("title", source.title, response.title)
    if not title:
        return TranslationResult(None, faults or ["title: it is empty"])
    subtitle = check_part("subtitle", source.subtitle, response.subtitle)
    summary = check_part("summary", source.summary, response.summary)
    if [len(group) for group in response.bullets] != [len(group) for group in source.bullets]:
        faults.append("bullets: they do not match the source")
        response = response.model_copy(update={"bullets": [[""] * len(group) for group in source.bullets]})
    bullets = [
        tuple(
            checked
            for part, text in zip(group, texts, strict=True)
            if (checked := check_part("bullet", part, text))
        )
        for group, texts in zip(source.bullets, response.bullets, strict=True)
    ]
    return TranslationResult(
        _build_text(title, subtitle, summary, bullets, from_language, to_language), faults
    )


def _build_text(
    title: str,
    subtitle: str,
    summary: str,
    bullets: Sequence[tuple[str, ...]],
    from_language: Language,
    language: Language,
) -> TopicText:
    groups = tuple(group for group in bullets if group)
    parts = [title, summary, *(bullet for group in groups for bullet in group)]
    return TopicText(
        title=title,
        subtitle=ai_disclosure.add_translation_label(language, from_language, subtitle),
        summary=summary,
        bullets=groups,
        terms=find_terms(parts, language),
        origin="model",
    )


def _list_parts(text: TopicText) -> list[str]:
    parts = (
        text.title,
        text.subtitle,
        text.summary,
        *(bullet for group in text.bullets for bullet in group),
    )
    return [part for part in parts if part]
