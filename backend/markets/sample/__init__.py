"""Simulates a crypto market deterministically, for running without any network.

``SampleMarket`` is the market, ``SampleProvider`` one of its two views with the methods of a live provider,
``Schedule`` the times of the scripted events. The data is labelled as sample data; nothing records a real
market.
"""

from backend.markets.sample.event_schedule import Event, EventKind, Schedule
from backend.markets.sample.market import SampleMarket
from backend.markets.sample.provider import SampleProvider

__all__ = ["Event", "EventKind", "SampleMarket", "SampleProvider", "Schedule"]
