"""The guide to writing rules: its examples are right."""

import re
from pathlib import Path

import pytest

from backend.articles.lint.linter import lint
from backend.articles.matching.pack_merging import merge_packs
from backend.articles.rules.pack_loader import default_files, read_packs
from backend.articles.rules.rules_loader import compile_files
from backend.cli import rules, rules_check

GUIDE = (Path(__file__).parents[3] / "docs" / "rules.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_each_guide_example_compiles_with_the_default_rules_without_findings(
    tmp_path: Path, number: int
) -> None:
    file = tmp_path / "example.yaml"
    file.write_text(EXAMPLES[number], encoding="utf-8")
    files = read_packs([*default_files(), file])
    compile_files(files)
    assert [str(finding) for finding in lint(files, {file})] == []


def test_the_guide_examples_compile_together(tmp_path: Path) -> None:
    files = []
    for number, example in enumerate(EXAMPLES):
        files.append(tmp_path / f"{number}.yaml")
        files[-1].write_text(example, encoding="utf-8")
    packs = read_packs([*default_files(), *files])
    compile_files(packs)
    own = [rule.id for rule in merge_packs(file.pack for file in packs).rules if rule.id.startswith("own-")]
    assert len(own) == 6


def test_every_command_in_the_guide_exists() -> None:
    named = set(re.findall(r"chainproof rules (\w+)", GUIDE))
    known = {
        command.name or command.callback.__name__
        for command in [*rules.app.registered_commands, *rules_check.app.registered_commands]
        if command.callback
    }
    assert named == known
