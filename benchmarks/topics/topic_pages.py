"""Measures pages of a million topics over HTTP, and cached first pages compared with a bare application.

    python -m benchmarks.topics.topic_pages [--topics 1000000] [--postgres] [--keep FOLDER] [--requests 200]

There are two distributions of topics: over three years, and all on one day with a third in one second, as
after an import. Pages are requested one after another on one connection, each with a new query, so that none
is cached; the first page gets a meaningless extra parameter. The first request of a process, for which the
framework builds its routes, is excluded. With wrk (Debian: apt-get install wrk) the first page and the
ranking are then requested repeatedly, alternating with a bare Starlette application that sends the same
bytes. ``--keep`` keeps the stores in ``FOLDER`` and reuses those of an earlier run. Times are wall-clock
times including the client; ``cpu`` is the CPU time of the service per request, which depends less on other
load. Aims: the median of the first 100 pages within 10 ms, also right after a change, of any other within 500
ms; cached rates at least 0.9 of the bare application's.
"""

import argparse
import json
import shutil
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Literal

import httpx
import orjson
import psutil
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend import migrations
from backend.store.database import Database, bump
from backend.topics.store import topic_counts
from backend.topics.store.topic_store import CHANGE_COUNTER
from backend.topics.tables import block_count, topic_blocks, topic_texts, topics
from benchmarks.http.hot_gets import BARE, build_bare_command, load
from benchmarks.servers import free_port, process, service_environment
from tests.support.store import databases

Shape = Literal["years", "day"]
NOW = datetime.now(UTC).replace(microsecond=0)
BATCH = 20_000
NEAR, FAR = 10, 500
"""Milliseconds within which a page is to be answered: one of the first 100, and any other."""
HOT = ("/topics", "/topics?lang=en&category=1", "/ranking_topics")
WORDS = ("bitcoin", "ether", "exchange", "court", "halving", "outage", "filing", "reserve", "upgrade", "fund")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--topics", type=int, default=1_000_000)
    options.add_argument("--requests", type=int, default=200, help="of each kind of page")
    options.add_argument("--rounds", type=int, default=3, help="of wrk, for each application")
    options.add_argument("--seconds", type=int, default=3, help="of a round")
    options.add_argument("--postgres", action="store_true", help="on PostgreSQL too")
    options.add_argument("--keep", type=Path, help="folder where the stores stay for the next run")
    arguments = options.parse_args()
    reached = True
    with folder(arguments.keep) as place:
        for shape in ("years", "day"):
            for kind in ("sqlite", *(["postgres"] if arguments.postgres else [])):
                with store(place, kind, shape, arguments.topics) as (url, home):
                    reached &= measure(url, home, f"{kind}, {shape}", arguments)
    print("all aims reached" if reached else "NOT all aims reached")
    return 0 if reached else 1


@contextmanager
def folder(kept_folder: Path | None) -> Iterator[Path]:
    if kept_folder is not None:
        kept_folder.mkdir(parents=True, exist_ok=True)
        yield kept_folder
        return
    with TemporaryDirectory() as made:
        yield Path(made)


@contextmanager
def store(place: Path, kind: str, shape: Shape, number: int) -> Iterator[tuple[str, Path]]:
    """The address of a store that holds ``number`` topics, and a data folder for the service."""
    home = place / f"{kind}-{shape}"
    home.mkdir(exist_ok=True)
    pgdata = home / "pgdata"
    if kind == "sqlite":
        url = f"sqlite:///{home / 'chainproof.db'}"
    else:
        pgdata.mkdir(exist_ok=True)
        address = sa.make_url(databases.start_server(pgdata))
        url = address.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
    try:
        done = home / "built"
        if not done.exists():
            build(url, shape, number)
            done.touch()
        yield url, home
    finally:
        if kind == "postgres":
            databases.stop_server(pgdata)


