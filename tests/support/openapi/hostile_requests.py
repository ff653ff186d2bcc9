"""Builds hostile requests for every operation of the service's OpenAPI document and checks the responses."""

import asyncio
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import structlog

from backend.errors import PROBLEM_JSON
from tests.support.http.asgi import Answer, send_async

SANE_ID = re.compile(r"[A-Za-z0-9._\-]{1,128}")

BODIES: dict[str, bytes] = {
    "nothing": b"",
    "blank": b" \n",
    "bad UTF-8": b'{"text": "\xff\xfe"}',
    "an overlong NUL": b'{"text": "\xc0\x80"}',
    "a BOM": b"\xef\xbb\xbf{}",
    "UTF-16": '{"text": "a"}'.encode("utf-16"),
    "UTF-32": '{"text": "a"}'.encode("utf-32"),
    "NULs": b"\0\0\0\0",
    "a lone surrogate": rb'{"text": "\ud800"}',
    "a lone surrogate as a name": rb'{"\udfff": [{"\ud83d": "\ud83d"}]}',
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "deep within a field": b'{"articles": ' + b"[" * 900 + b"]" * 900 + b"}",
    "a huge integer": b'{"max_results": 1' + b"0" * 400 + b"}",
    "65 bits": b'{"category": 18446744073709551616, "statement": -9223372036854775809}',
    "beyond a float": b'{"score": 1e400}',
    "beyond a float, below zero": b"-1e99999999",
    "no number": b'{"score": NaN}',
    "infinity": b"-Infinity",
    "names twice": b'{"text": "a", "text": 7, "statement": "a", "statement": {}}',
    "a comma too many": b'{"text": "a",}',
    "two documents": b"{}{}",
    "half a document": b'{"text": "a',
    "no JSON": b"text=a&statement=b",
    "XML": b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
    "null": b"null",
    "true": b"true",
    "a number": b"7",
    "text": b'"text"',
    "an empty list": b"[]",
    "a list of lists": b"[[[]]]",
    "a list of nulls": b"[null, null]",
    "an empty name": b'{"": null}',
    "a prototype": b'{"__proto__": {"text": "a"}, "constructor": 1, "__class__": 2}',
    "every field null": b'{"text": null, "statement": null, "title": null, "articles": null, "url": null}',
    "every field a list": b'{"text": [], "statement": [], "title": [], "articles": {}, "texts": []}',
}

TYPES = (
    "text/plain",
    "text/json",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=" + "a" * 5_000,
    "application/json; charset=utf-16",
    "application/json, text/plain",
    "application/json\x00",
    "",
    "\xff",
)
CODINGS = ("gzip", "br", "deflate", "zstd", "x-unknown", "gzip, gzip", "identity, gzip")

HEADERS: dict[str, list[tuple[str, str]]] = {
    "hundreds": [(f"X-{number}", "1") for number in range(500)],
    "a huge one": [("X-A", "a" * 60_000)],
    "bytes": [("X-A", "\xff\xfe"), ("User-Agent", "\x80"), ("Cookie", "\xff=\xff;;=;")],
    "ids": [("X-Request-ID", "a\tb"), ("X-Request-ID", "\xff"), ("X-Request-ID", "a" * 9_999)],
    "conditions": [
        ("Range", "bytes=0-0,-1,99999999999999999999-"),
        ("If-Range", '"a"'),
        ("If-Match", '"a", W/"b", *'),
        ("If-None-Match", '""", W/, ,"'),
        ("If-Modified-Since", "Sat, 99 Xyz 99999 99:99:99 GMT"),
        ("If-Unmodified-Since", "0"),
    ],
    "codings": [("Accept-Encoding", "gzip;q=1e999, identity;q=nan, *;q="), ("Accept-Encoding", ",;=q,")],
    "languages and types": [
        ("Accept", "*/*;q=x, application/vnd.apache.arrow.stream;q=-1, /;;;"),
        ("Accept-Language", "\xff;q=2"),
        ("Accept-Charset", "utf-7"),
    ],
    "another host": [
        ("Host", "other.example/../?#@"),
        ("Host", ""),
        ("X-Forwarded-Host", "other.example"),
        ("X-Forwarded-For", "127.0.0.1"),
        ("Forwarded", "for=127.0.0.1;host=other.example"),
    ],
    "another request": [
        ("X-HTTP-Method-Override", "DELETE"),
        ("X-Method-Override", "DELETE"),
        ("X-Original-URL", "/metrics"),
        ("X-Rewrite-URL", "/metrics"),
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade, close"),
        ("TE", "trailers"),
        ("Expect", "100-continue"),
        ("Idempotency-Key", "\xff" * 300),
        ("Idempotency-Key", "a"),
    ],
}

