"""Defines the kinds of acknowledged writes: how each is sent, and how the store is queried for it."""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.articles.tables import violations
from backend.auth.tables import api_keys
from backend.formats.timestamps import utc_now, write_instant
from backend.jobs.job_kinds import JobKind
from backend.jobs.tables import jobs
from backend.timelines.tables import timeline_runs
from backend.topics.tables import topic_media, topics
from benchmarks.timelines.listings import build_profiles, make_run

PROFILES = build_profiles(3)
RUNS_PER_REQUEST = 20
"""Runs in one request, which is stored completely or not at all."""
TEXT_WITH_ERRORS = "Etherium and BitCoin rose while Etherium fell."


@dataclass(frozen=True)
class Sent:
    """A request with a unique ``name``."""

    name: str
    path: str
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    rows: int = 1
    """The number of rows in the store, if the response does not say it."""


@dataclass(frozen=True)
class Lane:
    """One kind of write, which one thread repeats."""

    name: str
    pause: float
    """Seconds between two writes."""
    make: Callable[[random.Random, str], Sent | None]
    """Builds the request with a name; None if nothing can be sent yet."""
    found: Callable[[Connection], Mapping[str, int]]
    """Counts the stored rows of each name."""
    repeatable: bool = True
    """Whether a repeated request returns the first result."""
    rows: Callable[[httpx.Response, Sent], int] = lambda _answer, sent: sent.rows
    on_answer: Callable[[httpx.Response], None] = lambda _answer: None
    """Called with the response, so that other lanes can refer to it."""


def _count_by(column: sa.ColumnElement[Any], *where: sa.ColumnElement[bool]) -> Callable[..., dict[str, int]]:
    query = sa.select(column, sa.func.count()).where(*where).group_by(column)

    def found(connection: Connection) -> dict[str, int]:
        return {row[0]: row[1] for row in connection.execute(query)}

    return found


def _job(kind: JobKind, path: str, body: Callable[[str], dict[str, Any]], pause: float) -> Lane:
    def make(_rng: random.Random, name: str) -> Sent:
        return Sent(name, path, body(name), {"Idempotency-Key": name})

    return Lane(kind, pause, make, _count_by(jobs.c.title, jobs.c.kind == kind))


def _scan(_rng: random.Random, name: str) -> Sent:
    article = {
        "id": name,
        "title": "",
        "summary": "",
        "content": TEXT_WITH_ERRORS,
        "tags": [],
        "source": "",
        "language": "en",
    }
    return Sent(name, "/articles/scan", {"articles": [article], "persist": True}, rows=3)


def _topic(rng: random.Random, name: str) -> Sent:
    texts = {
        "en": {"title": f"Bitcoin rises, {name}", "summary": "It rose."},
        "ja": {"title": f"上昇 {name}"},
    }
    body = {
        "external_id": name,
        "category": rng.randrange(3),
        "published_at": write_instant(utc_now()),
        "url": f"https://news.example/{name}",
        "texts": texts,
    }
    return Sent(name, "/topics", body)


class _Media:
    """Builds media items for acknowledged topics."""

    def __init__(self) -> None:
        self.topics: list[int] = []

    def remember(self, answer: httpx.Response) -> None:
        self.topics += [row["id"] for row in answer.json()["data"]]

    def make(self, rng: random.Random, name: str) -> Sent | None:
        if not self.topics:
            return None
        url = f"https://x.com/someone/status/{name}"
        item = {"entry_url": url, "summary": name, "published_at": write_instant(utc_now()), "score": 1}
        return Sent(url, f"/topics/{rng.choice(self.topics)}/media", {"tweets": [item]})


def _runs(rng: random.Random, name: str) -> Sent:
    profile = rng.choice(list(PROFILES))
    new_runs = (make_run(rng, profile, number) for number in range(RUNS_PER_REQUEST))
    runs = [msgspec.structs.replace(run, run_id=f"{name}.{number}") for number, run in enumerate(new_runs)]
    path = profile.replace(" ", "%20").replace("/", "%2F")
    return Sent(name, f"/v1/timelines/{path}/entries", msgspec.to_builtins(runs), rows=RUNS_PER_REQUEST)


def _found_runs(connection: Connection) -> Counter[str]:
    ids = connection.execute(sa.select(timeline_runs.c.run_id)).scalars()
    return Counter(run_id.rpartition(".")[0] for run_id in ids)


def lanes() -> list[Lane]:
    """Build all lanes that write over HTTP."""
    media = _Media()
    return [
        _job("extraction", "/entities/extractions", lambda name: {"text": name}, 0.15),
        _job("sources", "/sources", lambda name: {"statement": name}, 0.6),
        Lane(
            "scan",
            0.1,
            _scan,
            _count_by(violations.c.article_id),
            repeatable=False,
            rows=lambda answer, _sent: len(answer.json()[0]["violations"]),
        ),
        Lane("topic", 0.2, _topic, _count_by(topics.c.external_id), on_answer=media.remember),
        Lane("media", 0.15, media.make, _count_by(topic_media.c.url)),
        Lane("runs", 0.2, _runs, _found_runs),
    ]


found_keys = _count_by(api_keys.c.name)