def build(url: str, shape: Shape, number: int) -> None:
    began = time.perf_counter()
    migrations.upgrade(url)
    database = Database(url)
    chance = Random(7)
    for start in range(1, number + 1, BATCH):
        ids = range(start, min(start + BATCH, number + 1))
        rows = [row(chance, shape, topic_id, number) for topic_id in ids]
        with database.write() as connection:
            connection.execute(sa.insert(topics), [topic_row(topic) for topic in rows])
            connection.execute(sa.insert(topic_texts), [text for topic in rows for text in text_rows(topic)])
    with database.write() as connection:
        count(connection)
        bump(connection, CHANGE_COUNTER)
    if not database.is_sqlite:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text("VACUUM ANALYZE"))  # as the server does by itself after a while
            connection.execute(sa.text("CHECKPOINT"))  # or what it just found were gone at the next start
    database.dispose()
    print(f"{number:,} topics stored in {time.perf_counter() - began:.0f} s", flush=True)


def count(connection: Connection) -> None:
    """Store the totals of what was written past :mod:`backend.topics.store.topic_store`."""
    kinds = (topic_texts.c.language, topic_texts.c.realm, topic_texts.c.category)
    blocks: dict[str, dict[str, Any]] = {}
    for language, realm, category, number in connection.execute(
        sa.select(*kinds, sa.func.count()).group_by(*kinds)
    ):
        block = blocks.setdefault(language, {"language": language, **topic_counts.FIRST_BLOCK})
        block[block_count(realm, category)] = number
    connection.execute(sa.insert(topic_blocks), list(blocks.values()))


def row(chance: Random, shape: Shape, topic_id: int, number: int) -> dict[str, Any]:
    if shape == "years":
        age = timedelta(days=3 * 365) * (1 - topic_id / number) + timedelta(seconds=chance.randrange(86_400))
    else:
        age = timedelta(hours=30) + timedelta(seconds=0 if topic_id % 3 == 0 else chance.randrange(86_400))
    return {
        "id": topic_id,
        "category": chance.choices((0, 1, 2), (1, 9, 90))[0],
        "published_at": NOW - age,
        "score": round(chance.random() * 100, 2),
        "words": chance.sample(WORDS, 8),
    }


def topic_row(topic: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": topic["id"],
        "external_id": f"made-{topic['id']}",
        "realm": "own",
        "category": topic["category"],
        "language": "en",
        "published_at": topic["published_at"],
        "updated_at": NOW,
        "url": f"https://news.example/{topic['id']}",
        "tweet_score": topic["score"],
        "media_score": 0.0,
        "coverage": 0.0,
        "entities": "[]",
    }


