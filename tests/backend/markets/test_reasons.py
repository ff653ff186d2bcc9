"""Tests the codes of reasons, their values and their messages."""

import re
import string
from datetime import timedelta
from decimal import Decimal

import pytest

from backend.markets.reasons import MESSAGES, Reason, build_reason, format_duration
from tests.support.providers.quotes import NOW

SAMPLES = {
    "provider": "coingecko",
    "providers": ["coingecko", "coinmarketcap", "third"],
    "left_out": ["third"],
    "as_of": NOW,
    "retry_at": NOW,
    "price": Decimal("1E-9"),
    "figure": "NaN",
    "used": 2,
    "total": 3,
    "failures": 4,
}


def build_values(code):
    """A value of the right kind for every place in the sentence of ``code``."""
    fields = {name for _, name, _, _ in string.Formatter().parse(MESSAGES[code]) if name}
    pct = {name: Decimal("1.005") for name in fields if name.endswith("_pct")}
    spans = {name: timedelta(minutes=15) for name in fields if name.endswith("_seconds")}
    return pct | spans | {name: SAMPLES[name] for name in fields if name in SAMPLES}


@pytest.mark.parametrize("code", MESSAGES)
def test_every_code_has_a_complete_message_and_survives_storage(code):
    reason = build_reason(code, **build_values(code))
    assert re.fullmatch(r"[a-z][a-z0-9_]*", code)
    assert re.fullmatch(r"[A-Z\d].*\.", reason.text)
    assert "{" not in reason.text
    assert reason.code == code
    assert Reason.from_text(reason.to_text()) == reason


def test_values_are_encoded_by_the_type_of_their_name():
    reason = build_reason("conflict_held", **build_values("conflict_held"))
    assert reason.values == {
        "providers": ["coingecko", "coinmarketcap", "third"],
        "spread_pct": "1.00",
        "limit_pct": "1.00",
        "as_of": "2026-05-18T12:00:00Z",
        "hold_seconds": 900,
    }
    assert reason.text == (
        "CoinGecko, CoinMarketCap and third differ by 1.00% (limit 1.00%): "
        "the last good figure, of 2026-05-18T12:00:00Z, is used until it is 15 min old."
    )
    assert build_reason("nearer", price=Decimal("1E-9")).values == {"price": "0.000000001"}


@pytest.mark.parametrize(("move", "sentence"), [("50", "+50.00%"), ("-3.5", "-3.50%")])
def test_a_move_is_shown_with_its_sign(move, sentence):
    assert sentence in build_reason("jump_waits", move_pct=Decimal(move)).text


def test_the_providers_message_follows_the_message_of_the_code():
    reason = build_reason("probing", provider_message="slow down", error_kind="throttled")
    assert reason.text == "The wait is over; one probe decides. It said: slow down"
    assert reason.values == {"said": "slow down", "fault": "throttled"}
    assert build_reason("probing", provider_message="", error_kind="").values == {}


def test_a_missing_value_and_an_unknown_code_raise_key_error():
    with pytest.raises(KeyError):
        build_reason("stale", as_of=NOW)
    with pytest.raises(KeyError):
        build_reason("no_such_code")


def test_a_bare_message_is_a_reason_without_a_code():
    assert Reason.from_text("They agree.") == Reason(None, "They agree.")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (119, "119 s"), (125, "2 min"), (7200, "2 h"), (172_800, "2 d")]
)
def test_durations_are_formatted_in_a_fitting_unit(seconds, text):
    assert format_duration(timedelta(seconds=seconds)) == text
