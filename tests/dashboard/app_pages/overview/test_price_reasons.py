"""The service's reasons in the reader's language, and in its own words where there is no other."""

import re
import string
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import streamlit as st

from backend.markets.model import ErrorKind
from backend.markets.reasons import MESSAGES, build_reason
from dashboard.app_pages.overview import price_reasons
from dashboard.app_pages.overview.price_reasons import Explanation, explain
from dashboard.i18n import LANGUAGES, SESSION_KEY, catalogue

NOW = datetime(2026, 5, 18, 12, 0, 5, tzinfo=UTC)
CODES = {key.removeprefix("reasons.code_") for key in catalogue() if key.startswith("reasons.code_")}
GIVEN: dict[str, Any] = {
    "providers": ["coingecko", "coinmarketcap"],
    "left_out": ["third"],
    "provider": "coingecko",
    "as_of": NOW,
    "retry_at": NOW,
    "price": Decimal("101.9"),
    "figure": "NaN",
    "used": 2,
    "total": 3,
    "failures": 4,
}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def made(code: str, **more: str) -> Any:
    """A reason as the service would give it."""
    pct = {name: Decimal("0.5") for name in fields(MESSAGES[code]) if name.endswith("_pct")}
    spans = {name: timedelta(minutes=15) for name in fields(MESSAGES[code]) if name.endswith("_seconds")}
    known = {name: GIVEN[name] for name in fields(MESSAGES[code]) if name in GIVEN}
    return build_reason(code, **(pct | spans | known), **more)


def told(code: str, lang: str, monkeypatch: pytest.MonkeyPatch, **more: str) -> Explanation:
    monkeypatch.setitem(st.session_state, SESSION_KEY, lang)
    reason = made(code, **more)
    return explain(reason.text, reason.code, reason.values, NOW)


def test_every_reason_of_the_service_has_its_texts_and_there_are_no_others() -> None:
    assert set(MESSAGES) == CODES
    assert set(price_reasons.FAULTS) == {fault.value for fault in ErrorKind}


@pytest.mark.parametrize("code", MESSAGES)
def test_a_text_is_made_with_every_value_of_the_sentence(code: str) -> None:
    for lang in LANGUAGES:
        assert fields(catalogue()[f"reasons.code_{code}"][lang]) == fields(MESSAGES[code]), lang


@pytest.mark.parametrize("code", MESSAGES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_reason_is_told_whole_in_every_language(
    code: str, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(code, lang, monkeypatch)
    assert found.lang is None
    assert re.fullmatch(r".+\." if lang == "en" else r".+。", found.text)
    assert "{" not in found.text
    if lang != "en":
        assert "T12:00" not in found.text  # instants are told as times of day


def test_providers_percentages_times_and_durations_are_told_as_a_reader_writes_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert told("conflict_held", "ja", monkeypatch).text == (
        "CoinGeckoとCoinMarketCapの差が0.50%と上限（0.50%）を超えたため、"
        "最後の正常値（12:00:05時点）を15分が経過するまで維持します。"
    )
    assert told("two_agree", "zh", monkeypatch).text == (
        "CoinGecko和CoinMarketCap的报价相差0.50%，在允许范围内（上限0.50%），取平均值。"
    )
    assert "$101.90" in told("nearer", "en", monkeypatch).text
    assert "+0.50%" in told("jump_waits", "ja", monkeypatch).text
    assert "−3.00%" in explain("", "jump_waits", {"move_pct": "-3.00"}).text
    many = build_reason("last_known", providers=["coingecko", "coinmarketcap", "third"], as_of=NOW)
    assert "CoinGecko、CoinMarketCapとthird" in explain(many.text, many.code, many.values, NOW).text


@pytest.mark.parametrize(
    ("code", "values"),
    [(None, {}), ("no_such_code", {}), ("stale", {"as_of": "2026-05-18T12:00:00Z"}), ("and", {})],
)
def test_what_is_not_known_here_stays_the_services_own_sentence(
    code: str | None, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(st.session_state, SESSION_KEY, "ja")
    assert explain("Something new.", code, values) == Explanation("Something new.", "en")
    monkeypatch.setitem(st.session_state, SESSION_KEY, "en")
    assert explain("Something new.", code, values) == Explanation("Something new.")


def test_a_provider_is_quoted_and_its_failure_told_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = told(
        "failed_repeatedly", "ja", monkeypatch, provider_message="slow <b>", error_kind="unavailable"
    )
    assert (found.fault, found.said) == ("直近の失敗：応答なし。", "slow <b>")
    assert told("failed_repeatedly", "ja", monkeypatch, error_kind="a new one").fault is None
    assert told("probing", "en", monkeypatch) == Explanation("The wait is over; one probe decides.")
