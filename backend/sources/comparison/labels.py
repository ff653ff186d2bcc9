"""Compares numbers that are names: version 3, Chapter 11, EIP-1559."""

import re

from backend.sources.claims import numbers
from backend.sources.claims.model import ComparedValue, ParsedStatement

_LABELS = re.compile(
    r"(?<![a-z])(?P<label>version|v|chapter|eip|bip|erc|titles?|phase)[ -]?"
    r"(?P<number>\d{1,5}|[ivx]{1,4}\b)(?!\d|\.\d)"
    r"|第(?P<han>\d{1,3}|[一二三四五六七八九十]{1,3})(?P<suffix>章)"
)
_SAME = {"v": "version", "titles": "title", "章": "chapter"}


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return a numbered name of the claim, if the passage has only others of its kind."""
    claim_labels, passage_labels = _find_labels(claim), _find_labels(passage)
    for kind in claim_labels.keys() & passage_labels.keys():
        if not claim_labels[kind].keys() & passage_labels[kind].keys():
            return ComparedValue(
                "figure", next(iter(claim_labels[kind].values())), next(iter(passage_labels[kind].values()))
            )
    return None


def _find_labels(statement: ParsedStatement) -> dict[str, dict[str, str]]:
    """Map kinds of numbered names to their numbers, each with its wording."""
    plain = numbers.normalize(statement.text)
    labels: dict[str, dict[str, str]] = {}
    for match in _LABELS.finditer(plain.lower()):
        label = match["label"] or match["suffix"]
        number = match["number"] or str(numbers.parse(match["han"], statement.language))
        labels.setdefault(_SAME.get(label, label), {})[number] = plain[match.start() : match.end()]
    return labels
