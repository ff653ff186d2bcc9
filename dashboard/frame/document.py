"""Adds the style sheet to Streamlit's HTML document, and security headers to all responses.

Streamlit delivers the style of a page with its elements, after the first paint. In the document's
head the style is present from the start, so the layout does not shift.
"""

from collections.abc import Sequence
from html import escape

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.frame.streamlit_internals import TITLE

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        # Streamlit's document has an inline script, decodes messages with WebAssembly, and loads
        # components as modules from blobs.
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
"""Blocks requests to other hosts, whatever a feed or an article contains."""
SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_CONDITIONAL_HEADERS = {b"if-none-match", b"if-modified-since", b"range", b"accept-encoding"}
"""Removed from requests for a document, because the response differs from the file on disk."""
_FILE_HEADERS = {b"content-length", b"etag", b"last-modified", b"accept-ranges"}

Header = tuple[bytes, bytes]


class DocumentMiddleware:
    """ASGI middleware that adds ``style`` (CSS) and an optional ``script`` to Streamlit's documents.

    It adds :data:`SECURITY_HEADERS` to all responses.
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
        if _accepts_html(scope):
            scope = {
                **scope,
                "headers": [pair for pair in scope["headers"] if pair[0] not in _CONDITIONAL_HEADERS],
            }
        start: Message | None = None
        body = bytearray()

        async def send_with_head(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                message = {**message, "headers": _add_security_headers(message["headers"])}
                if scope["method"] == "GET" and _is_html(message["headers"]):
                    start = message
                    return
            elif start is not None and message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if message.get("more_body"):
                    return
                page = self._add_head(bytes(body))
                await send({**start, "headers": _replace_length(start["headers"], len(page))})
                message = {"type": "http.response.body", "body": page}
            await send(message)

        await self._app(scope, receive, send_with_head)

    def _add_head(self, page: bytes) -> bytes:
        if TITLE not in page:  # one of our own pages, not Streamlit's document
            return page
        return page.replace(TITLE, self._title, 1).replace(b"</head>", self._head, 1)


def _accepts_html(scope: Scope) -> bool:
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def _is_html(headers: Sequence[Header]) -> bool:
    by_name = dict(headers)
    return by_name.get(b"content-type", b"").startswith(b"text/html") and b"content-encoding" not in by_name


def _add_security_headers(headers: Sequence[Header]) -> list[Header]:
    lowered = [(name.lower(), value) for name, value in headers]
    present = {name for name, _ in lowered}
    return [*lowered, *(pair for pair in SECURITY_HEADERS if pair[0] not in present)]


def _replace_length(headers: Sequence[Header], length: int) -> list[Header]:
    other_headers = [pair for pair in headers if pair[0] not in _FILE_HEADERS]
    return [*other_headers, (b"content-length", str(length).encode())]
