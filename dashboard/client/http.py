"""The one connection to the service, with a short-lived cache that all sessions share.

However many sessions ask for a path at once, one request is made; its answer serves everybody for
``lifetime`` seconds and is then revalidated by its ``ETag``. For as long again it is still given at
once and asked anew behind, so that a click does not wait; what is older is waited for. What all
readers share can be kept fresh behind (:meth:`ApiClient.keep`). Failures are remembered for
the shared lifetime (two seconds) at the most, so that a service that is down is not asked once a
session, and one that is back is found at once; one that says when to come back (``Retry-After``) is not
asked before.
"""

import json
import logging
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from http import HTTPStatus
from typing import Any, Literal, cast

import httpx

from dashboard.client import problems
from dashboard.client.fetched import Fetched, Mode, Problem

LIFETIME_SECONDS = 2.0
TIMEOUT_SECONDS = 5.0
MOST_PATHS = 1024
"""How many answers are kept: every asset's candles and quotes a few times over."""
SHARED = frozenset(
    {
        "/assets",
        "/crypto/market-overview",
        "/markets/figures",
        "/markets/incidents",
        "/markets/status",
        "/prices",
        "/rankings",
        "/v1/timelines",
    }
)
"""Paths, without their queries, whose answers every reader sees: few, and worth keeping fresh."""
WANTED_SECONDS = 90.0
"""How long after the last reader a shared answer is kept fresh: longer than the slowest refresh."""

KeySource = Callable[[], str | None]
Decode = Callable[[Any], Any]
Shape = Literal["array", "object", "arrow"]
"""What an answer is: JSON of that kind, or an Arrow stream, whose bytes are decoded as they came."""
ARROW = "application/vnd.apache.arrow.stream"
Run = Callable[[Callable[[], None]], object]
log = logging.getLogger(__name__)


