"""Has a model translate a topic's text and keeps each piece that passes the check."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.sources.retrieval.content_sanitizer import has_instructions
from backend.topics import ai_disclosure
from backend.topics.generated_texts import prompts
from backend.topics.generated_texts.faithfulness_check import CheckInputs, find_faults, tidy
from backend.topics.grouping.glossary import terms_in
from backend.topics.model import Topic, TopicText

Request = Callable[[dict[str, object]], prompts.Translation]
MAX_SOURCE_CHARS = 6_000
"""A longer text is not translated."""
_MAX_GROWTH = 5
"""Factor by which an English translation may be longer than its source in kanji."""


class TranslationResult(NamedTuple):
    """A checked translation. ``text`` is None if the title failed the check."""

    text: TopicText | None
    faults: list[str]


def find_source_language(topic: Topic, language: Language) -> Language | None:
    """Return the language to translate from: that of the first original text, never of a translation. None if
    the topic has an original text in ``language``."""
    original = [code for code, text in topic.texts.items() if text.origin != "model"]
    return None if language in original or not original else original[0]


def find_problem(text: TopicText) -> str:
    """Return the reason why a text must not be sent to a model; empty if it may be sent."""
    checked = _list_pieces(text)
    if has_instructions("\n".join(checked)):
        return "the text contains instructions for its reader"
    return "the text is too long" if sum(map(len, checked)) > MAX_SOURCE_CHARS else ""


def build_inputs(text: TopicText) -> dict[str, object]:
    return {
        "title": text.title,
        "subtitle": text.subtitle,
        "summary": text.summary,
        "bullets": [list(group) for group in text.bullets],
    }


def translate(
    source: TopicText, from_language: Language, language: Language, rules: RuleSet, request: Request
) -> TranslationResult:
    """Request a translation and keep each piece that passes the check against its source."""
    response = request(build_inputs(source))
    names = {name.source: name.translated for name in response.names}
    pieces, faults = _list_pieces(source), list[str]()

    def check_piece(field: str, piece: str, translation: str) -> str:
        text = tidy(translation)
        if not piece or not text:
            return ""
        max_chars = _MAX_GROWTH * len(piece) + 60
        inputs = CheckInputs(rules, [(piece, from_language)], pieces, names, max_chars)
        piece_faults = find_faults(text, language, inputs)
        faults.extend(f"{field}: {fault}" for fault in piece_faults)
        return "" if piece_faults else text

    title = check_piece("title", source.title, response.title)
    if not title:
        return TranslationResult(None, faults or ["title: it is empty"])
    subtitle = check_piece("subtitle", source.subtitle, response.subtitle)
    summary = check_piece("summary", source.summary, response.summary)
    if [len(group) for group in response.bullets] != [len(group) for group in source.bullets]:
        faults.append("bullets: they do not match the source")
        response = response.model_copy(update={"bullets": [[""] * len(group) for group in source.bullets]})
    bullets = [
        tuple(
            checked
            for piece, text in zip(group, texts, strict=True)
            if (checked := check_piece("bullet", piece, text))
        )
        for group, texts in zip(source.bullets, response.bullets, strict=True)
    ]
    return TranslationResult(_build_text(title, subtitle, summary, bullets, from_language, language), faults)


def _build_text(
    title: str,
    subtitle: str,
    summary: str,
    bullets: Sequence[tuple[str, ...]],
    from_language: Language,
    language: Language,
) -> TopicText:
    groups = tuple(group for group in bullets if group)
    pieces = [title, summary, *(bullet for group in groups for bullet in group)]
    return TopicText(
        title=title,
        subtitle=ai_disclosure.add_translation_label(language, from_language, subtitle),
        summary=summary,
        bullets=groups,
        terms=terms_in(pieces, language),
        origin="model",
    )


def _list_pieces(text: TopicText) -> list[str]:
    pieces = (
        text.title,
        text.subtitle,
        text.summary,
        *(bullet for group in text.bullets for bullet in group),
    )
    return [piece for piece in pieces if piece]
