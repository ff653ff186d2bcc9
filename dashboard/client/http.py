"""The one connection to the service, with a short-lived cache for each caller.

However many sessions of one caller ask for a path at once, one request is made; its answer serves them
all for ``lifetime`` seconds and is then revalidated by its ``ETag``. For as long again it is still given
at once and asked anew behind, so that a click does not wait; what is older is waited for. What all
readers share can be kept fresh behind (:meth:`ApiClient.keep`). Failures are remembered for
the shared lifetime (two seconds) at the most, so that a service that is down is not asked once a
session, and one that is back is found at once; one that says when to come back (``Retry-After``) is not
asked before.

No caller is given what was answered to another. Each asks with their own credential; what callers have
in common is the decoded content: when the service tells one of them that it has not changed (304) since
another got it, that very object is theirs too, and whatever pages made of it serves both.
"""

import json
import logging
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from http import HTTPStatus
from typing import Any, cast, get_args

import httpx

from dashboard.client import callers, problems
from dashboard.client.cache_entries import (
    LIFETIME_SECONDS,
    Answer,
    CacheKey,
    Content,
    Decode,
    Shape,
    Slot,
    as_sent,
)
from dashboard.client.callers import Caller, Credential, KeyHolder, KeySource
from dashboard.client.fetched import Fetched, Mode

TIMEOUT_SECONDS = 5.0
MOST_PATHS = 1024
"""How many answers are kept for a caller: every asset's candles and quotes a few times over."""
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
SMALL = "/crypto/market-overview"
"""What is asked for where only the status matters."""
WANTED_SECONDS = 90.0
"""How long after the last reader a shared answer is kept fresh: longer than the slowest refresh."""

ARROW = "application/vnd.apache.arrow.stream"
Run = Callable[[Callable[[], None]], object]
log = logging.getLogger(__name__)


