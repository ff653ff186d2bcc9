"""Lists what was changed in an article since it was opened, and takes single changes back. Pure."""

from collections.abc import Mapping
from typing import NamedTuple

from dashboard.app_pages.corrections import text_diff
from dashboard.app_pages.corrections.article_edits import Edit, list_texts
from dashboard.app_pages.corrections.edit_history import Step


class AppliedChange(NamedTuple):
    """``old`` of the opened article became ``new``, which is the current text from ``start`` to ``end``."""

    field: str
    start: int
    end: int
    old: str
    new: str


def list_changes(step: Step) -> list[AppliedChange]:
    """List the changes in reading order."""
    originals = list_texts(step.original)
    changes = []
    for field, pieces in step.pieces.items():
        position = 0
        for segment in text_diff.build_segments(originals.get(field, ""), pieces):
            end = position + len(segment.new)
            if not segment.is_unchanged:
                changes.append(AppliedChange(field, position, end, segment.old, segment.new))
            position = end
    return changes


def build_reverting_edits(change: AppliedChange) -> Mapping[str, list[Edit]]:
    """Build the edits that restore the text before the change."""
    return {change.field: [Edit(change.start, change.end, change.old)]}
