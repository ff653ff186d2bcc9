"""Import of prh dictionaries."""

from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.engine import correct
from backend.articles.importers.registry import import_rules
from backend.articles.importers.rule_drafts import ImportResult
from backend.articles.importers.yaml_writer import format_yaml
from backend.articles.matching.pack_merging import merge_packs
from backend.articles.matching.rule_set import compile_rules
from backend.articles.model import Pattern, Rule
from backend.articles.rules.pack_loader import InvalidRulesError, parse_pack
from backend.articles.rules.specs import find_failures


def imported(folder: Path, text: str, name: str = "rules.yml") -> ImportResult:
    file = folder / name
    file.write_text(dedent(text), encoding="utf-8")
    return import_rules(file, "prh")


def only_rule(made: ImportResult) -> Rule:
    assert [str(skipped) for skipped in made.skipped] == []
    assert len(made.rules) == 1
    return made.rules[0]


def surfaces(rule: Rule) -> list[str]:
    return [given.text if isinstance(given, Pattern) else given for given in rule.match]


def reasons(made: ImportResult) -> list[str]:
    return [str(skipped) for skipped in made.skipped]


def test_a_literal_pattern_matches_exact_case_without_word_boundaries(tmp_path: Path) -> None:
    rule = only_rule(imported(tmp_path, "rules: [{expected: jQuery, pattern: jquery}]"))
    assert surfaces(rule) == ["jquery"]
    assert (rule.case, rule.boundary, rule.suggest, rule.auto_fix) == ("exact", "none", "jQuery", False)
    assert [(spec.from_, spec.to) for spec in rule.specs] == [("jquery", "jQuery")]
    assert rule.source == "rules.yml, line 1"


def test_the_word_boundary_option_is_imported(tmp_path: Path) -> None:
    text = "rules: [{expected: JavaScript, pattern: js, options: {wordBoundary: true}}]"
    assert only_rule(imported(tmp_path, text)).boundary == "word"


def test_a_rule_without_a_pattern_corrects_every_other_capitalization(tmp_path: Path) -> None:
    made = imported(tmp_path, "rules:\n  - expected: Cookie\n")
    rule = only_rule(made)
    assert rule.type == "wrong_case"
    rules = compile_rules([merge_packs([parse_pack(format_yaml(made), Path("x")).pack])])
    assert (
        correct(rules, "a cookie, a COOKIE, a Cookie", language="en").text == "a Cookie, a Cookie, a Cookie"
    )


def test_a_rule_can_be_a_plain_string(tmp_path: Path) -> None:
    assert only_rule(imported(tmp_path, "rules: [Cookie]")).suggest == "Cookie"


def test_a_finite_regex_becomes_a_list_of_surfaces(tmp_path: Path) -> None:
    made = imported(tmp_path, "rules: [{expected: かかわらず, pattern: /関わ?らず/}]")
    rule = only_rule(made)
    assert surfaces(rule) == ["関わらず", "関らず"]
    assert rule.languages == ("ja",)


def test_a_case_insensitive_regex_stays_case_insensitive(tmp_path: Path) -> None:
    made = imported(tmp_path, "rules: [{expected: Ethereum, pattern: /etherium/i}]")
    (pattern,) = only_rule(made).match
    assert isinstance(pattern, Pattern)
    assert pattern.case == "any"


def test_negative_lookaround_becomes_forbidden_neighbours(tmp_path: Path) -> None:
    text = """
        rules:
          - expected: よい
            pattern: /良い(?!例)/
            specs: [{from: 良い, to: よい}, {from: 良い例, to: 良い例}]
        """
    (pattern,) = only_rule(imported(tmp_path, text)).match
    assert pattern == Pattern(text="良い", not_before=("例",))


def test_a_must_be_empty_group_becomes_a_forbidden_neighbour(tmp_path: Path) -> None:
    text = """
        rules:
          - expected: さらに
            pattern: /(変)?更に/
            regexpMustEmpty: $1
            specs: [{from: 変更に, to: 変更に}, {from: 更に, to: さらに}]
        """
    (pattern,) = only_rule(imported(tmp_path, text)).match
    assert pattern == Pattern(text="更に", not_after=("変",))


def test_a_group_reference_in_the_expected_text_creates_one_rule_per_group_value(tmp_path: Path) -> None:
    text = """
        rules:
          - expected: でき$1
            pattern: /出来(る|た)/
            specs: [{from: 出来た, to: できた}, {from: 出来る, to: できる}]
        """
    made = imported(tmp_path, text)
    assert reasons(made) == []
    assert {rule.suggest: surfaces(rule) for rule in made.rules} == {
        "できる": ["出来る"],
        "できた": ["出来た"],
    }
    assert {(s.from_, s.to) for rule in made.rules for s in rule.specs} == {
        ("出来た", "できた"),
        ("出来る", "できる"),
    }


