"""Answers the providers' requests from recorded answers instead of the network.

:class:`ReplayTransport` stands below the one outbound client, so that everything above it is what live mode
runs: requests, limits, retries, deadlines, parsing, circuit breakers. It opens no socket.
"""

import time
from collections.abc import Callable, Mapping

import httpx

from backend.markets.providers.replay.faults import EVERY, JSON, REFUSALS, CutOff
from backend.markets.providers.replay.recordings import ALTERNATIVE_ME, COINGECKO, COINMARKETCAP, Recordings
from backend.settings import ReplayFault, Settings
from backend.upstream import wait_for_timeout

__all__ = ["ALTERNATIVE_ME", "COINGECKO", "COINMARKETCAP", "Recordings", "ReplayTransport", "transports"]

NOTHING = b'{"error": "Nothing is recorded for this request."}'
Sleep = Callable[[float], None]


class ReplayTransport(httpx.BaseTransport):
    """Answers requests to one provider; ``fault`` stands in for every answer."""

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
        if self._fault is not None and (refusal := REFUSALS.get(self._fault)) is not None:
            return _response(refusal.status, refusal.content_type, refusal.body)
        body = self._recordings.answer(self._provider, request.url.path, dict(request.url.params))
        if body is None:
            return _response(404, JSON, NOTHING)
        if self._fault == "cut":
            return httpx.Response(200, headers=_headers(JSON, body), stream=CutOff(body))
        return _response(200, JSON, body)


def _response(status: int, content_type: str, body: bytes) -> httpx.Response:
    """As a server sends it: a response with ``content`` would count as read, and the client reads streams."""
    return httpx.Response(status, headers=_headers(content_type, body), stream=httpx.ByteStream(body))


def _headers(content_type: str, body: bytes) -> dict[str, str]:
    return {"Content-Type": content_type, "Content-Length": str(len(body))}


def transports(settings: Settings) -> Mapping[str, ReplayTransport]:
    """A transport for each provider that the folder of recordings has, and for those that need no key."""
    if settings.replay_dir is None:  # the settings see to it in this mode
        raise ValueError("Replay mode needs a folder of recorded answers: set CHAINPROOF_REPLAY_DIR.")
    recordings = Recordings(settings.replay_dir, restamp=settings.replay_restamp)
    faults = settings.replay_faults_by_provider
    return {
        name: ReplayTransport(recordings, name, faults.get(name, faults.get(EVERY)))
        for name in (COINGECKO, COINMARKETCAP, ALTERNATIVE_ME)
        if name != COINMARKETCAP or recordings.has(name)
    }