def _as_sent(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class _Answer:
    """One path's last good answer and what became of asking since."""

    data: Any = None
    etag: str | None = None
    confirmed_at: datetime | None = None
    mode: Mode | None = None
    error: Problem | None = None
    asked_at: float | None = None

    def fetched(self) -> Fetched[Any]:
        stale = self.error is not None and self.data is not None
        return Fetched(self.data, self.confirmed_at, stale, self.error, self.mode)


@dataclass(slots=True)
class _Slot:
    """How a path is asked, and its answer, which is replaced whole: readers never wait for a lock.

    ``asking`` is held while the service is asked.
    """

    path: str
    shape: Shape
    decode: Decode
    lifetime: float
    wanted_at: float
    answer: _Answer = _Answer()
    asking: threading.Lock = field(default_factory=threading.Lock)

    def age(self, now: float) -> float | None:
        """In lifetimes, since the service was last asked; null when it has to be asked anyhow.

        A service that asked for a pause is given it.
        """
        asked, error, lifetime = self.answer.asked_at, self.answer.error, self.lifetime
        if error is not None:
            lifetime = max(min(lifetime, LIFETIME_SECONDS), error.pause or 0.0)
        return None if asked is None else (now - asked) / max(lifetime, 1e-9)


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
        behind: Run | None = None,
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
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="api-behind")
        self._behind = behind or self._pool.submit
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._slots_lock = threading.Lock()
        self._closed = threading.Event()
        self._keeper: threading.Thread | None = None

    def close(self) -> None:
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._http.close()

    def get(
        self, path: str, shape: Shape, decode: Decode = _as_sent, *, lifetime: float | None = None
    ) -> Fetched[Any]:
        """The answer of ``path`` (with its query), decoded once per change."""
        slot = self._slot(path, shape, decode, self._lifetime if lifetime is None else lifetime)
        now = self._clock()
        if threading.current_thread() is not self._keeper:  # which is no reader
            slot.wanted_at = now
        age = slot.age(now)
        if age is None or age >= 2 or (age >= 1 and slot.answer.error is not None):
            with slot.asking:
                age = slot.age(self._clock())  # another reader may have asked while this one waited
                if age is None or age >= 1:
                    self._refresh(slot)
        elif age >= 1 and not slot.asking.locked():
            self._behind(lambda: self._ask_again(slot))
        return slot.answer.fetched()

    def keep(self, changed: Callable[[], None]) -> None:
        """From now on ask behind, every lifetime, for what all readers share, while anybody reads it.

        ``changed`` is called in a thread of its own after each round that brought something new; what
        it reads counts as read by nobody.
        """
        self._keeper = threading.Thread(target=self._keep, args=(changed,), name="api-keep", daemon=True)
        self._keeper.start()

    def _keep(self, changed: Callable[[], None]) -> None:
        while not self._closed.wait(self._lifetime / 4):
            try:
                if self.refresh_shared():
                    changed()
            except Exception:  # the thread lives on: the next round may succeed
                log.exception("Answers could not be kept fresh.")

    def refresh_shared(self) -> bool:
        """One such round: ask for each shared answer that is due; whether any is new."""
        now = self._clock()
        with self._slots_lock:
            slots = [slot for slot in self._slots.values() if slot.path.partition("?")[0] in SHARED]
        before = [slot.answer.data for slot in slots]
        for slot in slots:
            # Half a round early, so that no reader finds an answer past its time.
            age = slot.age(now + self._lifetime / 4)
            if age is not None and age >= 1 and now - slot.wanted_at < WANTED_SECONDS:
                self._ask_again(slot)
        return any(slot.answer.data is not data for slot, data in zip(slots, before, strict=True))

    def _ask_again(self, slot: _Slot) -> None:
        """Unless somebody is asking already."""
        if not slot.asking.acquire(blocking=False):
            return
        try:
            if not self._closed.is_set():
                self._refresh(slot)
        except Exception:
            if not self._closed.is_set():  # a closed client's last request may end any way
                log.exception("%s could not be asked again.", slot.path)
        finally:
            slot.asking.release()

    def forget_failures(self) -> None:
        """Let the next call of every failed path ask again at once: what a retry button does."""
        with self._slots_lock:
            slots = list(self._slots.values())
        for slot in slots:
            if slot.answer.error is not None:
                slot.answer = replace(slot.answer, asked_at=None)

    def get_bytes(self, path: str) -> tuple[bytes, str] | None:
        """A binary answer and its media type, uncached; null when it cannot be had."""
        try:
            response = self._send(path, {})
        except httpx.HTTPError:
            return None
        return (response.content, response.headers.get("content-type", "")) if response.is_success else None

    @property
    def base_url(self) -> httpx.URL:
        return self._http.base_url

    def post(
        self, path: str, content: bytes, *, headers: Mapping[str, str], timeout: float
    ) -> httpx.Response:
        """The answer to ``content``, which is sent now and never kept.

        :raises httpx.HTTPError: when there is none within ``timeout`` seconds.
        """
        return self._with_key(
            lambda key: self._http.post(path, content=content, headers={**headers, **key}, timeout=timeout)
        )

    def delete(self, path: str, *, headers: Mapping[str, str], timeout: float) -> httpx.Response:
        """The answer to a request that what is at ``path`` end; raises as :meth:`post` does."""
        return self._with_key(
            lambda key: self._http.delete(path, headers={**headers, **key}, timeout=timeout)
        )

    def _slot(self, path: str, shape: Shape, decode: Decode, lifetime: float) -> _Slot:
        with self._slots_lock:
            slot = self._slots.get(path)
            if slot is None:
                slot = self._slots[path] = _Slot(path, shape, decode, lifetime, self._clock())
            self._slots.move_to_end(path)
            if len(self._slots) > MOST_PATHS:
                self._slots.popitem(last=False)
            return slot

    def _refresh(self, slot: _Slot) -> None:
        """Ask the service; the slot's ``asking`` is held by the caller."""
        slot.answer = replace(self._ask(slot), asked_at=self._clock())

    def _ask(self, slot: _Slot) -> _Answer:
        known = slot.answer
        request_id = uuid.uuid4().hex
        headers = {"X-Request-ID": request_id}
        if slot.shape == "arrow":
            headers["Accept"] = ARROW
        if known.etag is not None and known.data is not None:
            headers["If-None-Match"] = known.etag
        try:
            response = self._send(slot.path, headers)
        except httpx.HTTPError as fault:
            problem = problems.of_fault(fault, self.base_url, TIMEOUT_SECONDS, request_id)
            return replace(known, error=problem)
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            data, etag = known.data, known.etag
        elif response.is_success:
            try:
                data, etag = _decoded(response, slot), response.headers.get("etag")
            except (ValueError, TypeError, KeyError, IndexError) as fault:
                words = f"The answer is not in the documented shape: {fault}"
                return replace(known, error=problems.malformed(response, words, request_id))
        else:
            return replace(known, error=problems.of_response(response, request_id))
        return _Answer(data, etag, datetime.now(UTC), _mode(response.headers) or known.mode)

    def _send(self, path: str, headers: Mapping[str, str]) -> httpx.Response:
        return self._with_key(lambda key: self._http.get(path, headers={**headers, **key}))

    def _with_key(self, send: Callable[[Mapping[str, str]], httpx.Response]) -> httpx.Response:
        """What ``send`` brings with the header that holds the key, tried once more with a new one."""
        if self._key is None:
            self._key = self._read_key()
        response = send(self._credential())
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            fresh = self._read_key()
            if fresh is not None and fresh != self._key:
                self._key = fresh
                response = send(self._credential())
        return response

    def _credential(self) -> Mapping[str, str]:
        return {} if self._key is None else {"CP-X-API-KEY": self._key}


def _decoded(response: httpx.Response, slot: _Slot) -> Any:
    if slot.shape == "arrow":
        if (sent := response.headers.get("content-type", "")) != ARROW:
            raise TypeError(f"expected {ARROW}, not {sent or 'nothing'}")
        return slot.decode(response.content)
    body = json.loads(response.content, parse_float=Decimal)
    if not isinstance(body, list if slot.shape == "array" else dict):
        raise TypeError(f"expected an {slot.shape}")
    if isinstance(body, dict) and (basis := response.headers.get("x-ranked-by")):
        body["ranked_by"] = basis  # what the interface's envelope has no field for
    return slot.decode(body)


def _mode(headers: Mapping[str, str]) -> Mode | None:
    word = headers.get("x-data-mode")
    return cast(Mode, word) if word in ("sample", "live") else None
