"""Measures how often the faithfulness check refuses correct translations and accepts altered ones.

    python -m benchmarks.topics.translation_check [--show N] [--pair en-ja]

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


class TranslationPair(NamedTuple):
    field: str
    source: str
    from_language: Language
    translation: str
    language: Language
    source_context: str


def list_translation_pairs() -> Iterator[TranslationPair]:
    for landmark in landmark_archive.load_landmarks():
        for source, language in permutations(LANGUAGES, 2):
            texts = (landmark.title, landmark.detail)
            for field, text in zip(("title", "text"), texts, strict=True):
                source_context = "\n".join(text[source] for text in texts)
                yield TranslationPair(field, text[source], source, text[language], language, source_context)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", type=int, default=0, help="print up to this many refusals and misses")
    parser.add_argument("--pair", help="languages, such as en-ja")
    options = parser.parse_args()
    rules, rng = load_shipped().rules, random.Random(7)
    selected_pairs = [
        pair
        for pair in list_translation_pairs()
        if options.pair in (None, f"{pair.from_language}-{pair.language}")
    ]
    passes: Counter[str] = Counter()
    misses: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    started, checks = time.process_time(), 0
    for pair in selected_pairs:
        check_inputs = CheckInputs(
            rules, [(pair.source, pair.from_language)], [pair.source_context], {}, 5_000
        )
        faults = find_faults(pair.translation, pair.language, check_inputs)
        checks += 1
        passes[f"{pair.from_language}-{pair.language} {pair.field}"] += not faults
        passes[f"{pair.from_language}-{pair.language} {pair.field} of"] += 1
        reasons.update(re.sub(r"'[^']*'|[\d.:]+", "…", fault) for fault in faults)
        if faults and options.show:
            options.show -= 1
            print(f"{pair.source}\n{pair.translation}\n    {'; '.join(faults)}\n")
        for kind, translation in alter_translation(pair, rules, rng):
            misses[f"{kind} of"] += 1
            checks += 1
            missed = not find_faults(translation, pair.language, check_inputs)
            misses[kind] += missed
            if missed and options.show:
                options.show -= 1
                print(f"MISSED {kind}: {pair.source}\n    {translation}\n")
    cpu_seconds = time.process_time() - started
    for name in sorted(name for name in passes if not name.endswith(" of")):
        print(f"passes {name:12} {passes[name]:4} of {passes[name + ' of']}")
    print(
        "reasons for refusals:",
        *[f"{count} × {reason}" for reason, count in reasons.most_common(12)],
        sep="\n  ",
    )
    for kind in ("digit", "tenfold", "entity"):
        print(f"altered {kind:8} missed {misses[kind]} of {misses[kind + ' of']}")
    print(f"{cpu_seconds / checks * 1000:.1f} ms of CPU time per check, including the parsing of its input")


def alter_translation(pair: TranslationPair, rules: RuleSet, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield the kind of alteration and the translation with one fact that its source does not contain."""
    runs = list(_DIGITS.finditer(pair.translation))
    if runs:
        run = rng.choice(runs)
        at = rng.randrange(run.start(), run.end())
        digit = rng.choice(
            [other_digit for other_digit in "123456789" if other_digit != pair.translation[at]]
        )
        changed = pair.translation[:at] + digit + pair.translation[at + 1 :]
        if not _is_in_source(changed, run.start(), pair):
            yield "digit", changed
        is_integer = run.start() == 0 or pair.translation[run.start() - 1] != "."  # 2.50 is 2.5
        longer = pair.translation[: run.end()] + "0" + pair.translation[run.end() :]
        if is_integer and not _is_in_source(longer, run.start(), pair):
            yield "tenfold", longer
    mentions = find_mentions(rules, pair.translation)
    if mentions:
        mention = rng.choice(mentions)
        same_type_entities = [
            entity
            for entity in rules.entities.values()
            if entity.type == rules.entities[mention.entity_id].type
        ]
        other_entity = rng.choice(same_type_entities)
        name = other_entity.name(pair.language)
        changed = pair.translation[: mention.start] + name + pair.translation[mention.end :]
        now = {found.entity_id for found in find_mentions(rules, changed)}
        if other_entity.id in now and other_entity.id not in {
            found.entity_id for found in find_mentions(rules, pair.source_context)
        }:
            yield "entity", changed


def _is_in_source(changed: str, at: int, pair: TranslationPair) -> bool:
    """True if the source contains the number at ``at`` of ``changed``, in digits or in its own notation."""
    run = _DIGITS.match(changed, at)
    if run is None or run.group() in (*_DIGITS.findall(pair.source), "00"):
        return run is not None
    number_match = next(found for found in _GROUPED.finditer(changed) if found.end() > at)
    source = numbers.normalize(pair.source)
    values = {found.value for found in numbers.find_numerals(source, pair.from_language)}
    return Decimal(number_match.group().replace(",", "")) in values


if __name__ == "__main__":
    main()
