"""Defines, reads and checks the settings of the service."""

from backend.settings.fields import CoinGeckoPlan, Mode, ReplayFault, TopicWords
from backend.settings.model import Settings
from backend.settings.sources import SettingsError
from backend.settings.validators import is_loopback, parse_rate, to_reachable_host

__all__ = [
    "CoinGeckoPlan",
    "Mode",
    "ReplayFault",
    "Settings",
    "SettingsError",
    "TopicWords",
    "is_loopback",
    "parse_rate",
    "to_reachable_host",
]
