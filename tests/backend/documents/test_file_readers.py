"""Tests that documents are read from files with their URLs, or refused with line and reason."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.documents import file_readers, partial_dates
from backend.documents.file_readers import ReadOptions
from backend.documents.model import Document
from backend.formats import yaml_with_lines
from backend.formats.file_errors import FileError
from tests.support.test_session.property_tests import examples

LINE = {"url": "https://a.example/1", "title": "Halving", "text": "The reward halved."}
PAGE = """<html lang="ja-JP"><head><title>半減期</title>
<link rel="canonical" href="https://a.example/page">
<meta property="article:published_time" content="2024-04-20T09:00:00+09:00"></head>
<body><nav>Menu</nav><article><h1>半減期</h1><p>{}</p></article><script>alert(1)</script></body></html>"""


def read(
    path: Path, content: str | bytes, options: ReadOptions = ReadOptions()
) -> list[Document | FileError]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [entry.result for entry in file_readers.read_documents(path, options)]


def read_document(path: Path, content: str | bytes, options: ReadOptions = ReadOptions()) -> Document:
    (found,) = read(path, content, options)
    assert isinstance(found, Document), found
    return found


def read_refusal(path: Path, content: str | bytes, options: ReadOptions = ReadOptions()) -> str:
    (found,) = read(path, content, options)
    assert isinstance(found, FileError), found
    return str(found).removeprefix(str(path))


def test_a_json_line_is_read_as_a_document(tmp_path: Path) -> None:
    fields = {
        **LINE,
        "language": "en",
        "published": "2024-04-20T00:09:27Z",
        "source_type": "press",
        "tags": [1],
    }
    found = read_document(tmp_path / "a.jsonl", json.dumps(fields))
    assert (found.kind, found.url, found.title, found.text) == ("user", *LINE.values())
    assert (found.published_at, found.date_precision) == (
        datetime(2024, 4, 20, 0, 9, 27, tzinfo=UTC),
        "second",
    )
    assert (found.language, found.source_type) == ("en", "press")


def test_the_url_alone_identifies_a_document(tmp_path: Path) -> None:
    one = read_document(tmp_path / "a.jsonl", json.dumps(LINE))
    second = read_document(tmp_path / "b.jsonl", json.dumps({**LINE, "title": "Other", "text": "other"}))
    assert one.external_id == second.external_id
    assert (
        one.external_id
        != read_document(tmp_path / "c.jsonl", json.dumps({**LINE, "url": "https://a.example/2"})).external_id
    )


def test_blank_lines_and_a_byte_order_mark_are_skipped(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf" + json.dumps(LINE).encode() + b"\r\n\n   \n" + json.dumps(LINE).encode()
    found = list(file_readers.read_documents(_write_file(tmp_path / "a.jsonl", content), ReadOptions()))
    assert [entry.line for entry in found] == [1, 4]


def _write_file(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{bad", "is no valid JSON"),
        ("[1]", "must be a JSON object"),
        ('{"title": "t", "text": "x"}', "has no address"),
        (json.dumps({**LINE, "url": "ftp://a.example"}), "url: must be an address"),
        (json.dumps({**LINE, "url": "https://user@a.example/"}), "url: must be an address"),
        (json.dumps({**LINE, "url": "https://[a.example/"}), "url: must be an address"),
        (json.dumps({**LINE, "url": "https://a.example/with space"}), "url: must be an address"),
        (json.dumps({**LINE, "url": 5}), "url: "),
        (json.dumps({**LINE, "title": " "}), "title: "),
        (json.dumps({"url": LINE["url"], "title": "t"}), "has no text"),
        (json.dumps({**LINE, "text": ["x"]}), "text: "),
        (json.dumps({**LINE, "language": "fr"}), "language: input should be 'en', 'ja' or 'zh'"),
        (json.dumps({**LINE, "published": "20 April"}), "published: must be 2024, 2024-04"),
        (json.dumps({**LINE, "published": "2024-02-30"}), "published: must be a day that there is"),
        (json.dumps({**LINE, "published": 2024}), "published: must be text"),
        (json.dumps({**LINE, "source_type": "oracle"}), "source_type: "),
        ('{"text": "\\ud800"}', "is no valid JSON"),
        ("[" * 5_000, "is no valid JSON"),
    ],
)
def test_an_invalid_line_is_reported_with_number_and_reason(tmp_path: Path, line: str, reason: str) -> None:
    good, bad = read(tmp_path / "a.jsonl", json.dumps(LINE) + "\n" + line)
    assert isinstance(good, Document)
    assert isinstance(bad, FileError)
    assert bad.line == 2
    assert bad.reason.startswith(reason)


def test_markdown_has_its_url_in_the_front_matter(tmp_path: Path) -> None:
    matter = "---\nurl: https://a.example/x\ntags: [a, b]\npublished: 2024-04\nlanguage: en\n---\n"
    found = read_document(tmp_path / "a-note.md", matter + "\n# The *halving*\n\nIt came.\n")
    assert (found.url, found.title) == ("https://a.example/x", "The *halving*")
    assert found.text.endswith("It came.")
    assert (found.published_at, found.date_precision) == (datetime(2024, 4, 1, tzinfo=UTC), "month")


def test_a_text_without_a_title_is_named_after_its_file(tmp_path: Path) -> None:
    found = read_document(
        tmp_path / "my-first_note.txt", "# no heading\nin plain text", ReadOptions(url="https://a.example")
    )
    assert found.title == "my first note"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no matter", ": has no address: give it as url, in a front matter or with --url"),
        ("---\ntitle: x\n---\nbody", ":2: has no address: give it as url, in a front matter or with --url"),
        (
            "---\nurl: https://a.example\nlanguage: fr\n---\nbody",
            ":3: language: input should be 'en', 'ja' or 'zh'",
        ),
        (
            "---\nurl: https://a.example\nurl: https://b.example\n---\nbody",
            ":3: its front matter gives 'url' twice",
        ),
        ("---\nurl: [\n---\nbody", ":3: its front matter"),
        ("---\nurl: https://a.example\n---\n \n", ":2: text: "),
        (b"\n\n\xff", ":3: is not UTF-8"),
    ],
)
def test_an_error_in_a_text_is_reported_with_its_line(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    assert read_refusal(tmp_path / "a.md", content).startswith(message)


def test_only_the_article_of_a_page_is_read(tmp_path: Path) -> None:
    found = read_document(tmp_path / "a.html", PAGE.format("ブロック報酬が3.125BTCに半減した。" * 20))
    assert (found.url, found.title, found.language) == ("https://a.example/page", "半減期", "ja")
    assert (found.published_at, found.date_precision) == (datetime(2024, 4, 20, tzinfo=UTC), "day")
    assert "半減した" in found.text
    assert "Menu" not in found.text
    assert "alert" not in found.text


def test_a_page_is_read_in_its_declared_encoding(tmp_path: Path) -> None:
    page = PAGE.replace("<head>", '<head><meta charset="shift_jis">').format("ブロック報酬が半減した。" * 20)
    assert "半減した" in read_document(tmp_path / "a.html", page.encode("shift_jis")).text


def test_a_page_without_an_article_is_refused(tmp_path: Path) -> None:
    assert "holds no article" in read_refusal(
        tmp_path / "a.html", "<html><body><script>1</script></body></html>"
    )
    assert "holds no article" in read_refusal(tmp_path / "b.html", b"")


def test_the_url_and_language_options_are_used(tmp_path: Path) -> None:
    options = ReadOptions("https://given.example/", "zh", lambda text: "en")
    found = read_document(
        tmp_path / "a.html", PAGE.replace(' lang="ja-JP"', "").format("半減した。" * 40), options
    )
    assert (found.url, found.language) == ("https://given.example/", "zh")


def test_an_undeclared_language_is_detected(tmp_path: Path) -> None:
    found = read_document(
        tmp_path / "a.jsonl",
        json.dumps(LINE),
        ReadOptions(language_of=lambda text: "zh" if "halved" in text else None),
    )
    assert found.language == "zh"


def test_unsupported_missing_and_large_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "must end in" in read_refusal(tmp_path / "a.pdf", b"%PDF")
    (missing,) = file_readers.read_documents(tmp_path / "none.md", ReadOptions())
    assert "cannot be read: No such file" in str(missing.result)
    monkeypatch.setattr(file_readers, "MAX_FILE_BYTES", 1024**2)
    assert "larger than 1 MiB" in read_refusal(tmp_path / "a.md", b"x" * (1024**2 + 1))
    assert "longer than 1 MiB" in read_refusal(tmp_path / "a.jsonl", b"x" * (1024**2 + 1))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
@given(st.binary(max_size=80) | st.text(alphabet="-\n:#url [{}]&*'\"! ", max_size=60).map(str.encode))
def test_no_content_raises_an_exception(tmp_path: Path, content: bytes) -> None:
    for suffix in (".jsonl", ".md"):
        read(tmp_path / f"a{suffix}", content)
    read(tmp_path / "b.md", b"---\n" + content + b"\n---\ntext", ReadOptions(url="https://a.example/"))


@pytest.mark.parametrize("text", ["2024", "2024-04", "2024-04-20", "2024-04-20T00:09:27Z"])
def test_a_date_is_formatted_with_the_precision_it_was_read_with(text: str) -> None:
    assert partial_dates.format_partial_date(*partial_dates.parse_partial_date(text)) == text


def test_yaml_values_stay_as_written() -> None:
    assert yaml_with_lines.parse_yaml(
        "{a: no, b: 1.10, c: 2024-04-20, d: ~, e: '', f: 'null', g: [1, {h: yes}]}"
    ).data == {
        "a": "no",
        "b": "1.10",
        "c": "2024-04-20",
        "d": None,
        "e": "",
        "f": "null",
        "g": ["1", {"h": "yes"}],
    }


@pytest.mark.parametrize("text", ["&a [*a]", "[[[[[[[[[[1]]]]]]]]]]", "? [a]\n: b", "a: 1\na: 2", "\x00"])
def test_misleading_yaml_is_refused(text: str) -> None:
    with pytest.raises(yaml_with_lines.InvalidYamlError):
        yaml_with_lines.parse_yaml(text)
