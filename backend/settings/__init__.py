"""Settings of the service, where they come from, and what is wrong with them."""

from backend.settings.fields import CoinGeckoPlan, Mode, ReplayFault, TopicWords
from backend.settings.model import Settings
from backend.settings.sources import SettingsError
from backend.settings.validators import is_loopback, parse_rate, reachable

__all__ = [
    "CoinGeckoPlan",
    "Mode",
    "ReplayFault",
    "Settings",
    "SettingsError",
    "TopicWords",
    "is_loopback",
    "parse_rate",
    "reachable",
]
