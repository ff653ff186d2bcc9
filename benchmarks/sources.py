"""Measures the assessment of statements: AUC, Brier score, official sources first, time per job.

    python -m benchmarks.sources [--set FILE] [--show-mistakes]

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

SET = Path(__file__).parent / "data" / "statements.jsonl"


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
    for one in statements:
        started = time.perf_counter()
        asked = SourcesRequest(statement=one["text"])
        result = finder.find(asked, ImmediateSteps(lambda _: None, seconds=60))
        seconds = time.perf_counter() - started
        first = result["primary_sources"][0]["url"] if result["primary_sources"] else ""
        official = (
            authorities.classify(first).is_official
            and any(domain in first.split("/")[2] for domain in one["official"])
            if first
            else False
        )
        judged.append({**one, **result["truth_assessment"], "first": first, "right": official, "s": seconds})
    database.dispose()
    return judged


def _report(judged: list[dict[str, Any]], *, show: bool) -> None:
    known = [one for one in judged if one["label"] != "unknown"]
    unknown = [one for one in judged if one["label"] == "unknown"]
    print(f"{len(judged)} statements: {len(known)} true or false, {len(unknown)} unknown")
    for language in ("en", "ja", "zh", None):
        part = [one for one in known if language in (None, one["language"])]
        scores = f"AUC {auc(part):.3f}  Brier {brier(part):.3f}  accuracy {accuracy(part):.3f}"
        print(f"  {language or 'all':3}  {scores}")
    by_alteration = defaultdict(list)
    for one in known:
        by_alteration[one["alteration"]].append(one)
    for name, part in sorted(by_alteration.items()):
        print(f"  {name:9} {len(part):3}  accuracy {accuracy(part):.3f}  Brier {brier(part):.3f}")
    near = [one for one in unknown if abs(one["truth_probability"] - 0.5) <= 0.2]
    low = [one for one in near if one["confidence_level"] == "low" and one["assessment"] == "unverified"]
    print(f"  unknown within .2 of .5: {len(near)} of {len(unknown)}; and unverified, low: {len(low)}")
    answered = [one for one in known if one["official"]]
    first = sum(one["right"] for one in answered)
    print(f"  official source first: {first} of {len(answered)} ({first / len(answered):.1%})")
    times = sorted(1000 * one["s"] for one in judged)
    p95 = times[int(0.95 * len(times))]
    print(
        f"  work per job: p50 {statistics.median(times):.1f} ms, p95 {p95:.1f} ms, worst {times[-1]:.1f} ms"
    )
    for one in judged if show else ():
        p, label = one["truth_probability"], one["label"]
        wrong = (label == "true" and p < 0.5) or (label == "false" and p >= 0.5)
        if wrong or (label == "unknown" and abs(p - 0.5) > 0.2) or (one["official"] and not one["right"]):
            print(f"{one['id']} {label}/{one['alteration']} p={p:.2f} {one['event']}\n   {one['text']}")
            print(f"   {one['reasoning']}\n   {one['first']}  wanted {one['official']}")


def auc(part: list[dict[str, Any]]) -> float:
    right = [one["truth_probability"] for one in part if one["label"] == "true"]
    wrong = [one["truth_probability"] for one in part if one["label"] == "false"]
    won: float = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
    return won / (len(right) * len(wrong))


def brier(part: list[dict[str, Any]]) -> float:
    return float(statistics.mean((one["truth_probability"] - (one["label"] == "true")) ** 2 for one in part))


def accuracy(part: list[dict[str, Any]]) -> float:
    return float(
        statistics.mean((one["truth_probability"] > 0.5) == (one["label"] == "true") for one in part)
    )


if __name__ == "__main__":
    main()
