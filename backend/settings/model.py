"""Reads the settings and derives what follows from them: addresses, limits, paths."""

from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

from pydantic import ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from backend.settings.error_messages import explain
from backend.settings.fields import OFF, RATE_BEYOND, ReplayFault, SettingFields
from backend.settings.sources import FoundSettings
from backend.settings.validators import is_loopback, parse_rate, reachable, with_driver

MANAGEMENT_PORT_OFFSET = 1000
LAST_PORT = 65535


class Settings(SettingFields):
    """All settings, frozen. Raises :class:`~backend.settings.sources.SettingsError`."""

    @model_validator(mode="after")
    def _sample_beside_keys(self) -> "Settings":
        keys = self.coingecko_api_key or self.coinmarketcap_api_key
        if self.mode == "sample" and keys and not self.sample_with_keys:
            raise ValueError(
                "Provider keys are set but the mode is 'sample'. Set CHAINPROOF_MODE=live to use them, "
                "or CHAINPROOF_SAMPLE_WITH_KEYS=true to run the sample market all the same."
            )
        return self

    @model_validator(mode="after")
    def _has_recordings(self) -> "Settings":
        if self.mode == "replay" and (self.replay_dir is None or not self.replay_dir.is_dir()):
            told = "is not set" if self.replay_dir is None else f"is {self.replay_dir}, which is no folder"
            raise ValueError(
                f"Replay mode needs a folder of recorded answers, but CHAINPROOF_REPLAY_DIR {told}. "
                "docs/replay.md describes the folder."
            )
        return self

    @model_validator(mode="after")
    def _nobody_signs_in(self) -> "Settings":
        beyond = not is_loopback(self.dashboard_host)
        if self.dashboard_sign_in == "never" and beyond and not self.dashboard_open_to_all:
            raise ValueError(
                f"The dashboard would listen on {self.dashboard_host} and let everybody act with the local "
                "key. Leave CHAINPROOF_DASHBOARD_SIGN_IN at 'auto', or set "
                "CHAINPROOF_DASHBOARD_OPEN_TO_ALL=true if that is meant."
            )
        return self

    @model_validator(mode="wrap")
    @classmethod
    def _explain(cls, values: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Raises :class:`~backend.settings.sources.SettingsError`. Stands behind all other validators."""
        try:
            return handler(values)
        except ValidationError as error:
            raise explain(error, cls.model_fields) from None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings, FoundSettings(settings_cls))

    @property
    def is_offline(self) -> bool:
        """Whether no other host is asked: in every mode but live."""
        return self.mode != "live"

    @cached_property
    def data_in_words(self) -> str:
        """Where figures come from, for people."""
        match self.mode:
            case "sample":
                return "sample data, no network"
            case "live":
                return "live data"
            case "replay":
                return f"answers recorded in {self.replay_dir}, no network"

    @cached_property
    def replay_faults_by_provider(self) -> dict[str, ReplayFault]:
        return {
            provider: cast(ReplayFault, fault)
            for provider, _, fault in (pair.partition("=") for pair in self.replay_faults)
        }

    @cached_property
    def app_database_url(self) -> str:
        """SQLAlchemy address of the application's data: PostgreSQL if configured, else a file."""
        if self.database_url is not None:
            return with_driver(self.database_url.get_secret_value())
        return f"sqlite:///{self.home / 'chainproof.db'}"

    @cached_property
    def jobs_database_url(self) -> str:
        """Address of the job engine's data: on SQLite a second file, so that each has a write lock."""
        if self.database_url is not None:
            return with_driver(self.database_url.get_secret_value())
        return f"sqlite:///{self.home / 'jobs.db'}"

    @cached_property
    def is_sqlite(self) -> bool:
        return self.app_database_url.startswith("sqlite")

    @cached_property
    def api_url(self) -> str:
        return (self.base_url or f"http://{reachable(self.host)}:{self.port}").rstrip("/")

    @cached_property
    def management_listener_port(self) -> int:
        """The port of the management listener; 0 if there is none."""
        if self.management_port is not None:
            return self.management_port
        port = self.port + MANAGEMENT_PORT_OFFSET
        return port if self.port and port <= LAST_PORT else 0

    @cached_property
    def management_url(self) -> str | None:
        """The address of the management listener; null if there is none."""
        port = self.management_listener_port
        return f"http://{reachable(self.management_host)}:{port}" if port else None

    @cached_property
    def issuer_url(self) -> str:
        return self.issuer or self.api_url

    @cached_property
    def is_reached_from_beyond(self) -> bool:
        """Whether others than programs on this machine can reach the service, directly or by a proxy."""
        return not is_loopback(self.host) or bool(self.trusted_proxies)

    @cached_property
    def rate(self) -> tuple[int, int] | None:
        """How many requests in how many seconds; null when that is not limited."""
        told = self.rate_limit or (RATE_BEYOND if self.is_reached_from_beyond else OFF)
        return None if told == OFF else parse_rate(told)

    @cached_property
    def dashboard_url(self) -> str:
        return f"http://{reachable(self.dashboard_host)}:{self.dashboard_port}"

    @cached_property
    def dashboard_origin(self) -> str:
        """The address at which people open the dashboard, as a browser writes an origin."""
        return self.dashboard_public_url or self.dashboard_url

    @cached_property
    def dashboard_redirect_uri(self) -> str:
        """Where the service sends people back to who signed in to the dashboard."""
        return f"{self.dashboard_origin}/sign-in/callback"

    @cached_property
    def dashboard_signs_in(self) -> bool:
        """Whether people sign in to the dashboard."""
        if self.dashboard_sign_in == "auto":
            return not is_loopback(self.dashboard_host)
        return self.dashboard_sign_in == "always"

    @cached_property
    def dashboard_client_file(self) -> Path:
        """Holds what the service registered the dashboard as."""
        return self.home / "dashboard-client.json"

    @cached_property
    def local_key_file(self) -> Path:
        return self.home / "local.key"

    @cached_property
    def user_rules_dir(self) -> Path:
        return self.rules_dir or self.home / "rules"

    @cached_property
    def user_assets_file(self) -> Path:
        return self.assets_file or self.home / "assets.yaml"

    @cached_property
    def user_feeds_file(self) -> Path:
        return self.feeds_file or self.home / "feeds.yaml"
