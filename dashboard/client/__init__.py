"""The dashboard's way to the service: HTTP only."""

from dashboard.client import api
from dashboard.client.fetched import Fetched, Mode, Problem

__all__ = ["Fetched", "Mode", "Problem", "api"]
