"""Sends requests to the service and caches the responses of each caller for a short time.

Concurrent calls of one caller for a path make one request. Its response serves all of them for
``lifetime`` seconds and is then revalidated by its ``ETag``. During a second lifetime the old response
is returned at once and refreshed in the background, so that a click does not wait; after that, the call
waits for the request, but no longer than :data:`PATIENCE_SECONDS`. The request then goes on, and calls
return the old response as stale until it is answered. :meth:`ApiClient.start_refreshing` keeps the
responses that all readers share fresh in the background. A failure is cached for at most the default
lifetime (two seconds): sessions do not flood a service that is down, and notice at once that it is back.
A service that names a pause (``Retry-After``) gets no request before its end.

No caller receives the response to another. Each sends their own credential. Callers share only the
decoded content: if the service confirms to one caller (304) the content that another received, both get
the same object, so what a page computes from it serves both.
"""

import json
import logging
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from http import HTTPStatus
from typing import Any, cast, get_args

import httpx

from dashboard.client import callers, problems
from dashboard.client.cache_entries import (
    LIFETIME_SECONDS,
    CachedResponse,
    CacheEntry,
    CacheKey,
    Decode,
    Shape,
    SharedContent,
    keep_body,
)
from dashboard.client.callers import ApiKeyCaller, Caller, Credential, ReadKey
from dashboard.client.fetched import Fetched, Mode

