"""The date of an article, and where it is looked for."""

from datetime import date

import pytest

from backend.articles.text.article_date import find_article_date, locate_article_date, parse_date


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2024-09-06T10:00:00Z", date(2024, 9, 6)),
        ("on 2024/9/6 it rose", date(2024, 9, 6)),
        ("2024年9月6日、上昇した", date(2024, 9, 6)),
        ("2018年6月上线", date(2018, 6, 1)),
        ("Sept. 6, 2024 — it rose", date(2024, 9, 6)),
        ("on 6 September 2024", date(2024, 9, 6)),
        ("in October 2020 it", date(2020, 10, 1)),
        ("2024-02-31 and 2024-03-01", date(2024, 3, 1)),
    ],
)
def test_dates_are_read_in_the_forms_of_three_languages(text: str, found: date) -> None:
    assert parse_date(text) == found


@pytest.mark.parametrize("text", ["In 2020 it rose", "12024-09-06", "block 20240906", "version 2024.13.40"])
def test_years_and_other_numbers_are_no_dates(text: str) -> None:
    assert parse_date(text) is None


def test_the_given_date_comes_before_front_matter_name_and_text() -> None:
    text = "---\ntitle: x\ndate: 2022-02-02\n---\nOn 2024-04-04 it rose."
    assert find_article_date("2021-01-01", ["2023-03-03-x.md"], [text]) == date(2021, 1, 1)
    assert find_article_date(None, ["2023-03-03-x.md"], [text]) == date(2022, 2, 2)
    assert find_article_date(None, ["20230303-x.md"], [text[-23:]]) == date(2023, 3, 3)
    assert find_article_date(None, ["x.md", None], [None, text[-23:]]) == date(2024, 4, 4)
    assert find_article_date("soon", ["x.md"], ["It rose."]) is None


def test_a_date_is_returned_with_its_origin() -> None:
    text = "---\ndate: 2022-02-02\n---\nOn 2024-04-04 it rose."
    cases = [
        ("2021-01-01", "2023-03-03.md", text, "field"),
        (None, "2023-03-03.md", text, "front_matter"),
        ("soon", "2023-03-03.md", text[-23:], "name"),
        (None, "x.md", text[-23:], "text"),
    ]
    for given, name, content, origin in cases:
        located = locate_article_date(given, [name], [content])
        assert located is not None
        assert located.origin == origin
    assert locate_article_date(None, ["x.md"], ["It rose."]) is None
