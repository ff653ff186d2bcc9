"""A server on loopback that refuses everything and quotes the whole request as it does.

Upstreams do quote keys in their errors; this one quotes them in every place where an error could be read.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType


class EchoingServer:
    def __init__(self) -> None:
        self.heard = ""
        """All that was ever sent, as text."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
                told = f"{self.command} {self.path} {self.headers} {body}"
                outer.heard += told
                message = f"Not with this: {told}"
                said = json.dumps(
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
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

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
