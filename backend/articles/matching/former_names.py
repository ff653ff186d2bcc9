"""Accepts former names in texts that also give the current name."""

from bisect import bisect_left
from collections import defaultdict
from typing import TypeAlias

from backend.articles.matching.meanings import Kind, Meaning
from backend.articles.text.rename_cues import has_rename_cue, is_one_paragraph

Occurrence: TypeAlias = tuple[int, int, Meaning, str | None]
"""Start and end in the field, the meaning, and the correction: None if the text is right or if the choice is
left to the editor. A plain tuple, because a text has very many."""


def is_former(meaning: Meaning) -> bool:
    return meaning.rule is not None and meaning.rule.type == "former_name"


def accept_known_former_names(text: str, occurrences: list[Occurrence]) -> None:
    """Accept each former name in a paragraph with the entity's current name, or beside words for the change.

    Replaces the entries of ``occurrences``; the current name counts in any form.
    """
    current_starts: dict[str | None, list[int]] = defaultdict(list)
    for start, _, meaning, _ in occurrences:
        # A ticker mostly stays when a name changes, and does not tell that the writer knows the new one.
        if not is_former(meaning) and meaning.kind is not Kind.SYMBOL:
            current_starts[meaning.entity].append(start)
    for index, (start, end, meaning, _) in enumerate(occurrences):
        if not is_former(meaning):
            continue
        starts = current_starts.get(meaning.entity, [])
        position = bisect_left(starts, start)
        nearest = starts[max(0, position - 1) : position + 1]
        is_in_same_paragraph = any(
            is_one_paragraph(text, min(start, name_start), max(start, name_start)) for name_start in nearest
        )
        if is_in_same_paragraph or has_rename_cue(text, start, end):
            occurrences[index] = (start, end, meaning._replace(rule=None), None)
