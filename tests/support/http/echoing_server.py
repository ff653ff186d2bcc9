"""Runs a server on loopback that refuses every request and quotes the whole request in its errors.

Some upstreams quote keys in errors; this one quotes them in every part of an error.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType


class EchoingServer:
    def __init__(self) -> None:
        self.received = ""
        """All received requests, as text."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
                request = f"{self.command} {self.path} {self.headers} {body}"
                outer.received += request
                message = f"Refused: {request}"
                response = json.dumps(
                    {
                        "error": {"message": message, "code": "invalid_api_key", "type": message},
                        "status": {"error_code": 1001, "error_message": message},
                        "title": message,
                        "detail": message,
                        "errors": [{"message": message}],
                    }
                ).encode()
                self.send_response(401, "Unauthorized")
                self.send_header("Content-Type", "application/json")
                self.send_header("WWW-Authenticate", f"Bearer error={self.headers.get('Authorization')}")
                self.send_header("Content-Length", str(len(response)))
                self.end_headers()
                self.wfile.write(response)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def __enter__(self) -> "EchoingServer":
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
