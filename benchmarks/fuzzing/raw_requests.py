"""Sends malformed and unusual requests byte by byte to a served process, as part of ``fuzzing``.

Each must get an HTTP/1.1 response with a request id, in the service's error format if it is an error, and
never a 5xx. After each, ``/healthz`` must answer.
"""

import re
import socket
from collections.abc import Iterator

import orjson

SECONDS = 10.0
HOST = b"Host: 127.0.0.1\r\n"
JSON = b"Content-Type: application/json\r\n"
UPGRADE = (
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n"
)
WEBSOCKET = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AA==\r\n"
)
DEEP = b"[" * 100_000
BODY = b'{"articles":[]}'

TARGETS = [
    b"/prices%00",
    b"/topics%2f1",
    b"/assets/%ff",
    b"/assets/%c0%af",
    b"/assets/%zz",
    b"/assets/%",
    b"/assets/%0d%0aSet-Cookie:%20a",
    b"/assets/..%2f..%2fetc%2fpasswd",
    b"/a/../prices",
    b"/%2e%2e/%2e%2e/etc/passwd",
    b"/prices.",
    b"/prices/",
    b"//prices",
    b"/prices;x=1",
    b"/prices#x",
    b"/..\\..\\x",
    b"/v1/timelines/%2f%2f..%2f",
    b"/v1/timelines/%ff%00",
    b"/v1/timelines/%ed%a0%80",
    b"/v1/runs/" + b"a" * 30_000,
    b"/docs/../openapi.json",
    b"/docs/x/%2e%2e",
    b"/topics?find=%00",
    b"/topics?find=%ff",
    b"/topics?page=1&page=2&page=x",
    b"/topics?" + b"&".join(b"a%d=1" % number for number in range(5_000)),
    b"/topics?find=" + b"a" * 60_000,
    b"http://other.example/prices",
    b"http://other.example",
    b"*",
    b"/\xc3\xa9",
    b"/a b",
    b"/a\tb",
    b"/" + b"a" * 1_000_000,
]
HEADERS = [
    b"X-A: " + b"a" * 1_000_000,
    b"\r\n".join(b"X-%d: 1" % number for number in range(30_000)),
    b"X-A: a\x00b",
    b"X-A: a\rb",
    b"X-A: a\r\n b",
    b"XA",
    b"X-A : b",
    b"X-A: \xff\xfe",
    b"X-Request-ID: a\tb",
    b"X-Request-ID: one\r\nX-Request-ID: two",
    b"CP-X-API-KEY: other",
    b"CP-X-API-KEY: \xff",
    b"Authorization: Bearer \xff",
    b"Authorization: Basic \x80",
    b"X-CP-TERMINAL-API-KEY: x",
    b"Host: other",
    b"Range: bytes=0-3",
    b'If-Match: "x"',
    b"If-Modified-Since: never",
    b'If-None-Match: """,,W/,*',
    b"Accept-Encoding: gzip;q=1e999, identity;q=nan, *;q=",
    b"Accept: application/vnd.apache.arrow.stream;q=nan, */*;q=-1",
    b"Expect: something",
    b"Content-Length: 5\r\nContent-Length: 6",
    b"Transfer-Encoding: identity",
]
BODIES = [
    (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
    (b"Content-Length: 2\r\nContent-Length: 3\r\n", b"{}x"),
    (b"Content-Length: -1\r\n", b""),
    (b"Content-Length: +2\r\n", b"{}"),
    (b"Content-Length: 2, 2\r\n", b"{}"),
    (b"Content-Length: 99999999999999999999999999\r\n", b""),
    (b"Content-Length: 999999999999\r\n", b"{}"),
    (b"Transfer-Encoding: gzip\r\n", b"{}"),
    (b"Transfer-Encoding: gzip, chunked\r\n", b"2\r\n{}\r\n0\r\n\r\n"),
    (b"Transfer-Encoding: xchunked\r\n", b"2\r\n{}\r\n0\r\n\r\n"),
    (b"Transfer-Encoding: chunked\r\n", b"zz\r\n"),
    (b"Transfer-Encoding: chunked\r\n", b"ffffffffffffffffff\r\n"),
    (b"Transfer-Encoding: chunked\r\n", b"2;a=" + b"b" * 70_000 + b"\r\n{}\r\n0\r\n\r\n"),
    (b"Transfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\nCP-X-API-KEY: zz\r\n\r\n"),
    (b"Transfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\nX: " + b"a" * 200_000),
    (b"Content-Encoding: gzip\r\nContent-Length: 2\r\n", b"{}"),
    (b"Expect: 100-continue\r\nContent-Length: 2\r\n", b"{}"),
    (b"Content-Length: %d\r\n" % len(DEEP), DEEP),
    (UPGRADE + b"Content-Length: %d\r\n" % len(BODY), BODY),
    (WEBSOCKET + b"Content-Length: %d\r\n" % len(BODY), BODY),
]
METHODS = (
    "TRACE",
    "CONNECT",
    "get",
    "FOO",
    "PROPFIND",
    "QUERY",
    "M-SEARCH",
    "PURGE",
    "SOURCE",
    "HEAD",
    "PATCH",
)
OTHERS = [
    b"\x00\x01\x02garbage\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /healthz HTTP/1.0\r\n\r\n",
    b"GET /healthz HTTP/2.0\r\n" + HOST + b"\r\n",
    b"GET /healthz HTTP/9.9\r\n" + HOST + b"\r\n",
    b"GET /healthz HTTP/1.1\r\n\r\n",
    b"GET /healthz HTTP/1.1\n" + HOST + b"\n",
    b"CONNECT other.example:443 HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /prices HTTP/1.1\r\n" + HOST + WEBSOCKET + b"\r\n",
    b"GET /oauth/x HTTP/1.1\r\nHost: other/../?#@\r\nConnection: close\r\n\r\n",
]


def requests(key: str) -> Iterator[tuple[str, bytes]]:
    """What each is in short, and its bytes."""
    valid_headers = HOST + b"Connection: close\r\nCP-X-API-KEY: " + key.encode() + b"\r\n"
    for target in TARGETS:
        yield f"target {target[:60]!r}", b"GET " + target + b" HTTP/1.1\r\n" + valid_headers + b"\r\n"
    for header in HEADERS:
        yield f"header {header[:60]!r}", b"GET /topics HTTP/1.1\r\n" + valid_headers + header + b"\r\n\r\n"
    for method in METHODS:
        yield f"method {method}", method.encode() + b" /topics HTTP/1.1\r\n" + valid_headers + b"\r\n"
    for headers, body in BODIES:
        head = b"POST /articles/scan HTTP/1.1\r\n" + valid_headers + JSON + headers + b"\r\n"
        yield f"body {headers[:60]!r} {body[:30]!r}", head + body
    for raw_request in OTHERS:
        yield f"bytes {raw_request[:60]!r}", raw_request


def send_request(port: int, request: bytes) -> bytes:
    """All that is answered until the service closes, or until it could be read as whole."""
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as connection:
        try:
            connection.sendall(request)
            while piece := connection.recv(65_536):
                answer += piece
                if is_whole(answer):
                    break
        except ConnectionError:
            pass  # it closed while more was being sent; what it said before counts
        except TimeoutError:
            answer += b"(and then nothing)"
    return answer


def is_whole(answer: bytes) -> bool:
    head, _, body = answer.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").partition(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: (\d+)", head)
    return length is not None and len(body) >= int(length[1])


