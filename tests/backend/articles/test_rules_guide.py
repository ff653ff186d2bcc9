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


@pytest.fixture(scope="module")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("examples")
    files = [folder / f"{number}.yaml" for number in range(len(EXAMPLES))]
    for file, example in zip(files, EXAMPLES, strict=True):
        file.write_text(example, encoding="utf-8")
    return files


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_each_guide_example_is_valid_beside_the_default_rules(example_files: list[Path], number: int) -> None:
    assert read_packs([*default_files(), example_files[number]])


def test_the_guide_examples_compile_with_the_default_rules_without_findings(
    example_files: list[Path],
) -> None:
    packs = read_packs([*default_files(), *example_files])
    compile_files(packs)
    own = [rule.id for rule in merge_packs(file.pack for file in packs).rules if rule.id.startswith("own-")]
    assert len(own) == 6
    assert [str(finding) for finding in lint(packs, set(example_files))] == []


def test_every_command_in_the_guide_exists() -> None:
    named = set(re.findall(r"chainproof rules (\w+)", GUIDE))
    known = {
        command.name or command.callback.__name__
        for command in [*rules.app.registered_commands, *rules_check.app.registered_commands]
        if command.callback
    }
    assert named == known
