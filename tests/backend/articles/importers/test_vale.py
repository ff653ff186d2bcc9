"""Import of Vale styles and vocabularies."""

from pathlib import Path
from textwrap import dedent

import pytest

from backend.articles.importers.registry import import_rules
from backend.articles.importers.rule_drafts import ImportResult
from backend.articles.importers.yaml_writer import format_yaml
from backend.articles.lint.linter import lint
from backend.articles.model import Pack, Pattern
from backend.articles.rules.pack_loader import InvalidRulesError, parse_pack, read_packs


def imported(
    folder: Path, text: str, name: str = "Terms.yml", existing_packs: tuple[Pack, ...] = ()
) -> ImportResult:
    file = folder / name
    file.write_text(dedent(text), encoding="utf-8")
    return import_rules(file, existing_packs=existing_packs)


STYLE = """
extends: substitution
message: "Use '%s' instead of '%s'."
link: https://style.example/terms
level: error
ignorecase: true
action: {name: replace}
swap:
  '(?:mobile|smart) ?phone': phone
  adaptor: adapter
"""


def test_each_pair_of_a_substitution_becomes_a_rule(tmp_path: Path) -> None:
    made = imported(tmp_path, STYLE)
    assert made.skipped == []
    phone, adapter = made.rules
    assert phone.match == ("mobile phone", "mobilephone", "smart phone", "smartphone")
    assert (adapter.suggest, adapter.boundary, adapter.case) == ("adapter", "word", "any")
    assert (adapter.severity, adapter.auto_fix) == ("error", True)
    assert adapter.note == "Use 'adapter' instead of 'adaptor'. https://style.example/terms"
    assert adapter.source == "Terms.yml, line 10"


def test_without_an_action_corrections_need_approval(tmp_path: Path) -> None:
    made = imported(tmp_path, STYLE.replace("action: {name: replace}", ""))
    assert {rule.auto_fix for rule in made.rules} == {False}


@pytest.mark.parametrize(
    ("level", "severity"), [("suggestion", "info"), ("warning", "warning"), ("error", "error")]
)
def test_levels_become_severities(tmp_path: Path, level: str, severity: str) -> None:
    made = imported(tmp_path, f"extends: substitution\nlevel: {level}\nswap: {{adaptor: adapter}}")
    assert made.rules[0].severity == severity


def test_nonword_disables_the_boundary_and_case_matters_unless_ignored(tmp_path: Path) -> None:
    (rule,) = imported(tmp_path, "extends: substitution\nnonword: true\nswap: {'C: drive': drive C}").rules
    assert (rule.boundary, rule.case) == ("none", "exact")


def test_a_substitution_with_several_suggestions_becomes_an_ambiguous_rule(tmp_path: Path) -> None:
    (rule,) = imported(
        tmp_path, "extends: substitution\naction: {name: replace}\nswap: {utilise: use|apply}"
    ).rules
    assert (rule.type, rule.suggest, rule.auto_fix) == ("ambiguous", ("use", "apply"), False)
    assert rule.specs[0].finds is True


def test_exceptions_are_removed_from_the_matches(tmp_path: Path) -> None:
    text = "extends: substitution\nexceptions: [smart phone]\nswap: {'(?:mobile|smart) phone': phone}"
    assert imported(tmp_path, text).rules[0].match == ("mobile phone",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("extends: existence\ntokens: [foo]", "has no correction"),
        ("extends: substitution", "'swap' must map"),
        ("extends: substitution\nscope: heading\nswap: {a: b}", "scope 'heading' is not supported"),
        ("extends: substitution\npos: NN\nswap: {a: b}", "'pos' changes the matches"),
        ("extends: substitution\nexceptions: ['a.*']\nswap: {a: b}", "one of its exceptions"),
        ("extends: substitution\nlevel: loud\nswap: {a: b}", "level 'loud' is unknown"),
        ("extends: substitution\nswap: {'foo.*': b}", "any character"),
        ("extends: substitution\nswap: {'(fo)o': 'x$1'}", "is a group reference"),
        ("extends: substitution\nswap: {foo: 1}", "must be text"),
        ("extends: substitution\nswap: {foo: '<b>'}", "structure of the text"),
        ("extends: substitution\nswap: {foo: foo}", "has no wrong form"),
    ],
)
def test_rules_that_cannot_be_imported_are_listed(tmp_path: Path, text: str, reason: str) -> None:
    made = imported(tmp_path, text)
    assert made.rules == []
    assert [reason in skipped.reason for skipped in made.skipped] == [True]


