"""A sign-in counts only in the browser that began it, and proves by PKCE that it did."""

import base64
import hashlib
import re

import pytest

from dashboard.sign_in import oauth_state


def test_what_is_kept_is_found_by_its_state_alone() -> None:
    one, other = oauth_state.begin("/topics?topic=5"), oauth_state.begin("/")
    jar = {oauth_state.cookie_name("p-", each.state): each.cookie() for each in (one, other)}
    assert oauth_state.find(jar, "p-", one.state) == one
    assert oauth_state.find(jar, "p-", other.state) == other
    assert oauth_state.find(jar, "p-", one.state + "a") is None
    assert oauth_state.find(jar, "p-", "") is None
    assert oauth_state.find({}, "p-", one.state) is None


def test_the_challenge_is_of_the_verifier_by_s256() -> None:
    attempt = oauth_state.begin("/")
    assert re.fullmatch(r"[A-Za-z0-9_-]{43,128}", attempt.verifier)
    hashed = base64.urlsafe_b64encode(hashlib.sha256(attempt.verifier.encode()).digest()).decode().rstrip("=")
    assert attempt.challenge == hashed
    assert attempt.verifier not in repr(attempt)


@pytest.mark.parametrize(
    "cookie", ["", "a", "%%%", "bnVsbA", "WzEsMiwzXQ", "WyJhIl0", "\u20ac", "W10", "W1tb" * 40_000]
)
def test_a_cookie_that_is_none_of_ours_is_no_attempt(cookie: str) -> None:
    state = "s" * 32
    assert oauth_state.find({oauth_state.cookie_name("p-", state): cookie}, "p-", state) is None


def test_a_cookie_that_was_tampered_with_leads_to_no_other_host() -> None:
    planted = oauth_state.Attempt("s", "v", "//evil.test")
    found = oauth_state.find({oauth_state.cookie_name("p-", "s"): planted.cookie()}, "p-", "s")
    assert found is not None
    assert found.to == "/"