TIMEOUT_SECONDS = 5.0
"""For connecting, and for requests whose caller waits for the end."""
RESPONSE_TIMEOUT_SECONDS = 30.0
"""For cached responses, whose requests go on in the background: a slow service answers them at last."""
PATIENCE_SECONDS = 2.0
"""A call waits this long for the response, and for the first one as long as :data:`TIMEOUT_SECONDS`."""
SHORT_PATIENCE_SECONDS = 0.25
"""While another response is overdue, so that the calls of one page do not each wait in turn."""
MAX_CACHED_PATHS = 1024
"""Cached responses per caller: every asset's candles and quotes several times over."""
SHARED_PATHS = frozenset(
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
"""Paths, without queries, whose responses every reader sees: few enough to keep them fresh."""
PROBE_PATH = "/crypto/market-overview"
"""A small response, requested when only the status matters."""
SHARED_IDLE_SECONDS = 90.0
"""A shared response is kept fresh for this long after its last reader: above the slowest refresh."""

_TIMEOUT = httpx.Timeout(TIMEOUT_SECONDS)
_RESPONSE_TIMEOUT = httpx.Timeout(TIMEOUT_SECONDS, read=RESPONSE_TIMEOUT_SECONDS)
ARROW = "application/vnd.apache.arrow.stream"
RunInBackground = Callable[[Callable[[], None]], object]
log = logging.getLogger(__name__)


class ApiClient:
    """Calls the service at ``base_url`` from any number of threads.

    ``find_caller`` returns the caller of the current thread; by default, the holder of the API key.
    ``clock`` counts monotonic seconds.
    """

    def __init__(
        self,
        base_url: str,
        read_key: ReadKey,
        *,
        find_caller: Callable[[], Caller] | None = None,
        transport: httpx.BaseTransport | None = None,
        lifetime: float = LIFETIME_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        run_in_background: RunInBackground | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=base_url,
            timeout=_TIMEOUT,
            limits=httpx.Limits(max_connections=32, max_keepalive_connections=16),
            transport=transport,
            trust_env=False,
        )
        key_caller = ApiKeyCaller(read_key)
        self._find_caller: Callable[[], Caller] = find_caller or (lambda: key_caller)
        self._lifetime = lifetime
        self._clock = clock
        self._run_in_background = run_in_background or _start_thread
        self._is_slow = False
        self._entries: dict[str, OrderedDict[CacheKey, CacheEntry]] = {}
        self._contents: OrderedDict[CacheKey, SharedContent] = OrderedDict()
        self._cache_lock = threading.Lock()
        self._closed = threading.Event()
        self._refresh_thread: threading.Thread | None = None

    def close(self) -> None:
        self._closed.set()
        self._http.close()

    def get(
        self, path: str, shape: Shape, decode: Decode = keep_body, *, lifetime: float | None = None
    ) -> Fetched[Any]:
        """Returns the response of ``path`` (with its query), decoded once per change.

        Calls share a response if all four arguments are the same.
        """
        entry = self._find_entry(
            CacheKey(path, shape, decode, self._lifetime if lifetime is None else lifetime)
        )
        now = self._clock()
        if threading.current_thread() is not self._refresh_thread:  # which is no reader
            entry.last_read_at = now
        response, age = entry.response, entry.age(now)
        if entry.is_fresh(now):
            return response.fetched()
        if age is None or age >= 2 or response.error is not None or not entry.caller.is_verified:
            if not self._await_response(entry, self._start_request(entry, response, _start_thread)):
                return entry.overdue(self._clock())
        else:
            self._start_request(entry, response, self._run_in_background)
        return entry.response.fetched()

    def caller(self) -> Caller:
        """Returns the caller of this thread."""
        return callers.current_caller() or self._find_caller()

    def probe(self, caller: Caller) -> None:
        """Sends a small request as ``caller``, who thereby learns whether their credential is valid."""
        try:
            self._get_as(caller, PROBE_PATH, {})
        except httpx.HTTPError:  # the credential stays as it was; pages report the failure themselves
            log.debug("The service did not answer a probe.")

    def start_refreshing(self, on_change: Callable[[], None]) -> None:
        """Starts a thread that refreshes shared responses every lifetime, as long as they have readers.

        The thread calls ``on_change`` after each round that brought something new. What ``on_change``
        reads counts as unread.
        """
        self._refresh_thread = threading.Thread(
            target=self._refresh_loop, args=(on_change,), name="api-refresh", daemon=True
        )
        self._refresh_thread.start()

    def _refresh_loop(self, on_change: Callable[[], None]) -> None:
        while not self._closed.wait(self._lifetime / 4):
            try:
                caller = self.refresh_shared()
                if caller is not None:
                    callers.run_as(caller, on_change)
            except Exception:  # the thread lives on: the next round may succeed
                log.exception("Refreshing shared responses failed.")

    def refresh_shared(self) -> Caller | None:
        """Refreshes each shared response that is due. Returns a caller with new data, if any has some.

        Each request is sent as its latest reader. A quick 304 then gives the content to the others too.
        """
        now = self._clock()
        latest: dict[CacheKey, CacheEntry] = {}
        with self._cache_lock:
            for ended in [
                name for name, entries in self._entries.items() if _get_first(entries).caller.ended
            ]:
                del self._entries[ended]
            for entry in (entry for entries in self._entries.values() for entry in entries.values()):
                if entry.key.path.partition("?")[0] in SHARED_PATHS:
                    latest_reader = latest.setdefault(entry.key, entry)
                    if entry.last_read_at > latest_reader.last_read_at:
                        latest[entry.key] = entry
        # Half a round early, so that no reader finds an expired response.
        due = [
            entry
            for entry in latest.values()
            if (entry.age(now + self._lifetime / 4) or 0) >= 1
            and now - entry.last_read_at < SHARED_IDLE_SECONDS
        ]
        before = [entry.response for entry in due]
        wait([self._start_request(entry, entry.response, _start_thread) for entry in due], PATIENCE_SECONDS)
        changed = (
            entry.caller
            for entry, response in zip(due, before, strict=True)
            if entry.response.data is not None and entry.response.data is not response.data
        )
        return next(changed, None)

    def _start_request(self, entry: CacheEntry, read: CachedResponse, start: RunInBackground) -> Future[None]:
        """Starts a request, unless one is running or has replaced the response that the caller ``read``."""
        with entry.lock:
            request = entry.request
            if request is None or (request.done() and entry.response is read):
                request = entry.start_request(self._clock())
                start(partial(self._run_request, entry, request))
            return request

    def _run_request(self, entry: CacheEntry, request: Future[None]) -> None:
        try:
            if not self._closed.is_set():
                entry.response = replace(self._request(entry), requested_at=self._clock())
        except Exception:
            if not self._closed.is_set():  # a closed client's last request may end any way
                log.exception("Refreshing %s failed.", entry.key.path)
        finally:
            request.set_result(None)

    def _await_response(self, entry: CacheEntry, request: Future[None]) -> bool:
        """Waits for a request. False if the response is overdue."""
        patience = TIMEOUT_SECONDS if entry.response.data is None else PATIENCE_SECONDS
        if self._is_slow:
            patience = SHORT_PATIENCE_SECONDS
        if wait([request], max(patience - (self._clock() - entry.started_at), 0)).done:
            return True
        self._is_slow = True
        return False

    def clear_failures(self) -> None:
        """Lets the next call of every failed path send a request at once, for a retry button."""
        with self._cache_lock:
            entries = list(self._entries.get(self.caller().id, {}).values())
        for entry in entries:
            if entry.response.error is not None:
                entry.response = replace(entry.response, requested_at=None)

    def get_bytes(self, path: str) -> tuple[bytes, str] | None:
        """Returns a binary body and its media type, uncached; ``None`` after any failure."""
        try:
            response = self._get_as(self.caller(), path, {})
        except httpx.HTTPError:
            return None
        return (response.content, response.headers.get("content-type", "")) if response.is_success else None

    @property
    def base_url(self) -> httpx.URL:
        return self._http.base_url

    def post(
        self, path: str, content: bytes, *, headers: Mapping[str, str], timeout: float
    ) -> httpx.Response:
        """Posts ``content`` at once and returns the response, uncached.

        :raises httpx.HTTPError: if there is no response within ``timeout`` seconds.
        """
        return self._send_as(
            self.caller(),
            lambda caller_headers: self._http.post(
                path, content=content, headers={**headers, **caller_headers}, timeout=timeout
            ),
        )

    def delete(self, path: str, *, headers: Mapping[str, str], timeout: float) -> httpx.Response:
        """Sends a DELETE request and returns the response; raises as :meth:`post` does."""
        return self._send_as(
            self.caller(),
            lambda caller_headers: self._http.delete(
                path, headers={**headers, **caller_headers}, timeout=timeout
            ),
        )

    def _find_entry(self, key: CacheKey) -> CacheEntry:
        caller = self.caller()
        with self._cache_lock:
            entries = self._entries.setdefault(caller.id, OrderedDict())
            entry = entries.get(key)
            if entry is None:
                entry = entries[key] = CacheEntry(caller, key, self._clock())
            entries.move_to_end(key)
            if len(entries) > MAX_CACHED_PATHS:
                entries.popitem(last=False)
            return entry

    def _request(self, entry: CacheEntry) -> CachedResponse:
        previous, content = entry.response, self._contents.get(entry.key)
        request_id = uuid.uuid4().hex
        headers = {"X-Request-ID": request_id}
        if entry.key.shape == "arrow":
            headers["Accept"] = ARROW
        if content is not None:
            headers["If-None-Match"] = content.etag
        try:
            response = self._get_as(entry.caller, entry.key.path, headers, timeout=_RESPONSE_TIMEOUT)
        except httpx.HTTPError as error:
            problem = problems.from_exception(error, self.base_url, RESPONSE_TIMEOUT_SECONDS, request_id)
            if isinstance(error, httpx.TimeoutException):
                problem = entry.overdue_problem(self._clock(), request_id)
            else:
                entry.unanswered_since = None
            return replace(previous, error=problem)
        entry.unanswered_since, self._is_slow = None, False
        mode = _parse_mode(response.headers) or previous.mode
        if response.status_code == HTTPStatus.NOT_MODIFIED and content is not None:
            return CachedResponse(content.data, datetime.now(UTC), mode or content.mode)
        if response.is_success:
            try:
                return CachedResponse(self._decode_shared(response, entry, mode), datetime.now(UTC), mode)
            except (ValueError, TypeError, KeyError, IndexError) as error:
                detail = f"The answer is not in the documented shape: {error}"
                return replace(previous, error=problems.from_malformed_body(response, detail, request_id))
        if response.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            previous = CachedResponse()  # data that the caller may no longer read is not shown as last known
        return replace(previous, error=problems.from_response(response, request_id))

    def _decode_shared(self, response: httpx.Response, entry: CacheEntry, mode: Mode | None) -> Any:
        """Decodes the body, or returns the content of the same tag that another caller received."""
        etag, latest = response.headers.get("etag"), self._contents.get(entry.key)
        if latest is not None and latest.etag == etag:
            return latest.data
        data = decode_response(response, entry.key)
        if etag is not None and data is not None:
            with self._cache_lock:
                self._contents[entry.key] = SharedContent(etag, data, mode)
                self._contents.move_to_end(entry.key)
                if len(self._contents) > MAX_CACHED_PATHS:
                    self._contents.popitem(last=False)
        return data

    def _get_as(
        self,
        caller: Caller,
        path: str,
        headers: Mapping[str, str],
        timeout: httpx.Timeout = _TIMEOUT,
    ) -> httpx.Response:
        return self._send_as(
            caller,
            lambda caller_headers: self._http.get(
                path, headers={**headers, **caller_headers}, timeout=timeout
            ),
        )

    def _send_as(self, caller: Caller, send: Callable[[Credential], httpx.Response]) -> httpx.Response:
        """Sends a request with the caller's credential, and once more after a 401 if there is a newer one."""
        requested_at, credential = self._clock(), caller.credential()
        response = send(credential)
        if response.status_code == HTTPStatus.UNAUTHORIZED and caller.handle_rejection(credential):
            requested_at = self._clock()
            response = send(caller.credential())
        if response.status_code != HTTPStatus.UNAUTHORIZED:
            caller.record_acceptance(requested_at)
        return response


def _start_thread(call: Callable[[], None]) -> None:
    """Runs ``call`` in a thread that does not delay the end of the process, however slow the service is."""
    threading.Thread(target=call, name="api-request", daemon=True).start()


def _get_first(entries: Mapping[CacheKey, CacheEntry]) -> CacheEntry:
    return next(iter(entries.values()))


def decode_response(response: httpx.Response, key: CacheKey) -> Any:
    """Decodes the body of a successful response to the shape of ``key``.

    :raises ValueError, TypeError, KeyError, IndexError: if the body does not have that shape.
    """
    if key.shape == "arrow":
        if (media_type := response.headers.get("content-type", "")) != ARROW:
            raise TypeError(f"expected {ARROW}, not {media_type or 'nothing'}")
        return key.decode(response.content)
    body = json.loads(response.content, parse_float=Decimal)
    if not isinstance(body, list if key.shape == "array" else dict):
        raise TypeError(f"expected an {key.shape}")
    if isinstance(body, dict) and (basis := response.headers.get("x-ranked-by")):
        body["ranked_by"] = basis  # the envelope has no field for it
    return key.decode(body)


def _parse_mode(headers: Mapping[str, str]) -> Mode | None:
    mode = headers.get("x-data-mode")
    return cast(Mode, mode) if mode in get_args(Mode) else None
