"""Measures how often the faithfulness check refuses correct translations and accepts altered ones.

    python -m benchmarks.model_texts [--show N] [--pair en-ja]

Each landmark of the shipped archive has independently written texts in English, Japanese and Chinese. A title
or text is checked against the same one in another language, as if a model had translated it. A refusal is a
false one unless the texts differ in content. Then one figure is altered (by a digit, or tenfold), or one
entity is replaced; an altered text that passes is a miss. Alterations to values that the source contains
elsewhere are excluded. At the end it measures the time of a check.
"""

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations
from typing import NamedTuple

from backend.articles.engine import RuleSet
from backend.articles.rules.rules_loader import load_shipped
from backend.documents import landmark_archive
from backend.entities.model import LANGUAGES, Language
from backend.extraction.mentions import find_mentions
from backend.sources.claims import numbers
from backend.topics.generated_texts.faithfulness_check import CheckInputs, find_faults

_DIGITS = re.compile(r"\d+")
_GROUPED = re.compile(r"\d+(?:,\d{3})*")


class Pair(NamedTuple):
    what: str
    source: str
    from_language: Language
    told: str
    language: Language
    beside: str


def pairs() -> Iterator[Pair]:
    for landmark in landmark_archive.load_landmarks():
        for source, language in permutations(LANGUAGES, 2):
            texts = (landmark.title, landmark.detail)
            for what, text in zip(("title", "text"), texts, strict=True):
                beside = "\n".join(one[source] for one in texts)
                yield Pair(what, text[source], source, text[language], language, beside)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", type=int, default=0, help="print up to this many refusals and misses")
    parser.add_argument("--pair", help="languages, such as en-ja")
    options = parser.parse_args()
    rules, chance = load_shipped().rules, random.Random(7)
    chosen = [one for one in pairs() if options.pair in (None, f"{one.from_language}-{one.language}")]
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    started, checks = time.process_time(), 0
    for one in chosen:
        given = CheckInputs(rules, [(one.source, one.from_language)], [one.beside], {}, 5_000)
        found = find_faults(one.told, one.language, given)
        checks += 1
        right[f"{one.from_language}-{one.language} {one.what}"] += not found
        right[f"{one.from_language}-{one.language} {one.what} of"] += 1
        reasons.update(re.sub(r"'[^']*'|[\d.:]+", "…", fault) for fault in found)
        if found and options.show:
            options.show -= 1
            print(f"{one.source}\n{one.told}\n    {'; '.join(found)}\n")
        for kind, told in altered(one, rules, chance):
            wrong[f"{kind} of"] += 1
            checks += 1
            missed = not find_faults(told, one.language, given)
            wrong[kind] += missed
            if missed and options.show:
                print(f"MISSED {kind}: {one.source}\n    {told}\n")
    spent = time.process_time() - started
    for name in sorted(name for name in right if not name.endswith(" of")):
        print(f"passes {name:12} {right[name]:4} of {right[name + ' of']}")
    print("refused since:", *[f"{count} × {reason}" for reason, count in reasons.most_common(12)], sep="\n  ")
    for kind in ("digit", "tenfold", "entity"):
        print(f"altered {kind:8} missed {wrong[kind]} of {wrong[kind + ' of']}")
    print(f"{spent / checks * 1000:.1f} ms of work a check, reading its input included")


def altered(one: Pair, rules: RuleSet, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield the kind of alteration and the translation with one fact that its source does not contain."""
    runs = list(_DIGITS.finditer(one.told))
    if runs:
        run = chance.choice(runs)
        at = chance.randrange(run.start(), run.end())
        digit = chance.choice([other for other in "123456789" if other != one.told[at]])
        changed = one.told[:at] + digit + one.told[at + 1 :]
        if not _known(changed, run.start(), one):
            yield "digit", changed
        whole = run.start() == 0 or one.told[run.start() - 1] != "."  # 2.50 is 2.5
        longer = one.told[: run.end()] + "0" + one.told[run.end() :]
        if whole and not _known(longer, run.start(), one):
            yield "tenfold", longer
    mentions = find_mentions(rules, one.told)
    if mentions:
        mention = chance.choice(mentions)
        others = [
            entity
            for entity in rules.entities.values()
            if entity.type == rules.entities[mention.entity_id].type
        ]
        other = chance.choice(others)
        name = other.name(one.language)
        changed = one.told[: mention.start] + name + one.told[mention.end :]
        now = {found.entity_id for found in find_mentions(rules, changed)}
        if other.id in now and other.id not in {
            found.entity_id for found in find_mentions(rules, one.beside)
        }:
            yield "entity", changed


def _known(changed: str, at: int, one: Pair) -> bool:
    """True if the source contains the number at ``at`` of ``changed``, in digits or in its own notation."""
    run = _DIGITS.match(changed, at)
    if run is None or run.group() in (*_DIGITS.findall(one.source), "00"):
        return run is not None
    whole = next(found for found in _GROUPED.finditer(changed) if found.end() > at)
    source = numbers.normalize(one.source)
    values = {found.value for found in numbers.find(source, one.from_language)}
    return Decimal(whole.group().replace(",", "")) in values


if __name__ == "__main__":
    main()
