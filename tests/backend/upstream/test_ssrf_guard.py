"""Tests that guarded fetches never connect to a private address, however it is written."""

import socket
from typing import Any

import pytest

from backend.upstream import FailureKind, UpstreamFailure, guarded_fetch, is_public
from tests.backend.upstream.conftest import IMAGES, fetch
from tests.support.providers.provider_pages import png
from tests.support.providers.provider_server import Behaviour, ProviderServer
from tests.support.test_session.thread_isolation import in_this_thread
from tests.support.waiting import LIMIT_SECONDS

PUBLIC = "93.184.215.14"

REFUSED_URLS = [
    # loopback, in every notation that some resolver or browser understands
    "http://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://0x7f000001/",
    "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://017700000001/", "http://127.0.0.01/", "http://127.0.0.1./",
    "http://0/", "http://0.0.0.0/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://127.0.0.1%00.test/",
    "http://%31%32%37.0.0.1/", "http://127.0.0.1\t/", "http://127.0.0.1\n.test/", " http://127.0.0.1/",
    # private, shared, link-local, reserved, multicast, documentation
    "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.1.1/", "http://100.64.0.1/", "http://169.254.1.1/",
    "http://192.0.0.1/", "http://192.0.0.192/", "http://192.0.2.1/", "http://198.18.0.1/", "http://203.0.113.9/",
    "http://224.0.0.1/", "http://240.0.0.1/", "http://255.255.255.255/",
    # metadata services
    "http://169.254.169.254/latest/meta-data/", "http://100.100.100.200/", "http://168.63.129.16/",
    "http://2852039166/", "http://0xa9fea9fe/", "http://[fd00:ec2::254]/", "http://[::ffff:169.254.169.254]/",
    # IPv6, and IPv4 inside it
    "http://[::1]/", "http://[::]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b::a00:1]/",
    "http://[64:ff9b:1::1]/", "http://[2002:7f00:1::]/", "http://[2002:a9fe:a9fe::1]/", "http://[2001:0:7f00:1::]/",
    "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[fc00::1]/", "http://[fec0::1]/",
    "http://[ff02::1]/", "http://[5f00::1]/", "http://[100::1]/", "http://[2001:db8::1]/",
    "http://[2a00:1450:4001:81b:0:5efe:7f00:1]/", "http://[2a00:1450:4001:81b:200:5efe:10.0.0.1]/",
    # disguises
    f"http://{PUBLIC}@127.0.0.1/", f"http://user:pass@{PUBLIC}/", f"http://{PUBLIC}:80@127.0.0.1/",
    f"http://127.0.0.1#@{PUBLIC}/", f"http://127.0.0.1\\@{PUBLIC}/", "http://127.0.0.1:80:80/", "http:///127.0.0.1/",
    "http:127.0.0.1", "//127.0.0.1/", "127.0.0.1", "", "http://", "http://[::1", "http://.../", "http://a..test/",
    "http://" + "a" * 300 + ".test/", "http://x.test/" + "a" * 9000,
    # other schemes and ports
    "file:///etc/passwd", f"ftp://{PUBLIC}/", f"gopher://{PUBLIC}:70/", "data:text/plain,x",
    "javascript:alert(1)", f"ws://{PUBLIC}/", f"unix://{PUBLIC}/", f"http://{PUBLIC}:8080/", f"https://{PUBLIC}:22/",
    f"http://{PUBLIC}:0/",
    f"http://{PUBLIC}:99999/", f"http://{PUBLIC}:+80/",
]  # fmt: skip

