"""Packs read from files: every error at once, each with its line, and nothing that exhausts the reader."""

from pathlib import Path
from textwrap import dedent

import pytest

from backend.articles.rules.pack_loader import (
    InvalidRulesError,
    default_files,
    load_pack,
    parse_pack,
    read_packs,
    user_files,
)
from backend.articles.rules.yaml_reader import MAX_BYTES
from backend.entities.model import LANGUAGES

RULE = """
version: 1
rules:
  - id: etherium
    type: forbidden_variant
    match: [Etherium]
    suggest: Ethereum
    specs: [{from: Etherium, to: Ethereum}]
"""


def errors(text: str) -> list[tuple[int, str]]:
    with pytest.raises(InvalidRulesError) as refused:
        parse_pack(dedent(text), Path("own.yaml"))
    return [(error.line, error.reason) for error in refused.value.errors]


def only_error(text: str) -> tuple[int, str]:
    found = errors(text)
    assert len(found) == 1, found
    return found[0]


def rule(field: str, **others: str) -> str:
    """A pack with one rule, in which ``field`` stands in line 4; others replace fields that are right."""
    fields = {
        "type": "type: forbidden_variant",
        "match": "match: [Etherium]",
        "suggest": "suggest: Ethereum",
        "specs": "specs: [{from: Etherium, to: Ethereum}]",
    }
    fields.pop(field.split(":")[0], None)
    lines = [field, *{**fields, **others}.values()]
    return "version: 1\nrules:\n  - id: etherium\n" + "".join(f"    {line}\n" for line in lines)


def test_the_loader_reads_all_parts_of_a_pack(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(RULE, encoding="utf-8")
    pack = load_pack(file)
    assert [found.id for found in pack.rules] == ["etherium"]
    assert pack.rules[0].match == ("Etherium",)
    assert pack.rules[0].specs[0].from_ == "Etherium"


def test_the_default_packs_load_without_errors() -> None:
    files = read_packs(default_files())
    assert sum(len(file.pack.entities) for file in files) > 100


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "version: 1\nrules:\nentities:\n"])
def test_an_empty_pack_is_valid(text: str) -> None:
    pack = parse_pack(text, Path("own.yaml")).pack
    assert not pack.rules
    assert not pack.entities


@pytest.mark.parametrize("ticker", ["ON", "no", "Y", "off", "1e", "2024-01-01"])
def test_plain_words_that_yaml_1_1_converts_stay_text(ticker: str) -> None:
    text = f"entities: [{{id: a, type: asset, names: {{en: A}}, symbols: [{ticker}]}}]\nversion: 1"
    assert parse_pack(text, Path("own.yaml")).pack.entities[0].symbols == (ticker,)


@pytest.mark.parametrize(
    ("field", "line", "words"),
    [
        ("sugest: Ethereum", 4, "'sugest' is not known here (did you mean 'suggest'?)"),
        ("type: forbiden_variant", 4, "did you mean 'forbidden_variant'?"),
        ("languages: [en, de]", 4, "must be 'en', 'ja' or 'zh'"),
        ("auto_fix: perhaps", 4, "'auto_fix' must be true or false"),
        ("match: Etherium", 4, "'match' must be a list, such as [a, b]"),
        ("match: [1]", 4, "'match' must be text, or a mapping"),
        ("match: [{text: 1}]", 4, "'text' must be text: put 1 in quotes"),
        ("match: [{txt: a, text: b}]", 4, "'txt' is not known here (did you mean 'text'?)"),
        ("match: [{not_before: [a]}]", 4, "'text' is missing"),
        ("match: ['']", 4, "'match' must not be empty"),
        ("match: ['  ']", 4, "must not consist of spaces only"),
        ("match: [a\u200bb]", 4, "U+200B"),
        ("match: ['@etherium']", 4, "never corrected"),
        ("match: ['see https://x.example/a']", 4, "never corrected"),
        ("match: []", 4, "needs 'match' with at least one text"),
        ("suggest: auto", 4, "'suggest: auto' needs 'entity'"),
        ("suggest: {en: Ethereum}", 4, "suggests nothing for ja, zh"),
        ("suggest: 1", 4, "must be auto, a name, a list of names"),
        ("suggest: ' Ethereum'", 4, "must not start or end with a space"),
        ("suggest: 'a `b`'", 4, "would change the structure of the text"),
        ("suggest: 'a <b>'", 4, "would change the structure of the text"),
        ("suggest: '[a]'", 4, "would change the structure of the text"),
        ("suggest: '@a'", 4, "would change the structure of the text"),
        ("suggest: '#a'", 4, "would change the structure of the text"),
        ("suggest: https://a.example", 4, "would make it a URL"),
        ('suggest: "a\\nb"', 4, "nor contain a line break"),
        ("specs: []", 4, "'specs' must not be empty"),
        ("specs: [{from: a}]", 4, "'to' is missing"),
        ("specs: [a]", 4, "'specs' must contain mappings"),
        ("note: 1", 4, "'note' must be text, or one text per language"),
        ("note: {fr: pourquoi}", 4, "'fr' must be 'en', 'ja' or 'zh'"),
        ("note: {}", 4, "'note' must not be empty"),
        ("note: ", 4, ""),
        ("first_mention: {en: '{name} ({code})'}", 4, "'{code}' is not a placeholder"),
        ("first_mention: {en: '{name}'}", 4, "'first_mention' needs 'entity'"),
    ],
)
def test_a_field_error_names_its_line_and_rule(field: str, line: int, words: str) -> None:
    if not words:
        assert parse_pack(rule(field), Path("own.yaml")).pack.rules[0].note is None
        return
    found = errors(rule(field))
    assert (line, True) in [(at, words in reason and "rule 'etherium'" in reason) for at, reason in found]


