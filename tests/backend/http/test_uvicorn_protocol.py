"""Tests how the protocol handles bytes before the application is called."""

import asyncio
from collections.abc import Iterator
from email.parser import BytesParser

import orjson
import pytest
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from backend.http.uvicorn_protocol import (
    BODY_TIMEOUT_SECONDS,
    DISCARD_TIMEOUT_SECONDS,
    HEAD_TIMEOUT_SECONDS,
    MAX_HEAD_BYTES,
    MAX_HEADERS,
    Protocol,
)
from tests.support.http.raw_connection import Connection

GET = b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /x HTTP/1.1\r\nHost: a\r\n"
H2C = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n"
WEBSOCKET = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AA==\r\n"
)

OVERRIDDEN = {
    *("connection_made", "connection_lost", "data_received", "pause_writing", "resume_writing"),
    *("on_message_begin", "on_headers_complete", "on_body", "on_message_complete"),
    *("on_response_complete", "timeout_keep_alive_handler"),
}
USED_METHODS = {"_unset_keepalive_if_required"}
USED_ATTRIBUTES = {
    *("connections", "server_state", "loop", "parser", "transport"),
    *("scope", "headers", "cycle"),
}
USED_OF_A_REQUEST = {"more_body", "response_started", "response_complete", "keep_alive"}


@pytest.fixture
def connection() -> Iterator[Connection]:
    connection = Connection()
    yield connection
    connection.close()


