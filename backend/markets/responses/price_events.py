"""Gives followers of ``/prices`` each new state of the prices."""

from collections.abc import Mapping

from backend.http.events import Event
from backend.markets.responses.snapshot import MarketView


class PriceEvents:
    """An :class:`~backend.http.events.EventSource` with one resource, the whole list of prices."""

    def __init__(self, view: MarketView) -> None:
        self._view = view

    def load(self, known: Mapping[None, Event | None]) -> Mapping[None, Event]:
        prices = self._view.snapshot.prices()
        return {
            key: event
            if event is not None and event.version is prices
            else Event(prices.digest, prices.body, version=prices)
            for key, event in known.items()
        }
