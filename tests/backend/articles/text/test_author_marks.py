"""Marks beside a name, and remarks that switch rules off."""

import pytest

from backend.articles.text.author_marks import find_disabled_spans, find_remarks, has_author_mark


@pytest.mark.parametrize(
    "text",
    [
        'He wrote "|Etherium|" [sic] twice.',
        "It is often misspelled as “|Etherium|”.",
        "Common typos include |Etherium|.",
        "|Etherium|, with an i, is wrong.",
        "表記は「|Etherium|（ママ）」だった。",
        "本人は「|Etherium|」と誤記した。",
        "他在群里写“|以太仿|”（原文如此）。",
        "比特币被误写为“|比特比|”。",
        "検索窓に「|イーサリウム|」と打つ。",
        "手帳に「|イーサリウム|は必ず上がる（ママ）」とある。",
        "仓库名中的“|etherem|”是原作者的写法。",
        "They spell the coin “|Etherium|”.",
        "サイトの綴りが「|Etherium|」となっていた。",
        "网站的拼写是“|Etherium|”。",
        "The page says |Etherium| instead of Ethereum.",
        "He typed “|Etherium|” into the field.",
    ],
)
def test_a_mark_beside_a_name_says_that_it_is_meant_so(text: str) -> None:
    before, name, after = text.split("|")
    assert has_author_mark(before + name + after, len(before), len(before) + len(name))


@pytest.mark.parametrize(
    "text",
    [
        "The paper, written by |Etherium| staff.",
        "|Etherium| rose.",
        "「|Etherium|」が上昇",
        "发布|以太仿|",
        "|Etherium|と打つ",
        "They publish to |Etherium| rather than to Solana.",
        "She chose |Etherium| instead of Solana.",
    ],
)
def test_ordinary_words_beside_a_name_are_no_mark(text: str) -> None:
    before, name, after = text.split("|")
    assert not has_author_mark(before + name + after, len(before), len(before) + len(name))


def disabled(text: str) -> list[tuple[str, set[str]]]:
    remarks = {(remark.start, remark.end) for remark in find_remarks(text)}
    spans = [span for span in find_disabled_spans(text) if (span.start, span.end) not in remarks]
    return [(text[span.start : span.end], set(span.ids)) for span in spans]


def test_a_remark_switches_rules_off_until_they_are_on_again() -> None:
    text = "a <!-- chainproof-disable --> b <!-- chainproof-enable --> c"
    assert disabled(text) == [(" b ", set())]


def test_a_remark_names_single_rules_and_a_reason() -> None:
    text = "<!-- chainproof-disable one.case, two -- they are right -->x<!-- chainproof-enable two -->y"
    assert disabled(text) == [("x", {"two"}), ("x<!-- chainproof-enable two -->y", {"one.case"})]


@pytest.mark.parametrize("opening", ["# ", "// ", "%", ";; ", "-- ", ".. "])
def test_a_comment_of_another_format_is_a_remark_too(opening: str) -> None:
    assert disabled(f"a\n{opening}chainproof-disable-next-line one\nb\nc") == [("b", {"one"})]


def test_a_remark_about_its_own_line_ends_with_the_line() -> None:
    assert disabled("a\nb <!-- chainproof-disable-line -->\nc") == [
        ("b <!-- chainproof-disable-line -->", set())
    ]


@pytest.mark.parametrize(
    "text", ["see chainproof-disable", "<!-- chainproof-disabled -->", "# chainproof-able"]
)
def test_other_words_are_no_remark(text: str) -> None:
    assert disabled(text) == []