def test_a_note_is_one_text_or_a_text_per_language() -> None:
    def reasons(field: str) -> list[str | None]:
        (made,) = parse_pack(rule(field), Path("own.yaml")).pack.rules
        return [made.reason(language) for language in LANGUAGES]

    assert reasons("enabled: true") == [None, None, None]
    assert reasons("note: why") == ["why", "why", "why"]
    assert reasons("note: {en: why, ja: 理由}") == ["why", "理由", "why"]
    assert reasons("note: {zh: 原因}") == ["原因", "原因", "原因"]


def test_automatic_correction_needs_a_single_suggestion() -> None:
    line, reason = only_error(rule("auto_fix: true", suggest="suggest: [Ethereum, ether]"))
    assert line == 4
    assert "'auto_fix' needs one suggestion" in reason


def test_all_errors_are_reported_at_once_in_line_order() -> None:
    found = errors(
        """
        version: 1
        entities:
          - id: Bad Id
            type: tokn
            names: {en: 2019, fr: x}
        rules:
          - id: a
            type: forbidden_variant
            match: [' ']
            specs: [{from: a, to: b}]
          - text
        disable: [A b]
        colour: red
        """
    )
    assert [line for line, _ in found] == [4, 5, 6, 6, 8, 10, 12, 13, 14]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\n b: 2\n", 2, "must be valid YAML"),
        ("version: 1\nversion: 1\n", 2, "'version' occurs twice, first in line 1"),
        ("version: 1\nname: &x a\ndescription: *x\n", 3, "the alias '*x' is not supported"),
        ("--- {version: 1}\n---\nversion: 1\n", 2, "a second document"),
        ("version: 1\nname: !!python/object:os.system x\n", 2, "the tag"),
        ("version: 1\nname: a\x07\n", 2, "U+0007"),
        ('version: 1\nname: "\\ud83d"\n', 2, "must be valid YAML"),
        ("version: 1\n? [a]\n: b\n", 2, "cannot be a key"),
        ("- a\n", 1, "must contain 'version: 1'"),
        ("version: 2\n", 1, "'version' must be 1"),
        ("name: a\n", 1, "'version' is missing"),
    ],
)
def test_a_document_that_is_not_a_pack_is_rejected_with_its_line(text: str, line: int, words: str) -> None:
    assert any(at == line and words in reason for at, reason in errors(text))


@pytest.mark.parametrize("text", ["[" * 200_000, "- " * 200_000 + "a", "{a: " * 100_000, '"' * 199_999])
def test_deep_nesting_is_rejected(text: str) -> None:
    assert errors(text)


def test_exponential_yaml_aliases_are_rejected() -> None:
    levels = "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    assert "is not supported" in errors("a0: &a0 [x]\n" + levels)[0][1]


