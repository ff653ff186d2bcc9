"""Code, markup, addresses, handles and hashtags are found; the prose around them is not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backend.articles.text.protection import Protection, protected_spans
from tests.backend.articles.reference.spans import is_protected

NAME = "Etherium"


def exposed(text: str) -> list[bool]:
    """For each place of NAME in ``text`` whether it is open to corrections."""
    spans = protected_spans(text)
    found, at = [], text.find(NAME)
    while at >= 0:
        found.append(not any(start < at + len(NAME) and end > at for start, end in spans))
        at = text.find(NAME, at + 1)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "pip install Etherium-sdk",
        "Run npm i web3 Etherium-tools.",
        "tool --Etherium=1",
        "git clone https://example.com/a.git\ncd Etherium-tools",
        "実行します。\nexport A=Etherium\nnode x.js --chain Etherium\n続く。",
        "coin-Etherium[.]com",
        "端末には「Etherium控え_最終.xlsx」があった。",
        "(--Etherium)",
        "the formula $\\Etherium$",
        "\\cite{Etherium2008, Etherium}",
        '{"Etherium": 3, "an Etherium": "x"}',
        "Etherium: true\nother: 5",
        "chain:\n  Etherium:\n    node: x",
        "SELECT x FROM y WHERE z = 'Etherium';",
        "$ geth Etherium",
        "see owner/Etherium",
        "see my-team/Etherium",
        "data:text/plain,Etherium",
        "Etherium.org---which is",
        "Etherium.org-based",
        "`Etherium`",
        "``a ` Etherium``",
        "`two\nlines of Etherium`",
        "```\nEtherium\n```",
        "~~~ sh\nEtherium\n~~~",
        "- item\n  ```\n  Etherium\n  ```",
        "```\nEtherium, never closed\n\nEtherium",
        "text\n\n    Etherium\n    Etherium",
        "<a title='Etherium > x' href=\"/Etherium\">",
        "<Etherium>",
        "<p class=Etherium>",
        "<!-- Etherium -->",
        "<!-- Etherium, never closed",
        "<script>let x = 'Etherium'</script>",
        "<pre class='x'>\n\nEtherium</pre>",
        "<CODE>Etherium</code >",
        "[x](https://example.com/Etherium)",
        "[x](/guides/a(Etherium) 'Etherium')",
        "![x](Etherium.png)",
        "[x](<a b/Etherium>)",
        "[x][Etherium]",
        "[x] [Etherium]",
        "[x]\n    [Etherium]",
        "[Etherium][]",
        "[Etherium] is here\n\n[etherium]: /x",
        "[Etherium]: https://example.com 'Etherium'",
        "see [x]: y\n> [Etherium]: /Etherium\n[Etherium]: /Etherium\n",
        "[[Etherium|the network]]",
        "https://example.com/Etherium?q=Etherium#Etherium",
        "(https://example.com/a_(Etherium))",
        "https://ja.wikipedia.org/wiki/イーサリアム/Etherium",
        "ftp://Etherium",
        "mailto:Etherium@example.com",
        "Etherium@example.com",
        "info@Etherium.example",
        "@Etherium",
        "@Etherium/sdk",
        "＠Etherium",
        "#Etherium",
        "＃Etherium速報",
        "Etherium.org",
        "www.Etherium.org/x",
        "docs.example.com/Etherium",
        "Etherium.md",
        "src.Etherium.py",
        "ETHERIUM.ORG Etherium.io",
        "Etherium.PDF Etherium.COM Etherium.Org Etherium.Txt",
        "localhost:8080/Etherium 192.168.0.1:80/Etherium 10.0.0.1/Etherium",
        "../Etherium/y ./Etherium C:\\Etherium\\x \\\\host\\Etherium",
        "urn:x:Etherium",
        "text[^Etherium]",
        "/usr/share/Etherium/data",
        "{{ page.Etherium }}",
        "{% include Etherium.html %}",
        "---\nslug: Etherium\n---\n",
        "---\nauthors:\n  - Etherium\n---\n",
        "[![Etherium](logo.png)](/x)",
        "Fixes\n\n- **api-Etherium:** close the file",
        "* **@x/Etherium:** close the file",
        "- **js-Etherium**: `^1.7.4` to `^1.12.0`",
    ],
)
def test_a_name_in_protected_text_is_protected(text: str) -> None:
    assert not any(exposed(text)), [text[a:b] for a, b in protected_spans(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Etherium",
        "a ` Etherium",
        "\\`Etherium`",
        "`a`Etherium`b`",
        "`open\n\nEtherium`",
        "text ```\nEtherium\n",
        "```a``` Etherium ```b```",
        "- item\n\n    Etherium, further in the item",
        "　　Etherium",
        "a < Etherium > b",
        "5<Etherium",
        "<ビットコイン> Etherium",
        "<b>Etherium</b>",
        "<kbd>x</kbd> Etherium",
        "<code>Etherium",
        "[Etherium](https://example.com)",
        "[Etherium][1]",
        "[x]\n\n[Etherium]",
        "[Etherium]",
        "[^1]: Etherium is the note",
        "[Note]: Etherium fell",
        "see [x]: Etherium",
        "[x](never closed Etherium",
        "https://example.com/x Etherium",
        "https://example.com/x、Etherium",
        "https://example.comのEtherium",
        "(https://example.com)Etherium",
        "see: Etherium",
        "data: Etherium",
        "$Etherium",
        "# Etherium",
        "&amp;Etherium",
        "Fees fell.Etherium rose",
        "Fees fell.It is Etherium",
        "Fees fell.Live: Etherium",
        "U.S. Etherium",
        "a\\nEtherium",
        "and/or/Etherium",
        "{Etherium}",
        "Etherium, 1.5%",
        "Etherium... then",
        "Etherium—the network",
        "「Etherium」",
        "---\ntitle: Etherium\n---\n",
        "---\ntags: [Etherium, other]\n---\n",
        "---\ntags:\n  - Etherium\nslug: x\n---\n",
        "--- Etherium ---",
        "He had to install Etherium",
        "he would add Etherium to it",
        "coins--Etherium and others--fell",
        "1 Etherium=3000 USD",
        'He said, "Etherium": a network',
        "Etherium: 3000\nBitcoin: 90000",
        "Etherium/Bitcoin and BTC/Etherium",
        "up/Etherium",
        "It was Etherium.\\",
        "![The Etherium logo](logo.png)",
        "- **Etherium:** up 3 %",
        "the **x-Etherium: y** is up",
    ],
)
def test_a_name_in_prose_is_not_protected(text: str) -> None:
    assert all(exposed(text)), [text[a:b] for a, b in protected_spans(text)]


SIGNS = (
    "` `` ``` <!-- --> <a > \" ' <code> </code> ]( ) [ ] [] ]: [[ | http:// @ # / . .org .md {{ }} \\ ～ 、 "
    "~~~ - & ( $ = ? mailto: 1 é x イーサ Etherium"
)
PIECES = [*SIGNS.split(), " ", "    ", "\n", "\n\n", "---\n", "- ", "\u3000"]
marked_up = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(marked_up)
@example("[Etherium][]\n[x]: y")
def test_protected_spans_are_sorted_disjoint_and_within_the_text(text: str) -> None:
    spans = protected_spans(text)
    flat = [place for span in spans for place in span]
    assert flat == sorted(set(flat))
    assert not flat or 0 <= flat[0] <= flat[-1] <= len(text)


@given(marked_up, st.data())
@example("@x Etherium", None)
def test_a_protection_lookup_agrees_with_the_list_of_protected_spans(
    text: str, data: st.DataObject | None
) -> None:
    spans = protected_spans(text)
    protection = Protection(text)
    words = [at for at in range(len(text)) if text.startswith(("Etherium", "イーサ"), at)]
    for at in words:
        end = at + (8 if text[at] == "E" else 3)
        assert is_protected(protection, at, end) == any(a < end and b > at for a, b in spans), (at, spans)


@given(marked_up, st.lists(st.sampled_from(["Etherium", " ", ",", "以太坊", "\n"]), max_size=5).map("".join))
def test_text_after_a_blank_line_changes_nothing_before_it(text: str, more: str) -> None:
    if text.count("```") or "~~~" in text or "<!--" in text or text.startswith("---"):
        return  # what is open goes on
    first = text + "\n\n"
    ends = len(text)
    before = [(a, min(b, ends)) for a, b in protected_spans(first) if a < ends]
    after = [(a, min(b, ends)) for a, b in protected_spans(first + more) if a < ends]
    assert before == after


@pytest.mark.parametrize("text", ["{}", "{}, then", "{}’s fee", "{}'s fee", "({})", "at {}.", "{}が", "“{}”"])
def test_a_domain_used_as_a_name_is_not_protected(text: str) -> None:
    at = text.index("{")
    assert not is_protected(Protection(text.format("Crypto.com")), at, at + len("Crypto.com"))


@pytest.mark.parametrize("text", ["https://{}", "{}/prices", "me@{}", "@{}", "www.{}", "`{}`", "[x]({})"])
def test_a_domain_name_within_an_address_is_protected(text: str) -> None:
    at = text.index("{")
    assert is_protected(Protection(text.format("Crypto.com")), at, at + len("Crypto.com"))


@pytest.mark.parametrize("text", ["C:\\{}\\x", "\\\\host\\{}"])
def test_a_protection_lookup_protects_windows_paths(text: str) -> None:
    at = text.index("{")
    assert is_protected(Protection(text.format(NAME)), at, at + len(NAME))