class ApiClient:
    """Reads the service at ``base_url``, for any number of threads.

    ``whose`` tells in whose name a thread asks; by default all do in that of the ``key``. ``clock``
    counts seconds, monotonically.
    """

    def __init__(
        self,
        base_url: str,
        key: KeySource,
        *,
        whose: Callable[[], Caller] | None = None,
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
        holder = KeyHolder(key)
        self._whose: Callable[[], Caller] = whose or (lambda: holder)
        self._lifetime = lifetime
        self._clock = clock
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="api-behind")
        self._behind = behind or self._pool.submit
        self._slots: dict[str, OrderedDict[CacheKey, Slot]] = {}
        self._contents: OrderedDict[CacheKey, Content] = OrderedDict()
        self._slots_lock = threading.Lock()
        self._closed = threading.Event()
        self._keeper: threading.Thread | None = None

    def close(self) -> None:
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._http.close()

    def get(
        self, path: str, shape: Shape, decode: Decode = as_sent, *, lifetime: float | None = None
    ) -> Fetched[Any]:
        """The answer of ``path`` (with its query), decoded once per change.

        Calls share an answer if all four arguments are the same.
        """
        slot = self._slot(CacheKey(path, shape, decode, self._lifetime if lifetime is None else lifetime))
        now = self._clock()
        if threading.current_thread() is not self._keeper:  # which is no reader
            slot.wanted_at = now
        if slot.may_be_given(now):
            return slot.answer.fetched()
        age = slot.age(now)
        if age is None or age >= 2 or slot.answer.error is not None or not slot.caller.certain:
            with slot.asking:
                if not slot.may_be_given(self._clock()):  # another reader may have asked meanwhile
                    self._refresh(slot)
        elif not slot.asking.locked():
            self._behind(lambda: self._ask_again(slot))
        return slot.answer.fetched()

    def caller(self) -> Caller:
        """In whose name this thread asks."""
        return callers.acting() or self._whose()

    def look(self, caller: Caller) -> None:
        """Ask for something small in the name of ``caller``, who learns whether they are still known."""
        try:
            self._send(caller, SMALL, {})
        except httpx.HTTPError:  # nothing was learnt, and a page that needs the service says so
            log.debug("The service did not answer whether a caller is known.")

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
                caller = self.refresh_shared()
                if caller is not None:
                    callers.run_as(caller, changed)
            except Exception:  # the thread lives on: the next round may succeed
                log.exception("Answers could not be kept fresh.")

    def refresh_shared(self) -> Caller | None:
        """One such round: ask for each shared answer that is due. Where any is new, to whom it was told.

        Each is asked for in the name of whoever wanted it last: the others then learn by themselves,
        quickly, that it is theirs too.
        """
        now = self._clock()
        latest: dict[CacheKey, Slot] = {}
        with self._slots_lock:
            for gone in [name for name, slots in self._slots.items() if _first(slots).caller.ended]:
                del self._slots[gone]
            for slot in (slot for slots in self._slots.values() for slot in slots.values()):
                if slot.key.path.partition("?")[0] in SHARED:
                    known = latest.setdefault(slot.key, slot)
                    if slot.wanted_at > known.wanted_at:
                        latest[slot.key] = slot
        told: Caller | None = None
        for slot in latest.values():
            # Half a round early, so that no reader finds an answer past its time.
            age, before = slot.age(now + self._lifetime / 4), slot.answer.data
            if age is not None and age >= 1 and now - slot.wanted_at < WANTED_SECONDS:
                self._ask_again(slot)
            if slot.answer.data is not None and slot.answer.data is not before:
                told = slot.caller
        return told

    def _ask_again(self, slot: Slot) -> None:
        """Unless somebody is asking already."""
        if not slot.asking.acquire(blocking=False):
            return
        try:
            if not self._closed.is_set():
                self._refresh(slot)
        except Exception:
            if not self._closed.is_set():  # a closed client's last request may end any way
                log.exception("%s could not be asked again.", slot.key.path)
        finally:
            slot.asking.release()

    def forget_failures(self) -> None:
        """Let the next call of every failed path ask again at once: what a retry button does."""
        with self._slots_lock:
            slots = list(self._slots.get(self.caller().id, {}).values())
        for slot in slots:
            if slot.answer.error is not None:
                slot.answer = replace(slot.answer, asked_at=None)

    def get_bytes(self, path: str) -> tuple[bytes, str] | None:
        """A binary answer and its media type, uncached; null when it cannot be had."""
        try:
            response = self._send(self.caller(), path, {})
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
        return self._as(
            self.caller(),
            lambda own: self._http.post(path, content=content, headers={**headers, **own}, timeout=timeout),
        )

    def delete(self, path: str, *, headers: Mapping[str, str], timeout: float) -> httpx.Response:
        """The answer to a request that what is at ``path`` end; raises as :meth:`post` does."""
        return self._as(
            self.caller(), lambda own: self._http.delete(path, headers={**headers, **own}, timeout=timeout)
        )

    def _slot(self, key: CacheKey) -> Slot:
        caller = self.caller()
        with self._slots_lock:
            slots = self._slots.setdefault(caller.id, OrderedDict())
            slot = slots.get(key)
            if slot is None:
                slot = slots[key] = Slot(caller, key, self._clock())
            slots.move_to_end(key)
            if len(slots) > MOST_PATHS:
                slots.popitem(last=False)
            return slot

    def _refresh(self, slot: Slot) -> None:
        """Ask the service; the slot's ``asking`` is held by the caller."""
        slot.answer = replace(self._ask(slot), asked_at=self._clock())

    def _ask(self, slot: Slot) -> Answer:
        known, content = slot.answer, self._contents.get(slot.key)
        request_id = uuid.uuid4().hex
        headers = {"X-Request-ID": request_id}
        if slot.key.shape == "arrow":
            headers["Accept"] = ARROW
        if content is not None:
            headers["If-None-Match"] = content.etag
        try:
            response = self._send(slot.caller, slot.key.path, headers)
        except httpx.HTTPError as fault:
            problem = problems.of_fault(fault, self.base_url, TIMEOUT_SECONDS, request_id)
            return replace(known, error=problem)
        mode = _mode(response.headers) or known.mode
        if response.status_code == HTTPStatus.NOT_MODIFIED and content is not None:
            return Answer(content.data, datetime.now(UTC), mode or content.mode)
        if response.is_success:
            try:
                return Answer(self._content_of(response, slot, mode), datetime.now(UTC), mode)
            except (ValueError, TypeError, KeyError, IndexError) as fault:
                words = f"The answer is not in the documented shape: {fault}"
                return replace(known, error=problems.malformed(response, words, request_id))
        if response.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            known = Answer()  # what may no longer be read is not shown as what was known last
        return replace(known, error=problems.of_response(response, request_id))

    def _content_of(self, response: httpx.Response, slot: Slot, mode: Mode | None) -> Any:
        """The body decoded, unless another caller's answer of the same tag was already."""
        etag, latest = response.headers.get("etag"), self._contents.get(slot.key)
        if latest is not None and latest.etag == etag:
            return latest.data
        data = _decoded(response, slot.key)
        if etag is not None and data is not None:
            with self._slots_lock:
                self._contents[slot.key] = Content(etag, data, mode)
                self._contents.move_to_end(slot.key)
                if len(self._contents) > MOST_PATHS:
                    self._contents.popitem(last=False)
        return data

    def _send(self, caller: Caller, path: str, headers: Mapping[str, str]) -> httpx.Response:
        return self._as(caller, lambda own: self._http.get(path, headers={**headers, **own}))

    def _as(self, caller: Caller, send: Callable[[Credential], httpx.Response]) -> httpx.Response:
        """What ``send`` brings with the caller's credential, tried once more where they have a newer one."""
        asked_at, credential = self._clock(), caller.credential()
        response = send(credential)
        if response.status_code == HTTPStatus.UNAUTHORIZED and caller.refused(credential):
            asked_at = self._clock()
            response = send(caller.credential())
        if response.status_code != HTTPStatus.UNAUTHORIZED:
            caller.accepted(asked_at)
        return response


def _first(slots: Mapping[CacheKey, Slot]) -> Slot:
    return next(iter(slots.values()))


def _decoded(response: httpx.Response, key: CacheKey) -> Any:
    if key.shape == "arrow":
        if (sent := response.headers.get("content-type", "")) != ARROW:
            raise TypeError(f"expected {ARROW}, not {sent or 'nothing'}")
        return key.decode(response.content)
    body = json.loads(response.content, parse_float=Decimal)
    if not isinstance(body, list if key.shape == "array" else dict):
        raise TypeError(f"expected an {key.shape}")
    if isinstance(body, dict) and (basis := response.headers.get("x-ranked-by")):
        body["ranked_by"] = basis  # what the interface's envelope has no field for
    return key.decode(body)


def _mode(headers: Mapping[str, str]) -> Mode | None:
    word = headers.get("x-data-mode")
    return cast(Mode, word) if word in get_args(Mode) else None
