"""Answers the providers' requests with recorded responses instead of the network.

:class:`ReplayTransport` replaces the transport of the outbound client. All code above it runs as in live
mode: requests, limits, retries, deadlines, parsing, circuit breakers. It opens no socket.
"""

import time
from collections.abc import Callable, Mapping

import httpx

from backend.markets.provider_names import ALTERNATIVE_ME, COINGECKO, COINMARKETCAP
from backend.markets.providers.replay.faults import ALL_PROVIDERS, ERROR_RESPONSES, JSON, TruncatedStream
from backend.markets.providers.replay.recordings import Recordings
from backend.settings import ReplayFault, Settings
from backend.upstream import wait_for_timeout

NOT_RECORDED_BODY = b'{"error": "Nothing is recorded for this request."}'
Sleep = Callable[[float], None]


class ReplayTransport(httpx.BaseTransport):
    """Answers requests to one provider. ``fault`` replaces every response."""

    def __init__(
        self,
        recordings: Recordings,
        provider: str,
        fault: ReplayFault | None = None,
        *,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._recordings = recordings
        self._provider = provider
        self._fault = fault
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self._fault == "hang":
            wait_for_timeout(self._sleep)
        if self._fault is not None and (error := ERROR_RESPONSES.get(self._fault)) is not None:
            return _build_response(error.status, error.content_type, error.body)
        body = self._recordings.find_body(self._provider, request.url.path, dict(request.url.params))
        if body is None:
            return _build_response(404, JSON, NOT_RECORDED_BODY)
        if self._fault == "cut":
            return httpx.Response(200, headers=_build_headers(JSON, body), stream=TruncatedStream(body))
        return _build_response(200, JSON, body)


def _build_response(status: int, content_type: str, body: bytes) -> httpx.Response:
    """A response as a stream. With ``content`` it would count as read, and the client reads streams."""
    return httpx.Response(status, headers=_build_headers(content_type, body), stream=httpx.ByteStream(body))


def _build_headers(content_type: str, body: bytes) -> dict[str, str]:
    return {"Content-Type": content_type, "Content-Length": str(len(body))}


def build_transports(settings: Settings) -> Mapping[str, ReplayTransport]:
    """A transport for each keyless provider, and for CoinMarketCap if the folder has recordings of it."""
    if settings.replay_dir is None:  # the settings require the folder in this mode
        raise ValueError("Replay mode needs a folder of recorded answers: set CHAINPROOF_REPLAY_DIR.")
    recordings = Recordings(settings.replay_dir, restamp=settings.replay_restamp)
    faults = settings.replay_faults_by_provider
    return {
        name: ReplayTransport(recordings, name, faults.get(name, faults.get(ALL_PROVIDERS)))
        for name in (COINGECKO, COINMARKETCAP, ALTERNATIVE_ME)
        if name != COINMARKETCAP or recordings.has_provider(name)
    }
