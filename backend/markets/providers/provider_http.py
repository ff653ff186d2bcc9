"""One question to a provider: what went over the wire, before anybody knows what it means."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime

from backend.markets.model import Fault, ProviderError
from backend.markets.providers import parsing
from backend.upstream import FailureKind, UpstreamClient, UpstreamFailure

_MONTH = 31 * 86_400.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A provider's answer: ``payload`` is the JSON, or null with the reason in ``unreadable``."""

    status: int
    headers: Mapping[str, str]
    text: str
    payload: object
    unreadable: str | None


def ask(
    provider: str, client: UpstreamClient, path: str, params: Mapping[str, str | int] | None = None
) -> Answer:
    """The answer at ``path``, whatever its status. Raises :class:`ProviderError` if there is none."""
    try:
        response = client.get(path, params)
    except UpstreamFailure as failure:
        fault = Fault.MALFORMED if failure.kind is FailureKind.TOO_LARGE else Fault.UNAVAILABLE
        raise ProviderError(provider, fault, failure.message.rstrip(".")) from None
    text = response.body[:1000].decode("utf-8", errors="replace")
    try:
        return Answer(response.status, response.headers, text, parsing.load(response.body), None)
    except parsing.UnreadableError as error:
        return Answer(response.status, response.headers, text, None, str(error))


def said_in(answer: Answer, message: str | None) -> str:
    """The provider's words as a part of our sentence, or what can be said without any."""
    if message is not None:
        return message.rstrip(". ")
    if answer.status >= 500:
        return "out of order"
    return f"refused, and the answer {answer.unreadable}" if answer.unreadable else "refused"


def fault_of_denial(answer: Answer, *, keyed: bool) -> Fault:
    """A refused key, if one was sent and the provider itself answers. A web page or text is of a firewall
    or proxy in front of it, which knows no keys."""
    return Fault.UNAUTHORISED if keyed and not answer.unreadable else Fault.REFUSED


def fault_of_status(answer: Answer, *, keyed: bool, status: int | None = None) -> Fault:
    """What an HTTP status other than success means when the body says nothing better. ``status`` is given
    where the body names another than the answer's own; ``keyed`` says whether a key was sent."""
    status = answer.status if status is None else status
    match status:
        case 401 | 402 | 403:
            return fault_of_denial(answer, keyed=keyed)
        case 404 | 410:
            return Fault.NOT_FOUND
        case 429:
            return Fault.THROTTLED
        case 408 | 425:
            return Fault.UNAVAILABLE
        case _ if status >= 500:
            return Fault.UNAVAILABLE
        case _:
            return Fault.MALFORMED


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait as the provider told: ``Retry-After`` (seconds or a date), then
    ``X-RateLimit-Reset`` (seconds, or an epoch in seconds or milliseconds). Null if it did not tell.
    """
    told = headers.get("retry-after", "").strip()
    if told:
        seconds = parsing.number(told)
        waited = float(seconds) if seconds is not None else _until_date(told, now)
        if waited is not None and waited >= 0:
            return min(waited, _MONTH)
    reset = parsing.not_negative(headers.get("x-ratelimit-reset", ""))
    if reset is None:
        return None
    if reset >= 100_000_000_000:
        reset /= 1000
    if reset >= 1_000_000_000:
        reset = max(Decimal(0), reset - Decimal(int(now.timestamp())))
    return min(float(reset), _MONTH)


def _until_date(told: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(told)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return max(0.0, (moment - now).total_seconds())
    except (ValueError, OverflowError):
        return None
