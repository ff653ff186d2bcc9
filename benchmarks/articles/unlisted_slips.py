"""Measures how many slips that no rule lists are found, and sets the thresholds of their confidence.

    python -m benchmarks.articles.unlisted_slips [--number 400] [--seed 1] [--texts FOLDER] [--sweep]
        [--show KIND]

Random names of the catalogue get one random edit each and stand in sentences that are otherwise clean. Slips
that are words, right names or listed by a rule are not planted. ``FOLDER`` contains JSON Lines of clean
articles, in which every finding is false. ``--sweep`` prints what other thresholds would do.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from backend.articles.engine import scan
from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.schemas import Article, Violation
from backend.articles.slips import confidence
from backend.articles.slips.han_characters import load_han_characters
from backend.articles.slips.lexicon import Script, load_lexicon
from backend.articles.slips.reasons import RULE_ID
from backend.articles.slips.targets import Name, list_names
from backend.articles.text.folding import fold
from backend.entities.model import LANGUAGES, Language
from benchmarks.articles.scanning import load_default_packs
from benchmarks.articles.slip_makers import MAKERS
from benchmarks.articles.slip_sentences import SENTENCES

THRESHOLDS = (0.78, 0.82, 0.86, 0.88, 0.9, 0.92, 0.94, 0.96, 0.98)
_LANGUAGE_OF_NAMES: dict[Script, tuple[Language, ...]] = {
    "latin": LANGUAGES,
    "katakana": ("ja",),
    "han": ("zh",),
}


@dataclass(frozen=True, slots=True)
class Planted:
    """A sentence with one slip at ``[start:end]``."""

    text: str
    language: Language
    script: Script
    kind: str
    start: int
    end: int
    right: str
    entity: str


def list_targets(rules: RuleSet) -> dict[Script, list[Name]]:
    """List the names long enough for slips by their script."""
    found: dict[Script, list[Name]] = {"latin": [], "katakana": [], "han": []}
    for name in list_names(rules.entities):
        if name.is_former or name.type == "term":
            continue
        if name.is_latin and name.folded.isalnum() and len(name.folded) >= 6:
            found["latin"].append(name)
        elif name.is_katakana and len(name.folded) >= 4:
            found["katakana"].append(name)
        elif name.is_han and len(name.folded) >= 3 and "zh" in name.languages and not _is_traditional(name):
            found["han"].append(name)
    return found


def _is_traditional(name: Name) -> bool:
    """Whether a name is for Traditional texts; the sentences are Simplified."""
    return any(map(load_han_characters().is_traditional, name.folded))


def plant(rules: RuleSet, number: int, chance: Random) -> Iterator[Planted]:
    """Plant ``number`` slips for each script and language."""
    targets = list_targets(rules)
    known = {*rules.surfaces, *rules.unused_forms}
    for script, languages in _LANGUAGE_OF_NAMES.items():
        makers = [(kind, maker) for kind, (of_script, maker) in MAKERS.items() if of_script == script]
        for language in languages:
            done = 0
            while done < number:
                name = chance.choice(targets[script])
                kind, make = chance.choice(makers)
                slip = _make(make, name.text, chance, script, known)
                if slip is None:
                    continue
                before, after = chance.choice(SENTENCES[language]).split("{}")
                done += 1
                start = len(before)
                yield Planted(
                    before + slip + after,
                    language,
                    script,
                    kind,
                    start,
                    start + len(slip),
                    name.text,
                    name.entity,
                )


def _make(
    make: Callable[[str, Random], str | None], right: str, chance: Random, script: Script, known: set[str]
) -> str | None:
    slip = make(right, chance)
    if slip is None or slip == right or fold(slip).text in known:
        return None
    return None if fold(slip).text in load_lexicon(script) else slip


def _violations(rules: RuleSet, text: str, language: Language) -> list[Violation]:
    return scan(rules, Article.model_validate({"content": text, "language": language}))["violations"]


def _outcome(rules: RuleSet, planted: Planted) -> str:
    """Tell what became of a slip: right or wrong, unasked or asked; or missed."""
    for found in _violations(rules, planted.text, planted.language):
        if found["end_offset"] <= planted.start or found["start_offset"] >= planted.end:
            continue
        corrected = (
            planted.text[: found["start_offset"]]
            + (found["suggested_name"] or "")
            + planted.text[found["end_offset"] :]
        )
        expected = planted.text[: planted.start] + planted.right + planted.text[planted.end :]
        is_right = corrected == expected or found["entity_id"] == planted.entity
        return f"{'right' if is_right else 'wrong'} {'unasked' if found['auto_fixable'] else 'asked'}"
    return "missed"


def measure(rules: RuleSet, slips: list[Planted], *, show: str | None) -> Counter[str]:
    """Print the outcomes by script, language and kind, and count them all."""
    by_group: dict[tuple[str, ...], Counter[str]] = {}
    total: Counter[str] = Counter()
    for planted in slips:
        outcome = _outcome(rules, planted)
        total[outcome] += 1
        groups: tuple[tuple[str, ...], ...] = (
            (planted.script, planted.language, ""),
            (planted.script, "", planted.kind),
        )
        for group in groups:
            by_group.setdefault(group, Counter())[outcome] += 1
        if show in (planted.kind, outcome):
            print(
                f"{outcome}: {planted.text[planted.start : planted.end]} for {planted.right}: {planted.text}"
            )
    heads = "".join(f"{head:>15}" for head in ("slips", "found", "unasked", "wrong asked", "wrong unasked"))
    print(f"{'script':10}{'':4}{'kind':16}{heads}")
    for group, outcomes in sorted(by_group.items()):
        print(f"{group[0]:10}{group[1]:4}{group[2]:16}{_as_row(outcomes)}")
    print(f"{'all':30}{_as_row(total)}")
    return total


def _as_row(outcomes: Counter[str]) -> str:
    number = outcomes.total()
    found = outcomes["right asked"] + outcomes["right unasked"]
    shares = (found / number, outcomes["right unasked"] / number)
    wrong = f"{outcomes['wrong asked']:15}{outcomes['wrong unasked']:15}"
    return f"{number:15}{shares[0]:15.1%}{shares[1]:15.1%}{wrong}"


def count_false_findings(rules: RuleSet, folder: Path) -> None:
    """Print every finding in clean articles, and their number by language."""
    for language in LANGUAGES:
        found, unasked, chars = 0, 0, 0
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.read_text("utf-8").splitlines():
                article = json.loads(line)
                text = article.get("content") or ""
                if article.get("language") != language or not text:
                    continue
                chars += len(text)
                for one in _violations(rules, text, language):
                    if one["rule_id"] == RULE_ID:
                        found += 1
                        unasked += one["auto_fixable"]
                        print(f"  {one['matched_text']} → {one['suggested_name']}")
        if chars:
            print(f"{language}: {found} findings, {unasked} of them unasked, in {chars:,} characters")


def count_clean_sentences(rules: RuleSet) -> None:
    """Print findings in the sentences themselves, with a right name in each."""
    targets = list_targets(rules)
    found = 0
    for script, languages in _LANGUAGE_OF_NAMES.items():
        for language in languages:
            for number, name in enumerate(targets[script]):
                sentences = SENTENCES[language]
                text = sentences[number % len(sentences)].format(name.text)
                for one in _violations(rules, text, language):
                    if one["rule_id"] == RULE_ID:
                        found += 1
                        print(f"  {one['matched_text']} → {one['suggested_name']}: {text}")
    print(f"findings in sentences with a right name: {found}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--number", type=int, default=400, help="slips for each script and language")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--texts", type=Path, help="folder of clean articles as JSON Lines")
    options.add_argument("--sweep", action="store_true", help="try other thresholds")
    options.add_argument("--show", help="print the sentences of a kind or an outcome (missed, wrong unasked)")
    arguments = options.parse_args()
    load_han_characters()
    rules = compile_rules(load_default_packs())
    slips = list(plant(rules, arguments.number, Random(arguments.seed)))
    measure(rules, slips, show=arguments.show)
    count_clean_sentences(rules)
    if arguments.texts:
        count_false_findings(rules, arguments.texts)
    if arguments.sweep:
        for threshold in THRESHOLDS:
            confidence.MIN_UNASKED = threshold
            total = Counter(_outcome(rules, planted) for planted in slips)
            print(f"threshold {threshold}: {_as_row(total)}")


if __name__ == "__main__":
    main()
