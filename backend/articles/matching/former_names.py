"""Former names that a text uses knowing the new one."""

from bisect import bisect_left
from collections import defaultdict
from typing import TypeAlias

from backend.articles.matching.meanings import Meaning
from backend.articles.text.rename_cues import has_rename_cue, is_one_paragraph

Found: TypeAlias = tuple[int, int, Meaning, str | None]
"""Start and end in the field, what stands there, and what should stand there: None where it is right or
where that is left to the editor. A plain tuple, since there are very many."""


def is_former(meaning: Meaning) -> bool:
    return meaning.rule is not None and meaning.rule.type == "former_name"


def accept_known_former_names(text: str, found: list[Found]) -> None:
    """Makes right what is former in ``found`` but stands in a paragraph with the entity's name of today, in
    whatever form, or beside words that tell of the change."""
    today: dict[str | None, list[int]] = defaultdict(list)
    for start, _, meaning, _ in found:
        if not is_former(meaning):
            today[meaning.entity].append(start)
    for k, (start, end, meaning, _) in enumerate(found):
        if not is_former(meaning):
            continue
        places = today.get(meaning.entity, [])
        at = bisect_left(places, start)
        nearest = places[max(0, at - 1) : at + 1]
        beside = any(is_one_paragraph(text, min(start, place), max(start, place)) for place in nearest)
        if beside or has_rename_cue(text, start, end):
            found[k] = (start, end, meaning._replace(rule=None), None)
