"""Finds the places of names that an article writes in several right ways. Pure.

A ``consistency`` finding stands at a place of the form that the article uses less. The scan's matches tell
where the other forms stand.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from backend.articles.schemas import Match, ScanResult
from dashboard.app_pages.corrections.findings import Finding
from dashboard.app_pages.corrections.visible_name import build_visible_name

TYPE = "inconsistent"
_PLURAL = re.compile(r"(?<=[a-z]{3})s\Z")


class Place(NamedTuple):
    """Where a name stands. ``finding`` is the index of the finding that was made there; null for none."""

    field: str
    start: int
    end: int
    finding: int | None


class NameForm(NamedTuple):
    """One way of writing a name, and its places in reading order."""

    text: str
    places: tuple[Place, ...]


class MixedName(NamedTuple):
    """A name with all its forms; the form that the findings suggest is the first."""

    entity: str
    forms: tuple[NameForm, ...]


def find_mixed_names(scan: ScanResult, findings: Sequence[Finding]) -> tuple[MixedName, ...]:
    """Find the forms of each name that has ``consistency`` findings, in the order of the first finding."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, finding in enumerate(findings):
        if finding.type == TYPE and finding.entity and finding.suggestion is not None:
            usual = _normalize(build_visible_name(finding.suggestion))
            groups.setdefault((finding.entity, usual), []).append(number)
    matches: dict[str, list[Match]] = {}
    if groups:
        for match in scan["matches"]:
            matches.setdefault(match["entity_id"], []).append(match)
    return tuple(
        _build_mixed_name(entity, numbers, matches.get(entity, ()), findings)
        for (entity, _), numbers in groups.items()
    )


def _build_mixed_name(
    entity: str, numbers: Sequence[int], matches: Sequence[Match], findings: Sequence[Finding]
) -> MixedName:
    """Assign every match to the form that it is written like; others, such as tickers, are left out."""
    own = {_get_span(findings[number]): number for number in numbers}
    others = {_get_span(finding) for finding in findings} - set(own)
    texts = [build_visible_name(findings[numbers[0]].suggestion or "")]
    for number in numbers:
        text = build_visible_name(findings[number].text)
        if _find_form(text, texts[1:]) is None:
            texts.append(text)
    places: list[list[Place]] = [[] for _ in texts]
    for match in matches:
        span = match["field"], match["start_offset"], match["end_offset"]
        form = _find_form(build_visible_name(match["matched_text"]), texts)
        if form is not None and span not in others and not match["field"].startswith("tags"):
            places[form].append(Place(*span, own.get(span)))
    forms = (NameForm(text, tuple(found)) for text, found in zip(texts, places, strict=True) if found)
    return MixedName(entity, tuple(forms))


def _find_form(text: str, forms: Sequence[str]) -> int | None:
    """Find the form that ``text`` is written like: exactly, else in any case, else in the plural."""
    for level in _LEVELS:
        found = [number for number, form in enumerate(forms) if level(form) == level(text)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _normalize(text: str) -> str:
    """Bring a Latin name to the form that it has in lower case and in the singular, without hyphens."""
    return _PLURAL.sub("", text.lower().replace("-", " ")) if text.isascii() else text


_LEVELS = (str, str.lower, _normalize)


def _get_span(finding: Finding) -> tuple[str, int, int]:
    return finding.field, finding.start, finding.end


def index_by_finding(names: Sequence[MixedName]) -> Mapping[int, int]:
    """Map each finding to its name in ``names``."""
    return {
        place.finding: number
        for number, name in enumerate(names)
        for form in name.forms
        for place in form.places
        if place.finding is not None
    }
