"""Builds the ASGI application: routers, middleware, shared services, start and shutdown."""

import gc
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, cast

import structlog
from anyio import to_thread
from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from sqlalchemy.exc import SQLAlchemyError

from backend import migrations
from backend.articles.router import router as articles_router
from backend.articles.rules import active_rules
from backend.articles.service import ArticleService
from backend.auth import gate
from backend.auth import service as auth_service
from backend.auth.credentials import Credentials
from backend.auth.key_cache import KeyCache
from backend.auth.oauth import authorize_router as oauth_page
from backend.auth.oauth import dashboard_app as auth_dashboard
from backend.auth.oauth import grants as oauth_grants
from backend.auth.oauth import retention as oauth_retention
from backend.auth.oauth import router as oauth_router
from backend.auth.oauth.openapi import build_oauth2_scheme
from backend.auth.oauth.service import OAuth
from backend.auth.oauth.token_cache import TokenCache
from backend.entity_names.names_response import NamesResponseCache
from backend.entity_names.router import router as names_router
from backend.extraction.router import router as extraction_router
from backend.formats.timestamps import Clock, utc_now
from backend.http import health, openapi
from backend.http.error_handlers import install_error_handlers
from backend.http.event_streams import EventStreams
from backend.http.limits.load_shedding import LoadShedder
from backend.http.middleware import PreparedResponses, RequestLimits, ServiceMiddleware
from backend.http.pages import docs_page, landing_page
from backend.http.prepared_responses import Prepared
from backend.jobs.heartbeat import WorkerWatch
from backend.jobs.job_events import JobEvents
from backend.language_model import metrics as model_gauges
from backend.markets.icons import icon_store
from backend.markets.icons import router as icon_router
from backend.markets.icons.icon_store import IconStore
from backend.markets.responses.snapshot import CHANGE_TOPIC
from backend.markets.router import router as markets_router
from backend.markets.service import MarketService
from backend.mcp import router as mcp_router
from backend.mcp.sdk_host import SdkHost
from backend.runtime import logs, tracing
from backend.settings import Settings
from backend.sources.router import router as sources_router
from backend.store.change_watcher import ChangeWatcher
from backend.store.database import Database
from backend.timelines.comparisons.router import router as comparisons_router
from backend.timelines.comparisons.service import ComparisonService
from backend.timelines.evaluations.router import router as evaluations_router
from backend.timelines.router import router as timelines_router
from backend.timelines.schemas import run_components
from backend.timelines.service import TimelineService
from backend.topics.router import router as topics_router
from backend.topics.service import TopicService
from backend.topics.store import topic_store
from backend.web_feeds.json_feed import build_components
from backend.web_feeds.router import router as web_feeds_router

if TYPE_CHECKING:
    from backend.http.limits.rate_limiter import RateLimiter

log = structlog.get_logger(__name__)
ROUTERS = (
    health.router,
    docs_page.router,
    landing_page.router,
    oauth_page.router,
    oauth_router.router,
    oauth_router.introspection,
    mcp_router.router,
    mcp_router.gated,
    names_router,
    markets_router,
    icon_router.router,
    articles_router,
    sources_router,
    extraction_router,
    topics_router,
    web_feeds_router,
    timelines_router,
    comparisons_router,
    evaluations_router,
)
STORE_TIMEOUT_SECONDS = 10.0
"""A request that waits longer for the store is refused with 503."""
NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "auto_configure": False,
}
"""FastAPI's own spans and logs have queries and messages of exceptions, and miss the prepared responses."""
LAST_USED_INTERVAL_SECONDS = 30.0
"""How often the keys' ``last_used_at`` is written."""