def test_several_patterns_are_joined(tmp_path: Path) -> None:
    made = imported(tmp_path, "rules: [{expected: Ethereum, patterns: [Etherium, /Ether(?:um|eum )/]}]")
    assert surfaces(only_rule(made)) == ["Etherium", "Etherum", "Ethereum "]


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("{expected: （$1）, pattern: '/\\((.+?)\\)/'}", "'.' matches any character"),
        ("{expected: a, pattern: /b*/}", "without a limit"),
        ("{expected: a, pattern: '/[^b]/'}", "all but some"),
        ("{expected: a, pattern: b, regexpMustEmpty: $2x}", "must name a group"),
        ("{expected: a, pattern: b, when: later}", "field 'when' is unknown"),
        ("{expected: a, pattern: 1}", "must be text"),
        ("{expected: a, pattern: b, specs: [c]}", "must have the texts"),
        ("{expected: a, pattern: a}", "has no wrong form"),
        ("{expected: ひらがな}", "has no wrong form"),
        ("{expected: '`a`', pattern: b}", "structure of the text"),
        ("{expected: '', pattern: b}", "must not be empty"),
        ("{pattern: b}", "'expected' must be text"),
        ("{expected: a, pattern: b, specs: [{from: b, to: c}]}", "its spec fails"),
        ("{expected: a, pattern: '@etherium'}", "never corrected"),
        ("{expected: a, pattern: '" + "b" * 101 + "'}", "longer than 100"),
    ],
)
def test_rules_that_cannot_be_imported_are_listed_with_line_and_reason(
    tmp_path: Path, rule: str, reason: str
) -> None:
    made = imported(tmp_path, f"version: 1\nrules:\n  - {rule}\n  - {{expected: Cookie, pattern: cokie}}\n")
    assert [found.suggest for found in made.rules] == ["Cookie"]
    (skipped,) = made.skipped
    assert skipped.line == 3
    assert reason in skipped.reason


def test_duplicate_rules_are_imported_once(tmp_path: Path) -> None:
    made = imported(tmp_path, "rules: [{expected: a, pattern: b}, {expected: a, pattern: b}]")
    assert len(made.rules) == 1
    assert "it repeats the rule of rules.yml, line 1" in reasons(made)[0]


def test_imports_are_resolved_relative_to_the_importing_file(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    inner = "imports: ../rules.yml\nrules: [{expected: b, pattern: c}, {expected: a, pattern: z}]"
    (tmp_path / "inner" / "more.yml").write_text(inner, encoding="utf-8")
    text = "imports: [inner/more.yml, none.yml]\nrules: [{expected: a, pattern: x}]"
    made = imported(tmp_path, text)
    assert [surfaces(rule) for rule in made.rules] == [["x"], ["c"]]
    assert reasons(made) == [
        "more.yml:2: a: a rule of another file for it takes precedence",
        "rules.yml:1: import none.yml: this file does not exist",
    ]


def test_an_import_can_skip_rules_and_nested_imports(tmp_path: Path) -> None:
    (tmp_path / "last.yml").write_text("rules: [{expected: d, pattern: dd}]", encoding="utf-8")
    (tmp_path / "more.yml").write_text(
        "imports: last.yml\nrules: [{expected: b, pattern: bb}, {expected: c, pattern: cc}]", encoding="utf-8"
    )
    text = "imports: [{path: more.yml, disableImports: true, ignoreRules: [{expected: b}]}]\nrules: [Cookie]"
    assert [rule.suggest for rule in imported(tmp_path, text).rules] == ["Cookie", "c"]


def test_an_import_that_cannot_be_read_is_listed(tmp_path: Path) -> None:
    (tmp_path / "more.yml").write_text("a: b: c", encoding="utf-8")
    made = imported(tmp_path, "imports: more.yml\nrules: [Cookie]")
    assert "more.yml:1: must be valid YAML" in reasons(made)[0]


def test_invalid_yaml_is_rejected_with_its_line_number(tmp_path: Path) -> None:
    with pytest.raises(InvalidRulesError, match=r"rules\.yml:2"):
        imported(tmp_path, "rules:\n a: b: c\n")


def test_importing_is_deterministic_and_rule_ids_do_not_depend_on_order(tmp_path: Path) -> None:
    one = "rules:\n- {expected: Cookie, pattern: cokie}\n- {expected: サーバー, pattern: サーバ}\n"
    other = "rules:\n- {expected: サーバー, pattern: サーバ}\n- {expected: Cookie, pattern: cokie}\n"
    first = imported(tmp_path, one)
    assert format_yaml(first) == format_yaml(imported(tmp_path, one))
    assert {r.id: r.suggest for r in first.rules} == {
        r.id: r.suggest for r in imported(tmp_path, other).rules
    }


word = st.text("abcAB サーバ以太良例", min_size=1, max_size=6)
regex = st.lists(st.sampled_from(["a", "b", "サ", "(?:c|太)", "(良)", "[AB]", "例?"]), min_size=1, max_size=4)
pattern = st.one_of(word, regex.map(lambda parts: f"/{''.join(parts)}/"), st.just("/a+/"))
rule = st.fixed_dictionaries(
    {"expected": word},
    optional={
        "pattern": st.one_of(pattern, st.lists(pattern, min_size=1, max_size=3)),
        "options": st.fixed_dictionaries({"wordBoundary": st.booleans()}),
        "regexpMustEmpty": st.just("$1"),
        "specs": st.lists(st.fixed_dictionaries({"from": word, "to": word}), max_size=2),
    },
)


@given(st.lists(rule, max_size=6))
def test_any_dictionary_yields_a_valid_pack_and_lists_skipped_rules(
    tmp_path_factory: pytest.TempPathFactory, rules: list[object]
) -> None:
    file = tmp_path_factory.getbasetemp() / "generated.yml"
    file.write_text(yaml.safe_dump({"version": 1, "rules": rules}, allow_unicode=True), encoding="utf-8")
    made = import_rules(file, "prh")
    pack = parse_pack(format_yaml(made), Path("x.yaml")).pack
    assert pack.rules == tuple(made.rules)
    assert find_failures(compile_rules([merge_packs([pack])]), pack.rules) == []
    lines = {line for _, line in made.places.values()} | {skipped.line for skipped in made.skipped}
    assert len(lines) == len(rules)
    assert all(skipped.reason for skipped in made.skipped)
