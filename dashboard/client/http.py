"""The one connection to the service, with a short-lived cache that all sessions share.

However many sessions ask for a path at once, one request is made; its answer serves everybody for
``lifetime`` seconds and is then revalidated by its ``ETag``. Failures are remembered for as long,
so that a service that is down is not asked once a session.
"""

import json
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from http import HTTPStatus
from typing import Any, Literal, cast

import httpx

from dashboard.client.fetched import Fetched, Mode, Problem

LIFETIME_SECONDS = 2.0
TIMEOUT_SECONDS = 5.0
MOST_PATHS = 1024
"""How many answers are kept: every asset's candles and quotes a few times over."""

KeySource = Callable[[], str | None]
Decode = Callable[[Any], Any]
Shape = Literal["array", "object"]


def _as_sent(value: Any) -> Any:
    return value


@dataclass(slots=True)
class _Slot:
    """One path's last good answer and what became of asking since. Guarded by ``lock``."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    data: Any = None
    etag: str | None = None
    confirmed_at: datetime | None = None
    mode: Mode | None = None
    error: Problem | None = None
    asked_at: float | None = None

    def fetched(self) -> Fetched[Any]:
        stale = self.error is not None and self.data is not None
        return Fetched(self.data, self.confirmed_at, stale, self.error, self.mode)


class ApiClient:
    """Reads the service at ``base_url`` with an API key, for any number of threads.

    ``key`` is asked for the key at the first request and again after a 401, since the service may
    have made its local key only just now. ``clock`` counts seconds, monotonically.
    """

    def __init__(
        self,
        base_url: str,
        key: KeySource,
        *,
        transport: httpx.BaseTransport | None = None,
        lifetime: float = LIFETIME_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = httpx.Client(
            base_url=base_url,
            timeout=TIMEOUT_SECONDS,
            limits=httpx.Limits(max_connections=32, max_keepalive_connections=16),
            transport=transport,
            trust_env=False,
        )
        self._read_key = key
        self._key: str | None = None
        self._lifetime = lifetime
        self._clock = clock
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._slots_lock = threading.Lock()

    def close(self) -> None:
        self._http.close()

    def get(
        self, path: str, shape: Shape, decode: Decode = _as_sent, *, lifetime: float | None = None
    ) -> Fetched[Any]:
        """The answer of ``path`` (with its query), decoded once per change."""
        slot = self._slot(path)
        with slot.lock:
            now = self._clock()
            if slot.asked_at is None or now - slot.asked_at >= (
                self._lifetime if lifetime is None else lifetime
            ):
                self._refresh(slot, path, shape, decode)
                slot.asked_at = self._clock()
            return slot.fetched()

    def forget_failures(self) -> None:
        """Let the next call of every failed path ask again at once: what a retry button does."""
        with self._slots_lock:
            slots = list(self._slots.values())
        for slot in slots:
            if slot.error is not None:
                slot.asked_at = None

    def get_bytes(self, path: str) -> tuple[bytes, str] | None:
        """A binary answer and its media type, uncached; null when it cannot be had."""
        try:
            response = self._send(path, {})
        except httpx.HTTPError:
            return None
        return (response.content, response.headers.get("content-type", "")) if response.is_success else None

    def _slot(self, path: str) -> _Slot:
        with self._slots_lock:
            slot = self._slots.setdefault(path, _Slot())
            self._slots.move_to_end(path)
            if len(self._slots) > MOST_PATHS:
                self._slots.popitem(last=False)
            return slot

    def _refresh(self, slot: _Slot, path: str, shape: Shape, decode: Decode) -> None:
        request_id = uuid.uuid4().hex
        headers = {"X-Request-ID": request_id}
        if slot.etag is not None and slot.data is not None:
            headers["If-None-Match"] = slot.etag
        try:
            response = self._send(path, headers)
        except httpx.TimeoutException:
            slot.error = Problem("timeout", f"No answer within {TIMEOUT_SECONDS:g} seconds.", request_id)
            return
        except httpx.HTTPError as fault:
            slot.error = Problem(
                "unreachable", f"{self._http.base_url}: {fault or type(fault).__name__}", request_id
            )
            return
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            slot.error = None
        elif response.is_success:
            self._take(slot, response, shape, decode)
        else:
            slot.error = _problem(response, request_id)
            return
        if slot.error is None:
            slot.confirmed_at = datetime.now(UTC)
            slot.mode = _mode(response.headers) or slot.mode

    def _take(self, slot: _Slot, response: httpx.Response, shape: Shape, decode: Decode) -> None:
        request_id = response.headers.get("x-request-id")
        try:
            body = json.loads(response.content, parse_float=Decimal)
            if not isinstance(body, list if shape == "array" else dict):
                raise TypeError(f"expected an {shape}")
            data = decode(body)
        except (ValueError, TypeError, KeyError, IndexError) as fault:
            slot.error = Problem(
                "malformed",
                f"The answer is not in the documented shape: {fault}",
                request_id,
                response.status_code,
            )
            return
        slot.data, slot.etag, slot.error = data, response.headers.get("etag"), None

    def _send(self, path: str, headers: Mapping[str, str]) -> httpx.Response:
        if self._key is None:
            self._key = self._read_key()
        response = self._http.get(path, headers={**headers, **self._credential()})
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            fresh = self._read_key()
            if fresh is not None and fresh != self._key:
                self._key = fresh
                response = self._http.get(path, headers={**headers, **self._credential()})
        return response

    def _credential(self) -> dict[str, str]:
        return {} if self._key is None else {"CP-X-API-KEY": self._key}


def _mode(headers: Mapping[str, str]) -> Mode | None:
    word = headers.get("x-data-mode")
    return cast(Mode, word) if word in ("sample", "live") else None


def _problem(response: httpx.Response, request_id: str) -> Problem:
    """The service's own words (RFC 9457 or the topics envelope), else the bare status."""
    request_id = response.headers.get("x-request-id", request_id)
    try:
        body = response.json()
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    title = body.get("code") if isinstance(body.get("code"), str) else body.get("title")
    detail = body.get("detail") or body.get("message") or f"HTTP {response.status_code}"
    return Problem(str(title or "http_error"), str(detail), request_id, response.status_code)
