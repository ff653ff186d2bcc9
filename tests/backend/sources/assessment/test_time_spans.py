"""Spans between two events: what names the other event, and how far a span may be off."""

import pytest

from backend.articles.rules import rules_loader
from backend.entities.model import Language
from backend.extraction.mentions import find_mentions
from backend.sources.assessment.time_spans import find_time_spans
from backend.sources.claims.claim_parser import parse_claim


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "Five weeks after the FTX collapse, BlockFi cut staff.",
            ("Five weeks", "the FTX collapse"),
        ),
        (
            "en",
            "Two months had passed since the theft when Upbit reopened.",
            ("Two months", "the theft"),
        ),
        ("ja", "FTXの破産申請から約2週間後、BlockFiも破産を申請した。", ("2週間", "FTXの破産申請")),
        ("zh", "距FTX申请破产仅两周，BlockFi也申请了破产。", ("两周", "FTX申请破产")),
    ],
)
def test_a_span_names_the_event_from_which_it_counts(
    language: Language, text: str, expected: tuple[str, str]
) -> None:
    mentions = find_mentions(rules_loader.load_shipped().rules, text)
    (span,) = find_time_spans(parse_claim(text, language, mentions))
    assert (span.quantity.text, span.anchor) == expected


@pytest.mark.parametrize("text", ["Upbit reopened two months later.", "The vote lasts two weeks."])
def test_a_span_without_another_event_is_none(text: str) -> None:
    assert list(find_time_spans(parse_claim(text, "en"))) == []
