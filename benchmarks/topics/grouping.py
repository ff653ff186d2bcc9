"""Measures the grouping of headlines into topics: B-cubed precision, recall and F1, and seconds.

    python -m benchmarks.topics.grouping [--set FILE] [--half tuned|held_out] [--show-mistakes]
        [--headlines N]

The set (``benchmarks/data/headlines.jsonl``) was written for this measurement in three languages: stories of
one to a dozen headlines in one window of three days, next to stories that are hard to distinguish (thefts in
one week, filings for several funds, prices of one coin on two days). It is not a record of real publications.
Weights were tuned on one half only. Each half is stored as news items in its own store and regrouped by the
product; the topic of each item is compared with its story. Goals: F1 0.76 at a precision of 0.85, and 5,000
headlines within one second. B-cubed: Bagga and Baldwin, 1998.
"""

import argparse
import hashlib
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from backend import migrations
from backend.articles.engine import RuleSet
from backend.articles.rules.rules_loader import load_shipped
from backend.entities.model import LANGUAGES
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.grouping.clustering import cluster_headlines
from backend.topics.grouping.headline_features import Headline, build_headline
from backend.topics.grouping.regrouping import RegroupResult, regroup
from backend.topics.tables import news_items

LABELLED_SET = Path(__file__).parents[1] / "data" / "headlines.jsonl"
SET_HALVES = ("tuned", "held_out")


class Score(NamedTuple):
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", type=Path, default=LABELLED_SET)
    parser.add_argument("--half", choices=SET_HALVES, action="append")
    parser.add_argument("--show-mistakes", action="store_true")
    parser.add_argument("--headlines", type=int, default=5_000)
    options = parser.parse_args()
    rules = load_shipped().rules
    headlines = [json.loads(line) for line in options.set.read_text(encoding="utf-8").splitlines() if line]
    for half in options.half or SET_HALVES:
        part = [headline for headline in headlines if headline["half"] == half]
        _measure_grouping(half, part, rules, show=options.show_mistakes)
    if not options.half:
        _measure_grouping("both halves in one window", headlines, rules, show=False)
        _measure_speed(headlines, options.headlines, rules)


def bcubed(found: Sequence[object], expected: Sequence[object]) -> Score:
    """Compute B-cubed precision and recall: means over all items of the shared part of cluster and story."""
    cluster_sizes, stories = Counter(found), Counter(expected)
    both = Counter(zip(found, expected, strict=True))
    pairs = list(zip(found, expected, strict=True))
    precision = sum(both[pair] / cluster_sizes[pair[0]] for pair in pairs) / len(pairs)
    recall = sum(both[pair] / stories[pair[1]] for pair in pairs) / len(pairs)
    return Score(precision, recall)


def _measure_grouping(name: str, part: list[dict[str, Any]], rules: RuleSet, *, show: bool) -> None:
    with tempfile.TemporaryDirectory() as home:
        found, _, _ = _regroup_in_store(Path(home), part, rules)
    stories = len({headline["story"] for headline in part})
    print(f"{name}: {len(part)} headlines, {stories} stories, {len(set(found))} topics")
    for language in LANGUAGES:
        within = [place for place, headline in enumerate(part) if headline["language"] == language]
        _print_score(language, [found[i] for i in within], [part[i]["story"] for i in within])
    _print_score("all", found, [headline["story"] for headline in part])
    for topic in sorted(set(found)) if show else ():
        members = [headline for headline, at in zip(part, found, strict=True) if at == topic]
        if len({headline["story"] for headline in members}) > 1:
            print(f"  topic {topic}")
            for headline in members:
                print(f"    {headline['story']:22} {headline['language']} {headline['title']}")
    for story in sorted({headline["story"] for headline in part}) if show else ():
        topics = Counter(at for headline, at in zip(part, found, strict=True) if headline["story"] == story)
        if len(topics) > 1:
            print(f"  story {story} in topics of {sorted(topics.values(), reverse=True)}")


def _print_score(name: str, found: Sequence[object], expected: Sequence[object]) -> None:
    score = bcubed(found, expected)
    print(f"  {name:4} P {score.precision:.3f}  R {score.recall:.3f}  F1 {score.f1:.3f}")


def _regroup_in_store(
    home: Path, part: list[dict[str, Any]], rules: RuleSet
) -> tuple[list[int], list[float], RegroupResult]:
    """Return the topic of each headline, and the seconds of the first and of a repeated regrouping."""
    settings = Settings(home=home, mode="live")
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url)
    with database.write() as connection:
        connection.execute(sa.insert(news_items), [_row(headline) for headline in part])
    now = max(datetime.fromisoformat(headline["published_at"]) for headline in part) + timedelta(minutes=5)
    seconds = []
    results = []
    for _ in range(2):
        started = time.process_time()
        results.append(regroup(database, rules, now=now))
        seconds.append(time.process_time() - started)
    with database.read() as connection:
        rows = connection.execute(sa.select(news_items.c.guid_key, news_items.c.topic_id))
        topics = {row.guid_key: row.topic_id for row in rows}
    database.dispose()
    return [topics[_key(headline["id"])] for headline in part], seconds, results[0]


def _row(headline: dict[str, Any]) -> dict[str, Any]:
    published = datetime.fromisoformat(headline["published_at"])
    url = f"https://{headline['outlet']}.example/{headline['id']}"
    return {
        "feed_id": headline["outlet"],
        "guid_key": _key(headline["id"]),
        "url_key": _key(url),
        "url": url,
        "title": headline["title"],
        "text": headline.get("text", ""),
        "image": None,
        "language": headline["language"],
        "published_at": published,
        "fetched_at": published,
        "simhash": 0,
        "entities": "[]",
        "figures": "[]",
        "topic_id": None,
    }


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _measure_speed(headlines: list[dict[str, Any]], count: int, rules: RuleSet) -> None:
    """Measure the CPU time for ``count`` headlines, mixed from words of the set and invented words."""
    many = _mix_headlines(headlines, count)
    parsed = [
        build_headline(
            rules, headline["title"], headline["language"], datetime.fromisoformat(headline["published_at"])
        )
        for headline in many
    ]
    best = min(_measure_clustering(parsed) for _ in range(3))
    with tempfile.TemporaryDirectory() as home:
        _, seconds, result = _regroup_in_store(Path(home), many, rules)
    print(f"{count:,} headlines, {result.topics:,} topics: {best:.2f} s of grouping;")
    print(f"  with the store: {seconds[0]:.2f} s when all are new, {seconds[1]:.2f} s when none is")


def _measure_clustering(parsed: Sequence[Headline]) -> float:
    started = time.process_time()
    cluster_headlines(parsed)
    return time.process_time() - started


def _mix_headlines(headlines: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Stories of two to six headlines: each with half of the words of one headline of the set, and, as many
    headlines name what no other story does, with a few invented ones that its story shares."""
    chance = random.Random(5)
    made: list[dict[str, Any]] = []
    while len(made) < count:
        base = chance.choice(headlines)
        latin = base["language"] == "en"
        alphabet = "abcdefghijklmnopqrstuvwxyz" if latin else "的一是在不了有和人这中大为上个国我以要他"
        own = ["".join(chance.choices(alphabet, k=7 if latin else 3)) for _ in range(4)]
        for _ in range(chance.randint(2, 6)):
            pieces = base["title"].split() if latin else [*base["title"]]
            title_words = [piece for piece in pieces if chance.random() < 0.5] + chance.sample(own, 3)
            title = (" " if latin else "").join(title_words)
            made.append({**base, "id": f"{base['language']}-{len(made)}", "title": title})
    return made[:count]


if __name__ == "__main__":
    main()