NAMES = {
    "localhost": ["127.0.0.1"],
    "localhost.": ["127.0.0.1"],
    "ip6-localhost": ["::1"],
    "intranet": ["10.1.2.3"],
    "127.0.0.1.nip.test": ["127.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "metadata.google.internal": ["169.254.169.254"],
    "wire.test": ["168.63.129.16"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "nat64.test": ["64:ff9b::7f00:1"],
    "isatap.test": ["2a00:1450:4001:81b:0:5efe:7f00:1"],
    "zone.test": ["fe80::1"],
    "mixed.test": [PUBLIC, "10.0.0.1"],
    "mixed-six.test": ["2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::1"],
    "public.test": [PUBLIC],
    "xn--mnchen-3ya.test": ["127.0.0.1"],
}


class Resolver:
    """Answers from a table and records the queries."""

    def __init__(self, names: dict[str, list[str]] | None = None) -> None:
        self.names = NAMES if names is None else names
        self.queries: list[str] = []

    def __call__(self, host: str, port: int, *_: object) -> list[object]:
        self.queries.append(host)
        try:
            return [self._build_answer(address, port) for address in self.names.get(host, [host])]
        except OSError:
            raise socket.gaierror(socket.EAI_NONAME, "unknown name") from None

    @staticmethod
    def _build_answer(address: str, port: int) -> object:
        if ":" in address:
            socket.inet_pton(socket.AF_INET6, address)
            return (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
        # As in the C library, 0x7f000001 and 0177.1 are addresses.
        normalized_address = socket.inet_ntoa(socket.inet_aton(address))
        return (socket.AF_INET, socket.SOCK_STREAM, 6, "", (normalized_address, port))


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Record every connection attempt and refuse it."""
    attempted: list[object] = []

    def connect(_: socket.socket, address: object) -> None:
        attempted.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    own = in_this_thread(connect, socket.socket.connect)
    monkeypatch.setattr(socket.socket, "connect", own, raising=False)
    monkeypatch.setattr(socket.socket, "connect_ex", own, raising=False)
    return attempted


def expect_failure(url: str, **options: Any) -> UpstreamFailure:
    with pytest.raises(UpstreamFailure) as caught:
        guarded_fetch(
            url, **{"accept": IMAGES, "deadline_seconds": LIMIT_SECONDS, "resolver": Resolver(), **options}
        )
    return caught.value


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_a_private_address_is_refused_without_a_connection(url: str, attempts: list[object]) -> None:
    assert expect_failure(url).kind is FailureKind.REFUSED
    assert attempts == []


@pytest.mark.parametrize("name", [name for name in NAMES if name != "public.test"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_name_of_a_private_address_is_refused_without_a_connection(
    name: str, scheme: str, attempts: list[object]
) -> None:
    error = expect_failure(f"{scheme}://{name}/")
    assert error.kind is FailureKind.REFUSED
    assert attempts == []


def test_an_internationalised_name_is_checked_by_its_address(attempts: list[object]) -> None:
    assert expect_failure("http://münchen.test/").kind is FailureKind.REFUSED
    assert attempts == []


@pytest.mark.parametrize("url", [f"http://{PUBLIC}/", "http://public.test/", "http://public.test:80/x?y=1#z"])
def test_a_public_address_is_connected_to(url: str, attempts: list[object]) -> None:
    assert expect_failure(url).kind is FailureKind.CONNECT
    assert attempts == [(PUBLIC, 80)]


def test_a_name_is_resolved_once_so_that_it_cannot_change_after_the_check(attempts: list[object]) -> None:
    class Rebinding(Resolver):
        def __call__(self, host: str, port: int, *rest: object) -> list[object]:
            answer = [self._build_answer(PUBLIC if not self.queries else "127.0.0.1", port)]
            self.queries.append(host)
            return answer

    resolver = Rebinding()
    expect_failure("http://rebind.test/", resolver=resolver)
    assert resolver.queries == ["rebind.test"]
    assert attempts == [(PUBLIC, 80)]


def test_the_error_shows_no_credentials_and_no_query() -> None:
    error = expect_failure("http://user:hunter2@127.0.0.1/?token=abc")
    assert "hunter2" not in error.message
    assert "abc" not in error.message


def test_only_the_allowed_host_and_port_are_reached(server: ProviderServer) -> None:
    found = fetch(server)
    assert (found.content_type, found.body, found.url) == ("image/png", png(), f"{server.url}/images/x.png")
    with ProviderServer() as other_server:
        with pytest.raises(UpstreamFailure):
            guarded_fetch(
                f"{other_server.url}/images/x.png", accept=IMAGES, allow=(f"127.0.0.1:{server.port}",)
            )
        with pytest.raises(UpstreamFailure):
            guarded_fetch(
                f"http://localhost:{server.port}/images/x.png",
                accept=IMAGES,
                allow=(f"127.0.0.1:{server.port}",),
            )
        assert other_server.requests == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("entry", ["127.0.0.1", "http://127.0.0.1:80", "127.0.0.1:x", ":80", "a@b:80", ""])
def test_an_allowed_entry_must_be_host_and_port(entry: str) -> None:
    with pytest.raises(ValueError, match="host:port"):
        guarded_fetch("http://public.test/", accept=IMAGES, allow=(entry,), resolver=Resolver())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_a_private_address_is_refused_for_every_status(
    server: ProviderServer, status: int
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as canary:
        canary.setblocking(False)
        port = canary.getsockname()[1]
        for target in (
            f"http://127.0.0.1:{port}/",
            f"//127.0.0.1:{port}/",
            f"http://localhost:{port}/",
            "file:///etc/passwd",
        ):
            server.once("/start", Behaviour(status, b"", headers={"Location": target}))
            with pytest.raises(UpstreamFailure) as caught:
                fetch(server, "/start", resolver=Resolver())
            assert caught.value.kind in (FailureKind.REFUSED, FailureKind.PROTOCOL)
        with pytest.raises(BlockingIOError):
            canary.accept()


def test_redirects_are_followed_up_to_the_limit_and_the_last_url_is_returned(server: ProviderServer) -> None:
    for step in range(5):
        server.always(f"/{step}", Behaviour(302, b"", headers={"Location": f"/{step + 1}"}))
    server.always("/5", Behaviour(302, b"", headers={"Location": "/images/x.png"}))
    assert fetch(server, "/1").url == f"{server.url}/images/x.png"
    with pytest.raises(UpstreamFailure) as caught:
        fetch(server, "/0")
    assert caught.value.kind is FailureKind.REDIRECT


def test_a_redirect_loop_ends(server: ProviderServer) -> None:
    server.always("/a", Behaviour(302, b"", headers={"Location": "/a"}))
    with pytest.raises(UpstreamFailure) as caught:
        fetch(server, "/a", redirects=3)
    assert caught.value.kind is FailureKind.REDIRECT
    assert len(server.requests) == 4


def test_cookies_are_not_sent_after_a_redirect(server: ProviderServer) -> None:
    server.once("/a", Behaviour(302, b"", headers={"Location": "/images/x.png", "Set-Cookie": "id=1"}))
    fetch(server, "/a")
    assert "cookie" not in server.requests[1].headers


@pytest.mark.parametrize(
    ("content_type", "accept", "matches"),
    [
        ("image/png", ("image/png",), True),
        ("IMAGE/PNG; q=1", ("image/png",), True),
        ("image/svg+xml", IMAGES, False),
        ("image/webp", ("image/*",), True),
        ("text/html", ("image/*",), False),
        ("imagex/png", ("image/*",), False),
        ("", ("image/*",), False),
    ],
)
def test_only_accepted_content_types_are_returned(
    server: ProviderServer, content_type: str, accept: tuple[str, ...], matches: bool
) -> None:
    server.once("/x", Behaviour(body=png(), content_type=content_type))
    if matches:
        assert fetch(server, "/x", accept=accept).body == png()
    else:
        with pytest.raises(UpstreamFailure) as caught:
            fetch(server, "/x", accept=accept)
        assert caught.value.kind is FailureKind.CONTENT_TYPE


@pytest.mark.parametrize("status", [204, 206, 304, 401, 404, 410, 500, 503])
def test_a_status_other_than_200_is_a_failure_and_is_not_retried(server: ProviderServer, status: int) -> None:
    server.once("/x", Behaviour(status, b"", "image/png"))
    with pytest.raises(UpstreamFailure) as caught:
        fetch(server, "/x")
    assert (caught.value.kind, caught.value.status) == (FailureKind.STATUS, status)
    assert len(server.requests) == 1


CONDITION = {"If-None-Match": '"1"'}


def test_a_condition_is_sent_and_304_means_not_modified(server: ProviderServer) -> None:
    server.once("/x", Behaviour(304, b"", headers={"ETag": '"1"'}))
    found = fetch(server, "/x", headers={**CONDITION, "If-Modified-Since": "Fri, 10 Jul 2026 00:00:00 GMT"})
    assert (found.not_modified, found.body, found.headers["etag"]) == (True, b"", '"1"')
    sent_headers = server.requests[0].headers
    assert (sent_headers["if-none-match"], sent_headers["if-modified-since"]) == (
        '"1"',
        "Fri, 10 Jul 2026 00:00:00 GMT",
    )
    assert sent_headers["accept"] == "image/png, image/jpeg"


def test_a_condition_is_sent_again_after_a_redirect(server: ProviderServer) -> None:
    server.once("/a", Behaviour(302, b"", headers={"Location": "/x"}))
    server.once("/x", Behaviour(304, b""))
    found = fetch(server, "/a", headers=CONDITION)
    assert (found.not_modified, found.url) == (True, f"{server.url}/x")


def test_a_modified_document_is_returned(server: ProviderServer) -> None:
    assert fetch(server, headers=CONDITION).body == png()
    assert not fetch(server, headers=CONDITION).not_modified


def test_304_is_a_failure_without_a_condition(server: ProviderServer) -> None:
    server.once("/x", Behaviour(304, b""))
    with pytest.raises(UpstreamFailure) as caught:
        fetch(server, "/x", headers={"Accept-Language": "ja"})
    assert (caught.value.kind, caught.value.status) == (FailureKind.STATUS, 304)


def test_the_accept_header_can_be_replaced_but_the_check_stays_the_same(server: ProviderServer) -> None:
    server.once("/x", Behaviour(body=b"<p>", content_type="text/html"))
    with pytest.raises(UpstreamFailure) as caught:
        fetch(server, "/x", headers={"Accept": "image/png, */*;q=0.1"})
    assert caught.value.kind is FailureKind.CONTENT_TYPE
    assert server.requests[0].headers["accept"] == "image/png, */*;q=0.1"


@pytest.mark.parametrize("name", ["Authorization", "Cookie", "Host", "Accept-Encoding", "X-Anything"])
def test_no_other_header_is_sent_to_a_foreign_address(server: ProviderServer, name: str) -> None:
    with pytest.raises(ValueError, match="may not be sent"):
        fetch(server, headers={name: "x"})
    assert server.requests == []


def test_an_invalid_header_value_is_a_protocol_failure(server: ProviderServer) -> None:
    with pytest.raises(UpstreamFailure) as caught:
        fetch(server, headers={"If-None-Match": "a\r\nX-Other: b"})
    assert caught.value.kind is FailureKind.PROTOCOL
    assert server.requests == []


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_a_refused_url_is_not_public(url: str) -> None:
    assert not is_public(url)


@pytest.mark.parametrize(
    "url", ["http://localhost/", "https://printer.local/a", "http://metadata.google.internal/", "http://nas/"]
)
def test_an_internal_name_is_not_public(url: str) -> None:
    assert not is_public(url)


@pytest.mark.parametrize(
    "url",
    [f"http://{PUBLIC}/", "https://news.example/a?b=c#d", "https://例え.テスト/", "https://[2606:4700::1]/"],
)
def test_a_url_of_the_open_web_is_public(url: str) -> None:
    assert is_public(url)
