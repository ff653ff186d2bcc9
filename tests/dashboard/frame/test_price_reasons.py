"""Translation of the service's reasons, and the untranslated sentence for unknown codes."""

import re
import string
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import streamlit as st

from backend.markets.model import ErrorKind
from backend.markets.reasons import MESSAGES, build_reason
from dashboard.frame import price_reasons
from dashboard.frame.price_reasons import Explanation, explain
from dashboard.i18n import LANGUAGES, SESSION_KEY, catalogue

NOW = datetime(2026, 5, 18, 12, 0, 5, tzinfo=UTC)
CODES = {key.removeprefix("reasons.code_") for key in catalogue() if key.startswith("reasons.code_")}
VALUES: dict[str, Any] = {
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


def build_example(code: str, **more: str) -> Any:
    """Builds a reason as the service would send it."""
    pct = {name: Decimal("0.5") for name in fields(MESSAGES[code]) if name.endswith("_pct")}
    spans = {name: timedelta(minutes=15) for name in fields(MESSAGES[code]) if name.endswith("_seconds")}
    values = {name: VALUES[name] for name in fields(MESSAGES[code]) if name in VALUES}
    return build_reason(code, **(pct | spans | values), **more)


def explain_in(code: str, lang: str, monkeypatch: pytest.MonkeyPatch, **more: str) -> Explanation:
    monkeypatch.setitem(st.session_state, SESSION_KEY, lang)
    reason = build_example(code, **more)
    return explain(reason.text, reason.code, reason.values, NOW)


def test_every_reason_of_the_service_has_texts_and_every_text_a_reason() -> None:
    assert set(MESSAGES) == CODES
    assert set(price_reasons.ERROR_KINDS) == {kind.value for kind in ErrorKind}


@pytest.mark.parametrize("code", MESSAGES)
def test_every_translation_has_the_placeholders_of_the_sentence(code: str) -> None:
    for lang in LANGUAGES:
        assert fields(catalogue()[f"reasons.code_{code}"][lang]) == fields(MESSAGES[code]), lang


@pytest.mark.parametrize("code", MESSAGES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_reason_is_complete_in_every_language(
    code: str, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = explain_in(code, lang, monkeypatch)
    assert found.lang is None
    assert re.fullmatch(r".+\." if lang == "en" else r".+。", found.text)
    assert "{" not in found.text
    if lang != "en":
        assert "T12:00" not in found.text  # instants are shown as times of day


def test_providers_percentages_times_and_durations_are_formatted_for_the_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert explain_in("conflict_held", "ja", monkeypatch).text == (
        "CoinGeckoとCoinMarketCapの差が0.50%と上限（0.50%）を超えたため、"
        "最後の正常値（12:00:05時点）を15分が経過するまで維持します。"
    )
    assert explain_in("two_agree", "zh", monkeypatch).text == (
        "CoinGecko和CoinMarketCap的报价相差0.50%，在允许范围内（上限0.50%），取平均值。"
    )
    assert "$101.90" in explain_in("nearer", "en", monkeypatch).text
    assert "+0.50%" in explain_in("jump_waits", "ja", monkeypatch).text
    assert "−3.00%" in explain("", "jump_waits", {"move_pct": "-3.00"}).text
    reason = build_reason("last_known", providers=["coingecko", "coinmarketcap", "third"], as_of=NOW)
    assert "CoinGecko、CoinMarketCapとthird" in explain(reason.text, reason.code, reason.values, NOW).text


@pytest.mark.parametrize(
    ("code", "values"),
    [(None, {}), ("no_such_code", {}), ("stale", {"as_of": "2026-05-18T12:00:00Z"}), ("and", {})],
)
def test_an_unknown_code_keeps_the_sentence_of_the_service(
    code: str | None, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(st.session_state, SESSION_KEY, "ja")
    assert explain("Something new.", code, values) == Explanation("Something new.", "en")
    monkeypatch.setitem(st.session_state, SESSION_KEY, "en")
    assert explain("Something new.", code, values) == Explanation("Something new.")


def test_a_provider_is_quoted_and_its_failure_is_translated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = explain_in(
        "failed_repeatedly", "ja", monkeypatch, provider_message="slow <b>", error_kind="unavailable"
    )
    assert (found.last_failure, found.provider_message) == ("直近の失敗：応答なし。", "slow <b>")
    assert explain_in("failed_repeatedly", "ja", monkeypatch, error_kind="a new one").last_failure is None
    assert explain_in("probing", "en", monkeypatch) == Explanation(
        "The waiting time is over; one test request decides whether requests resume."
    )