def test_an_error_message_lists_at_most_100_errors() -> None:
    rules = "".join("  - id: a\n    type: x\n" for _ in range(300))
    with pytest.raises(InvalidRulesError) as refused:
        parse_pack("version: 1\nrules:\n" + rules, Path("own.yaml"))
    lines = str(refused.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == f"and {len(refused.value.errors) - 100} more errors"


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "big.yaml"
    file.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(InvalidRulesError, match="larger than 8 MiB"):
        load_pack(file)


def test_a_file_that_is_not_utf_8_is_rejected_with_its_line_number(tmp_path: Path) -> None:
    file = tmp_path / "sjis.yaml"
    file.write_bytes("version: 1\nname: 暗号資産\n".encode("shift_jis"))
    with pytest.raises(InvalidRulesError, match=r"sjis\.yaml:2: is not UTF-8"):
        load_pack(file)


def test_a_missing_file_raises_a_readable_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidRulesError, match="cannot be read: No such file"):
        load_pack(tmp_path / "none.yaml")


@pytest.mark.parametrize("surface", ["Crypto.Com", "c#", "drive C>", "24/7"])
def test_a_surface_can_contain_punctuation(surface: str) -> None:
    assert parse_pack(rule(f"match: ['{surface}']"), Path("own.yaml")).pack.rules[0].match == (surface,)


def test_a_duplicate_id_in_one_file_is_an_error() -> None:
    two = RULE + RULE.split("rules:\n")[1]
    line, reason = only_error(two)
    assert line == 9
    assert "occurs twice in the file" in reason


def between(tmp_path: Path, *texts: str) -> list[str]:
    """The errors of several files that are laid over each other."""
    files = []
    for number, text in enumerate(texts):
        files.append(tmp_path / f"{number}.yaml")
        files[-1].write_text("version: 1\n" + dedent(text), encoding="utf-8")
    with pytest.raises(InvalidRulesError) as refused:
        read_packs(files)
    return [f"{m.file.name}:{m.line}: {m.reason}" for m in refused.value.errors]


FACTS = """\
entities:
  - {id: ethereum, type: asset, names: {en: Ethereum}}
"""


def test_an_unknown_entity_is_reported_with_a_suggestion(tmp_path: Path) -> None:
    text = """\
        rules:
          - id: typo
            type: forbidden_variant
            entity: etherum
            match: [Etherium]
            specs: [{from: Etherium, to: Ethereum}]
        """
    assert between(tmp_path, FACTS, text) == [
        "1.yaml:5: rule 'typo': there is no entity 'etherum' (did you mean 'ethereum'?)"
    ]


def test_a_first_mention_template_with_a_symbol_needs_an_entity_with_a_symbol(tmp_path: Path) -> None:
    text = """\
        rules:
          - id: first
            type: missing_symbol
            entity: ethereum
            first_mention: {en: "{name} ({symbol})"}
            specs: [{from: Ethereum, to: Ethereum (ETH)}]
        """
    assert between(tmp_path, FACTS, text) == [
        "1.yaml:6: rule 'first': entity 'ethereum' has no symbol for {symbol}"
    ]


def test_disable_and_enable_accept_only_ids_of_earlier_packs_and_built_in_rules(tmp_path: Path) -> None:
    text = "disable: [ethereum, ethereum.case, unlisted-slip, consistency, etherium]\nenable: [house.style]\n"
    found = between(tmp_path, FACTS, text)
    assert found == [
        "1.yaml:2: 'disable': there is no rule or entity 'etherium' (did you mean 'ethereum'?)",
        "1.yaml:3: 'enable': there is no rule or entity 'house.style'",
    ]


def test_errors_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
    found = between(tmp_path, "colour: red\n", "rules: 1\n")
    assert [line.split(":")[0] for line in found] == ["0.yaml", "1.yaml"]


def test_a_folder_lists_its_yaml_packs_in_name_order(tmp_path: Path) -> None:
    for name in ("b.yml", "a.yaml", ".hidden.yaml", "notes.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert [path.name for path in user_files(tmp_path)] == ["a.yaml", "b.yml"]
    assert user_files(tmp_path / "none") == []


def test_a_folder_with_too_many_files_is_refused(tmp_path: Path) -> None:
    for number in range(201):
        (tmp_path / f"{number}.yaml").touch()
    with pytest.raises(InvalidRulesError, match="more than 200"):
        user_files(tmp_path)
