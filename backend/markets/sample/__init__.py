"""A deterministic, labelled simulator of a crypto market, for running without any network.

``SampleMarket`` is the market, ``SampleProvider`` one of its two views behind the methods of a live
provider, ``Schedule`` says when its script shows what. Nothing here records a real market.
"""

from backend.markets.sample.event_schedule import Event, EventKind, Schedule
from backend.markets.sample.market import SampleMarket
from backend.markets.sample.provider import SampleProvider

__all__ = ["Event", "EventKind", "SampleMarket", "SampleProvider", "Schedule"]
