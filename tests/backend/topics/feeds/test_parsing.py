"""Parsing feeds of every format, including broken and hostile ones."""

from typing import Any
from xml.sax.saxutils import escape

import pytest

from backend.entities.model import Language
from backend.topics.feeds import entry_text
from backend.topics.feeds.parsing import MAX_ENTRIES, Entry, NotAFeedError, ParsedFeed, parse
from tests.support.providers.feeds import build_date_element, item, rss

HERE = "https://news.example/feeds/all.xml"
RDF = """<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xml:lang="ja">
<channel rdf:about="https://news.example/ja.rdf"><title>試験</title><link>https://news.example/</link></channel>
<item rdf:about="https://news.example/1"><title>取引所が４件を公表</title><link>https://news.example/1?utm_source=rss</link>
<description>本文です。</description><dc:date>2026-05-18T09:20:00+09:00</dc:date></item>
<item rdf:about="https://news.example/2"><title>二つ目</title><link>https://news.example/2</link>
<dc:date>2026-05-17</dc:date></item></rdf:RDF>"""
ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="zh-CN" xml:base="https://news.example/zh/">
<title type="text">测试</title><id>urn:x</id><updated>2026-05-18T01:30:00Z</updated>
<entry><title type="html">奖励降至&lt;b&gt;3.125&lt;/b&gt; BTC</title><link rel="self" href="https://news.example/self"/>
<link rel="alternate" href="a1"/><id>tag:news.example,2026:1</id><published>2026-05-18T00:20:00Z</published>
<updated>2026-05-18T00:30:00Z</updated>
<summary type="html">&lt;p&gt;减半。&lt;script&gt;alert(1)&lt;/script&gt;&lt;/p&gt;
&lt;img src="/i.png"&gt;</summary></entry>
<entry><title>另一篇</title><link href="https://news.example/zh/a2#top"/><id>tag:news.example,2026:2</id>
<updated>2026-05-18T09:00:00+08:00</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>第一段。</p><p>第二段。</p></div></content></entry>
<entry><title>没有链接</title><id>tag:news.example,2026:3</id></entry></feed>"""


def parse_feed(source: str | bytes, language: Language = "en", **options: Any) -> ParsedFeed:
    body = source if isinstance(source, bytes) else source.encode()
    return parse(body, url=HERE, language=language, **options)


def parse_only_entry(source: str | bytes, language: Language = "en", **options: Any) -> Entry:
    (entry,) = parse_feed(source, language, **options).entries
    return entry


def entry_texts(entry: Entry) -> tuple[str, str, str]:
    return entry.url, entry.title, entry.published_at.isoformat() if entry.published_at else ""


def test_rss_2_0_is_parsed() -> None:
    entry = parse_only_entry(
        rss([item(1, "A & B", "<p>Text.</p>", more=build_date_element("Mon, 18 May 2026 09:00:00 +0200"))])
    )
    assert entry_texts(entry) == ("https://news.example/1", "A & B", "2026-05-18T07:00:00+00:00")
    assert (entry.guid, entry.text, entry.dated) == ("n-1", "Text.", True)


def test_rss_1_0_is_parsed_and_a_date_without_time_keeps_its_day() -> None:
    first, second = parse_feed(RDF, "ja").entries
    assert entry_texts(first) == ("https://news.example/1", "取引所が４件を公表", "2026-05-18T00:20:00+00:00")
    assert entry_texts(second)[2] == "2026-05-17T00:00:00+00:00"
    assert first.guid == "https://news.example/1"


def test_atom_is_parsed_with_its_base_url_and_text_types() -> None:
    found = parse_feed(ATOM, "zh")
    first, second = found.entries
    assert entry_texts(first) == (
        "https://news.example/zh/a1",
        "奖励降至3.125 BTC",
        "2026-05-18T00:20:00+00:00",
    )
    assert (first.text, first.image, first.dated) == ("减半。", "https://news.example/i.png", True)
    assert entry_texts(second) == ("https://news.example/zh/a2", "另一篇", "2026-05-18T01:00:00+00:00")
    assert (second.text, second.dated) == ("第一段。\n第二段。", False)
    assert found.left_out == 1, "what has no address cannot be cited"
    assert found.updated_at is not None


def test_links_dates_and_guids_may_stand_in_cdata() -> None:
    inside = (
        "<title>T</title><link><![CDATA[https://news.example/x?a=1&b=2]]></link><guid><![CDATA[g]]></guid>"
    )
    entry = parse_only_entry(
        rss([f"<item>{inside}<pubDate><![CDATA[Thu, 24 Sep 2026 18:30:00 GMT]]></pubDate></item>"])
    )
    assert entry_texts(entry) == ("https://news.example/x?a=1&b=2", "T", "2026-09-24T18:30:00+00:00")


def test_a_permalink_guid_replaces_a_missing_link() -> None:
    permanent = "<item><title>T</title><guid>https://news.example/g</guid></item>"
    word = "<item><title>T</title><guid>word</guid></item>"
    assert parse_only_entry(rss([permanent])).url == "https://news.example/g"
    assert parse_feed(rss([word])).left_out == 1


MODULES = (
    ' xmlns:m="http://search.yahoo.com/mrss" xmlns:d="http://purl.org/dc/elements/1.1/"'
    ' xmlns:t="http://purl.org/dc/terms/" xmlns:f="http://rssnamespace.org/feedburner/ext/1.0"'
    ' xmlns:a="http://www.w3.org/2005/Atom" xmlns:x="http://www.w3.org/1999/xhtml"'
)


@pytest.mark.parametrize(
    ("inside", "field", "expected"),
    [
        ("<f:origLink>https://news.example/own</f:origLink>", "url", "https://news.example/own"),
        ("<a:link rel='self' href='https://b.example/'/>", "url", "https://news.example/1"),
        ("<link>https://news.example/?a=1&amp;amp;b=2</link>", "url", "https://news.example/?a=1&b=2"),
        ("<d:title>Other</d:title><m:title>Caption</m:title>", "title", "T"),
        ("<t:issued>2026-05-18T09:00:00Z</t:issued>", "dated", True),
        ("<d:date>2026-05-18T09:00:00Z</d:date>", "dated", False),
        ("<m:description>Caption.</m:description><description>Said.</description>", "text", "Said."),
        (
            "<a:content type='xhtml'><x:div><x:p>1 &lt; 2</x:p><x:p>b</x:p></x:div></a:content>",
            "text",
            "1 < 2\nb",
        ),
        ("<description>It&#146;s caf\u00c3\u00a9</description>", "text", "It’s cafÃ©"),
        ("<description>caf\u00c3\u00a9</description>", "text", "café"),
        (
            "<m:group><m:content url='https://i.example/g.jpg' type='image/jpeg'/></m:group>",
            "image",
            "https://i.example/g.jpg",
        ),
        ("<m:thumbnail>https://i.example/t.jpg</m:thumbnail>", "image", "https://i.example/t.jpg"),
    ],
)
def test_module_fields_are_identified_by_namespace(inside: str, field: str, expected: object) -> None:
    link = "" if inside.startswith("<link>") else "<link>https://news.example/1</link>"
    entry = parse_only_entry(
        f"<rss version='2.0'{MODULES}><channel><item><title>T</title>{link}{inside}</item></channel></rss>"
    )
    assert getattr(entry, field) == expected


def test_the_full_text_replaces_the_summary_unless_it_is_empty() -> None:
    full_text = (
        "<content:encoded xmlns:content='http://purl.org/rss/1.0/modules/content/'>{}</content:encoded>"
    )
    assert parse_only_entry(rss([item(1, text="short", more=full_text.format("whole"))])).text == "whole"
    assert parse_only_entry(rss([item(1, text="short", more=full_text.format(""))])).text == "short"
    empty = "<dc:description xmlns:dc='http://purl.org/dc/elements/1.1/'/>"
    assert parse_only_entry(rss([item(1, text="short", more=empty)])).text == "short"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("AT&amp;amp;T", "AT&T"),
        ("&lt;b&gt;Bold&lt;/b&gt; move", "Bold move"),
        ("Tether&amp;#8217;s plan", "Tether’s plan"),
        ("  a \n\t b　c ", "a b c"),
        ("<![CDATA[Up <em>5</em>% & more]]>", "Up 5% & more"),
        ("zero\u200bwidth \u202eturned", "zerowidth turned"),
        ("1 &lt; 2", "1 < 2"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;News", "News"),
    ],
)
def test_titles_are_one_line_of_plain_text(markup: str, expected: str) -> None:
    source = f"<item><title>{markup}</title><link>https://news.example/1</link></item>"
    assert parse_only_entry(rss([source])).title == expected


def test_an_entry_without_a_title_gets_its_first_sentence() -> None:
    source = "<item><link>https://news.example/1</link><description>取引を再開した。詳細は後日。</description></item>"
    assert parse_only_entry(rss([source]), "ja").title == "取引を再開した。"


def test_a_very_long_title_is_cut_at_a_word() -> None:
    title = parse_only_entry(rss([item(1, "word " * 200_000)])).title
    assert len(title) <= entry_text.MAX_TITLE_CHARS
    assert title.endswith("word…")


def test_text_contains_no_scripts_styles_or_hidden_elements() -> None:
    html = (
        "<style>p{}</style><script>alert(1)</script><p>One.</p><p style='display:none'>Hidden.</p>"
        "Two.<br>Three."
        "<iframe src='https://x.example'></iframe><svg onload=alert(1)><text>x</text></svg><!-- note -->"
    )
    assert parse_only_entry(rss([item(1, text=html)])).text == "One.\nTwo.\nThree."


def test_lines_that_only_name_another_place_of_the_post_are_removed() -> None:
    html = (
        "<p>News</p><p>Title number 1</p><p>Body.</p><p>The post Title number 1 appeared first on News.</p>"
    )
    assert parse_only_entry(rss([item(1, text=html + "<p>Read more…</p>")])).text == "Body."


def test_the_image_has_an_https_url_and_is_no_tracker() -> None:
    media = "<media:content url='https://i.example/m.jpg' medium='image'/>"
    enclosure = "<enclosure url='https://i.example/e.jpg' type='image/jpeg' length='1'/>"
    html = "<img src='https://t.example/p.gif' width='1' height='1'><img src='http://i.example/a.png'>"
    assert parse_only_entry(rss([item(1, more=media + enclosure)])).image == "https://i.example/m.jpg"
    assert parse_only_entry(rss([item(1, more=enclosure)])).image == "https://i.example/e.jpg"
    assert parse_only_entry(rss([item(1, text=html)])).image is None
    assert (
        parse_only_entry(rss([item(1, text=html + "<img src='/b.png'>")])).image
        == "https://news.example/b.png"
    )


WORDS: dict[Language, str] = {
    "en": "Naïve café",
    "ja": "ビットコイン取引所が発表",
    "zh": "比特币交易所发布公告说明",
}


@pytest.mark.parametrize(
    ("encoding", "language", "declared", "charset"),
    [
        ("utf-8-sig", "en", None, None),
        ("utf-8", "ja", "shift_jis", "iso-8859-1"),
        ("utf-16", "ja", "utf-16", None),
        ("utf-16-le", "zh", "utf-16", None),
        ("cp932", "ja", "Shift_JIS", None),
        ("cp932", "ja", None, None),
        ("cp932", "ja", "utf-8", "utf-8"),
        ("euc_jp", "ja", None, "euc-jp"),
        ("iso2022_jp", "ja", "iso-2022-jp", None),
        ("gb18030", "zh", "gb2312", None),
        ("gbk", "zh", "utf-8", None),
        ("big5", "zh", "no-such", "big5"),
        ("cp1252", "en", "ISO-8859-1", None),
        ("cp1252", "en", None, None),
    ],
)
def test_the_encoding_is_detected_despite_wrong_declarations(
    encoding: str, language: Language, declared: str | None, charset: str | None
) -> None:
    words = "交易所公告" if encoding == "big5" else WORDS[language]
    head = f"<?xml version='1.0' encoding='{declared}'?>" if declared else ""
    body = f"{head}<rss version='2.0'><channel><title>N</title>{item(1, words)}</channel></rss>".encode(
        encoding
    )
    assert parse_only_entry(body, language, charset=charset).title == words


def test_one_damaged_character_does_not_change_the_encoding() -> None:
    body = rss([item(1, "取引所が発表" * 20), item(2, "x")]).replace(b">x<", b">x\xff<")
    assert parse_feed(body, "ja").entries[0].title.startswith("取引所が発表")


@pytest.mark.parametrize(
    "before", ["\ufeff", "\n\n  ", "<br />Warning: x in y\n", "<!-- made by z -->\n", "\x00\x08"]
)
def test_content_before_the_feed_is_skipped(before: str) -> None:
    assert parse_only_entry(before.encode() + rss([item(1, "T")])).title == "T"


def test_bare_ampersands_html_entities_and_undeclared_prefixes_are_repaired() -> None:
    source = (
        "<item><title>Q&A &nbsp; caf&eacute; &unknown; end</title><link>https://news.example/?a=1&b=2</link>"
        "<media:content url='https://i.example/m.jpg' medium='image'/><dc:date>2026-05-18</dc:date></item>"
    )
    entry = parse_only_entry(rss([source]))
    assert entry_texts(entry) == (
        "https://news.example/?a=1&b=2",
        "Q&A café end",
        "2026-05-18T00:00:00+00:00",
    )
    assert entry.image == "https://i.example/m.jpg"


def test_a_truncated_feed_keeps_its_complete_entries() -> None:
    feed_bytes = rss([item(1), item(2)])
    assert [
        entry.guid for entry in parse_feed(feed_bytes[: feed_bytes.rindex(b"<description>")]).entries
    ] == [
        "n-1",
        "n-2",
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "nothing that is a feed"),
        (b"<!DOCTYPE html><html><body>Access denied</body></html>", "a web page and no feed"),
        (b'{"version": "https://jsonfeed.org/version/1.1"}', "nothing that is a feed"),
        (b"\x89PNG\r\n", "nothing that is a feed"),
    ],
)
def test_a_response_that_is_no_feed_is_described(body: bytes, reason: str) -> None:
    with pytest.raises(NotAFeedError, match=reason):
        parse_feed(body)


BOMB = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("reference", ["&b;", "&x;"])
def test_no_entity_is_ever_expanded_or_fetched(reference: str) -> None:
    body = BOMB.encode() + rss([]).replace(
        b"</channel>",
        b"<item><title>T" + reference.encode() + b"</title>"
        b"<link>https://news.example/1</link></item></channel>",
    )
    assert parse_only_entry(body).title == "T"


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost/",
        "file:///etc/passwd",
    ],
)
def test_an_entry_without_a_public_url_is_left_out(link: str) -> None:
    source = f"<item><title>T</title><link>{escape(link)}</link><guid>dup</guid></item>"
    assert (parse_feed(rss([source])).entries, parse_feed(rss([source])).left_out) == ((), 1)


def test_only_the_first_of_many_entries_are_read() -> None:
    found = parse_feed(rss(item(number) for number in range(5 * MAX_ENTRIES)))
    assert [entry.guid for entry in found.entries] == [f"n-{n}" for n in range(MAX_ENTRIES)]


@pytest.mark.parametrize(
    "inside",
    [
        "<" * 300_000,
        "<b>" * 100_000,
        "<!--" * 100_000,
        "<![CDATA[" * 100_000,
        "<x:b xmlns:x='http:\ufffd/x'/>",
        "&" * 300_000,
        "<x " + " ".join(f"a{n}='1'" for n in range(40_000)) + "/>",
        "".join(f"<p{n}:x>" for n in range(20_000)),
        "]]>" * 100_000,
    ],
    ids=[
        "less-than",
        "nested",
        "comments",
        "cdata",
        "namespace",
        "ampersands",
        "attributes",
        "prefixes",
        "cdata-ends",
    ],
)
def test_hostile_markup_is_parsed_or_refused(inside: str) -> None:
    try:
        found = parse_feed(rss([item(1), inside, item(2)]))
    except NotAFeedError:
        return
    assert len(found.entries) <= 2


def test_hostile_markup_is_parsed_in_bounded_time() -> None:
    for html in ("<div>" * 40_000 + "deep", "<a " * 60_000, "<!--" * 50_000 + "x", "&lt;" * 100_000):
        assert len(parse_only_entry(rss([item(1, text=html)])).text) <= entry_text.MAX_TEXT_CHARS
