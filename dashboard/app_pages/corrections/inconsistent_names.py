"""Finds names that an article spells in several accepted ways, and where. No side effects.

Findings of the rule ``consistency`` mark only the less frequent spellings. The occurrences of the others come
from the matches of the scan.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from backend.articles.schemas import Match, ScanResult
from dashboard.app_pages.corrections.findings import Finding
from dashboard.app_pages.corrections.visible_name import build_visible_name

INCONSISTENT_FINDING_TYPE = "inconsistent"
"""The type of the findings of the rule ``consistency``."""
_PLURAL = re.compile(r"(?<=[a-z]{3})s\Z")


class Occurrence(NamedTuple):
    """The place of a name in a field of the article. ``finding_index``: the index of its finding, or None."""

    field: str
    start: int
    end: int
    finding_index: int | None


class NameForm(NamedTuple):
    """One spelling (form) of a name, and its occurrences in reading order."""

    text: str
    occurrences: tuple[Occurrence, ...]


class InconsistentName(NamedTuple):
    """A name with all its spellings; the one that the findings suggest is the first."""

    entity_id: str
    forms: tuple[NameForm, ...]


def find_inconsistent_names(scan: ScanResult, findings: Sequence[Finding]) -> tuple[InconsistentName, ...]:
    """Find all spellings of each name that has an inconsistency finding, in the order of its first one."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, finding in enumerate(findings):
        if finding.type == INCONSISTENT_FINDING_TYPE and finding.entity and finding.suggestion is not None:
            usual = _normalize(build_visible_name(finding.suggestion))
            groups.setdefault((finding.entity, usual), []).append(index)
    matches: dict[str, list[Match]] = {}
    if groups:
        for match in scan["matches"]:
            matches.setdefault(match["entity_id"], []).append(match)
    return tuple(
        _build_inconsistent_name(entity_id, finding_indices, matches.get(entity_id, ()), findings)
        for (entity_id, _), finding_indices in groups.items()
    )


def _build_inconsistent_name(
    entity_id: str, finding_indices: Sequence[int], matches: Sequence[Match], findings: Sequence[Finding]
) -> InconsistentName:
    """Group the matches by spelling; matches of no listed spelling, such as tickers, are left out."""
    index_by_span = {_get_span(findings[index]): index for index in finding_indices}
    spans_of_other_findings = {_get_span(finding) for finding in findings} - set(index_by_span)
    texts = [build_visible_name(findings[finding_indices[0]].suggestion or "")]
    for index in finding_indices:
        text = build_visible_name(findings[index].text)
        if _find_form_index(text, texts[1:]) is None:
            texts.append(text)
    occurrences: list[list[Occurrence]] = [[] for _ in texts]
    for match in matches:
        span = match["field"], match["start_offset"], match["end_offset"]
        form_index = _find_form_index(build_visible_name(match["matched_text"]), texts)
        if (
            form_index is not None
            and span not in spans_of_other_findings
            and not match["field"].startswith("tags")
        ):
            occurrences[form_index].append(Occurrence(*span, index_by_span.get(span)))
    forms = (NameForm(text, tuple(found)) for text, found in zip(texts, occurrences, strict=True) if found)
    return InconsistentName(entity_id, tuple(forms))


def _find_form_index(text: str, forms: Sequence[str]) -> int | None:
    """Return the index of the spelling that equals ``text``; None if there is none, or several.

    Spellings are compared exactly, then without regard to case, then to plural and hyphens.
    """
    for normalize in _NORMALIZERS:
        found = [index for index, form in enumerate(forms) if normalize(form) == normalize(text)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _normalize(text: str) -> str:
    """Convert a Latin name to lower case and singular, without hyphens."""
    return _PLURAL.sub("", text.lower().replace("-", " ")) if text.isascii() else text


_NORMALIZERS = (str, str.lower, _normalize)


def _get_span(finding: Finding) -> tuple[str, int, int]:
    return finding.field, finding.start, finding.end


def map_finding_to_name_index(names: Sequence[InconsistentName]) -> Mapping[int, int]:
    """Map the index of each finding to the index of its name in ``names``."""
    return {
        occurrence.finding_index: index
        for index, name in enumerate(names)
        for form in name.forms
        for occurrence in form.occurrences
        if occurrence.finding_index is not None
    }
