"""Builds an insight with the data of its sections, for pages that show tables and calendars."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from backend.formats.timestamps import write_instant
from backend.topics.insights.model import InsightFacts, Move, NextDate
from backend.topics.insights.sections import Part, is_unusual

_PERCENT_STEP = Decimal("0.01")


def build_sections(
    facts: InsightFacts,
    parts: Sequence[Part],
    prose: Mapping[str, str],
    note: Part,
    *,
    today: date,
) -> dict[str, Any]:
    """Build the conclusion, the sections with their kinds, and what they compare, date and link to.

    ``prose`` replaces the text of parts by their basis. ``note`` is added if it replaced any.
    Several days in a row have their first day, or from then on their last one.
    """
    conclusion, *sections = parts
    if any(part.basis in prose for part in parts):
        sections.append(note)
    return {
        "conclusion": prose.get(conclusion.basis, conclusion.text),
        "sections": [
            {
                "kind": part.name,
                "title": part.title,
                "text": prose.get(part.basis, part.text),
                "is_generated": part.basis in prose,
            }
            for part in sections
        ],
        "differences": [
            [{"figure": one.text, "source": one.source, "measure": one.measure} for one in group]
            for group in facts.differences
        ],
        "next_dates": [
            {"day": _find_next_day(due, today).isoformat(), "text": due.text, "source": due.source}
            for due in facts.next_dates
            if not due.words
        ],
        "moves": [_build_move(move) for move in facts.moves],
        "is_sample": facts.realm == "sample",
        "earlier_topics": [
            {"id": topic.id, "title": topic.title, "published_at": write_instant(topic.published_at)}
            for topic in facts.related
        ],
    }


def _find_next_day(due: NextDate, today: date) -> date:
    return due.day if today <= due.day else due.last


def _build_move(move: Move) -> dict[str, Any]:
    return {
        "name": move.name,
        "before": format(move.before, "f"),
        "after": format(move.after, "f"),
        "before_at": write_instant(move.before_at),
        "after_at": write_instant(move.after_at),
        "change": _format_percent(move.change),
        "market_change": None if move.market_change is None else _format_percent(move.market_change),
        "is_unusual": None if move.usual_share is None else is_unusual(move),
    }


def _format_percent(value: Decimal) -> str:
    return format(value.quantize(_PERCENT_STEP, ROUND_HALF_EVEN), "f")
