from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.auth import key_format, service
from backend.auth.gate import authenticate, require
from backend.auth.key_cache import KeyCache
from backend.auth.principal import CredentialHeader, CredentialSource, Principal
from backend.errors import Forbidden, Unauthorized
from backend.store.database import Database

Headers = list[tuple[bytes, bytes]]
API, BEARER, TERMINAL = b"cp-x-api-key", b"authorization", b"x-cp-terminal-api-key"


class Desk:
    """A key_cache with two API keys, a terminal key and an expired key."""

    def __init__(self, database: Database, now: datetime) -> None:
        def key(name: str, *, terminal: bool = False, expires_in: timedelta | None = None) -> bytes:
            scopes = [] if terminal else ["read"]
            created = service.create_key(
                database, name=name, scopes=scopes, terminal=terminal, expires_in=expires_in, now=now
            )
            return created.key.encode()

        self.one, self.two, self.terminal = key("one"), key("two"), key("terminal", terminal=True)
        self.expired = key("expired", expires_in=timedelta(hours=1))
        self.key_cache = KeyCache(database, clock=lambda: (now + timedelta(hours=2)).timestamp())
        self.key_cache.reload()

    def name(self, headers: Headers, *, terminal: bool = False) -> str:
        return authenticate(headers, self.key_cache, terminal=terminal).name

    def refusal(self, headers: Headers, *, terminal: bool = False) -> str:
        with pytest.raises(Unauthorized) as error:
            authenticate(headers, self.key_cache, terminal=terminal)
        assert error.value.status == 401
        assert error.value.headers["WWW-Authenticate"]
        for _, value in headers:
            for part in value.split():
                assert len(part) < 8 or part.decode("latin-1") not in error.value.detail
        return error.value.detail

    def challenge(self, headers: Headers) -> str:
        with pytest.raises(Unauthorized) as error:
            authenticate(headers, self.key_cache)
        return error.value.headers["WWW-Authenticate"]


@pytest.fixture
def desk(database: Database, now: datetime) -> Desk:
    return Desk(database, now)


def test_key_in_the_api_key_header_is_accepted(desk: Desk) -> None:
    assert desk.name([(b"accept", b"*/*"), (API, desk.one)]) == "one"


@pytest.mark.parametrize(
    "value", [b"Bearer", b"Bearer x", b"Bearer a b", b"bearer \xe9", b"Bearer " + b"9" * 9000]
)
def test_bad_bearer_value_has_the_challenge_that_tells_clients_to_refresh(desk: Desk, value: bytes) -> None:
    for headers in ([(BEARER, value)], [(BEARER, b"Bearer " + desk.expired)]):
        assert 'Bearer realm="chainproof", error="invalid_token"' in desk.challenge(headers)


@pytest.mark.parametrize("headers", [[], [(API, b"x")], [(BEARER, b"Basic eA==")], [(b"accept", b"*/*")]])
def test_challenge_without_a_bearer_value_names_no_error(desk: Desk, headers: Headers) -> None:
    assert "error" not in desk.challenge(headers)


@pytest.mark.parametrize("scheme", [b"Bearer ", b"bearer ", b"BEARER  ", b"  Bearer "])
def test_key_as_bearer_token_is_accepted_with_the_scheme_in_any_case(desk: Desk, scheme: bytes) -> None:
    assert desk.name([(BEARER, scheme + desk.one)]) == "one"


def test_whitespace_around_a_header_value_is_ignored(desk: Desk) -> None:
    assert desk.name([(API, b" \t" + desk.one + b" ")]) == "one"


def test_missing_credential_error_explains_how_to_send_one(desk: Desk) -> None:
    result = desk.refusal([(b"accept", b"*/*")])
    assert result == "Send an API key in CP-X-API-KEY or as Authorization: Bearer."
    assert "X-CP-TERMINAL-API-KEY" in desk.refusal([], terminal=True)


def test_duplicate_headers_with_the_same_credential_are_accepted(desk: Desk) -> None:
    assert desk.name([(API, desk.one), (BEARER, b"Bearer " + desk.one)]) == "one"
    assert desk.name([(API, desk.one), (API, desk.one)]) == "one"
    assert desk.name([(TERMINAL, desk.terminal), (TERMINAL, desk.terminal)], terminal=True) == "terminal"


@pytest.mark.parametrize("terminal", [False, True])
def test_different_credentials_are_rejected_in_either_order(desk: Desk, terminal: bool) -> None:
    pairs: list[Headers] = [
        [(API, desk.one), (BEARER, b"Bearer " + desk.two)],
        [(API, desk.one), (API, desk.two)],
        [(BEARER, b"Bearer " + desk.one), (BEARER, b"Bearer " + desk.two)],
        [(API, desk.one), (API, b"")],
        [(API, desk.one), (BEARER, b"Bearer")],
        [(API, desk.one), (BEARER, b"Bearer nonsense")],
        [(API, desk.one), (TERMINAL, desk.terminal)],
        [(API, desk.one), (TERMINAL, desk.one)],
        [(API, desk.terminal), (TERMINAL, desk.terminal)],
    ]
    for headers in pairs:
        assert "disagree" in desk.refusal(headers, terminal=terminal)
        assert "disagree" in desk.refusal(headers[::-1], terminal=terminal)