def create_app(settings: Settings | None = None, *, now: Clock = utc_now) -> ServiceMiddleware:
    """Build the service as one ASGI application over a migrated store.

    ``now`` is the clock of market responses and of OAuth. Tests set it.
    """
    settings = settings or Settings()
    logs.configure(settings.log_format, settings.log_level)
    tracing.start(settings.otlp_endpoint, "chainproof-service")
    migrations.upgrade(settings.app_database_url)
    database = Database(settings.app_database_url, statement_seconds=STORE_TIMEOUT_SECONDS)
    auth_service.ensure_local_key(database, settings.local_key_file, datetime.now(UTC))
    if settings.dashboard_requires_sign_in and not settings.dashboard_client_id:
        file, address = settings.dashboard_oauth_client_file, settings.dashboard_redirect_uri
        auth_dashboard.ensure_registered(database, file, address, datetime.now(UTC))
    keys = KeyCache(database)
    tokens = TokenCache(database, clock=_build_seconds_clock(now))
    credentials = Credentials(keys, tokens)
    credentials.reload()
    watcher = ChangeWatcher(database)
    market = MarketService(settings, database, now=now)
    symbols = {asset.id: asset.symbol for asset in market.market.registry}
    images = IconStore(database, symbols, live=settings.mode == "live")
    articles = ArticleService(settings, database, now=now)
    names = NamesResponseCache(articles.rules, market.market.registry)
    topics = TopicService(settings, database, articles.rules, now=now)
    timelines = TimelineService(settings, database)
    watcher.subscribe(auth_service.CHANGE_TOPIC, keys.reload)
    watcher.subscribe(oauth_grants.CHANGE_TOPIC, tokens.reload)
    watcher.subscribe(oauth_retention.CHANGE_TOPIC, tokens.clear)
    watcher.subscribe(icon_store.CHANGE_TOPIC, images.clear_cache)
    watcher.subscribe(CHANGE_TOPIC, market.view.reload)
    watcher.subscribe(active_rules.CHANGED, articles.rules.refresh)
    watcher.subscribe(topic_store.CHANGE_COUNTER, topics.prepared_pages.rebuild)
    watcher.call_after_poll(market.view.refresh_if_stale)
    watcher.call_after_poll(articles.rules.refresh)
    watcher.call_after_poll(timelines.refresh)
    watcher.poll()

    app = FastAPI(
        title="Chainproof",
        version=version("chainproof"),
        description=DESCRIPTION,
        lifespan=_lifespan,
        redirect_slashes=False,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=openapi.build_operation_id,
        telemetry=NO_TELEMETRY,
    )
    app.state.settings = settings
    app.state.database = database
    app.state.credentials = credentials
    app.state.authenticate = partial(gate.authenticate, source=credentials)
    app.state.refresh_gauges = lambda: model_gauges.refresh_gauges(settings, database, now=utc_now())
    app.state.oauth = OAuth(database, settings.issuer_url, now)
    app.state.watcher = watcher
    app.state.workers = WorkerWatch(database, now)
    app.state.job_events = JobEvents(database)
    app.state.market = market
    app.state.icons = images
    app.state.articles = articles
    app.state.names = names
    app.state.topics = topics
    app.state.timelines = timelines
    app.state.comparisons = ComparisonService(database, timelines.states)
    app.state.mcp = SdkHost(settings, lambda: service)
    app.state.mcp_origins = mcp_router.list_origins(
        (settings.issuer_url, settings.api_url, *settings.cors_origins)
    )
    app.state.body_limit = settings.body_limit_bytes
    app.state.limiter = limiter = _build_rate_limiter(settings)
    load = LoadShedder(settings.requests_at_once)
    app.state.streams = EventStreams(load, max_subscribers=settings.connections_at_once // 2)
    for router in ROUTERS:
        app.include_router(router)
    install_error_handlers(app, ROUTERS)
    openapi.install(
        app,
        {**run_components(), **build_components()},
        security_schemes={openapi.OAUTH2: build_oauth2_scheme(settings.issuer_url)},
        servers=[
            {"url": "./", "description": "The service that sent this document."},
            {"url": settings.api_url, "description": "Its public address."},
        ],
    )
    service = ServiceMiddleware(
        app,
        authenticate=app.state.authenticate,
        ready=FirstMatch(
            market.view, articles.rules_response, names, topics.prepared_pages, timelines.prepared
        ),
        mode=settings.mode,
        bounds=RequestLimits(
            body=settings.body_limit_bytes,
            seconds=settings.request_timeout_seconds,
            load=load,
            limiter=limiter,
        ),
        https=settings.api_url.startswith("https:"),
        log_share=settings.access_log_sample,
        origins=settings.cors_origins,
    )
    return service


def create_management_app(service: ServiceMiddleware) -> ServiceMiddleware:
    """Build the application of the management listener: ``/healthz``, ``/readyz`` and ``/metrics`` of
    ``service``."""
    app = FastAPI(
        redirect_slashes=False, openapi_url=None, docs_url=None, redoc_url=None, telemetry=NO_TELEMETRY
    )
    app.state = cast(FastAPI, service.inner).state
    app.include_router(health.router)
    install_error_handlers(app, [health.router])
    settings: Settings = app.state.settings
    bounds = RequestLimits(body=settings.body_limit_bytes)
    return ServiceMiddleware(
        app, authenticate=app.state.authenticate, ready=FirstMatch(), mode=settings.mode, bounds=bounds
    )


def close_streams(service: ServiceMiddleware) -> None:
    """End the event streams and waits of ``service``, in its event loop, when its server begins to stop."""
    streams: EventStreams = cast(FastAPI, service.inner).state.streams
    streams.close()


def _build_seconds_clock(now: Clock) -> Callable[[], float]:
    return lambda: now().timestamp()


def _build_rate_limiter(settings: Settings) -> "RateLimiter | None":
    if settings.parsed_rate_limit is None:
        return None
    from backend.http.limits.rate_limiter import (
        RateLimiter,  # not at the top: their libraries take long to load
    )

    if settings.redis_url is None:
        return RateLimiter(*settings.parsed_rate_limit)
    from backend.http.limits.redis_counters import SharedCounts

    return RateLimiter(
        *settings.parsed_rate_limit, shared=SharedCounts(settings.redis_url.get_secret_value())
    )


class FirstMatch:
    """Looks up a prepared response in several sources; the first match counts."""

    def __init__(self, *sources: PreparedResponses) -> None:
        self._sources = sources

    def find(self, path: str, query: bytes) -> Prepared | None:
        for source in self._sources:
            response = source.find(path, query)
            if response is not None:
                return response
        return None


DESCRIPTION = (
    "Crypto markets with the source and age of every figure, and articles read by naming rules. Data "
    "endpoints take an API key in `CP-X-API-KEY` or as a Bearer value. Timestamps are RFC 3339 in UTC; "
    "money and percentages marked as decimal strings are exact."
)


def reduce_loop_pauses() -> None:
    """Keep requests fast while another thread builds a snapshot.

    Threads switch the GIL every millisecond instead of every five, since a request needs it a few times.
    The garbage collector skips all objects that exist at the start: a full collection over them takes tens
    of milliseconds.
    """
    sys.setswitchinterval(0.001)
    gc.collect()
    gc.freeze()


def build_routes(app: FastAPI) -> None:
    """Build every route now. Otherwise the framework builds a route at its first request, and all requests
    wait for that."""
    no_request = {"type": "http", "method": "GET", "path": "/-", "root_path": "", "headers": []}
    for route in app.router.routes:
        route.matches(no_request)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    build_routes(app)
    reduce_loop_pauses()
    to_thread.current_default_thread_limiter().total_tokens = app.state.settings.threads
    if app.state.limiter is not None:
        await app.state.limiter.start()
    app.state.watcher.start()
    stop = threading.Event()
    writer = threading.Thread(target=_write_last_used, args=(app.state.credentials, stop), daemon=True)
    writer.start()
    reader = threading.Thread(target=_preload_runs, args=(app.state.timelines, stop), daemon=True)
    reader.start()
    yield
    await app.state.mcp.stop()
    stop.set()
    app.state.watcher.stop()
    writer.join(timeout=5)
    reader.join(timeout=5)
    if app.state.limiter is not None:
        await app.state.limiter.stop()
    app.state.articles.close()
    app.state.market.close()
    app.state.database.dispose()


def _write_last_used(credentials: Credentials, stop: threading.Event) -> None:
    while True:
        ended = stop.wait(LAST_USED_INTERVAL_SECONDS)
        try:
            credentials.flush_last_used()
        except Exception as error:  # noqa: BLE001 - the next round retries
            log.warning("last_used_write_failed", error=type(error).__name__)
        if ended:
            return


def _preload_runs(timelines: TimelineService, stop: threading.Event) -> None:
    try:
        timelines.preload(stop)
    except SQLAlchemyError as error:  # the first request for runs reads them
        log.warning("runs_preload_failed", error=type(error).__name__)
