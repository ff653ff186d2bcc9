"""Measures the quality and speed of entity extraction: micro-F1, false matches, characters per second.

    python -m benchmarks.research.entity_extraction [--set FILE] [--texts FOLDER] [--show-mistakes]

The labelled sentences (``benchmarks/data/mentions.jsonl``) contain the entities that a careful reader finds,
each with its first form. F1 is over (sentence, entity) pairs of all sentences together (micro). ``--texts``
counts the matches in general text (``*.txt`` files) and prints the most frequent ones for review. Goals: F1
0.97; at most 120 false matches in a million characters of general Japanese; 200,000 characters in 0.2 s.
"""

import argparse
import json
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

from backend.articles.engine import RuleSet
from backend.articles.rules import rules_loader
from backend.extraction.mentions import build_entity_results, find_mentions, list_entities

LABELLED_SET = Path(__file__).parents[1] / "data" / "mentions.jsonl"
SPEED_TEST_CHARS = 200_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", type=Path, default=LABELLED_SET)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--show-mistakes", action="store_true")
    options = parser.parse_args()
    rules = rules_loader.load_shipped().rules
    sentences = [json.loads(line) for line in options.set.read_text(encoding="utf-8").splitlines() if line]
    for language in ("en", "ja", "zh", None):
        part = [sentence for sentence in sentences if language in (None, sentence["language"])]
        print(f"{language or 'all':3} {len(part):4} sentences  {_format_scores(rules, part)}")
    if options.show_mistakes:
        _print_errors(rules, sentences)
    _print_speed(rules, sentences)
    for path in sorted(options.texts.glob("*.txt")) if options.texts else ():
        text = path.read_text(encoding="utf-8")
        found = find_mentions(rules, text)
        common = ", ".join(
            f"{name} {count}" for name, count in Counter(m.text for m in found).most_common(12)
        )
        print(f"{path.name}: {1e6 * len(found) / len(text):.0f} matches in a million characters ({common})")


def _compare_entities(rules: RuleSet, sentence: dict[str, Any]) -> tuple[set[str], set[str], dict[str, str]]:
    found = {
        e["canonical_name"]: e["name"]
        for e in build_entity_results(rules, list_entities(rules, [sentence["text"]]))
    }
    return {e["canonical_name"] for e in sentence["entities"]}, set(found), found


def _format_scores(rules: RuleSet, sentences: list[dict[str, Any]]) -> str:
    right = missed = wrong = same_form_count = 0
    for sentence in sentences:
        expected, found, names = _compare_entities(rules, sentence)
        right += len(expected & found)
        missed += len(expected - found)
        wrong += len(found - expected)
        forms = {e["canonical_name"]: e["name"].lstrip("$") for e in sentence["entities"]}
        same_form_count += sum(names[name].lstrip("$") == forms[name] for name in expected & found)
    precision, recall = right / (right + wrong), right / (right + missed)
    f1 = 2 * precision * recall / (precision + recall)
    return (
        f"micro-F1 {f1:.3f}  precision {precision:.3f}  recall {recall:.3f}  "
        f"first form right {same_form_count}/{right}"
    )


def _print_errors(rules: RuleSet, sentences: list[dict[str, Any]]) -> None:
    for sentence in sentences:
        expected, found, _ = _compare_entities(rules, sentence)
        if expected != found:
            print(f"  {sentence['id']}: missed {sorted(expected - found)}, wrong {sorted(found - expected)}")
            print(f"    {sentence['text']}")


def _print_speed(rules: RuleSet, sentences: list[dict[str, Any]]) -> None:
    joined = "\n".join(sentence["text"] for sentence in sentences)
    text = (joined * (SPEED_TEST_CHARS // len(joined) + 1))[:SPEED_TEST_CHARS]
    find_mentions(rules, text)
    times = []
    for _ in range(5):
        started = time.process_time()
        find_mentions(rules, text)
        times.append(time.process_time() - started)
    print(f"{SPEED_TEST_CHARS:,} characters: {1000 * statistics.median(times):.0f} ms of CPU")


if __name__ == "__main__":
    main()
