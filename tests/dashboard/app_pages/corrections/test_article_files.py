"""Articles are parsed from files and written to files."""

import json

import pytest

from dashboard.app_pages.corrections import article_files
from dashboard.app_pages.corrections.article_files import InvalidFileError, parse_file
from tests.support.articles.scans import article


@pytest.mark.parametrize("name", ["a.md", "a.HTML", "a.txt"])
@pytest.mark.parametrize(
    "data",
    [
        "# T\r\nか\u3099\r\n".encode(),
        b"\xef\xbb\xbf" + "一\n二\r".encode(),
        b"\xff\xfe" + "𠮷\r\n".encode("utf-16-le"),
        b"\xff\xfe\0\0" + "𠮷\r\n".encode("utf-32-le"),
        b"\0\0\xfe\xff" + "𠮷\r\n".encode("utf-32-be"),
        b"",
    ],
)
def test_a_text_file_is_one_article_and_is_written_byte_for_byte(name: str, data: bytes) -> None:
    file = parse_file(name, data)
    (parsed_article,) = file.articles
    assert parsed_article["id"] == "a"
    assert article_files.to_markdown(parsed_article, file) == data


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.docx", b"x", "kind"),
        ("a.txt", "日本".encode("shift_jis"), "encoding"),
        ("a.txt", b"a\0b", "binary"),
        ("a.json", b"{", "json"),
        ("a.json", b"[1]", "not_object"),
        ("a.jsonl", b'{"title": "x"}\n{"title": \n', "line"),
        ("a.json", b'{"title": 5}', "field"),
        ("a.json", b'{"tags": ["x", 1]}', "field"),
        ("a.json", b'{"language": "fr"}', "field"),
        ("a.json", b'{"title": "\\ud83d"}', "json"),
    ],
)
def test_an_invalid_file_is_rejected_with_a_reason(name: str, data: bytes, code: str) -> None:
    with pytest.raises(InvalidFileError) as error:
        parse_file(name, data)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("data", "encoding", "byte"),
    [
        (b"ab\xff", "UTF-8", "2"),
        (b"\xff\xfea", "UTF-16", "2"),
        (b"\xff\xfe\0\0a\0\0\0\0\0\x11\0", "UTF-32", "8"),
    ],
)
def test_invalid_text_is_reported_with_its_encoding_and_byte(data: bytes, encoding: str, byte: str) -> None:
    with pytest.raises(InvalidFileError) as error:
        parse_file("a.txt", data)
    assert (error.value.values["encoding"], error.value.values["byte"]) == (encoding, byte)


def test_an_invalid_line_is_reported_with_its_number() -> None:
    with pytest.raises(InvalidFileError) as error:
        parse_file("a.jsonl", b'{"title": "x"}\n\n{"title": ')
    assert error.value.values["line"] == 3


@pytest.mark.parametrize("wrap", ["%s", '[%s, {"title": "B"}]', '{"articles": [%s]}'])
def test_json_can_be_an_article_an_array_or_a_request_of_the_service(wrap: str) -> None:
    file = parse_file("a.json", (wrap % '{"title": "A", "tags": null, "language": ""}').encode())
    assert file.articles[0] == article(title="A")


def test_pasted_text_can_be_json_or_json_lines() -> None:
    assert len(article_files.parse_pasted('[{"title": "A"},\n {"title": "B"}]').articles) == 2
    assert len(article_files.parse_pasted('{"title": "A"}\n{"title": "B"}\n').articles) == 2
    assert article_files.parse_pasted("  ").articles == ()


def test_title_and_tags_become_front_matter() -> None:
    markdown = article_files.to_markdown(article(title='A "b"', content="C", tags=["x", "日本"]))
    assert markdown.decode() == '---\ntitle: "A \\"b\\""\ntags: ["x", "日本"]\n---\n\nC'
    assert article_files.to_markdown(article(content="C\r\n")) == b"C\r\n"


def test_a_json_article_keeps_unknown_fields() -> None:
    file = parse_file("a.json", b'{"title": "Etherium", "author": {"name": "X"}}')
    written_json = json.loads(article_files.to_json(article(title="Ethereum"), file.objects[0]))
    assert written_json == {"title": "Ethereum", "author": {"name": "X"}}


def test_lines_without_a_correction_are_copied_unchanged() -> None:
    first = '{"title":"A",  "x": 1}'
    second = '{"title":"Etherium","content":null,"y":"\\u65e5"}'
    file = parse_file("a.jsonl", f"{first}\n\n{second}".encode())
    written_lines = article_files.to_json_lines([file.articles[0], article(title="Ethereum")], file).decode()
    assert written_lines == f'{first}\n{{"title":"Ethereum","content":null,"y":"\\u65e5"}}\n'


@pytest.mark.parametrize(
    ("name", "kind", "file_name"),
    [
        ("../x/日本 1.md", "md", "日本 1-corrected.md"),
        ("a.html", "md", "a-corrected.html"),
        ("a.json", "json", "a-corrected.json"),
    ],
)
def test_a_corrected_file_is_named_after_its_original(name: str, kind: str, file_name: str) -> None:
    file = parse_file(name, b"{}")
    assert article_files.build_file_name(file.articles[0], file, kind) == file_name


def test_a_pasted_article_is_named_after_its_id_without_invalid_characters() -> None:
    assert article_files.build_file_name(article(id="a/b:c"), None, "md") == "a-b-c-corrected.md"
    assert article_files.build_file_name(article(), None, "json") == "article-corrected.json"
