"""textlint with textlint-rule-prh on the same rules: installed by npm into a folder of its own."""

import json
import re
import shutil
import subprocess
import time
from pathlib import Path

import yaml

from backend.articles.model import Pack, Pattern
from backend.articles.schemas import Article

SAMPLE = 60_000
"""Bytes that it is given, since it takes minutes for more."""
PACKAGES = ("textlint@15", "textlint-rule-prh@6")


def speed(packs: list[Pack], articles: list[Article], folder: Path) -> float:
    """How many MB it corrects a second, without the time that it needs to start and to read its rules."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        raise SystemExit("textlint needs node and npm, which are not installed.")
    subprocess.run([npm, "install", "--silent", "--no-audit", *PACKAGES], cwd=folder, check=True)
    (folder / "prh.yml").write_text(yaml.safe_dump(_prh(packs), allow_unicode=True), "utf-8")
    (folder / ".textlintrc.json").write_text('{"rules": {"prh": {"rulePaths": ["./prh.yml"]}}}')
    sample, size = [], 0
    for article in articles:
        sample.append(article.content or "")
        size += len(sample[-1].encode())
        if size >= SAMPLE:
            break
    start = _run(node, folder, ["x"])
    return size / 1e6 / max(_run(node, folder, sample) - start, 0.001)


def _run(node: str, folder: Path, texts: list[str]) -> float:
    """Seconds of correcting ``texts``, each in a file of its own."""
    files = []
    for number, text in enumerate(texts):
        path = folder / f"{len(texts)}-{number}.md"
        path.write_text(text, "utf-8")
        files.append(path.name)
    command = [
        node,
        "node_modules/textlint/bin/textlint.js",
        "--fix",
        "--dry-run",
        "--format",
        "json",
        *files,
    ]
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    taken = time.perf_counter() - begun
    # It ends with 1 both when it finds something and when a rule cannot be loaded.
    if done.stderr or done.returncode > 1:
        raise SystemExit(f"textlint failed: {done.stderr[:2000]}")
    found = sum(len(result["applyingMessages"]) for result in json.loads(done.stdout))
    if len(texts) > 1 and not found:
        raise SystemExit("textlint corrected nothing, so that its speed says nothing.")
    return taken


def _prh(packs: list[Pack]) -> dict[str, object]:
    """The same rules as a prh file: wrong forms, and right names whose case may not differ."""
    entities = {entity.id: entity for pack in packs for entity in pack.entities}
    rules: list[dict[str, object]] = []
    for rule in (rule for pack in packs for rule in pack.rules):
        entity = entities.get(rule.entity or "")
        named = entity.name("en") if entity else None
        expected = rule.suggest if isinstance(rule.suggest, str) and rule.suggest != "auto" else named
        texts = [given.text if isinstance(given, Pattern) else given for given in rule.match]
        patterns = [_expression(text) for text in texts if text != expected]
        if expected and patterns:
            rules.append({"expected": expected, "patterns": patterns})
    for entity in entities.values():
        if entity.case != "any" and not entity.context:
            # Without patterns it looks for the name in any case and width.
            rules += [{"expected": name} for name in dict.fromkeys(entity.names.values())]
    return {"version": 1, "rules": rules}


def _expression(pattern: str) -> str:
    """A literal as a regular expression: what prh makes of a hyphen by itself is not valid."""
    return "/" + re.sub(r"([\\^$.|?*+()\[\]{}/])", r"\\\1", pattern) + "/"