def text_rows(topic: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """English for all, the two others for every tenth topic."""
    bullets = orjson.dumps([[" ".join(topic["words"])], [" ".join(reversed(topic["words"]))]]).decode()
    for language in ("en", "ja", "zh") if topic["id"] % 10 == 0 else ("en",):
        yield {
            "topic_id": topic["id"],
            "language": language,
            "realm": "own",
            "category": topic["category"],
            "published_at": topic["published_at"],
            "score": topic["score"],
            "coverage": 0.0,
            "title": f"{' '.join(topic['words'][:5])} {topic['id']}",
            "subtitle": " ".join(topic["words"][3:]),
            "summary": " ".join(topic["words"] * 4),
            "bullets": bullets,
            "terms": "[]",
            "origin": "sent",
        }


def measure(url: str, home: Path, name: str, options: argparse.Namespace) -> bool:
    port, bare_port = free_port(), free_port()
    own_url, bare = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{bare_port}"
    more = {} if url.startswith("sqlite") else {"CHAINPROOF_DATABASE_URL": url}
    environment = service_environment(home, port, **more)
    print(f"\n{name}")
    good = True
    arguments = ["-m", "backend.cli", "serve", "--no-worker"]
    with process(arguments, environment, f"{own_url}/readyz") as child:
        service = psutil.Process(child.pid)
        key = (home / "local.key").read_text().strip()
        with httpx.Client(base_url=own_url, headers={"CP-X-API-KEY": key}, timeout=60) as client:
            client.get("/topics?nothing=at-all").raise_for_status()
            for kind, paths in pages(options.topics, options.requests).items():
                good &= ask(client, service, kind, paths, limit=NEAR if is_near(kind) else FAR)
            changed = [f"/topics?changed={n}" for n in range(min(20, options.requests))]
            good &= ask(client, service, "first page after a change", changed, limit=NEAR, changing=url)
        if shutil.which("wrk") is None:
            print("no wrk here: hot pages are not compared")
            return good
        with TemporaryDirectory() as made:
            write_bare(Path(made), own_url, key)
            with process(build_bare_command(Path(made), bare_port), {}, bare + HOT[0]):
                for path in HOT:
                    good &= compare(own_url, bare, path, key, options)
    return good


def pages(number: int, requests: int) -> dict[str, list[str]]:
    """Kinds of pages, each with queries that were not asked before."""
    far = min(25_000, number // 40)
    last = number // 20
    middle = (NOW - timedelta(days=500)).isoformat().replace("+00:00", "Z")
    dates = (
        f"publish_before={(NOW - timedelta(hours=31)).isoformat()[:19]}Z&publish_after=2001-01-01T00:00:00Z"
    )
    return {
        kind: [f"/topics?{query.format(page=far + n, n=n)}" for n in range(requests)]
        for kind, query in {
            "first page": "nothing={n}",
            "page 100": "page=100&nothing={n}",
            f"page {far:,}": "page={page}",
            "first page of a category": "category=1&nothing={n}",
            "far page of a category": "category=2&page={page}",
            "first page between instants": f"{dates}&nothing={{n}}",
            "far page between instants": f"{dates}&page={{page}}",
            "the same of a category": f"{dates}&category=2&page={{page}}",
            "first page before the middle": f"publish_before={middle}&nothing={{n}}",
            "first page in another language": "lang=ja&nothing={n}",
            "last page": f"page={last}&nothing={{n}}",
        }.items()
    }


def is_near(kind: str) -> bool:
    return kind.startswith(("first", "page 100"))


def ask(
    client: httpx.Client,
    service: psutil.Process,
    kind: str,
    paths: Sequence[str],
    *,
    limit: int,
    changing: str | None = None,
) -> bool:
    """Whether the median stays within ``limit`` milliseconds. ``changing`` is the address of a store whose
    topics change before each request."""
    store = None if changing is None else Database(changing)
    taken: list[float] = []
    total = items = 0
    spent = sum(service.cpu_times()[:2])
    for path in paths:
        if store is not None:
            with store.write() as connection:
                bump(connection, CHANGE_COUNTER)
        started = time.perf_counter()
        answer = client.get(path)
        taken.append((time.perf_counter() - started) * 1000)
        body = answer.raise_for_status().json()
        total, items = body["total"], len(body["data"])
    cpu = (sum(service.cpu_times()[:2]) - spent) / len(paths) * 1000
    cuts = statistics.quantiles(taken, n=100)
    p50, p99 = cuts[49], cuts[98]
    print(
        f"{kind:<32} p50 {p50:6.2f} ms  p99 {p99:6.2f} ms  cpu {cpu:5.2f} ms  {items} of {total:,}",
        flush=True,
    )
    if store is not None:
        store.dispose()
    return p50 <= limit


def write_bare(place: Path, own_url: str, key: str) -> None:
    """The bare application sends the very bytes that ours sends."""
    files = {}
    for at, path in enumerate(HOT):
        body = httpx.get(own_url + path, headers={"CP-X-API-KEY": key, "Accept-Encoding": "identity"}).content
        files[path] = str(place / f"{at}.json")
        Path(files[path]).write_bytes(body)
    (place / "index.json").write_text(json.dumps(files))
    (place / "bare.py").write_text(BARE.format(index=str(place / "index.json")))


def compare(own_url: str, bare: str, path: str, key: str, options: argparse.Namespace) -> bool:
    """Alternate both servers, so that the machine's moods fall on both."""
    rates: dict[str, list[float]] = {own_url: [], bare: []}
    for _ in range(options.rounds):
        for base in (bare, own_url):
            rates[base].append(load(base + path, key, options.seconds, 32).rate)
    middle: Sequence[float] = [statistics.median(rates[base]) for base in (own_url, bare)]
    ratio = middle[0] / middle[1]
    print(f"hot {path:<28} ours {middle[0]:>7.0f}/s  bare {middle[1]:>7.0f}/s  ×{ratio:.2f}", flush=True)
    return ratio >= 0.9


if __name__ == "__main__":
    sys.exit(main())
