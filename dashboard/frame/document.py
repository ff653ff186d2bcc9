"""The HTML document that carries the pages: our style in its head, and security headers on all answers.

Streamlit delivers a page's style with the page's elements, after the first paint; in the head it is
there from the start, and nothing shifts.
"""

from collections.abc import Sequence
from html import escape

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.frame.streamlit_internals import TITLE

POLICY = "; ".join(
    (
        "default-src 'self'",
        # Streamlit's document begins with a script of its own and reads its messages by WebAssembly;
        # components are modules out of blobs.
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
"""Nothing is loaded from another host, and nothing sent to one, whatever a feed or an article may hold."""
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"content-security-policy", POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_CONDITIONS = {b"if-none-match", b"if-modified-since", b"range", b"accept-encoding"}
"""Left out when a document is asked for: the answer is no longer the file that they speak of."""
_FILE_FACTS = {b"content-length", b"etag", b"last-modified", b"accept-ranges"}

Header = tuple[bytes, bytes]


class Document:
    """ASGI middleware that writes ``style`` (CSS), and ``script`` if there is one, into every document of
    Streamlit, and :data:`HEADERS` everywhere.
    """

    def __init__(self, app: ASGIApp, *, style: str, title: str, script: str = "") -> None:
        self._app = app
        css, code = style.replace("</", "<\\/"), f"<script>{script}</script>" if script else ""
        self._head = f"<style>{css}</style>{code}</head>".encode()
        self._title = f"<title>{escape(title)}</title>".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _wants_document(scope):
            scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] not in _CONDITIONS]}
        started: Message | None = None
        body = bytearray()

        async def pass_on(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                message = {**message, "headers": _with_headers(message["headers"])}
                if scope["method"] == "GET" and _is_document(message["headers"]):
                    started = message
                    return
            elif started is not None and message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if message.get("more_body"):
                    return
                written = self._write(bytes(body))
                await send({**started, "headers": _resized(started["headers"], len(written))})
                message = {"type": "http.response.body", "body": written}
            await send(message)

        await self._app(scope, receive, pass_on)

    def _write(self, page: bytes) -> bytes:
        if TITLE not in page:  # one of ours, which is whole
            return page
        return page.replace(TITLE, self._title, 1).replace(b"</head>", self._head, 1)


def _wants_document(scope: Scope) -> bool:
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def _is_document(headers: Sequence[Header]) -> bool:
    facts = dict(headers)
    return facts.get(b"content-type", b"").startswith(b"text/html") and b"content-encoding" not in facts


def _with_headers(headers: Sequence[Header]) -> list[Header]:
    lowered = [(name.lower(), value) for name, value in headers]
    present = {name for name, _ in lowered}
    return [*lowered, *(pair for pair in HEADERS if pair[0] not in present)]


def _resized(headers: Sequence[Header], length: int) -> list[Header]:
    kept = [pair for pair in headers if pair[0] not in _FILE_FACTS]
    return [*kept, (b"content-length", str(length).encode())]