def find_fault(answer: bytes) -> str | None:
    """Describe what is wrong with a response; None if nothing is."""
    head, _, body = answer.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1\.1 (\d{3}) ", head)
    if status is None:
        return "no answer"
    number = int(status[1])
    if number >= 500:
        return f"a {number}"
    request_id = re.search(rb"\r\nx-request-id: (\S+)", head)
    if request_id is None:
        return "no request id"
    if number < 400 or not body:
        return None
    body_fields = orjson.loads(body)
    if b"application/problem+json" in head:
        return None if body_fields["instance"].endswith(request_id[1].decode()) else "another request's id"
    return (
        None
        if set(body_fields) in ({"code", "message", "data"}, {"error", "error_description"})
        else "another shape"
    )


def send_all(port: int, key: str) -> bool:
    """Send all requests and print the wrong responses. True if there are none."""
    found, count = [], 0
    for name, request in requests(key):
        count += 1
        wrong = find_fault(send_request(port, request))
        alive = send_request(port, b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n").startswith(b"HTTP/1.1 200")
        if wrong or not alive:
            found.append(f"{name}: {wrong or 'the service does not answer after it'}")
    print(f"\nByte by byte: {count} requests, {len(found)} answered wrongly")
    for fault in found:
        print("  " + fault)
    return not found
