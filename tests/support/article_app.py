"""The service with naming rules of the test's own, and callers with every kind of key."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import orjson

from backend.articles.service import ArticleService
from backend.articles.violation_store import ViolationFilter, page
from backend.auth.principal import Scope
from backend.auth.service import create_key
from tests.support import read_once
from tests.support.asgi import Answer, send
from tests.support.market_app import Clock, Running, enable_only, run_app, settings_in

PACK = """\
version: 1
entities:
  - id: zorbcoin
    type: asset
    names: {en: Zorbcoin, ja: ゾーブコイン, zh: 佐布币}
    official_domains: [zorbcoin.example]
rules:
  - id: zorbcoin-typo
    entity: zorbcoin
    type: forbidden_variant
    match: [Zorbkoin, Zorbcoyn]
    auto_fix: true
    severity: error
    note: {en: A frequent slip., ja: よくある誤りです。}
    specs: [{from: Zorbkoin rose, to: Zorbcoin rose}]
  - id: zorbcoin-old
    entity: zorbcoin
    type: wrong_spacing
    languages: [en]
    match: [Zorb Token]
    auto_fix: false
    severity: warning
    specs: [{from: The Zorb Token fell, to: The Zorbcoin fell}]
  - id: zorby
    type: ambiguous
    languages: [en]
    match: [Zorby]
    suggest: [Zorbcoin, Zorb Labs]
    severity: info
    specs: [{from: Zorby fell, to: Zorby fell, finds: true}]
"""
"""Made-up names, so that no shipped rule has a say in them."""

WRONG: dict[str, Any] = {
    "id": "7",
    "title": "Zorbkoin rises",
    "summary": "Nothing of note.",
    "content": "The Zorb Token and Zorbkoin, says Zorby.",
    "tags": ["markets", "Zorbcoyn"],
    "source": "wire",
    "language": "en",
}
"""An article with two errors that are safe to correct, one that is not, and one that nobody can."""

RIGHT: dict[str, Any] = {"id": "8", "content": "Zorbcoin rises.", "language": "en"}


class Articles:
    """The application and keys for it, by the scopes that they have."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.keys = {scopes: self._key(scopes) for scopes in ("read", "write", "ingest", "read write")}
        running.inner.state.credentials.reload()

    @property
    def service(self) -> ArticleService:
        service: ArticleService = self.running.inner.state.articles
        return service

    def post(
        self, path: str, body: Any, *, scopes: str | None = "read write", pieces: int = 0, **headers: str
    ) -> Answer:
        """POST of JSON, or of bytes as they are; ``pieces`` sends them so, without a length."""
        raw = body if isinstance(body, bytes) else orjson.dumps(body)
        sent = {"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
        if scopes is not None:
            sent["CP-X-API-KEY"] = self.keys[scopes]
        if not pieces:
            return send(
                self.running.app,
                path,
                method="POST",
                headers={"Content-Length": str(len(raw)), **sent},
                body=[raw],
            )
        step = -(-len(raw) // pieces) or 1
        chunks = [raw[start : start + step] for start in range(0, len(raw), step)] or [b""]
        return send(
            self.running.app,
            path,
            method="POST",
            headers={"Transfer-Encoding": "chunked", **sent},
            body=chunks,
        )

    def scan(self, *articles: Any, **more: Any) -> Any:
        answer = self.post("/articles/scan", {"articles": articles, **more})
        assert answer.status == 200, answer.body
        return answer.json()

    def get(self, path: str, *, scopes: str = "read", **headers: str) -> Answer:
        return self.running.get(path, key=self.keys[scopes], **headers)

    def json(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status == 200, answer.body
        return answer.json()

    def stored(self) -> list[Any]:
        """Every violation in the store, newest first."""
        return list(page(self.running.database, ViolationFilter(), limit=100_000, cursor=None)["data"])

    def _key(self, scopes: str) -> str:
        words = tuple(cast(Scope, word) for word in scopes.split())
        return create_key(self.running.database, name=scopes, scopes=words, now=datetime.now(UTC)).key


@contextmanager
def article_app(
    home: Path, *, pack: str = PACK, database_url: str | None = None, **settings: Any
) -> Iterator[Articles]:
    """The service over an empty store with ``pack`` beside the shipped rules."""
    enable_only(home, ("bitcoin",))
    write_pack(home, pack)
    chosen = settings_in(home, database_url=database_url, **{"scan_processes": 0, **settings})
    with read_once.rule_sets():
        running = run_app(chosen, Clock())
        try:
            yield Articles(running)
        finally:
            running.inner.state.articles.close()
            running.close()


def write_pack(home: Path, pack: str) -> None:
    folder = home / "rules"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "own.yaml").write_text(pack, encoding="utf-8")


def kinds(findings: Iterable[Any]) -> list[tuple[str, str]]:
    """Which rule found something in which field."""
    return [(each["rule_id"], each["field"]) for each in findings]
