"""Checks assets, figures and market data providers for ``chainproof doctor``."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from backend.markets import configuration
from backend.markets.aggregation.freshness import apply_staleness
from backend.markets.assets.model import Asset
from backend.markets.configuration import Market
from backend.markets.model import ErrorKind, ProviderError
from backend.markets.numbers import format_timestamp
from backend.markets.provider_limits.circuit_breaker import ProviderHealth
from backend.markets.provider_names import COINGECKO
from backend.markets.provider_state import ProviderState, load_states
from backend.markets.reasons import format_duration
from backend.markets.responses import queries
from backend.markets.sources_by_mode import FearGreedSource, QuoteSource
from backend.runtime.check_result import CheckResult, CheckState
from backend.runtime.redaction import redact
from backend.settings import Settings
from backend.store.database import Database

MIN_QUOTED_SHARE = 0.9
"""With quotes for a smaller share of the enabled assets, the operator should look for a problem."""
ProviderCheck = Callable[[], CheckResult]


def check_assets(settings: Settings, database: Database) -> Iterator[CheckResult]:
    try:
        with _open_market(settings, database) as market:
            with_file = f", with {settings.user_assets_file}" if settings.user_assets_file.exists() else ""
            enabled = f"{len(market.registry.enabled)} enabled of {len(market.registry)}"
            yield CheckResult("Assets", "ok", f"{enabled}{with_file}.")
    except ValueError as error:
        yield CheckResult("Assets", "fault", str(error))


def check_figures(settings: Settings, database: Database, now: datetime) -> Iterator[CheckResult]:
    """Report how many enabled assets have a quote, and when the figures were last refreshed."""
    try:
        with _open_market(settings, database) as market:
            yield check_coverage(market, database, now, settings)
    except ValueError:  # check_assets reports it
        return


def check_configured_providers(
    settings: Settings, database: Database, now: datetime
) -> Iterator[CheckResult]:
    try:
        with _open_market(settings, database) as market:
            yield from check_providers(market, database, now, settings)
    except ValueError:  # check_assets reports it
        return


def check_coverage(market: Market, database: Database, now: datetime, settings: Settings) -> CheckResult:
    """Report the share of the enabled assets with a quote, and of those with a stale one.

    A replay has only the recorded assets, at their recorded times, so a small share is no fault there.
    """
    with database.read() as connection:
        states = load_states(connection, market)
    last = max((state.last_success for state in states.values() if state.last_success), default=None)
    if last is None:
        return CheckResult(
            "Figures", "note", "None stored yet; 'chainproof up' or 'chainproof worker' fetches them."
        )
    ids = [asset.id for asset in market.registry.enabled]
    stored = queries.load_snapshot_rows(database, market.sources.realm, (), now).published_prices
    published_prices = [
        apply_staleness(stored[asset_id], now, market.policy) for asset_id in ids if asset_id in stored
    ]
    quoted = [published for published in published_prices if published.price is not None]
    stale_count = sum(published.stale for published in quoted)
    share = f"{len(quoted)} of {len(ids)} {'asset has' if len(ids) == 1 else 'assets have'} a quote"
    stale = f", {stale_count} of them stale" if stale_count else ""
    sentence = f"{share}{stale}; last refreshed {format_duration(now - last)} ago."
    fresh_count = len(quoted) - stale_count
    if fresh_count >= MIN_QUOTED_SHARE * len(ids):
        return CheckResult("Figures", "ok", sentence)
    if settings.mode == "replay":
        return CheckResult("Figures", "note", f"{sentence} {_explain_replay(settings, stale_count)}")
    cause = "line on the worker" if settings.mode == "sample" else "lines on the worker and the providers"
    state: CheckState = "fault" if 2 * fresh_count < len(ids) else "note"
    return CheckResult("Figures", state, f"{sentence} See the {cause}.")


def _explain_replay(settings: Settings, stale_count: int) -> str:
    recorded = f"The others are not recorded in {settings.replay_dir}."
    if not stale_count or settings.replay_restamp:
        return recorded
    return f"{recorded} CHAINPROOF_REPLAY_RESTAMP=true moves recorded times to the present."


@contextmanager
def _open_market(settings: Settings, database: Database) -> Iterator[Market]:
    market = configuration.build_market(settings, database)
    try:
        yield market
    finally:
        market.close()


def check_providers(
    market: Market, database: Database, now: datetime, settings: Settings
) -> Iterator[CheckResult]:
    """Report on each provider: the stored state of its circuit breaker, and its answer to a request now.

    A provider that told us to wait gets no request.
    """
    with database.read() as connection:
        states = load_states(connection, market)
    assets = market.registry.enabled[:1]
    checks: dict[str, ProviderCheck] = {}
    for source in market.sources.quotes:
        checks[source.name] = partial(_check_quote, source, assets, market, now)
    for index in market.sources.fear_greed:
        checks.setdefault(index.name, partial(_check_index, index, now))
    for name, check in checks.items():
        yield _check_provider(name, states.get(name, ProviderState()).breaker.health(now), check, settings)


def _check_provider(
    name: str, health: ProviderHealth, check: ProviderCheck, settings: Settings
) -> CheckResult:
    if health.message is None:
        return _run_check(name, check, settings)
    since = f" since {format_timestamp(health.since)}" if health.since else ""
    worker = f"The worker has had no good answer{since}: {redact(health.message.text)}"
    if health.state in ("throttled", "quota_spent"):
        return CheckResult(name, "note", f"is not asked by this check. {worker}")
    result = _run_check(name, check, settings)
    return CheckResult(name, "note" if result.state != "fault" else "fault", f"{result.sentence} {worker}")


def _run_check(name: str, check: ProviderCheck, settings: Settings) -> CheckResult:
    try:
        return check()
    except ProviderError as error:
        sentence = f"does not answer: {redact(error.message).rstrip('.')}."
        return CheckResult(name, "fault", f"{sentence} {_advise(name, error.kind, settings)}")


def _advise(name: str, kind: ErrorKind, settings: Settings) -> str:
    """Say what the operator can do about a failed request to a provider."""
    if settings.mode == "replay":
        if {name, "all"} & settings.replay_faults_by_provider.keys():
            return "CHAINPROOF_REPLAY_FAULTS asks for this fault."
        return f"Check the recorded answers in {settings.replay_dir}: docs/replay.md describes them."
    prefix = f"CHAINPROOF_{name.upper().replace('.', '_')}"
    match kind:
        case ErrorKind.UNAUTHORISED:
            plan = " and CHAINPROOF_COINGECKO_PLAN" if name == COINGECKO else ""
            return f"Correct {prefix}_API_KEY{plan}."
        case ErrorKind.REFUSED if name == COINGECKO and settings.coingecko_api_key is None:
            return f"Set {prefix}_API_KEY, or ask for access from another address."
        case ErrorKind.THROTTLED | ErrorKind.QUOTA_SPENT:
            return "The worker asks it again by itself. A larger plan allows more requests."
        case ErrorKind.MALFORMED | ErrorKind.NOT_FOUND:
            return f"Check that {prefix}_BASE_URL, if set, and any proxy lead to the provider."
        case _:
            return f"Check this machine's network, its firewall and, if set, {prefix}_BASE_URL."


def _check_quote(source: QuoteSource, assets: Sequence[Asset], market: Market, now: datetime) -> CheckResult:
    """Fetch the quote of one asset, which needs the right key, URL and response format."""
    schedule = market.polling_plan.schedules[source.name]
    poll = source.quotes(assets, now)
    answers = "answers" if poll.quotes else "answers, but did not know the first asset"
    return CheckResult(
        source.name, "ok" if schedule.fits else "note", f"{answers}. Cadence: {schedule.reason}"
    )


def _check_index(source: FearGreedSource, now: datetime) -> CheckResult:
    source.fear_greed(now)
    return CheckResult(source.name, "ok", "answers.")
