"""Runs textlint with textlint-rule-prh on the same rules, installed by npm into its own folder.

Both do the same work on the same texts: find all errors and build the corrected text. Differences favour
textlint: its rules ignore word boundaries (which would be slower), languages, fields, tickers and domain
terms.
"""

import json
import re
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from backend.articles.matching.derived_rules import right_names
from backend.articles.model import Pack, Pattern
from backend.entities.model import Entity

PACKAGES = ("textlint@15", "textlint-rule-prh@6")


class Measured(NamedTuple):
    """CPU seconds of its whole process, with all its threads, and what it corrected."""

    correcting: float
    """For the texts alone: neither starting nor reading rules, which it does anew for each text."""
    in_all: float
    """As the command takes."""
    corrections: int


def measure(packs: list[Pack], texts: list[str], folder: Path) -> Measured:
    """Has it correct ``texts``, each of which is a file, as articles are."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        raise SystemExit("textlint needs node and npm, which are not installed.")
    subprocess.run([npm, "install", "--silent", "--no-audit", *PACKAGES], cwd=folder, check=True)
    (folder / "prh.yml").write_text(yaml.safe_dump(_prh(packs), allow_unicode=True), "utf-8")
    (folder / ".textlintrc.json").write_text('{"rules": {"prh": {"rulePaths": ["./prh.yml"]}}}')
    for_nothing, _ = _run(node, folder, ["x"] * len(texts))
    in_all, corrections = _run(node, folder, texts)
    if not corrections:
        raise SystemExit("textlint corrected nothing, so that its speed says nothing.")
    return Measured(in_all - for_nothing, in_all, corrections)


def _run(node: str, folder: Path, texts: list[str]) -> tuple[float, int]:
    """CPU seconds of correcting ``texts``, and how many corrections were made."""
    files = [f"{number}.md" for number in range(len(texts))]
    for name, text in zip(files, texts, strict=True):
        (folder / name).write_text(text, "utf-8")
    options = ["--fix", "--dry-run", "--format", "json"]
    before = _cpu_of_children()
    process = subprocess.run(
        [node, "node_modules/textlint/bin/textlint.js", *options, *files],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    cpu_seconds = _cpu_of_children() - before
    # It ends with 1 both when it finds something and when a rule cannot be loaded.
    if process.stderr or process.returncode > 1:
        raise SystemExit(f"textlint failed: {process.stderr[:2000]}")
    return cpu_seconds, sum(len(result["applyingMessages"]) for result in json.loads(process.stdout))


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _prh(packs: list[Pack]) -> dict[str, object]:
    """The same rules as a prh file."""
    entities = {entity.id: entity for pack in packs for entity in pack.entities}
    rules: list[dict[str, object]] = []
    for rule in (rule for pack in packs for rule in pack.rules):
        entity = entities.get(rule.entity or "")
        entity_name = entity.name("en") if entity else None
        expected = rule.suggest if isinstance(rule.suggest, str) and rule.suggest != "auto" else entity_name
        texts = [pattern.text if isinstance(pattern, Pattern) else pattern for pattern in rule.match]
        patterns = [_expression(text) for text in texts if text != expected]
        if expected and patterns:
            rules.append({"expected": expected, "patterns": patterns})
    for entity in entities.values():
        rules += _of_names(entity)
    return {"version": 1, "rules": rules}


def _of_names(entity: Entity) -> Iterator[dict[str, object]]:
    """Former names, and right ones whose case may not differ."""
    for former in entity.former:
        yield {"expected": entity.name("en"), "patterns": [_expression(former.name)]}
    for name in right_names(entity):
        if entity.case != "any" and not name.needs_context:
            # Without patterns it looks for the name in any case and width.
            yield {"expected": name.text}


def _expression(pattern: str) -> str:
    """A literal as a regular expression: what prh makes of a hyphen by itself is not valid."""
    return "/" + re.sub(r"([\\^$.|?*+()\[\]{}/])", r"\\\1", pattern) + "/"
