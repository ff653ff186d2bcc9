"""Tests how the address of a client is found."""

import pytest

from backend.http.client_address import is_on_this_machine, normalize_address


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:0:1:aaaa:bbbb:cccc:dddd", "2001:db8:0:1::/64"),
        ("2001:DB8:0:1::", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
        ("", ""),
        ("x" * 5000, "x" * 64),
    ],
)
def test_equivalent_addresses_normalize_to_one_name(host: str, name: str) -> None:
    assert normalize_address(host) == name


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "localhost"])
def test_loopback_client_is_local_unless_it_sends_proxy_headers(host: str) -> None:
    assert is_on_this_machine(host, [(b"accept", b"*/*")])
    for name in (b"x-forwarded-for", b"forwarded", b"x-real-ip"):
        assert not is_on_this_machine(host, [(name, b"127.0.0.1")])


@pytest.mark.parametrize("host", ["192.0.2.7", "::ffff:192.0.2.7", "10.0.0.1", "", "loopback"])
def test_non_loopback_addresses_are_not_local(host: str) -> None:
    assert not is_on_this_machine(host, [])
