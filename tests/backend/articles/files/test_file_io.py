"""Files are found, read as they are, and replaced whole or not at all."""

from pathlib import Path

import pytest

from backend.articles.files.file_io import Source, UnreadableFileError, Writer, decode, list_sources


def source(path: Path) -> Source:
    return Source(str(path), path, False, path.stat().st_size)


def test_listing_a_folder_returns_its_texts_and_archives_without_hidden_files(tmp_path: Path) -> None:
    for name in ("a.md", "b.HTML", "c.py", "d/e.jsonl", "d/.hidden.md", ".git/x.md", "node_modules/y.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [
        found.path.relative_to(tmp_path).as_posix() for found in list_sources([tmp_path], "") if found.path
    ] == [
        "a.md",
        "b.HTML",
        "d/e.jsonl",
    ]


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    assert len(list_sources([tmp_path / "a.md", tmp_path, tmp_path / "." / "a.md"], "")) == 1


def test_standard_input_takes_its_name_and_type_from_the_name_option() -> None:
    assert [(found.name, found.is_archive) for found in list_sources([Path("-")], "x.jsonl")] == [
        ("x.jsonl", True)
    ]


def test_decoding_keeps_line_endings_and_the_byte_order_mark() -> None:
    assert decode(b"\xef\xbb\xbfa\r\nb\r", "x") == ("a\r\nb\r", "\ufeff")


def test_a_file_that_is_not_utf_8_is_rejected_with_its_line_number() -> None:
    with pytest.raises(UnreadableFileError, match=r"x\.md:2: not UTF-8 at byte 3"):
        decode("ab\n暗号".encode("shift-jis"), "x.md")


def test_the_writer_replaces_a_file_after_its_last_chunk_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("old")
    file.chmod(0o640)
    with Writer() as writer:
        writer.write(source(file), [b"n", b"e"])
        writer.write(source(file), [])
        assert file.read_text() == "old" or file.read_text() == "ne"
    assert file.read_bytes() == b"ne"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_an_interrupted_write_leaves_the_file_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("old")
    writer = Writer()
    writer.write(source(file), [b"half"])
    writer.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_writing_to_a_symlink_keeps_the_symlink(tmp_path: Path) -> None:
    file, link = tmp_path / "a.md", tmp_path / "b.md"
    file.write_text("old")
    link.symlink_to(file)
    with Writer() as writer:
        writer.write(source(link), [b"new"])
    assert link.is_symlink()
    assert file.read_text() == "new"


def test_the_writer_can_write_to_another_file(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("old")
    with Writer(tmp_path / "out.md") as writer:
        writer.write(source(file), [b"new"])
    assert (file.read_text(), (tmp_path / "out.md").read_text()) == ("old", "new")
    assert (tmp_path / "out.md").stat().st_mode & 0o600 == 0o600
