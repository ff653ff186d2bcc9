"""Measures the assessment of statements: AUC, Brier score, official sources first, time per job.

    python -m benchmarks.research.assessment [--set FILE] [--show-mistakes]

The set (``benchmarks/data/statements.jsonl``) was written independently of the archive's wording and is not
used for tuning, which uses ``benchmarks/data/statements_dev.jsonl``. Goals: AUC 0.95 and Brier 0.08 over true
and false statements; an official source first in 95 % of those that the archive can answer; unknown ones
within 0.2 of one half with low confidence; and 300 ms at the 95th percentile for a job with the default
store. AUC is the probability that a true statement gets a higher probability than a false one, ties counting
one half (Hanley and McNeil, 1982). The Brier score is the mean squared difference of probability and truth
(Brier, 1950).
"""

import argparse
import json
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from backend import migrations
from backend.articles.rules.active_rules import ActiveRules
from backend.settings import Settings
from backend.sources.authority import Authorities
from backend.sources.schemas import SourcesRequest
from backend.sources.service import ImmediateSteps, SourceFinder
from backend.store.database import Database

SET = Path(__file__).parents[1] / "data" / "statements.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", type=Path, default=SET)
    parser.add_argument("--show-mistakes", action="store_true")
    options = parser.parse_args()
    statements = [json.loads(line) for line in options.set.read_text(encoding="utf-8").splitlines() if line]
    with tempfile.TemporaryDirectory() as home:
        judged = [*_judged(Path(home), statements)]
    _report(judged, show=options.show_mistakes)


def _judged(home: Path, statements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    settings = Settings(home=home, mode="sample")
    migrations.upgrade(settings.app_database_url)
    database, rules = Database(settings.app_database_url), ActiveRules(settings)
    finder = SourceFinder(settings, database, rules)
    finder.prepare()
    authorities = Authorities(rules.current.entities)
    judged = []
    for statement in statements:
        started = time.perf_counter()
        request = SourcesRequest(statement=statement["text"])
        result = finder.find(request, ImmediateSteps(lambda _: None, seconds=60))
        seconds = time.perf_counter() - started
        first = result["primary_sources"][0]["url"] if result["primary_sources"] else ""
        official = (
            authorities.classify(first).is_official
            and any(domain in first.split("/")[2] for domain in statement["official"])
            if first
            else False
        )
        judged.append(
            {**statement, **result["truth_assessment"], "first": first, "right": official, "s": seconds}
        )
    database.dispose()
    return judged


def _report(judged: list[dict[str, Any]], *, show: bool) -> None:
    labelled = [item for item in judged if item["label"] != "unknown"]
    unlabelled = [item for item in judged if item["label"] == "unknown"]
    print(f"{len(judged)} statements: {len(labelled)} true or false, {len(unlabelled)} unknown")
    for language in ("en", "ja", "zh", None):
        part = [item for item in labelled if language in (None, item["language"])]
        scores = f"AUC {auc(part):.3f}  Brier {brier(part):.3f}  accuracy {accuracy(part):.3f}"
        print(f"  {language or 'all':3}  {scores}")
    by_alteration = defaultdict(list)
    for item in labelled:
        by_alteration[item["alteration"]].append(item)
    for name, part in sorted(by_alteration.items()):
        print(f"  {name:9} {len(part):3}  accuracy {accuracy(part):.3f}  Brier {brier(part):.3f}")
    near = [item for item in unlabelled if abs(item["truth_probability"] - 0.5) <= 0.2]
    low = [item for item in near if item["confidence_level"] == "low" and item["assessment"] == "unverified"]
    print(f"  unknown within .2 of .5: {len(near)} of {len(unlabelled)}; and unverified, low: {len(low)}")
    answered = [item for item in labelled if item["official"]]
    first = sum(item["right"] for item in answered)
    print(f"  official source first: {first} of {len(answered)} ({first / len(answered):.1%})")
    times = sorted(1000 * item["s"] for item in judged)
    p95 = times[int(0.95 * len(times))]
    print(
        f"  work per job: p50 {statistics.median(times):.1f} ms, p95 {p95:.1f} ms, worst {times[-1]:.1f} ms"
    )
    for item in judged if show else ():
        p, label = item["truth_probability"], item["label"]
        wrong = (label == "true" and p < 0.5) or (label == "false" and p >= 0.5)
        if wrong or (label == "unknown" and abs(p - 0.5) > 0.2) or (item["official"] and not item["right"]):
            print(f"{item['id']} {label}/{item['alteration']} p={p:.2f} {item['event']}\n   {item['text']}")
            print(f"   {item['reasoning']}\n   {item['first']}  wanted {item['official']}")


def auc(part: list[dict[str, Any]]) -> float:
    right = [item["truth_probability"] for item in part if item["label"] == "true"]
    wrong = [item["truth_probability"] for item in part if item["label"] == "false"]
    concordant: float = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
    return concordant / (len(right) * len(wrong))


def brier(part: list[dict[str, Any]]) -> float:
    return float(
        statistics.mean((item["truth_probability"] - (item["label"] == "true")) ** 2 for item in part)
    )


def accuracy(part: list[dict[str, Any]]) -> float:
    return float(
        statistics.mean((item["truth_probability"] > 0.5) == (item["label"] == "true") for item in part)
    )


if __name__ == "__main__":
    main()