def test_accepted_words_become_entity_names(tmp_path: Path) -> None:
    made = imported(tmp_path, "# ours\nStaked Foo\n\n(?i)barchain\nwagmi\nWAGMI\n", "accept.txt")
    assert made.skipped == []
    assert {e.id: (dict(e.names), e.case, dict(e.also)) for e in made.entities} == {
        "accept-staked-foo": ({"en": "Staked Foo"}, "exact", {}),
        "accept-barchain": ({"en": "barchain"}, "any", {}),
        "accept-wagmi": ({"en": "wagmi"}, "exact", {"en": ("WAGMI",)}),
    }
    assert parse_pack(format_yaml(made), Path("x")).pack.entities == tuple(made.entities)


def test_vocabulary_regexes_are_expanded_or_listed_as_skipped(tmp_path: Path) -> None:
    made = imported(tmp_path, "foochains?\npy.*\n", "accept.txt")
    assert [dict(e.names) for e in made.entities] == [{"en": "foochains"}, {"en": "foochain"}]
    assert [(s.line, s.what) for s in made.skipped] == [(2, "py.*")]


def test_a_name_that_an_entity_already_has_is_listed_as_skipped(tmp_path: Path) -> None:
    text = "version: 1\nentities: [{id: bitcoin, type: asset, names: {en: Bitcoin}}]"
    made = imported(tmp_path, "Bitcoin\n", "accept.txt", (parse_pack(text, Path("x")).pack,))
    assert made.entities == []
    assert "already a correct name of 'bitcoin'" in made.skipped[0].reason


def test_rejected_words_are_reported_without_a_suggestion(tmp_path: Path) -> None:
    made = imported(tmp_path, "shitcoin\n", "reject.txt")
    (rule,) = made.rules
    assert (rule.suggest, rule.severity, rule.boundary) == ((), "error", "word")
    assert rule.specs[0].finds is True
    assert parse_pack(format_yaml(made), Path("x")).pack.rules == tuple(made.rules)


def test_a_style_folder_is_imported_with_its_vocabularies(tmp_path: Path) -> None:
    (tmp_path / "config" / "vocabularies" / "Ours").mkdir(parents=True)
    (tmp_path / "config" / "vocabularies" / "Ours" / "accept.txt").write_text("Foochain\n", encoding="utf-8")
    (tmp_path / "Style").mkdir()
    (tmp_path / "Style" / "Terms.yml").write_text(STYLE, encoding="utf-8")
    (tmp_path / "Style" / "Broken.yml").write_text("a: b: c", encoding="utf-8")
    (tmp_path / "Style" / "meta.yml").write_text("feed: none", encoding="utf-8")
    made = import_rules(tmp_path)
    assert (len(made.rules), len(made.entities)) == (2, 1)
    assert [skipped.what for skipped in made.skipped] == ["Broken.yml", "meta.yml"]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRulesError, match="but contains 0"):
        import_rules(tmp_path)


def test_an_explicit_word_boundary_overrides_nonword(tmp_path: Path) -> None:
    text = "extends: substitution\nnonword: true\nswap: {'\\bfoo\\b': bar}"
    assert imported(tmp_path, text).rules[0].match == (Pattern(text="foo", boundary="word"),)


def test_an_import_brings_no_findings_that_the_source_cannot_avoid(tmp_path: Path) -> None:
    text = STYLE + "  agent: assistant\n  kb: KB\n  'chatbots?': chatbot(s)\n"
    made = imported(tmp_path, text)
    pack = tmp_path / "pack.yaml"
    pack.write_text(format_yaml(made), encoding="utf-8")
    assert [str(finding) for finding in lint(read_packs([pack]))] == []
    by_form = {rule.suggest: rule for rule in made.rules}
    assert not by_form["assistant"].auto_fix
    assert not by_form["KB"].auto_fix
    assert by_form["adapter"].auto_fix
    assert Pattern(text="chatbot", not_before=("(s)",)) in by_form["chatbot(s)"].match


def test_ids_and_repetitions_are_found_among_many_rules(tmp_path: Path) -> None:
    swap = "".join(f"  'wrong{number}': right\n" for number in range(40))
    made = imported(tmp_path, STYLE.split("swap:")[0] + "swap:\n" + swap + "  'wron(?:g)0': right\n")
    assert [rule.id for rule in made.rules[:3]] == ["terms-right", "terms-right-2", "terms-right-3"]
    assert len({rule.id for rule in made.rules}) == len(made.rules) == 40
    assert [skipped.reason for skipped in made.skipped] == ["it repeats the rule of Terms.yml, line 9"]
