"""Calls the service's HTTP API on behalf of the dashboard."""

from dashboard.client.fetched import Fetched, Mode, Problem

__all__ = ["Fetched", "Mode", "Problem"]
