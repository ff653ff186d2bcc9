"""Decides if a title has to stand in front of the summary from its article."""

from collections.abc import Sequence

from backend.entities.model import Language
from backend.topics.feeds import anaphora
from backend.topics.grouping.lead_quality import is_outside_opinion
from backend.topics.grouping.title_tokens import words

MIN_MISSING_SHARE = 0.4
"""Share of the words of a title that a standfirst lacks if it leaves out the news."""


def choose_front_title(
    title: str,
    texts: Sequence[str],
    language: Language,
    *,
    is_first: bool,
    told_behind: Sequence[str] | None,
) -> str | None:
    """Return the title as a sentence if the sentences ``texts`` need it, else an empty text.

    They need it if they are unclear or only an outsider's opinion without it, if they turn its sense, or if
    they are a standfirst that leaves out the news. None if they turn the sense and the title cannot stand in
    front. ``is_first``: the first of ``texts`` is the first sentence of its article. ``told_behind`` are the
    sentences that follow a standfirst; None if the article has more text than that.
    """
    first = texts[0]
    is_turned = anaphora.loses_turn(title, texts, language)
    is_unclear = anaphora.has_unclear_opening(first, language) or (
        is_first and anaphora.has_unclear_words(first, language)
    )
    clause = anaphora.build_title_clause(title, language)
    needs_title = is_turned or is_unclear or is_outside_opinion(first, title, language)
    if needs_title and can_stand_in_front(title, first, language):
        return clause
    if clause and told_behind is not None and _leaves_out_news(title, [*texts, *told_behind]):
        return clause
    return None if is_turned else ""


def can_stand_in_front(title: str, sentence: str, language: Language) -> bool:
    """True if a title is a sentence and tells whom the opening of ``sentence`` means."""
    is_sentence = anaphora.build_title_clause(title, language) != ""
    return is_sentence and anaphora.is_made_clear(sentence, title, language)


def _leaves_out_news(title: str, texts: Sequence[str]) -> bool:
    """True if ``texts`` lack a figure of the title, or much of its words."""
    told = frozenset(words("\n".join(texts)))
    title_words = list(words(title))
    missing = [word for word in title_words if word not in told]
    has_other_figure = any(word[0].isdigit() for word in missing)
    return has_other_figure or len(missing) >= MIN_MISSING_SHARE * len(title_words) > 0
