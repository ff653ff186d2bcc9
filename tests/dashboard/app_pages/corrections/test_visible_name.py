"""Names without the markup and the breaks that they have in an article."""

import pytest

from dashboard.app_pages.corrections.visible_name import build_visible_name


@pytest.mark.parametrize(
    ("written", "visible"),
    [
        ("Ether**ium", "Etherium"),
        ("Ether</b>ium", "Etherium"),
        ("Ether](https://example.org/a_b)ium", "Etherium"),
        ("_Mt._ Gox", "Mt. Gox"),
        ("Mt.\r\n> Gox", "Mt. Gox"),
        ("Mt.&nbsp;  Gox", "Mt. Gox"),
        ("Ether\u00adium&shy;\u200b", "Etherium"),
        ("ヴィタリック・ブテリン", "ヴィタリック・ブテリン"),
        ("snake_case & Sons", "snake_case & Sons"),
    ],
)
def test_a_name_is_what_a_reader_sees(written: str, visible: str) -> None:
    assert build_visible_name(written) == visible
