"""Defines every setting of the service, in one frozen object.

Order of precedence: the environment (``CHAINPROOF_*``), then files of secrets (``/run/secrets/chainproof_*``,
or in ``$CHAINPROOF_SECRETS_DIR``), then ``chainproof.toml``, then the defaults below.
Secrets are :class:`pydantic.SecretStr`, so no log, error or ``repr`` contains them.

``docs/settings.md`` is made from this file: the docstring below a field describes it, :class:`Accepts` says
which values it takes if the type does not, and a section begins at each field that ``SECTIONS`` names.
"""

from decimal import Decimal
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import (
    Field,
    SecretStr,
    field_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from backend.runtime.data_folder import default_home
from backend.settings.accepted_values import Accepts
from backend.settings.validators import (
    is_database_address,
    is_http_address,
    is_redis_address,
    normalize_origin,
    parse_rate,
)

Mode = Literal["sample", "live", "replay"]
ReplayFault = Literal["401", "403", "429", "503", "html", "cut", "hang"]
REPLAY_PROVIDERS = ("coingecko", "coinmarketcap", "alternative.me", "all")
TopicWords = Literal["insights", "translations"]
SignIn = Literal["auto", "always", "never"]
OFF = "off"
DEFAULT_PUBLIC_RATE_LIMIT = "600/minute"
CoinGeckoPlan = Literal["keyless", "demo", "pro"]

Address = Annotated[str, Accepts("an address such as https://chainproof.example")]
PublicAddress = Annotated[str, Accepts("an address such as https://chainproof.example, without a path")]
Issuer = Annotated[str, Accepts("an address such as https://chainproof.example, without ? and #")]
Rate = Annotated[str, Accepts("a rate such as 600/minute, or off")]
DatabaseAddress = Annotated[
    SecretStr, Accepts("a PostgreSQL address such as postgresql://user@host:5432/name")
]
RedisAddress = Annotated[
    SecretStr,
    Accepts("an address such as redis://127.0.0.1:6379/0, rediss://… or unix:///…, without options"),
]
Proxies = Annotated[
    tuple[str, ...],
    Accepts("addresses or networks joined by commas, such as 10.0.0.5 or 10.0.0.0/8"),
]
Origins = Annotated[
    tuple[str, ...],
    Accepts("origins joined by commas, such as https://desk.example or http://127.0.0.1:3000"),
]
HostPorts = Annotated[tuple[str, ...], Accepts("host:port pairs joined by commas")]
TopicParts = Annotated[
    tuple[TopicWords, ...], Accepts("insights, translations, both joined by a comma, or none")
]
ReplayFaults = Annotated[
    tuple[str, ...],
    Accepts(
        "pairs such as coingecko=429 joined by commas, of a provider "
        f"({', '.join(REPLAY_PROVIDERS)}) and a fault ({', '.join(get_args(ReplayFault))})"
    ),
]
TickSeconds = Annotated[
    int, Accepts("a whole number of seconds that divides a minute evenly, such as 5, 10, 15 or 30")
]

SECTIONS = {
    "mode": "Basics",
    "host": "Addresses",
    "log_level": "Operation",
    "rate_limit": "Limits",
    "assets_file": "Files of your own",
    "coingecko_plan": "Market data providers",
    "search_searxng_url": "Source finding",
    "model_base_url": "Language model",
    "x_bearer_token": "Posts on X",
    "profiles_file": "Timelines",
    "job_timeout_seconds": "Jobs and retention",
    "sample_seed": "Sample data",
    "replay_dir": "Replay",
}
"""The first field of each section of ``docs/settings.md``."""


class SettingFields(BaseSettings):
    """The fields alone; :class:`~backend.settings.model.Settings` adds the derived values."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    mode: Mode = "sample"
    """Where figures come from: ``sample`` makes them up and uses no network; ``live`` asks the providers;
    ``replay`` answers from a folder of recorded responses."""
    home: Path = Field(default_factory=default_home)
    """The data folder: database, keys, your own files. By default the platform's folder for user data."""
    database_url: DatabaseAddress | None = None
    """The PostgreSQL database, for several machines. By default SQLite in the data folder."""

    host: str = "127.0.0.1"
    """The address that the service listens on. ``0.0.0.0`` makes it reachable from other machines."""
    port: int = Field(default=8000, ge=0, le=65535)
    """The port of the service."""
    management_host: str = "127.0.0.1"
    """The address that the management port listens on."""
    management_port: int | None = Field(default=None, ge=0, le=65535)
    """The port that answers ``/healthz``, ``/readyz`` and ``/metrics`` alone, in time also under overload.
    ``0`` turns it off. By default 1000 above the port of the service; if that port is in use, it is off."""
    dashboard_host: str = "127.0.0.1"
    """The address that the dashboard listens on."""
    dashboard_port: int = Field(default=8501, ge=0, le=65535)
    """The port of the dashboard."""
    dashboard_public_url: PublicAddress | None = None
    """The address at which people open the dashboard. By default its host and port."""
    dashboard_sign_in: SignIn = "auto"
    """Whether people sign in to the dashboard. ``auto``: only if other machines can reach it."""
    dashboard_open_to_all: bool = False
    """Allows a dashboard without sign-in that other machines can reach."""
    dashboard_client_id: str | None = None
    """The dashboard's ``client_id`` at the service, if the two share no data folder."""
    base_url: Address | None = None
    """The address at which the dashboard and commands reach the service. By default its host and port."""
    api_key: SecretStr | None = None
    """The API key or access token of ``chainproof mcp``. By default the local key in the data folder."""
    issuer: Issuer | None = None
    """The service's address as OAuth clients and browsers know it. By default ``CHAINPROOF_BASE_URL``."""
    cors_origins: Origins = ()
    """The origins whose web pages may call the service from a browser. By default none."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe messages that are logged."""
    log_format: Literal["auto", "console", "json"] = "auto"
    """The format of the log. ``auto``: for people in a terminal, otherwise JSON."""
    access_log_sample: float = Field(default=1, ge=0, le=1)
    """The share of requests for prepared responses, such as prices, that is logged. ``0.1`` logs every tenth.
    All other requests are always logged."""
    otlp_endpoint: Address | None = None
    """The OpenTelemetry collector to which traces are sent by OTLP over HTTP. By default none."""
    metrics_public: bool = False
    """Whether ``/metrics`` answers callers on other machines."""
    body_limit_bytes: int = Field(default=8 * 1024 * 1024, ge=1024)
    """The largest request body, in bytes."""

    rate_limit: Rate | None = None
    """How many requests each key, and each address without a key, may make. By default ``off`` while only
    this machine can reach the service, otherwise ``600/minute``."""
    redis_url: RedisAddress | None = None
    """The Redis server in which all processes count requests together. Without it, each counts alone."""
    trusted_proxies: Proxies = ()
    """The proxies whose ``X-Forwarded-For`` header is trusted."""
    request_timeout_seconds: int = Field(default=60, ge=1, le=3600)
    """The time limit of a request, in seconds."""
    threads: int = Field(default=4, ge=2, le=200)
    """Threads in each process that read from the store. More of them make nothing faster."""
    requests_at_once: int = Field(default=64, ge=4, le=10_000)
    """Requests in each process that run or wait for a thread. More are refused with 503."""
    connections_at_once: int = Field(default=1000, ge=16, le=100_000)
    """Connections to each process. Requests on more than these are refused."""

    assets_file: Path | None = None
    """A YAML file of your own assets. By default ``assets.yaml`` in the data folder, if it exists."""
    feeds_file: Path | None = None
    """A YAML file of your own news feeds. By default ``feeds.yaml`` in the data folder, if it exists."""
    rules_dir: Path | None = None
    """A folder of your own naming rules. By default ``rules`` in the data folder, if it exists."""
    scan_processes: int | None = Field(default=None, ge=0, le=64)
    """Processes that scan large batches of articles. By default one fewer than cores, at most 4."""
    violations_keep_days: int = Field(default=400, ge=1)
    """How long stored violations are kept, in days."""

    coingecko_plan: CoinGeckoPlan = "keyless"
    """The CoinGecko plan. ``demo`` and ``pro`` need a key."""
    coingecko_api_key: SecretStr | None = None
    """The CoinGecko API key."""
    coingecko_base_url: Address | None = None
    """Another address of the CoinGecko API. By default the address of the plan."""
    coingecko_monthly_quota: int | None = Field(default=None, ge=100)
    """Calls to CoinGecko in a month. By default the quota of the plan."""
    coinmarketcap_api_key: SecretStr | None = None
    """The CoinMarketCap API key. Without it, CoinMarketCap is not used."""
    coinmarketcap_base_url: Address = "https://pro-api.coinmarketcap.com"
    """The address of the CoinMarketCap API."""
    coinmarketcap_monthly_quota: int = Field(default=10_000, ge=100)
    """CoinMarketCap credits in a month."""
    alternative_me_base_url: Address = "https://api.alternative.me"
    """The address of the alternative.me API, which gives the fear and greed index."""
    primary_provider: Literal["coingecko", "coinmarketcap"] = "coingecko"
    """Whose figure is used if two providers disagree and neither is nearer to the last price."""
    search_searxng_url: Address | None = None
    """A SearXNG instance that answers JSON. Source finding asks it in live mode."""
    search_brave_api_key: SecretStr | None = None
    """The Brave Search API key. With it, source finding asks Brave in live mode."""
    search_brave_base_url: Address = "https://api.search.brave.com"
    """The address of the Brave Search API."""
    search_tavily_api_key: SecretStr | None = None
    """The Tavily API key. With it, source finding asks Tavily in live mode."""
    search_tavily_base_url: Address = "https://api.tavily.com"
    """The address of the Tavily API."""
    fetch_allow: HostPorts = ()
    """Hosts that may be fetched although they are not public."""
    model_base_url: Address | None = None
    """An OpenAI-compatible API such as ``http://127.0.0.1:11434/v1``. It is asked in live mode only."""
    model_name: str | None = None
    """The name of the language model."""
    model_api_key: SecretStr | None = None
    """The API key of the language model."""
    model_price_input: Decimal = Field(default=Decimal(0), ge=0)
    """The price of a million input tokens, in US dollars."""
    model_price_output: Decimal = Field(default=Decimal(0), ge=0)
    """The price of a million output tokens, in US dollars."""
    model_daily_ceiling: Decimal | None = Field(default=None, ge=0)
    """Maximum cost of the model in a day, in US dollars. Above it, the model pauses until midnight UTC."""
    model_topics: TopicParts = ("insights", "translations")
    """What the language model writes for topics."""
    x_bearer_token: SecretStr | None = None
    """An app-only bearer token of the X API. With it, posts about topics are read in live mode."""
    x_base_url: Address = "https://api.x.com"
    """The address of the X API."""
    x_monthly_posts: int = Field(default=10_000, ge=100)
    """Maximum number of posts read in a calendar month, spread over the month. X bills by posts."""
    x_requests_per_15_minutes: int = Field(default=60, ge=1)
    """Maximum number of searches in 15 minutes. If X allows fewer, its limit applies."""

    profiles_file: Annotated[Path | None, Accepts(variable="CHAINPROOF_PROFILES")] = None
    """A JSON file of model profiles: ``{name: {provider, model, model_vendor, inference_provider}}``.
    They can also be written as ``[profiles."name"]`` tables in ``chainproof.toml``."""
    timelines_memory_mib: int = Field(default=96, ge=1)
    """Memory in each HTTP process for the newest runs, in MiB."""

    job_timeout_seconds: int = Field(default=120, ge=1, le=86_400)
    """How long a submitted job may run before it fails, in seconds."""
    shared_jobs: bool = False
    """Whether all callers see each other's jobs and stored violations. By default only their own."""
    jobs_keep_days: int = Field(default=30, ge=2)
    """How long jobs are kept after they finish, in days."""
    news_keep_days: int = Field(default=30, ge=4)
    """How long articles of news feeds are kept, in days."""
    pages_keep_days: int = Field(default=90, ge=1)
    """How long pages that source finding read are kept, in days."""
    source_job_slots: int = Field(default=4, ge=1, le=16)
    """Source-finding jobs that each worker runs at once."""
    extraction_job_slots: int = Field(default=2, ge=1, le=16)
    """Entity-extraction jobs that each worker runs at once."""
    tick_seconds: TickSeconds = Field(default=15, ge=1, le=60)
    """How often the worker checks which provider is due, in seconds."""

    sample_seed: int = 20_26
    """The seed of the sample market. The same seed gives the same figures."""
    sample_with_keys: bool = False
    """Allows sample mode although provider keys are set."""

    replay_dir: Path | None = None
    """The folder of recorded responses for replay mode."""
    replay_restamp: bool = False
    """Whether replay mode moves recorded times to the present. Otherwise old figures are stale."""
    replay_faults: ReplayFaults = ()
    """Faults that replay mode returns instead of responses, by provider."""

    @field_validator(
        "cors_origins", "fetch_allow", "model_topics", "replay_faults", "trusted_proxies", mode="before"
    )
    @classmethod
    def _split_at_commas(cls, value: Any) -> Any:
        if value == "none":
            return ()
        return (
            tuple(part.strip() for part in value.split(",") if part.strip())
            if isinstance(value, str)
            else value
        )

    @field_validator(
        "base_url",
        "coingecko_base_url",
        "coinmarketcap_base_url",
        "alternative_me_base_url",
        "search_searxng_url",
        "search_brave_base_url",
        "search_tavily_base_url",
        "model_base_url",
        "x_base_url",
    )
    @classmethod
    def _check_http_address(cls, value: str | None) -> str | None:
        if value is not None and not is_http_address(value):
            raise ValueError("must be an address such as https://chainproof.example")
        return value

    @field_validator("dashboard_public_url")
    @classmethod
    def _normalize_public_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        origin = normalize_origin(value)
        if origin is None:
            raise ValueError("must be an address such as https://chainproof.example, without a path")
        return origin

    @field_validator("cors_origins")
    @classmethod
    def _normalize_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        origins = []
        for text in value:
            origin = normalize_origin(text)
            if origin is None:
                raise ValueError(
                    "must be origins joined by commas, such as https://desk.example or "
                    f"http://127.0.0.1:3000; {text[:100]!r} is not one."
                )
            origins.append(origin)
        return tuple(origins)

    @field_validator("fetch_allow")
    @classmethod
    def _check_host_ports(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pair in value:
            host, _, port = pair.rpartition(":")
            if not host or not port.isdigit() or not 0 < int(port) < 65536:
                raise ValueError(f"must be host:port pairs joined by commas; {pair!r} is not one.")
        return value

    @field_validator("replay_faults")
    @classmethod
    def _check_replay_faults(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pair in value:
            provider, _, fault = pair.partition("=")
            if provider not in REPLAY_PROVIDERS or fault not in get_args(ReplayFault):
                raise ValueError(f"{pair!r} is not a pair of a provider and a fault.")
        return value

    @field_validator("database_url")
    @classmethod
    def _check_database_address(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not is_database_address(value.get_secret_value()):
            raise ValueError("must be an address such as postgresql://user@host:5432/name")
        return value

    @field_validator("issuer")
    @classmethod
    def _normalize_issuer(cls, value: str | None) -> str | None:
        """Check an issuer identifier of RFC 8414 section 2, and remove the slash at its end."""
        if value is None:
            return None
        parts = urlsplit(value)
        is_valid = value.isascii() and value.isprintable() and " " not in value and parts.hostname
        if (
            not is_valid
            or parts.scheme not in ("http", "https")
            or "@" in parts.netloc
            or "?" in value
            or "#" in value
        ):
            raise ValueError("must be an address such as https://chainproof.example, without ? and #.")
        return value.rstrip("/")

    @field_validator("trusted_proxies")
    @classmethod
    def _check_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
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
    def _check_rate(cls, value: str | None) -> str | None:
        if value is not None and value != OFF:
            parse_rate(value)
        return value

    @field_validator("redis_url")
    @classmethod
    def _check_redis_address(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not is_redis_address(value.get_secret_value()):
            raise ValueError(
                "must be an address such as redis://127.0.0.1:6379/0, rediss://… or unix:///…, "
                "without options."
            )
        return value

    @field_validator("tick_seconds")
    @classmethod
    def _check_tick(cls, value: int) -> int:
        if 60 % value:
            raise ValueError(f"must divide a minute evenly, as 5, 10, 15 or 30 do; {value} does not.")
        return value
