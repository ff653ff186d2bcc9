"""Checks what authors decide: the accept list of a repository and the remarks in its texts."""

from collections.abc import Iterator
from pathlib import Path

from backend.articles.engine import scan
from backend.articles.files import file_io
from backend.articles.files.repository_settings import read_settings
from backend.articles.lint.linter import Finding
from backend.articles.matching.rule_set import RuleSet
from backend.articles.rules.yaml_reader import read_document
from backend.articles.schemas import Article
from backend.articles.text.author_marks import find_remarks

EVIDENCE = "bitcoin blockchain "
"""Words of the field, near which names that are ordinary words count too."""


def check_settings_file(file: Path, rules: RuleSet) -> Iterator[Finding]:
    """Generate a finding for each accepted text that no rule reports, and for each that is listed twice.

    :raises InvalidRulesError: if the file cannot be read or is invalid.
    """
    document = read_document(file)
    seen: set[str] = set()
    for number, text in enumerate(read_settings(file).accept):
        line = document.line("accept", number)
        if text in seen:
            sentence, advice = f"'{text}' is listed twice.", "Remove one."
            yield Finding(file, line, "repeated", "accept", "warning", sentence, advice)
        elif not _is_reported(rules, text):
            sentence = f"no rule reports '{text}', so that accepting it has no effect."
            yield Finding(file, line, "unreachable", "accept", "warning", sentence, "Remove it.")
        seen.add(text)


def check_remarks(file: Path, rules: RuleSet) -> Iterator[Finding]:
    """Generate a finding for each remark in the text ``file`` that names no rule or entity in force.

    :raises UnreadableFileError: if the file is not UTF-8.
    """
    text, _ = file_io.decode(file.read_bytes(), str(file))
    known = {rule.id for rule in rules.rules} | set(rules.entities)
    for remark in find_remarks(text):
        line = text.count("\n", 0, remark.start) + 1
        for one in sorted(remark.ids - known):
            sentence = "the remark names no rule or entity that is in force."
            advice = "Correct the id, or put two hyphens before a reason."
            yield Finding(file, line, "unknown_rule", one, "error", sentence, advice)


def _is_reported(rules: RuleSet, text: str) -> bool:
    """Whether any rule reports ``text`` in an article of any language."""
    return any(
        scan(rules, Article.model_validate({"content": EVIDENCE + text, "language": language}))["violations"]
        for language in ("en", "ja", "zh")
    )
