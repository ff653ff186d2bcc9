import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.formats.plurals import format_count, format_duration

BACKEND = Path(__file__).parents[3] / "backend"
MANUAL_PLURAL = re.compile(r"""['"]s['"] if |if [^"'\n]* == 1 else ['"]s['"]|\(s\)['"]""")


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (1_000_001, "1,000,001 rows")],
)
def test_a_number_and_its_noun_agree(number: int, words: str) -> None:
    assert format_count(number, "row") == words


def test_an_irregular_plural_is_passed_by_the_caller() -> None:
    assert (format_count(1, "entry", "entries"), format_count(3, "entry", "entries")) == (
        "1 entry",
        "3 entries",
    )


def test_no_other_code_of_the_backend_builds_plurals() -> None:
    manual_plurals = [
        str(file.relative_to(BACKEND))
        for file in BACKEND.rglob("*.py")
        if file.name != "plurals.py" and MANUAL_PLURAL.search(file.read_text("utf-8"))
    ]
    assert manual_plurals == []


@given(seconds=st.integers(1, 200_000))
def test_durations_are_exact(seconds: int) -> None:
    lengths = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
    number, unit = format_duration(seconds).split()
    assert int(number.replace(",", "")) * lengths[unit.removesuffix("s")] == seconds
    assert (number == "1") is not unit.endswith("s")
