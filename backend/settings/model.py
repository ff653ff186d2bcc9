"""Reads the settings and derives addresses, limits and paths from them."""

from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

from pydantic import (
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from backend.settings.accepted_values import list_types
from backend.settings.error_messages import build_error
from backend.settings.fields import DEFAULT_PUBLIC_RATE_LIMIT, OFF, ReplayFault, SettingFields
from backend.settings.sources import CollectedSettingsSource
from backend.settings.validators import add_driver, is_loopback, parse_rate, to_reachable_host

MANAGEMENT_PORT_OFFSET = 1000
MAX_PORT = 65535


class Settings(SettingFields):
    """All settings, frozen. Raises :class:`~backend.settings.sources.SettingsError`."""

    @field_validator("*", mode="before")
    @classmethod
    def _check_type(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse ``true`` and ``18000.0`` for a whole number, which pydantic would convert."""
        accepted = list_types(cls.model_fields[str(info.field_name)].annotation)
        if isinstance(value, bool | float) and type(value) not in accepted and int in accepted:
            raise ValueError("it has another type")
        return value

    @model_validator(mode="after")
    def _check_sample_mode(self) -> "Settings":
        keys = self.coingecko_api_key or self.coinmarketcap_api_key
        if self.mode == "sample" and keys and not self.sample_with_keys:
            raise ValueError(
                "Provider keys are set but the mode is 'sample'. Set CHAINPROOF_MODE=live to use them, "
                "or CHAINPROOF_SAMPLE_WITH_KEYS=true to run the sample market anyway."
            )
        return self

    @model_validator(mode="after")
    def _check_coingecko_key(self) -> "Settings":
        if self.mode == "live" and self.coingecko_plan != "keyless" and self.coingecko_api_key is None:
            raise ValueError(
                f"CHAINPROOF_COINGECKO_PLAN is '{self.coingecko_plan}', which needs a key. Set "
                "CHAINPROOF_COINGECKO_API_KEY, or set the plan to 'keyless'."
            )
        return self

    @model_validator(mode="after")
    def _check_replay_folder(self) -> "Settings":
        if self.mode == "replay" and (self.replay_dir is None or not self.replay_dir.is_dir()):
            problem = (
                "is not set" if self.replay_dir is None else f"is {self.replay_dir}, which is not a folder"
            )
            raise ValueError(
                f"Replay mode needs a folder of recorded answers, but CHAINPROOF_REPLAY_DIR {problem}. "
                "docs/replay.md describes the folder."
            )
        return self

    @model_validator(mode="after")
    def _check_dashboard_access(self) -> "Settings":
        is_public = not is_loopback(self.dashboard_host)
        if self.dashboard_sign_in == "never" and is_public and not self.dashboard_open_to_all:
            raise ValueError(
                f"The dashboard would listen on {self.dashboard_host} and let everybody act with the local "
                "key. Leave CHAINPROOF_DASHBOARD_SIGN_IN at 'auto', or set "
                "CHAINPROOF_DASHBOARD_OPEN_TO_ALL=true if that is intended."
            )
        return self

    @model_validator(mode="wrap")
    @classmethod
    def _convert_validation_errors(cls, values: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Convert errors of all other validators into :class:`~backend.settings.sources.SettingsError`."""
        try:
            return handler(values)
        except ValidationError as error:
            raise build_error(error, cls.model_fields) from None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings, CollectedSettingsSource(settings_cls))

    @property
    def is_offline(self) -> bool:
        """True in every mode except live: the service then sends no requests to other hosts."""
        return self.mode != "live"

    @cached_property
    def data_source_label(self) -> str:
        """Where the market data comes from, as text."""
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

    @property
    def app_database_file(self) -> Path:
        """The SQLite file of the application's database; unused with PostgreSQL."""
        return self.home / "chainproof.db"

    @cached_property
    def app_database_url(self) -> str:
        """SQLAlchemy URL of the application's database: PostgreSQL if configured, else a file."""
        if self.database_url is not None:
            return add_driver(self.database_url.get_secret_value())
        return f"sqlite:///{self.app_database_file}"

    @cached_property
    def jobs_database_url(self) -> str:
        """SQLAlchemy URL of the job engine's database.

        With SQLite it is a separate file, so that the two databases do not share a write lock.
        """
        if self.database_url is not None:
            return add_driver(self.database_url.get_secret_value())
        return f"sqlite:///{self.home / 'jobs.db'}"

    @cached_property
    def is_sqlite(self) -> bool:
        return self.app_database_url.startswith("sqlite")

    @cached_property
    def api_url(self) -> str:
        return (self.base_url or f"http://{to_reachable_host(self.host)}:{self.port}").rstrip("/")

    @cached_property
    def effective_management_port(self) -> int:
        """The port of the management listener, by default derived from ``port``; 0 if there is none."""
        if self.management_port is not None:
            return self.management_port
        port = self.port + MANAGEMENT_PORT_OFFSET
        return port if self.port and port <= MAX_PORT else 0

    @cached_property
    def management_url(self) -> str | None:
        """The URL of the management listener; None if there is none."""
        port = self.effective_management_port
        return f"http://{to_reachable_host(self.management_host)}:{port}" if port else None

    @cached_property
    def issuer_url(self) -> str:
        return self.issuer or self.api_url

    @cached_property
    def is_reachable_from_other_machines(self) -> bool:
        """Whether other machines can reach the service, directly or through a proxy."""
        return not is_loopback(self.host) or bool(self.trusted_proxies)

    @cached_property
    def parsed_rate_limit(self) -> tuple[int, int] | None:
        """The rate limit as requests and seconds; None if there is no limit."""
        text = self.rate_limit or (
            DEFAULT_PUBLIC_RATE_LIMIT if self.is_reachable_from_other_machines else OFF
        )
        return None if text == OFF else parse_rate(text)

    @cached_property
    def dashboard_url(self) -> str:
        return f"http://{to_reachable_host(self.dashboard_host)}:{self.dashboard_port}"

    @cached_property
    def dashboard_public_origin(self) -> str:
        """The origin (scheme, host and port) at which people open the dashboard in a browser."""
        return self.dashboard_public_url or self.dashboard_url

    @cached_property
    def dashboard_redirect_uri(self) -> str:
        """The URL to which the service redirects people after they sign in to the dashboard."""
        return f"{self.dashboard_public_origin}/sign-in/callback"

    @cached_property
    def dashboard_requires_sign_in(self) -> bool:
        """True if people must sign in to the dashboard. ``auto`` requires it unless the host is loopback."""
        if self.dashboard_sign_in == "auto":
            return not is_loopback(self.dashboard_host)
        return self.dashboard_sign_in == "always"

    @cached_property
    def dashboard_oauth_client_file(self) -> Path:
        """Contains the dashboard's registration as an OAuth application."""
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
