"""Numbers that are names: version 3, Chapter 11, EIP-1559."""

import pytest

from backend.sources.comparison import labels
from tests.backend.sources.evidence import claim


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("It came with version 2 of the exchange.", "Version 3 of the exchange goes live."),
        ("The lender entered Chapter 7.", "The lender files for Chapter 11."),
        ("Titles V and VI apply.", "Title III of the regulation applies."),
        ("The upgrade brought EIP-1558.", "The upgrade brings EIP-1559."),
    ],
)
def test_another_number_of_one_label_differs(statement: str, passage: str) -> None:
    difference = labels.find_difference(claim(statement), claim(passage))
    assert difference is not None
    assert difference.slot == "figure"


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("It came with v3 of the exchange.", "Version 3 of the exchange goes live."),
        ("The lender entered Chapter 11.", "The lender files for bankruptcy under Chapter 11."),
        ("It was the third chapter.", "The lender files for Chapter 11."),
    ],
)
def test_the_same_number_and_a_text_without_one_do_not_differ(statement: str, passage: str) -> None:
    assert labels.find_difference(claim(statement), claim(passage)) is None
