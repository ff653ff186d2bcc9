"""Calls the service and builds one DataFrame per response."""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import quote

import httpx
import pandas as pd

from backend.settings import Settings
from chainproof import frames

Language = Literal["en", "ja", "zh"]
TotalsSpan = Literal["24h", "7d", "30d"]
ChartSpan = Literal["1h", "24h", "7d", "30d", "90d", "1y"]
Param = str | int | Sequence[str] | datetime | None

ARROW = "application/vnd.apache.arrow.stream"
PAGE_SIZE = 100
"""The most topics that the service returns at once."""


class ServiceError(Exception):
    """The service cannot be reached, or refuses a request. The message says why.

    ``status`` is the HTTP status, null without a response; ``code`` is the service's stable word for it.
    """

    def __init__(self, message: str, status: int | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Client:
    """Reads one service.

    Without arguments it reads the service of this machine's settings with ``CHAINPROOF_API_KEY`` or the local
    key. The local key is never sent to a ``base_url`` that is passed in: pass an ``api_key`` with it.

    Money and percentages are exact :class:`~decimal.Decimal` objects; convert a column with
    ``.astype(float)`` to draw it. Scores, statistics and costs of runs are floats. Times are in UTC with
    their time zone. Unknown values are null. Every method raises :class:`ServiceError` if it gets no data.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout_seconds: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        key = api_key or os.environ.get("CHAINPROOF_API_KEY", "").strip()
        if base_url is None:
            settings = Settings()
            base_url = settings.api_url
            key = key or _read_key_file(settings)
        self._http = httpx.Client(
            base_url=base_url,
            headers={"CP-X-API-KEY": key} if key else {},
            timeout=timeout_seconds,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    # -- markets -----------------------------------------------------------------------------

    def rankings(
        self,
        *,
        sort: Literal["market_cap", "pct_change_24h", "pct_change_7d"] = "market_cap",
        order: Literal["desc", "asc"] = "desc",
        limit: int | None = None,
    ) -> pd.DataFrame:
        """Load the assets in order. Index: asset id. Money in USD, changes in percent."""
        return frames.build_figures(
            self._get_json("/rankings", {"sort": sort, "order": order, "limit": limit})
        )

    def prices(self) -> pd.DataFrame:
        """Load the latest price of every asset with its ``source``. Index: asset id. Money in USD."""
        return frames.build_figures(list(self._get_json("/prices").values()))

    def rates(self) -> pd.DataFrame:
        """Load what one USD is worth in each display currency. Index: currency code, such as ``EUR``.

        ``rankings["price_usd"] * rates.loc["EUR", "rate"]`` are the prices in euros.
        """
        return frames.build_rates(self._get_json("/markets/rates")["rates"])

    def totals(self, span: TotalsSpan = "7d") -> pd.DataFrame:
        """Load past totals of the whole market in USD and percent. Index: ``at``, one row an hour at most.

        ``attrs`` of the frame holds ``source``, ``mode`` and ``history_since``, the time of the oldest totals
        that the service has of this source.
        """
        return frames.build_totals(self._get_json("/markets/totals", {"span": span}))

    def candles(self, asset_id: str, span: ChartSpan = "7d") -> pd.DataFrame:
        """Load the candles of an asset in USD. Index: opening time.

        ``1h`` holds up to 12 candles of five minutes, ``24h`` 48 of half an hour, ``7d`` 42 and ``30d`` 180
        of four hours, ``90d`` 90 and ``1y`` 365 of a day. ``attrs`` of the frame holds ``source``, ``basis``
        (what the candles were built from) and ``interval_seconds``.
        """
        return frames.build_candles(
            self._get_json(f"/assets/{_quote_segment(asset_id)}/candles", {"span": span})
        )

    # -- topics ------------------------------------------------------------------------------

    def topics(
        self,
        find: str | None = None,
        *,
        lang: Language = "en",
        category: Literal[0, 1, 2] | None = None,
        entity: str | None = None,
        published_after: datetime | str | None = None,
        published_before: datetime | str | None = None,
        limit: int = PAGE_SIZE,
    ) -> pd.DataFrame:
        """Load up to ``limit`` topics, newest first, that contain the words ``find``. Index: topic id.

        ``entity`` is the id of an asset or organisation. ``category``: 0 breaking, 1 important, 2 normal.
        ``attrs["total"]`` counts all matching topics.
        """
        params: dict[str, Param] = {
            "find": find,
            "lang": lang,
            "category": category,
            "entity": entity,
            "publish_after": published_after,
            "publish_before": published_before,
            "page_size": PAGE_SIZE,
        }
        rows: list[Mapping[str, Any]] = []
        total, page = limit, 1
        while len(rows) < min(limit, total):
            envelope = self._get_json("/topics", {**params, "page": page})
            if not envelope["data"]:  # topics were deleted between two pages
                break
            rows += envelope["data"]
            total, page = envelope["total"], page + 1
        return frames.build_topics(rows[:limit], total if rows else 0)

    def media(self, topic_id: int, *, lang: Language = "en") -> pd.DataFrame:
        """Load what is known to report on a topic. Index: media id.

        ``kind`` is ``primary_source``, ``article`` or ``post``; ``outlet`` is the host of ``url``.
        """
        return frames.build_media(self._get_json(f"/topics/{topic_id}/media", {"lang": lang})["data"])

    # -- runs --------------------------------------------------------------------------------

    def runs(
        self,
        profile: str | None = None,
        *,
        model: str | None = None,
        model_vendor: str | None = None,
        inference_provider: str | None = None,
        case_id: str | None = None,
        limit: int = 1024,
    ) -> pd.DataFrame:
        """Load the newest runs of one profile or of each, oldest first. Index: run id.

        ``limit``: runs per profile, at most 1,024. Columns as in ``backend.timelines.columns.arrow_schema``.
        """
        path = "/v1/timelines" if profile is None else f"/v1/timelines/{_quote_segment(profile)}"
        params: dict[str, Param] = {
            "model": model,
            "model_vendor": model_vendor,
            "inference_provider": inference_provider,
            "case_id": case_id,
            "limit": limit,
        }
        return frames.build_runs(self._get(path, params, accept=ARROW).content)

    def compare(self, first: str, *others: str, lang: Language = "en") -> pd.DataFrame:
        """Compare each of the ``others`` with the profile ``first`` on their shared cases. Index: profile.

        ``difference`` is the profile's mean score minus that of ``first``, as a fraction of the maximum,
        ``low`` and ``high`` its 95 % interval, ``text`` the verdict as a sentence in ``lang``.
        """
        return frames.build_comparison(
            self._get_json("/v1/comparisons", {"profile": [first, *others], "lang": lang})
        )

    # -- requests ----------------------------------------------------------------------------

    def _get_json(self, path: str, params: Mapping[str, Param] | None = None) -> Any:
        """The JSON body; fractions are :class:`~decimal.Decimal`, straight from their literals."""
        return json.loads(self._get(path, params or {}).content, parse_float=Decimal)

    def _get(
        self, path: str, params: Mapping[str, Param], *, accept: str = "application/json"
    ) -> httpx.Response:
        query = {name: _write_param(value) for name, value in params.items() if value is not None}
        try:
            response = self._http.get(path, params=query, headers={"Accept": accept})
        except httpx.HTTPError as error:
            raise ServiceError(
                f"No answer from {self._http.base_url}: {error}. Start the service with `chainproof up`, or "
                "pass its address."
            ) from error
        if response.status_code == httpx.codes.OK:
            return response
        raise _build_error(response)


def _read_key_file(settings: Settings) -> str:
    try:
        return settings.local_key_file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):  # absent, or not readable for us: the service answers 401
        return ""


def _quote_segment(text: str) -> str:
    return quote(text, safe="")


def _write_param(value: Param) -> Any:
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError(f"{value} has no time zone. Pass an aware time, such as datetime(…, tzinfo=UTC).")
    return value.isoformat()


def _build_error(response: httpx.Response) -> ServiceError:
    """The error in the service's own words; its topics use an envelope of their own."""
    try:
        body = response.json()
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    words = body.get("detail") or body.get("message") or response.reason_phrase
    code = body.get("code")
    message = f"{response.status_code} at {response.url.path}: {words}"
    return ServiceError(message, response.status_code, code if isinstance(code, str) else None)