SUFFIXES = ("%00", "%2f", "/..", "/%2e%2e/", ".", "/", "%ff", "%c0%af", ";a=b", "//", "%0d%0aX:%20a", "%")
VALUES = (
    "%00",
    "%ff",
    "%c0%af",
    "%ed%a0%80",
    "..",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "%27%22%3b--",
    "-1",
    "1e3",
    "%EF%BC%91",  # a full-width 1
    "9" * 400,
    "a" * 5_000,
    "%F0%9F%92%A9",
    "%25%73%7B0%7D",
    "%",
    "",
)
METHODS = ("TRACE", "CONNECT", "PROPFIND", "OPTIONS", "PUT", "PATCH", "get", "G\xcbT")


@dataclass(frozen=True)
class Operation:
    """An operation of the document, with a path to request."""

    method: str
    template: str
    path: str
    described: dict[str, Any] = field(compare=False, hash=False)

    @property
    def takes_body(self) -> bool:
        return "requestBody" in self.described

    @property
    def takes_json(self) -> bool:
        return "application/json" in self.described.get("requestBody", {}).get("content", {})

    @property
    def is_guarded(self) -> bool:
        return bool(self.described.get("security"))

    def with_value(self, name: str, value: str) -> str:
        """Return the path with another value for one of its parameters."""
        return _fill_path(self.template, self.described, {name: value})

    def parameters(self, place: str) -> list[str]:
        return [
            parameter["name"]
            for parameter in self.described.get("parameters", ())
            if parameter["in"] == place
        ]


def operations(document: dict[str, Any]) -> list[Operation]:
    return [
        Operation(method.upper(), template, _fill_path(template, described, {}), described)
        for template, item in document["paths"].items()
        for method, described in item.items()
    ]


def _fill_path(template: str, described: dict[str, Any], values: dict[str, str]) -> str:
    path = template
    for parameter in described.get("parameters", ()):
        if parameter["in"] == "path":
            name, schema = parameter["name"], parameter["schema"]
            likely = {"integer": "1"}.get(schema.get("type"), "bitcoin")
            if schema.get("format") == "uuid":
                likely = "4f7c2a9e-0b1d-4c3e-8f5a-6d7e8f9a0b1c"
            path = path.replace(f"{{{name}}}", values.get(name, quote(likely)))
    return path


@dataclass
class HostileRequest:
    """One request, with a description for error messages."""

    description: str
    operation: Operation
    path: str
    method: str
    headers: list[tuple[str, str]]
    body: tuple[bytes, ...] = (b"",)


def send_all(app: Any, requests: Iterable[HostileRequest]) -> Iterator[tuple[HostileRequest, Answer]]:
    """Send all requests and yield the responses. Fails if the service logged an error."""

    async def run() -> list[tuple[HostileRequest, Answer]]:
        return [
            (
                request,
                await send_async(
                    app, request.path, method=request.method, headers=request.headers, body=request.body
                ),
            )
            for request in requests
        ]

    with structlog.testing.capture_logs() as events:
        answers = asyncio.run(run())
    broken = [event for event in events if event["log_level"] in ("error", "critical")]
    assert broken == []
    yield from answers


def find_faults(request: HostileRequest, answer: Answer) -> Iterator[str]:
    """Describe each property that no response may have, with its request."""
    for fault in _check_response(request, answer):
        yield f"{request.method} {request.operation.template}, {request.description}: {fault}"


def _check_response(request: HostileRequest, answer: Answer) -> Iterator[str]:
    if answer.status >= 500:
        yield f"{answer.status} {answer.body[:200]!r}"
    ids = [value for name, value in answer.raw_headers if name == b"x-request-id"]
    if len(ids) != 1 or not SANE_ID.fullmatch(ids[0].decode("latin-1")):
        yield f"request ids {ids}"
    if b"Traceback" in answer.body or b"site-packages" in answer.body:
        yield "a traceback"
    if any(name.startswith(b"access-control-") for name, _ in answer.raw_headers):
        yield "opened to other origins"
    if answer.status >= 400 and answer.body:
        yield from _check_error_body(request, answer, ids)
    operation = request.operation
    is_documented_request = (
        request.path.partition("?")[0] == operation.path and request.method == operation.method
    )
    if is_documented_request and str(answer.status) not in operation.described["responses"]:
        yield f"{answer.status} is not in the document"


def _check_error_body(request: HostileRequest, answer: Answer, ids: list[bytes]) -> Iterator[str]:
    if answer.headers["content-type"].startswith("text/html"):
        is_ours = answer.body.startswith(b"<!doctype html>") and b"<script" not in answer.body
        if not is_ours or not request.path.startswith("/oauth/authorize"):
            yield "not a page of the service"
        return
    body = answer.json()
    if answer.headers["content-type"] == PROBLEM_JSON:
        expected = (answer.status, f"urn:chainproof:request:{ids[0].decode()}")
        if (body.get("status"), body.get("instance")) != expected:
            yield f"a problem of another answer: {body}"
    elif set(body) == {"code", "message", "data"}:
        if body["code"] != answer.status or body["data"] is not None:
            yield f"an envelope of another answer: {body}"
    elif set(body) != {"error", "error_description"}:
        yield f"no error shape: {body}"


def credential(key: str | None) -> list[tuple[str, str]]:
    return [] if key is None else [("CP-X-API-KEY", key)]
