"""The state of a sign-in belongs to its browser, with PKCE."""

import base64
import hashlib
import re

import pytest

from dashboard.sign_in import oauth_state


def test_an_attempt_is_found_only_by_its_state() -> None:
    first, second = oauth_state.create_attempt("/topics?topic=5"), oauth_state.create_attempt("/")
    jar = {oauth_state.cookie_name("p-", attempt.state): attempt.to_cookie() for attempt in (first, second)}
    assert oauth_state.find_attempt(jar, "p-", first.state) == first
    assert oauth_state.find_attempt(jar, "p-", second.state) == second
    assert oauth_state.find_attempt(jar, "p-", first.state + "a") is None
    assert oauth_state.find_attempt(jar, "p-", "") is None
    assert oauth_state.find_attempt({}, "p-", first.state) is None


def test_the_challenge_is_the_s256_hash_of_the_verifier() -> None:
    attempt = oauth_state.create_attempt("/")
    assert re.fullmatch(r"[A-Za-z0-9_-]{43,128}", attempt.verifier)
    hashed = base64.urlsafe_b64encode(hashlib.sha256(attempt.verifier.encode()).digest()).decode().rstrip("=")
    assert attempt.challenge == hashed
    assert attempt.verifier not in repr(attempt)


@pytest.mark.parametrize(
    "cookie", ["", "a", "%%%", "bnVsbA", "WzEsMiwzXQ", "WyJhIl0", "\u20ac", "W10", "W1tb" * 40_000]
)
def test_an_invalid_cookie_is_no_attempt(cookie: str) -> None:
    state = "s" * 32
    assert oauth_state.find_attempt({oauth_state.cookie_name("p-", state): cookie}, "p-", state) is None


def test_a_forged_cookie_leads_to_no_other_host() -> None:
    planted = oauth_state.SignInAttempt("s", "v", "//evil.test")
    found = oauth_state.find_attempt({oauth_state.cookie_name("p-", "s"): planted.to_cookie()}, "p-", "s")
    assert found is not None
    assert found.return_path == "/"
