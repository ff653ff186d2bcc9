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
from benchmarks.timelines import make_run, profiles_of

PROFILES = profiles_of(3)
RUNS = 20
"""Runs in an array, which is stored whole or not at all."""
WRONG = "Etherium and BitCoin rose while Etherium fell."


@dataclass(frozen=True)
class Sent:
    """A request, of which each ``name`` is one of its own."""

    name: str
    path: str
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    rows: int = 1
    """How many rows it is in the store, where the answer does not say."""


@dataclass(frozen=True)
class Lane:
    """A kind of things that is written without a pause by one thread."""

    name: str
    pause: float
    """Seconds between two of them."""
    make: Callable[[random.Random, str], Sent | None]
    """Makes the request of a name; null when there is nothing to send yet."""
    found: Callable[[Connection], Mapping[str, int]]
    """How many rows the store holds of each name."""
    repeatable: bool = True
    """Whether sending it again gives the first one."""
    rows: Callable[[httpx.Response, Sent], int] = lambda _answer, sent: sent.rows
    told: Callable[[httpx.Response], None] = lambda _answer: None
    """Looks at the answer, for what others send about it."""


def _counted(column: sa.ColumnElement[Any], *where: sa.ColumnElement[bool]) -> Callable[..., dict[str, int]]:
    asked = sa.select(column, sa.func.count()).where(*where).group_by(column)

    def found(connection: Connection) -> dict[str, int]:
        return {row[0]: row[1] for row in connection.execute(asked)}

    return found


def _job(kind: JobKind, path: str, body: Callable[[str], dict[str, Any]], pause: float) -> Lane:
    def make(_chance: random.Random, name: str) -> Sent:
        return Sent(name, path, body(name), {"Idempotency-Key": name})

    return Lane(kind, pause, make, _counted(jobs.c.title, jobs.c.kind == kind))


def _scan(_chance: random.Random, name: str) -> Sent:
    article = {
        "id": name,
        "title": "",
        "summary": "",
        "content": WRONG,
        "tags": [],
        "source": "",
        "language": "en",
    }
    return Sent(name, "/articles/scan", {"articles": [article], "persist": True}, rows=3)


def _topic(chance: random.Random, name: str) -> Sent:
    texts = {
        "en": {"title": f"Bitcoin rises, {name}", "summary": "It rose."},
        "ja": {"title": f"上昇 {name}"},
    }
    body = {
        "external_id": name,
        "category": chance.randrange(3),
        "published_at": write_instant(utc_now()),
        "url": f"https://news.example/{name}",
        "texts": texts,
    }
    return Sent(name, "/topics", body)


class _Media:
    """Items of the topics that were acknowledged."""

    def __init__(self) -> None:
        self.topics: list[int] = []

    def remember(self, answer: httpx.Response) -> None:
        self.topics += [row["id"] for row in answer.json()["data"]]

    def make(self, chance: random.Random, name: str) -> Sent | None:
        if not self.topics:
            return None
        url = f"https://x.com/someone/status/{name}"
        item = {"entry_url": url, "summary": name, "published_at": write_instant(utc_now()), "score": 1}
        return Sent(url, f"/topics/{chance.choice(self.topics)}/media", {"tweets": [item]})


def _runs(chance: random.Random, name: str) -> Sent:
    profile = chance.choice(list(PROFILES))
    made = (make_run(chance, profile, number) for number in range(RUNS))
    runs = [msgspec.structs.replace(run, run_id=f"{name}.{number}") for number, run in enumerate(made)]
    path = profile.replace(" ", "%20").replace("/", "%2F")
    return Sent(name, f"/v1/timelines/{path}/entries", msgspec.to_builtins(runs), rows=RUNS)


def _found_runs(connection: Connection) -> Counter[str]:
    ids = connection.execute(sa.select(timeline_runs.c.run_id)).scalars()
    return Counter(run_id.rpartition(".")[0] for run_id in ids)


def lanes() -> list[Lane]:
    """All kinds that are sent over HTTP."""
    media = _Media()
    return [
        _job("extraction", "/entities/extractions", lambda name: {"text": name}, 0.15),
        _job("sources", "/sources", lambda name: {"statement": name}, 0.6),
        Lane(
            "scan",
            0.1,
            _scan,
            _counted(violations.c.article_id),
            repeatable=False,
            rows=lambda answer, _sent: len(answer.json()[0]["violations"]),
        ),
        Lane("topic", 0.2, _topic, _counted(topics.c.external_id), told=media.remember),
        Lane("media", 0.15, media.make, _counted(topic_media.c.url)),
        Lane("runs", 0.2, _runs, _found_runs),
    ]


found_keys = _counted(api_keys.c.name)
