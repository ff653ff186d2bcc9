"""The place of a link in its article."""

import pytest

from backend.topics.feeds.entry_links import extract_links
from backend.topics.feeds.link_roles import LinkRole

LINK = "<a href='https://quillport.example/x'>{}</a>"
LATER = f"<p>{'Markets were calm on the day. ' * 40}</p>"


def find_role(source: str) -> LinkRole:
    (link,) = extract_links(source, "https://news.example/feed")
    return link.role


@pytest.mark.parametrize(
    "sentence",
    [
        f"<p>Quillport {LINK.format('announced')} a vault for tokens.</p>",
        f"<p>Quillport announced {LINK.format('a vault')} for tokens.</p>",
        f"<p>A vault opens in May, according to {LINK.format('Quillport')}.</p>",
        f"<p>クイルポートは新しい保管庫を{LINK.format('発表')}した。</p>",
        f"<p>奎尔港发布{LINK.format('公告')}，推出托管库。</p>",
    ],
)
def test_a_link_on_or_beside_an_announcing_verb_leads_to_the_announcement(sentence: str) -> None:
    assert find_role(sentence) == LinkRole.ANNOUNCEMENT


def test_another_link_of_the_first_paragraphs_belongs_to_the_opening() -> None:
    assert find_role(f"<p>Quillport runs a {LINK.format('vault')} in Riga.</p>") == LinkRole.OPENING


def test_a_link_of_a_later_paragraph_is_background() -> None:
    assert find_role(f"{LATER}<p>Quillport now owns {LINK.format('900 tokens')}.</p>") == LinkRole.BACKGROUND


def test_a_verb_far_below_announces_no_news() -> None:
    source = f"{LATER * 3}<p>Harrow {LINK.format('announced')} a vault last year.</p>"
    assert find_role(source) == LinkRole.OPENING
