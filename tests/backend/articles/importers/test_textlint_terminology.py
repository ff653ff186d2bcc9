"""Import of textlint terminology lists and of CSV tables."""

from pathlib import Path

import pytest

from backend.articles.engine import correct
from backend.articles.importers.registry import Options, detect, import_rules
from backend.articles.importers.rule_drafts import ImportResult
from backend.articles.importers.yaml_writer import format_yaml
from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import compile_rules
from backend.articles.rules.pack_loader import InvalidRulesError, parse_pack


def imported(
    folder: Path, text: str, name: str = "terms.json", options: Options | None = None
) -> ImportResult:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return import_rules(file, options=options)


def corrected(made: ImportResult, text: str) -> str:
    pack = parse_pack(format_yaml(made), Path("x")).pack
    return correct(compile_rules([merge_packs([pack])]), text, language="en").text


TERMS = r"""
// what we write
[
  "JavaScript",  /* not Java */
  ["front[- ]end(s)?", "frontend$1"],
  ["git[ -]?hub", "GitHub"],
]
"""


def test_terms_are_read_with_comments_and_trailing_commas(tmp_path: Path) -> None:
    made = imported(tmp_path, TERMS, "terms.jsonc")
    assert made.skipped == []
    assert {rule.suggest for rule in made.rules} == {
        "JavaScript",
        "frontend",
        "frontends",
        "GitHub",
    }
    assert made.rules[0].source == "terms.jsonc, line 4"


def test_a_term_corrects_other_capitalizations_except_beside_a_hyphen(tmp_path: Path) -> None:
    made = imported(tmp_path, '["JavaScript"]')
    assert corrected(made, "javascript and JAVASCRIPT") == "JavaScript and JavaScript"
    assert corrected(made, "javascript-like, JavaScript") == "javascript-like, JavaScript"


def test_a_lowercase_term_keeps_its_capital_at_the_start_of_a_sentence(tmp_path: Path) -> None:
    made = imported(tmp_path, '[["front[- ]end", "frontend"]]')
    assert corrected(made, "Front-end work. The front end.") == "Frontend work. The frontend."


def test_terms_are_read_from_the_textlint_options(tmp_path: Path) -> None:
    made = imported(tmp_path, '{"rules": {"terminology": {"terms": [["web site", "website"]]}}}')
    assert corrected(made, "a web site") == "a website"


@pytest.mark.parametrize(
    ("term", "reason"),
    [
        ('["foo.*", "bar"]', "any character"),
        ('["foo(?=x)", "bar"]', "requires a neighbour"),
        ('["foo"]', "must be a text, or a pair"),
        ("5", "must be a text, or a pair"),
        ('["foo", ["bar"]]', "no replacement for 'foo'"),
        (r'["foo\\b", "bar"]', "one side only"),
        ('["foo", "<b>"]', "structure of the text"),
    ],
)
def test_terms_that_cannot_be_imported_are_listed(tmp_path: Path, term: str, reason: str) -> None:
    made = imported(tmp_path, f'["JavaScript",\n{term}]')
    assert [rule.suggest for rule in made.rules] == ["JavaScript"]
    assert reason in made.skipped[0].reason


@pytest.mark.parametrize("text", ["[", '{"a": [}', "[" * 100_000, "nothing", "5", '"a"', "/* " * 50_000])
def test_a_file_without_a_term_list_is_rejected(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidRulesError):
        imported(tmp_path, text)


def test_a_table_without_a_header_is_read_by_column_order(tmp_path: Path) -> None:
    table = 'etherium,Ethereum\nイーサリウム,イーサリアム,ja,error,"often, a slip"\n'
    first, second = imported(tmp_path, table, "terms.csv").rules
    assert (first.match, first.suggest, first.languages) == (("etherium",), "Ethereum", ("en", "ja", "zh"))
    assert (second.languages, second.severity, second.note) == (("ja",), "error", "often, a slip")


def test_a_table_with_a_header_is_read_by_column_names(tmp_path: Path) -> None:
    (rule,) = imported(tmp_path, "right;wrong;note\nEthereum;Etherium;a slip\n", "terms.csv").rules
    assert (rule.match, rule.suggest, rule.note) == (("Etherium",), "Ethereum", "a slip")


def test_rows_with_one_right_form_become_one_rule(tmp_path: Path) -> None:
    (rule,) = imported(tmp_path, "Etherium\tEthereum\nEtherum\tEthereum\n", "terms.tsv").rules
    assert rule.match == ("Etherium", "Etherum")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("Etherium", "a wrong and a right form"),
        (",Ethereum", "a wrong and a right form"),
        ("a,b,fr", "the language 'fr' must be one of"),
        ("a,b,en,loud", "the severity 'loud' must be one of"),
        ("a,b,en,info,x,y", "6 cells"),
        ("a,<b>", "structure of the text"),
        ("b" * 101 + ",b", "longer than 100"),
    ],
)
def test_rows_that_cannot_be_imported_are_listed_with_their_line(
    tmp_path: Path, row: str, reason: str
) -> None:
    made = imported(tmp_path, f"Solanna,Solana\n{row}\n", "terms.csv")
    assert [rule.suggest for rule in made.rules] == ["Solana"]
    (skipped,) = made.skipped
    assert skipped.line == 2
    assert reason in skipped.reason


def test_a_malformed_table_is_rejected_with_its_line_number(tmp_path: Path) -> None:
    with pytest.raises(InvalidRulesError, match=r"terms\.csv:2: must be valid CSV"):
        imported(tmp_path, 'a,b\n"a"b,c\n', "terms.csv")


def test_a_header_must_name_wrong_and_right(tmp_path: Path) -> None:
    with pytest.raises(InvalidRulesError, match="must name the columns 'wrong' and 'right'"):
        imported(tmp_path, "wrong,note\na,b\n", "terms.csv")


def test_import_options_set_languages_and_automatic_correction(tmp_path: Path) -> None:
    made = imported(tmp_path, "Etherium,Ethereum\n", "terms.csv", Options(auto_fix=True, languages=("en",)))
    assert (made.rules[0].languages, made.rules[0].auto_fix) == (("en",), True)


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.yml", "rules: [{expected: a, pattern: b}]", "prh"),
        ("a.yaml", "imports: [b.yml]", "prh"),
        ("a.yml", "extends: existence", "vale"),
        ("accept.txt", "a", "vale"),
        ("a.json", "[]", "terminology"),
        ("a.csv", "a,b", "csv"),
    ],
)
def test_the_format_is_detected_from_file_name_and_content(
    tmp_path: Path, name: str, text: str, format: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert detect(tmp_path / name) == format


@pytest.mark.parametrize(
    ("name", "text"), [("a.yml", "version: 1"), ("a.txt", "x"), ("a.json", "{}"), ("a.json", "{")]
)
def test_an_unknown_format_raises_an_error_with_a_hint(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRulesError, match=r"--format|must be valid JSON"):
        detect(tmp_path / name)