def is_refused(answer: bytes, status: int, code: str = "invalid_request") -> None:
    """In the shape of the service's errors, with an id, and as the last thing on the connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, _, lines = head.partition(b"\r\n")
    headers = BytesParser().parsebytes(lines)
    assert first.startswith(b"HTTP/1.1 %d " % status)
    assert headers["content-type"] == "application/problem+json"
    assert headers["connection"] == "close"
    assert int(headers["content-length"]) == len(body)
    problem = orjson.loads(body)
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["instance"] == f"urn:chainproof:request:{headers['x-request-id']}"


def test_connection_serves_several_requests(connection: Connection) -> None:
    assert connection.send(GET).endswith(b"/x 0")
    assert connection.send(POST + b"Content-Length: 2\r\n\r\n", b"ab").endswith(b"/x 2")
    assert not connection.transport.closed


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /x HTTP/2.0\r\nHost: a\r\n\r\n",
        b"GET /x HTTP/9.9\r\nHost: a\r\n\r\n",
        b"get /x HTTP/1.1\r\nHost: a\r\n\r\n",
        b"NONSENSE /x HTTP/1.1\r\nHost: a\r\n\r\n",
        b"CONNECT other.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"CONNECT /x HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET http://other.example HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /x HTTP/1.1\r\n\r\n",
        b"GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /x HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
        b"GET /x HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
        b"GET /x HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n",
        b"GET /x HTTP/1.1\nHost: a\n\n",
        POST + b"Content-Length: -1\r\n\r\n",
        POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    ],
)
def test_malformed_request_is_rejected_with_400_and_the_connection_closes(
    connection: Connection, sent: bytes
) -> None:
    is_refused(connection.send(sent), 400)
    assert connection.transport.closed
    assert connection.app.bodies in ([], [None])


def test_malformed_request_error_uses_the_error_format_of_its_route_group(connection: Connection) -> None:
    answer = connection.send(b"GET /topics?page=1 HTTP/1.1\r\n\r\n")
    assert orjson.loads(answer.partition(b"\r\n\r\n")[2])["code"] == 400


def test_http_1_0_request_needs_no_host_header(connection: Connection) -> None:
    assert connection.send(b"GET /x HTTP/1.0\r\n\r\n").endswith(b"/x 0")


@pytest.mark.parametrize(
    "pieces",
    [
        [b"GET /" + b"a" * MAX_HEAD_BYTES + b" HTTP/1.1\r\nHost: a\r\n\r\n"],
        [b"GET /", *[b"a" * 16_384] * 5],
        [b"GET /x HTTP/1.1\r\nX: ", *[b"a" * 16_384] * 5],
        [b"GET /x HTTP/1.1\r\n", *[b"X: %s\r\n" % (b"a" * 16_384)] * 5],
        [b"GET /x HTTP/1.1\r\n", b"X: 1\r\n" * (MAX_HEADERS + 1), b"\r\n"],
        [b"GET /x HTTP/1.1\r\n" + b"X: 1\r\n" * (MAX_HEADERS + 1) + b"\r\n"],
    ],
)
def test_request_head_over_the_size_limit_is_rejected_with_431(
    connection: Connection, pieces: list[bytes]
) -> None:
    is_refused(connection.send(*pieces), 431, "headers_too_large")
    assert connection.app.scopes == []


def test_request_head_at_the_exact_limits_is_accepted(connection: Connection) -> None:
    lines = b"X: 1\r\n" * (MAX_HEADERS - 1)
    assert connection.send(b"GET /x HTTP/1.1\r\nHost: a\r\n" + lines + b"\r\n").endswith(b"/x 0")
    long = b"GET /x HTTP/1.1\r\nHost: a\r\nX: " + b"a" * (MAX_HEAD_BYTES - 10) + b"\r\n\r\n"
    assert connection.send(long).count(b"/x 0") == 2


def test_size_of_a_preceding_body_does_not_count_toward_the_next_request_head(connection: Connection) -> None:
    body = b"a" * (MAX_HEAD_BYTES * 3)
    head = POST + b"Content-Length: %d\r\n\r\n" % len(body)
    answer = connection.send(head, body + GET[:9], GET[9:])
    assert answer.count(b"HTTP/1.1 200") == 2


def test_chunked_trailers_are_not_added_to_the_headers(connection: Connection) -> None:
    chunked = POST + b"X-Mine: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nCP-X-API-KEY: k\r\n\r\n"
    assert connection.send(chunked).endswith(b"/x 1")
    (scope,) = connection.app.scopes
    assert [name for name, _ in scope["headers"]] == [b"host", b"x-mine", b"transfer-encoding"]


@pytest.mark.parametrize("start", [b"1;x=", b"0\r\nX: "])
def test_oversized_chunk_metadata_is_rejected_with_431(connection: Connection, start: bytes) -> None:
    head = POST + b"Transfer-Encoding: chunked\r\n\r\n"
    is_refused(connection.send(head, start, *[b"a" * 16_384] * 5), 431, "headers_too_large")
    assert connection.app.bodies == []


@pytest.mark.parametrize("upgrade_headers", [H2C, WEBSOCKET])
def test_protocol_upgrade_request_is_served_over_http_1_1_with_its_body(
    connection: Connection, upgrade_headers: bytes
) -> None:
    head = POST + upgrade_headers + b"Content-Length: 5\r\n\r\n"
    assert connection.send(head + b"he", b"llo").endswith(b"/x 5")
    assert connection.app.bodies == [b"hello"]
    assert connection.send(GET).endswith(b"/x 0")


def test_body_of_an_upgrade_request_is_not_parsed_as_the_next_request(connection: Connection) -> None:
    connection.send(POST + H2C + b"Content-Length: %d\r\n\r\n" % len(GET) + GET)
    assert connection.app.bodies == [GET]


def test_request_before_malformed_data_is_served_and_later_ones_are_not(connection: Connection) -> None:
    connection.app.gate = asyncio.Event()
    assert connection.send(GET + b"\x00nonsense\r\n\r\n", GET) == b""
    connection.app.gate.set()
    connection.run_pending()
    assert connection.transport.written.endswith(b"/x 0")
    assert b"connection: close" in connection.transport.written
    assert connection.transport.closed
    assert len(connection.app.scopes) == 1


@pytest.mark.parametrize("sent", [b"GET /x HTTP/1.1\r\n", b"GET"])
def test_slow_request_head_times_out_with_408(connection: Connection, sent: bytes) -> None:
    connection.send(sent)
    for _ in range(int(HEAD_TIMEOUT_SECONDS) - 1):
        connection.wait(1)
        connection.send(b"X: 1\r\n" if sent.endswith(b"\n") else b"")
    assert not connection.transport.closed
    connection.wait(1.1)
    is_refused(connection.transport.written, 408, "request_timeout")


def test_idle_new_connection_is_closed_without_a_response(connection: Connection) -> None:
    connection.wait(HEAD_TIMEOUT_SECONDS + 0.1)
    assert connection.transport.closed
    assert connection.transport.written == b""


def test_idle_keep_alive_connection_is_closed_without_a_response(connection: Connection) -> None:
    answered = connection.send(GET)
    connection.wait(HEAD_TIMEOUT_SECONDS + BODY_TIMEOUT_SECONDS)
    assert connection.transport.closed
    assert connection.transport.written == answered


@pytest.mark.parametrize("sent", [b"", GET[:9], GET, POST + b"Content-Length: 9\r\n\r\n"])
def test_nothing_is_written_to_a_disconnected_client(connection: Connection, sent: bytes) -> None:
    answered = connection.send(sent) if sent else b""
    connection.protocol.connection_lost(ConnectionResetError())
    connection.transport.closed = True
    connection.wait(HEAD_TIMEOUT_SECONDS + BODY_TIMEOUT_SECONDS)
    assert connection.transport.written == answered


@pytest.mark.parametrize("framing", [b"Content-Length: 5", b"Transfer-Encoding: chunked"])
def test_incomplete_request_body_times_out_with_408(connection: Connection, framing: bytes) -> None:
    connection.send(POST + framing + b"\r\n\r\n", b"1")
    connection.wait(BODY_TIMEOUT_SECONDS - 1)
    assert connection.transport.written == b""
    connection.wait(1.1)
    is_refused(connection.transport.written, 408, "request_timeout")


def test_body_timeout_restarts_for_each_request(connection: Connection) -> None:
    for _ in range(3):
        connection.send(POST + b"Content-Length: 1\r\n\r\n")
        connection.wait(BODY_TIMEOUT_SECONDS - 1)
        connection.send(b"a")
    assert connection.transport.written.count(b"/x 1") == 3


def test_rest_of_an_answered_body_is_discarded_and_a_slow_one_closes_the_connection(
    connection: Connection,
) -> None:
    connection.app.reads_body = False
    connection.send(POST + b"Content-Length: 3\r\n\r\n", b"1")
    connection.wait(DISCARD_TIMEOUT_SECONDS - 1)
    answered = connection.send(b"23", GET)  # the rest came in time, and the connection goes on
    assert answered.endswith(b"/x 0")

    written = connection.send(POST + b"Content-Length: 99\r\n\r\n")
    for _ in range(int(DISCARD_TIMEOUT_SECONDS) - 1):
        connection.wait(1)
        connection.send(b"1")
    assert not connection.transport.closed
    connection.wait(1.1)
    assert connection.transport.closed
    assert connection.transport.written.endswith(written)


def test_answer_to_a_request_leaves_the_body_of_the_next_pipelined_one_its_time(
    connection: Connection,
) -> None:
    connection.app.gate = asyncio.Event()
    connection.send(GET, POST + b"Content-Length: 2\r\n\r\n1")
    connection.app.gate.set()
    connection.run_pending()
    connection.wait(DISCARD_TIMEOUT_SECONDS + 1)
    assert connection.send(b"2").endswith(b"/x 2")


def test_protocol_overrides_only_the_expected_uvicorn_members(
    connection: Connection,
) -> None:
    """Fails after an upgrade of uvicorn that renames or adds a member: read what changed, then adapt this."""
    methods = {name for name in vars(Protocol) if not name.startswith("__")}
    assert {name for name in methods if hasattr(HttpToolsProtocol, name)} == OVERRIDDEN
    assert all(callable(getattr(HttpToolsProtocol, name, None)) for name in USED_METHODS)

    config = Config(connection.app, http=HttpToolsProtocol, log_config=None)
    original = HttpToolsProtocol(config, ServerState(), {}, connection.loop)
    attributes = {name for name in vars(original) if not hasattr(HttpToolsProtocol, name)}
    assert attributes >= USED_ATTRIBUTES
    added = vars(connection.protocol).keys() - attributes
    assert all(name.startswith("_") for name in added)
    connection.send(GET)
    assert vars(connection.protocol.cycle).keys() >= USED_OF_A_REQUEST
