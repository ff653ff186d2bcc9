"""What is on disk of a session says nothing without the cookie, and is believed only as it was written."""

import secrets
from dataclasses import replace

import pytest

from dashboard.sign_in.authority import Tokens
from dashboard.sign_in.seal import NONCE_BYTES, VERSION, Kept, Seal

SERVICE = "http://127.0.0.1:8000"
SECRET = secrets.token_urlsafe(32)
KEPT = Kept(
    "Ada Lovelace ビ",
    "a word of the form",
    Tokens("the-access-token", "the-refresh-token", 3600.0, ("read", "write")),
    begun_at=1_790_000_000.25,
    used_at=1_790_000_100.5,
    expires_at=1_790_003_600.0,
)


@pytest.fixture
def seal() -> Seal:
    return Seal(SECRET, SERVICE)


def test_the_same_cookie_opens_it_in_another_process(seal: Seal) -> None:
    assert Seal(SECRET, SERVICE).open(seal.close(KEPT)) == KEPT
    without = replace(KEPT, name="", tokens=Tokens("a", None, 0.5, ()))
    assert seal.open(seal.close(without)) == without


def test_another_cookie_or_another_service_has_another_name_and_opens_nothing(seal: Seal) -> None:
    for other in (Seal(secrets.token_urlsafe(32), SERVICE), Seal(SECRET, "https://other.example")):
        assert other.name != seal.name
        assert other.open(seal.close(KEPT)) is None


def test_nothing_is_told_in_the_clear(seal: Seal) -> None:
    content = seal.close(KEPT)
    told = (KEPT.name, KEPT.csrf, KEPT.tokens.access, str(KEPT.tokens.refresh), SECRET, seal.name, "read")
    assert not [word for word in told if word.encode() in content]
    assert SECRET not in seal.name
    assert not [word for word in ("the-access", "the-refresh", "a word") if word in repr(KEPT)]


def test_no_two_files_are_alike(seal: Seal) -> None:
    one, other = seal.close(KEPT), seal.close(KEPT)
    own = slice(len(VERSION), len(VERSION) + NONCE_BYTES)
    assert one[own] != other[own]
    assert one != other


def test_a_file_that_is_torn_or_changed_anywhere_tells_nothing(seal: Seal) -> None:
    content = seal.close(KEPT)
    assert [seal.open(content[:length]) for length in range(len(content))] == [None] * len(content)
    for place in range(len(content)):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        assert seal.open(changed) is None, place
    assert seal.open(content + b"\0") is None


def test_what_another_version_sealed_tells_nothing(seal: Seal, monkeypatch: pytest.MonkeyPatch) -> None:
    former = seal.close(KEPT)
    with monkeypatch.context() as newer:
        newer.setattr("dashboard.sign_in.seal.VERSION", b"chainproof session 2\n")
        other = seal.close(KEPT)
        assert seal.open(other) == KEPT
        assert seal.open(former) is None
    assert seal.open(other) is None
    assert seal.open(VERSION + other[len(VERSION) :]) is None, "by its first line alone neither"


def test_what_is_sealed_in_another_shape_tells_nothing(seal: Seal) -> None:
    nonce = bytes(NONCE_BYTES)
    for shape in (b"", b"[]", b"{}", b'{"name": 1}', b"\xff", b'{"name": "ada"'):
        sealed = seal._key.encrypt(nonce, shape, seal._bound_to())
        assert seal.open(VERSION + nonce + sealed) is None
