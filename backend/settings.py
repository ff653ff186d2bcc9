"""Every setting of the service, in one frozen object.

Order of authority: the environment (``CHAINPROOF_*``), then files of secrets
(``/run/secrets/chainproof_*``, or in ``$CHAINPROOF_SECRETS_DIR``), then ``chainproof.toml``, then the
defaults below, which need nothing. Secrets are :class:`pydantic.SecretStr`, so that no log, error or
``repr`` can hold them.
"""

import os
from decimal import Decimal
from functools import cached_property
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from backend.data_folder import config_file, default_home

Mode = Literal["sample", "live"]
TopicWords = Literal["insights", "translations"]
SignIn = Literal["auto", "always", "never"]
OFF = "off"
RATE_BEYOND = "600/minute"
REDIS_SCHEMES = ("redis", "rediss", "unix")
CoinGeckoPlan = Literal["keyless", "demo", "pro"]


def secrets_dir() -> Path | None:
    """Where files named as settings hold one secret each, as container engines mount them."""
    folder = Path(os.environ.get("CHAINPROOF_SECRETS_DIR") or "/run/secrets")
    return folder if folder.is_dir() else None


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="CHAINPROOF_",
        frozen=True,
        populate_by_name=True,
        extra="ignore",
        env_ignore_empty=True,
        hide_input_in_errors=True,
    )

    mode: Mode = "sample"
    home: Path = Field(default_factory=default_home)
    database_url: SecretStr | None = None

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    dashboard_host: str = "127.0.0.1"
    dashboard_port: int = Field(default=8501, ge=0, le=65535)
    dashboard_public_url: str | None = None
    """Where people open the dashboard, as ``https://chainproof.example``; by default the address above."""
    dashboard_sign_in: SignIn = "auto"
    """Whether people sign in to the dashboard; ``auto``: where it listens beyond this machine."""
    dashboard_open_to_all: bool = False
    """Without a sign-in the dashboard listens on this machine alone unless this says that more is meant."""
    dashboard_client_id: str | None = None
    """The dashboard's ``client_id`` at the service, where the two share no data folder."""
    dashboard_sessions_dir: Path | None = None
    """Where sign-ins outlive a restart of the dashboard; by default in the data folder."""
    base_url: str | None = None
    """Where the dashboard and programs reach the service; by default the host and port above."""
    issuer: str | None = None
    """The service's address as OAuth clients and browsers know it; by default the base URL."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "console", "json"] = "auto"
    metrics_public: bool = False
    """Whether ``/metrics`` answers callers beyond loopback."""
    body_limit_bytes: int = Field(default=8 * 1024 * 1024, ge=1024)

    rate_limit: str | None = None
    """How often each key, and each address without one, may ask: ``600/minute``, or ``off``. By default
    off while only this machine can reach the service, and ``600/minute`` otherwise."""
    redis_url: SecretStr | None = None
    """Where all processes count requests together; without it, each counts alone."""
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = ()
    """Addresses and networks of the proxies whose ``X-Forwarded-For`` is believed."""
    request_timeout_seconds: int = Field(default=60, ge=1, le=3600)
    """How long a request may be worked at before its caller is told that it takes too long."""
    threads: int = Field(default=4, ge=2, le=200)
    """That each process answers from the store with; more make nothing faster, and all else slower."""
    requests_at_once: int = Field(default=64, ge=4, le=10_000)
    """Requests that each process works at or has waiting for one of these threads; more are refused."""
    connections_at_once: int = Field(default=1000, ge=16, le=100_000)
    """Connections to each process; what more of them ask is refused."""

    assets_file: Path | None = None
    """A user's own YAML file of assets; by default ``assets.yaml`` in the data folder, if there."""
    feeds_file: Path | None = None
    """A user's own YAML file of news feeds; by default ``feeds.yaml`` in the data folder, if there."""
    rules_dir: Path | None = None
    """A user's own naming rules (``*.yaml``); by default ``rules`` in the data folder, if there."""
    scan_processes: int | None = Field(default=None, ge=0, le=64)
    """Processes that large batches of articles are spread over; by default one fewer than cores, up to 4."""
    violations_keep_days: int = Field(default=400, ge=1)

    coingecko_plan: CoinGeckoPlan = "keyless"
    coingecko_api_key: SecretStr | None = None
    coingecko_base_url: str | None = None
    coingecko_monthly_quota: int | None = Field(default=None, ge=100)
    coinmarketcap_api_key: SecretStr | None = None
    coinmarketcap_base_url: str = "https://pro-api.coinmarketcap.com"
    coinmarketcap_monthly_quota: int = Field(default=10_000, ge=100)
    alternative_me_base_url: str = "https://api.alternative.me"
    primary_provider: Literal["coingecko", "coinmarketcap"] = "coingecko"
    """Whose figures stand where two providers disagree and neither is nearer the last price."""
    search_searxng_url: str | None = None
    """Address of a SearXNG instance that answers JSON, which source finding asks in live mode."""
    search_brave_api_key: SecretStr | None = None
    search_brave_base_url: str = "https://api.search.brave.com"
    search_tavily_api_key: SecretStr | None = None
    search_tavily_base_url: str = "https://api.tavily.com"
    model_base_url: str | None = None
    """An OpenAI-compatible address such as ``http://127.0.0.1:11434/v1``, asked in live mode alone."""
    model_name: str | None = None
    model_api_key: SecretStr | None = None
    model_price_input: Decimal = Field(default=Decimal(0), ge=0)
    """What a million tokens cost that a model is sent, in US dollars."""
    model_price_output: Decimal = Field(default=Decimal(0), ge=0)
    """The same of what it writes."""
    model_daily_ceiling: Decimal | None = Field(default=None, ge=0)
    """The most that a day may cost, in US dollars; then no model is asked until midnight UTC."""
    model_topics: Annotated[tuple[TopicWords, ...], NoDecode] = ("insights", "translations")
    """What a configured model words of topics; empty, or ``none``, is nothing."""
    x_bearer_token: SecretStr | None = None
    """An app-only bearer token of the X API, by which live mode reads posts of topics; without it none."""
    x_base_url: str = "https://api.x.com"
    x_monthly_posts: int = Field(default=10_000, ge=100)
    """The most posts that are read in a calendar month, which is what X bills; spread over the month."""
    x_requests_per_15_minutes: int = Field(default=60, ge=1)
    """The most searches in 15 minutes; where X itself says fewer, that holds."""
    fetch_allow: Annotated[tuple[str, ...], NoDecode] = ()
    """``host:port`` pairs that the guarded client may reach although they are not public."""

    profiles_file: Path | None = Field(default=None, validation_alias="CHAINPROOF_PROFILES")
    """A JSON file of model profiles; see also the tables ``[profiles."name"]`` of ``chainproof.toml``."""
    timelines_memory_mib: int = Field(default=96, ge=1)
    """What each HTTP process may keep of the newest runs, as they are sent, in MiB."""

    job_timeout_seconds: int = Field(default=120, ge=1, le=86_400)
    """How long a submitted job may run before it fails."""
    news_keep_days: int = Field(default=30, ge=4)
    """How long articles out of feeds stay behind the topics made of them."""
    jobs_keep_days: int = Field(default=30, ge=2)
    """How long jobs can be read after they ended."""
    pages_keep_days: int = Field(default=90, ge=1)
    """How long pages that source finding read can be found again."""
    source_job_slots: int = Field(default=4, ge=1, le=16)
    """Source-finding jobs that each process that works runs at once."""
    extraction_job_slots: int = Field(default=2, ge=1, le=16)
    """Threads that each process that works gives to extractions of entities."""

    tick_seconds: int = Field(default=15, ge=1, le=60)
    """How often the market refresh looks whether a provider is due."""
    sample_seed: int = 20_26
    sample_with_keys: bool = False
    """Sample mode refuses to start beside provider keys unless this says that it is meant."""

    @field_validator("fetch_allow", "model_topics", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if value == "none":
            return ()
        return (
            tuple(part.strip() for part in value.split(",") if part.strip())
            if isinstance(value, str)
            else value
        )

    @field_validator("dashboard_public_url")
    @classmethod
    def _is_an_origin(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            right = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            right = False
        if not right or parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
            raise ValueError("must be an address such as https://chainproof.example, without a path.")
        usual = {"http": ":80", "https": ":443"}[parts.scheme]
        return f"{parts.scheme}://{parts.netloc.lower().removesuffix(usual)}"

    @field_validator("fetch_allow")
    @classmethod
    def _pairs(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pair in value:
            host, _, port = pair.rpartition(":")
            if not host or not port.isdigit() or not 0 < int(port) < 65536:
                raise ValueError(f"must be host:port pairs joined by commas; {pair!r} is not one.")
        return value

    @field_validator("issuer")
    @classmethod
    def _issues(cls, value: str | None) -> str | None:
        """An address of RFC 8414 section 2, without the slash at its end."""
        if value is None:
            return None
        parts = urlsplit(value)
        fit = value.isascii() and value.isprintable() and " " not in value and parts.hostname
        if (
            not fit
            or parts.scheme not in ("http", "https")
            or "@" in parts.netloc
            or "?" in value
            or "#" in value
        ):
            raise ValueError("must be an address such as https://chainproof.example, without ? and #.")
        return value.rstrip("/")

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            try:
                ip_network(name)
            except ValueError:
                raise ValueError(
                    "must be addresses or networks joined by commas, such as 10.0.0.5 or 10.0.0.0/8; "
                    f"{name!r} is neither."
                ) from None
        return value

    @field_validator("rate_limit")
    @classmethod
    def _rate(cls, value: str | None) -> str | None:
        if value is not None and value != OFF:
            parse_rate(value)
        return value

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not _is_redis_address(value.get_secret_value()):
            raise ValueError(
                "must be an address such as redis://127.0.0.1:6379/0, rediss://… or unix:///…, "
                "without options."
            )
        return value

    @field_validator("tick_seconds")
    @classmethod
    def _divides_a_minute(cls, value: int) -> int:
        if 60 % value:
            raise ValueError(f"must divide a minute evenly, as 5, 10, 15 or 30 do; {value} does not.")
        return value

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
    def _nobody_signs_in(self) -> "Settings":
        beyond = not is_loopback(self.dashboard_host)
        if self.dashboard_sign_in == "never" and beyond and not self.dashboard_open_to_all:
            raise ValueError(
                f"The dashboard would listen on {self.dashboard_host} and let everybody act with the local "
                "key. Leave CHAINPROOF_DASHBOARD_SIGN_IN at 'auto', or set "
                "CHAINPROOF_DASHBOARD_OPEN_TO_ALL=true if that is meant."
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        found = config_file()
        toml = (TomlConfigSettingsSource(settings_cls, found),) if found else ()
        folder = secrets_dir()
        files = (SecretsSettingsSource(settings_cls, secrets_dir=folder),) if folder else ()
        return (init_settings, env_settings, *files, *toml)

    @cached_property
    def app_database_url(self) -> str:
        """SQLAlchemy address of the application's data: PostgreSQL if configured, else a file."""
        if self.database_url is not None:
            return _psycopg(self.database_url.get_secret_value())
        return f"sqlite:///{self.home / 'chainproof.db'}"

    @cached_property
    def jobs_database_url(self) -> str:
        """Address of the job engine's data: on SQLite a second file, so that each has a write lock."""
        if self.database_url is not None:
            return _psycopg(self.database_url.get_secret_value())
        return f"sqlite:///{self.home / 'jobs.db'}"

    @cached_property
    def is_sqlite(self) -> bool:
        return self.app_database_url.startswith("sqlite")

    @cached_property
    def api_url(self) -> str:
        return (self.base_url or f"http://{reachable(self.host)}:{self.port}").rstrip("/")

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


def parse_rate(text: str) -> tuple[int, int]:
    """Requests and seconds of a rate such as ``600/minute`` or ``20 per 10 seconds``."""
    import limits  # not at the top: most starts need it not, and it takes a tenth of a second

    try:
        found = [(item.amount, item.get_expiry()) for item in limits.parse_many(text)]
    except ValueError:
        found = []
    if len(found) != 1 or not found[0][0]:
        raise ValueError(f"must be a rate such as 600/minute, or {OFF}; {text[:40]!r} is not one.")
    return found[0]


def _is_redis_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        named = parts.path if parts.scheme == "unix" else parts.hostname
        return parts.scheme in REDIS_SCHEMES and bool(named) and not parts.query and (parts.port or 1) > 0
    except ValueError:  # a port that is no number
        return False


def reachable(host: str) -> str:
    """``host`` as a URL on this machine names it: loopback where a program listens on every address."""
    try:
        address = ip_address(host)
    except ValueError:  # a name
        return host
    if address.is_unspecified:
        return "127.0.0.1"
    return f"[{host}]" if address.version == 6 else host


def is_loopback(host: str) -> bool:
    """Whether what listens on ``host`` is reached from this machine alone; of names, ``localhost`` is."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _psycopg(url: str) -> str:
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            return "postgresql+psycopg://" + url.removeprefix(scheme)
    return url