def test_third_different_credential_is_rejected_when_two_match(desk: Desk) -> None:
    assert "disagree" in desk.refusal([(API, desk.one), (API, desk.one), (BEARER, b"Bearer " + desk.two)])
    assert "disagree" in desk.refusal([(API, desk.two), (API, desk.one), (API, desk.two)])


@pytest.mark.parametrize("value", [b"Basic dXNlcjpwYXNzd29yZA==", b"ApiKey x", b"Bearerless x", b""])
def test_other_authorization_scheme_is_rejected_alone_and_with_a_valid_key(desk: Desk, value: bytes) -> None:
    assert "scheme Bearer" in desk.refusal([(BEARER, value)])
    assert "scheme Bearer" in desk.refusal([(API, desk.one), (BEARER, value)])


def test_authorization_header_without_a_scheme_is_rejected_with_a_hint(desk: Desk) -> None:
    assert "scheme Bearer" in desk.refusal([(BEARER, desk.one)])


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ([(API, b"")], "has the form"),
        ([(BEARER, b"Bearer")], "has the form"),
        ([(API, b"secret-of-another-service")], "has the form"),
        ([(BEARER, b"Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl")], "has the form"),
        ([(API, b"cp_livev1" + b"0" * 32 + b"_000000")], "checksum"),
        ([(API, key_format.checksum("x").encode() * 9)], "has the form"),
        ([(API, b"\xff\xfe\xfd" * 9)], "characters that no key has"),
        ([(BEARER, b"Bearer cl\xc3\xa9")], "characters that no key has"),
        ([(TERMINAL, b"")], "has the form cpt_"),
    ],
)
def test_malformed_credential_is_rejected_with_the_reason(desk: Desk, headers: Headers, words: str) -> None:
    assert words in desk.refusal(headers, terminal=True)


def test_unknown_and_expired_keys_are_refused(desk: Desk) -> None:
    assert "not valid" in desk.refusal([(API, key_format.generate("live").encode())])
    assert "expired" in desk.refusal([(BEARER, b"Bearer " + desk.expired)])


def test_terminal_key_is_accepted_only_in_its_own_header(desk: Desk) -> None:
    assert desk.name([(TERMINAL, desk.terminal)], terminal=True) == "terminal"
    for headers in ([(API, desk.terminal)], [(BEARER, b"Bearer " + desk.terminal)]):
        for terminal in (True, False):
            assert "A terminal key goes in X-CP-TERMINAL-API-KEY" in desk.refusal(headers, terminal=terminal)


def test_terminal_key_is_rejected_on_other_routes(desk: Desk) -> None:
    assert "does not open this" in desk.refusal([(TERMINAL, desk.terminal)])


def test_an_api_key_in_the_terminal_header_is_refused(desk: Desk) -> None:
    assert "An API key goes in CP-X-API-KEY" in desk.refusal([(TERMINAL, desk.one)], terminal=True)
    desk.refusal([(TERMINAL, desk.one)])


def test_api_key_is_accepted_on_terminal_routes(desk: Desk) -> None:
    assert desk.name([(API, desk.one)], terminal=True) == "one"


NAMES = st.sampled_from([API, BEARER, TERMINAL, b"cookie", b"host"])
VALUES = st.binary(max_size=60) | st.builds(lambda junk: b"Bearer " + junk, st.binary(max_size=60))


class Counted:
    """A source that counts how often it is asked."""

    def __init__(self, source: CredentialSource) -> None:
        self.asked = 0
        self.source = source

    def find(self, credential: bytes, header: CredentialHeader) -> Principal:
        self.asked += 1
        return self.source.find(credential, header)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)  # the desk is only read
@given(headers=st.lists(st.tuples(NAMES, VALUES), max_size=6), terminal=st.booleans())
def test_arbitrary_headers_raise_only_unauthorized(desk: Desk, headers: Headers, terminal: bool) -> None:
    source = Counted(desk.key_cache)
    with pytest.raises(Unauthorized):
        authenticate(headers, source, terminal=terminal)
    assert source.asked <= 1


def test_missing_scope_error_names_the_scope() -> None:
    reader = Principal("id", "desk", "api", frozenset({"read"}), "id")
    require(reader, "read")
    with pytest.raises(Forbidden, match="'write'"):
        require(reader, "write")


def test_admin_scope_does_not_include_other_scopes() -> None:
    admin = Principal("id", "boss", "api", frozenset({"admin"}), "id")
    with pytest.raises(Forbidden, match="'read'"):
        require(admin, "read")
