"""A page of another origin signs a person in with PKCE and calls the service by fetch."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import orjson
import pytest
from playwright.sync_api import Browser, expect

from backend.auth.oauth import accounts, apps
from backend.store.database import Database
from tests.support.processes import shared_stack
from tests.support.waiting import LIMIT_MS, LIMIT_SECONDS

pytestmark = pytest.mark.browser
PASSWORD = "correct horse battery"
PAGE = """<!doctype html><title>Another site</title><pre id="outcome"></pre><script>
const service = "%(service)s", client_id = "%(client_id)s", redirect_uri = location.origin + "/callback";
const encode = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
async function signIn() {
  const code_verifier = encode(crypto.getRandomValues(new Uint8Array(32)));
  sessionStorage.verifier = code_verifier;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(code_verifier));
  location = service + "/oauth/authorize?" + new URLSearchParams({
    response_type: "code", client_id, redirect_uri, code_challenge: encode(digest),
    code_challenge_method: "S256", scope: "read", state: "1" });
}
async function call() {
  const code = new URLSearchParams(location.search).get("code");
  const body = new URLSearchParams({ grant_type: "authorization_code", client_id, redirect_uri, code,
    code_verifier: sessionStorage.verifier });
  const tokens = await (await fetch(service + "/oauth/token", { method: "POST", body })).json();
  const read = (path, token, more) => fetch(service + path, {
    headers: { Authorization: "Bearer " + token, "X-Request-ID": "from-a-page", ...more } });
  const prices = await read("/prices", tokens.access_token);
  const again = await read("/prices", tokens.access_token, { "If-None-Match": prices.headers.get("ETag") });
  const stream = await read("/prices", tokens.access_token, { Accept: "text/event-stream" });
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  const beginning = (await reader.read()).value.split("\\n")[0];
  await reader.cancel();
  const refused = await read("/prices", "cpa_wrong");
  const closed = await fetch(service + "/oauth/authorize").catch((error) => error.name);
  return {
    hasBitcoin: "bitcoin" in await prices.json(), requestId: prices.headers.get("X-Request-ID"),
    again: again.status, beginning,
    refused: [refused.status, (await refused.json()).code, refused.headers.get("WWW-Authenticate") !== null],
    closed };
}
const show = (value) => { document.getElementById("outcome").textContent = JSON.stringify(value); };
if (location.pathname === "/callback") call().then(show, (error) => show(String(error))); else signIn();
</script>"""


@pytest.fixture
def other_site() -> Iterator[str]:
    """The address of a page at another origin, which is registered as a public application."""
    shared, now = shared_stack.start_shared(), datetime.now(UTC)
    database = Database(f"sqlite:///{shared.service.home / 'chainproof.db'}")
    uri = f"{shared.other_origin}/callback"
    app = apps.create(database, name="Another site", redirect_uris=[uri], now=now)
    accounts.create(database, username="cora", password=PASSWORD, scopes=["read"], now=now)
    database.dispose()
    page = (PAGE % {"service": shared.service.url, "client_id": app.client_id}).encode()

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", urlsplit(shared.other_origin).port or 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield shared.other_origin
    server.shutdown()
    server.server_close()
    thread.join(LIMIT_SECONDS)


def test_a_page_of_another_origin_signs_in_reads_data_and_reads_refusals(
    browser: Browser, other_site: str
) -> None:
    context = browser.new_context(locale="en-US")
    context.set_default_timeout(LIMIT_MS)
    page = context.new_page()
    page.goto(other_site)
    page.fill("[name=username]", "cora")
    page.fill("[name=password]", PASSWORD)
    page.click("[name=approve]")
    outcome = page.locator("#outcome")
    expect(outcome).not_to_be_empty()
    assert orjson.loads(outcome.text_content() or "") == {
        "hasBitcoin": True,
        "requestId": "from-a-page",
        "again": 304,
        "beginning": "retry: 3000",
        "refused": [401, "unauthorized", True],
        "closed": "TypeError",
    }
    context.close()
