"""Runs the service with test naming rules, and callers with each kind of key."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import orjson

from backend.articles.service import ArticleService
from backend.articles.violation_store import ViolationFilter, load_page
from backend.auth.principal import Scope
from backend.auth.service import create_key
from tests.support.apps.market_app import Clock, Running, enable_only, run_app, settings_in
from tests.support.http.asgi import Answer, send
from tests.support.test_session import shipped_data_cache

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
"""Fictitious names, which no shipped rule matches."""

WRONG: dict[str, Any] = {
    "id": "7",
    "title": "Zorbkoin rises",
    "summary": "Nothing of note.",
    "content": "The Zorb Token and Zorbkoin, says Zorby.",
    "tags": ["markets", "Zorbcoyn"],
    "source": "wire",
    "language": "en",
}
"""An article with two safe corrections, one that needs approval, and one error without a correction."""

RIGHT: dict[str, Any] = {"id": "8", "content": "Zorbcoin rises.", "language": "en"}


ALL_KEYS = ("read", "write", "ingest", "read write", "read admin")
"""The scopes of each key; the last one sees what all keys stored."""


class Articles:
    """The application and its keys by scopes."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.keys = {scopes: self._create_key(scopes) for scopes in ALL_KEYS}
        running.inner.state.credentials.reload()

    @property
    def service(self) -> ArticleService:
        service: ArticleService = self.running.inner.state.articles
        return service

    def post(
        self, path: str, body: Any, *, scopes: str | None = "read write", pieces: int = 0, **headers: str
    ) -> Answer:
        """Send a POST request with JSON or bytes. ``pieces`` chunks the body, without Content-Length."""
        raw = body if isinstance(body, bytes) else orjson.dumps(body)
        all_headers = {
            "Content-Type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        if scopes is not None:
            all_headers["CP-X-API-KEY"] = self.keys[scopes]
        if not pieces:
            return send(
                self.running.app,
                path,
                method="POST",
                headers={"Content-Length": str(len(raw)), **all_headers},
                body=[raw],
            )
        step = -(-len(raw) // pieces) or 1
        chunks = [raw[start : start + step] for start in range(0, len(raw), step)] or [b""]
        return send(
            self.running.app,
            path,
            method="POST",
            headers={"Transfer-Encoding": "chunked", **all_headers},
            body=chunks,
        )

    def scan(self, *articles: Any, **more: Any) -> Any:
        answer = self.post("/articles/scan", {"articles": articles, **more})
        assert answer.status == 200, answer.body
        return answer.json()

    def get(self, path: str, *, scopes: str = "read write", **headers: str) -> Answer:
        return self.running.get(path, key=self.keys[scopes], **headers)

    def json(self, path: str, *, scopes: str = "read write") -> Any:
        answer = self.get(path, scopes=scopes)
        assert answer.status == 200, answer.body
        return answer.json()

    def stored(self) -> list[Any]:
        """List every violation in the store, newest first."""
        return list(load_page(self.running.database, ViolationFilter(), limit=100_000, cursor=None)["data"])

    def _create_key(self, scopes: str) -> str:
        names = tuple(cast(Scope, name) for name in scopes.split())
        return create_key(self.running.database, name=scopes, scopes=names, now=datetime.now(UTC)).key


@contextmanager
def article_app(
    home: Path, *, pack: str = PACK, database_url: str | None = None, **settings: Any
) -> Iterator[Articles]:
    """Run the service over an empty store, with ``pack`` in addition to the shipped rules."""
    enable_only(home, ("bitcoin",))
    write_pack(home, pack)
    app_settings = settings_in(home, database_url=database_url, **{"scan_processes": 0, **settings})
    with shipped_data_cache.cache_rule_sets():
        running = run_app(app_settings, Clock())
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
    """List the rule id and field of each finding."""
    return [(finding["rule_id"], finding["field"]) for finding in findings]
