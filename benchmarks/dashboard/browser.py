"""Measures pages in a real Chromium with the browser's own clock.

The driver routes no requests, since that would disable the browser's cache. Other hosts cannot be resolved,
and every request is recorded.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, sync_playwright
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.support.test_session.prerequisites import chromium

QUIET_MS = 400
"""A click has had its effect after this time without a change of the page."""
SETTLE_MS = 700
TIMEOUT_MS = 30_000
MAX_INSPECTED_BYTES = 400
"""Larger messages are not searched for the end of a run."""

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--mute-audio",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

# Changes are watched in every shadow root too, where components of our own live. The one attribute
# that is left out is Streamlit's mark of a running script, which nobody sees. With `still` set, timers
# of a second or more rest, so that a click is not measured together with the page's own refresh.
PROBE = """
(() => {
  const seen = { tasks: [], shift: 0, changes: [], sent: [], got: [], down: 0, still: false, roots: [] };
  window.__seen = seen;
  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe("longtask", (entry) => seen.tasks.push([entry.startTime, entry.duration]));
  observe("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
  const what = { subtree: true, childList: true, attributes: true, characterData: true };
  const changed = (records) => {
    if (records.some((record) => record.attributeName !== "data-test-script-state"))
      seen.changes.push(performance.now());
  };
  const watch = (root) => { seen.roots.push(root); new MutationObserver(changed).observe(root, what); };
  watch(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    const root = attach.call(this, init);
    watch(root);
    return root;
  };
  addEventListener("pointerdown", () => { seen.changes = []; seen.down = performance.now(); }, true);
  const repeat = window.setInterval;
  window.setInterval = (call, every, ...given) => {
    const rests = typeof call === "function" && every >= 1000;
    return repeat(rests ? (...now) => seen.still || call(...now) : call, every, ...given);
  };
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", async ({ data }) => {
        const note = { at: performance.now(), size: data.size ?? data.byteLength ?? data.length, bytes: [] };
        seen.got.push(note);
        if (note.size < MAX_INSPECTED_BYTES && data instanceof Blob) data = await data.arrayBuffer();
        if (note.size < MAX_INSPECTED_BYTES && data instanceof ArrayBuffer)
          note.bytes = [...new Uint8Array(data)];
      });
    }
    send(data) { seen.sent.push(performance.now()); return super.send(data); }
  };
  seen.transferred = () =>
    ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
      .reduce((sum, entry) => sum + entry.transferSize, 0);
  seen.ready = (selector) => {
    const app = document.querySelector('[data-testid="stApp"]');
    if (app?.getAttribute("data-test-script-state") !== "notRunning") return 0;
    for (const root of seen.roots)
      if (root.querySelector(selector)?.checkVisibility()) return performance.now();
    return 0;
  };
})();
""".replace("MAX_INSPECTED_BYTES", str(MAX_INSPECTED_BYTES))


@dataclass(frozen=True)
class Load:
    """One visit. Milliseconds since the navigation began; kilobytes as sent."""

    ready: float
    shift: float
    long_tasks: float
    blocking: float
    http_kb: float
    socket_kb: float


@dataclass(frozen=True)
class Click:
    """One click. Milliseconds from the pointer's going down to the first and the last change of the page,
    to the script's end, and of that the part between the request's send and the script's end."""

    first: float
    last: float
    script_end: float | None
    on_server: float | None
    socket_kb: float


@dataclass
class Visitor:
    """A browser that measures pages of ``base``; ``foreign`` and ``faults`` hold what should not be."""

    base: str
    browser: Browser
    foreign: set[str] = field(default_factory=set)
    faults: set[str] = field(default_factory=set)

    @contextlib.contextmanager
    def context(self) -> Iterator[BrowserContext]:
        """As of a new reader: nothing cached, no cookies."""
        context = self.browser.new_context(
            viewport={"width": 1440, "height": 900}, locale="en-US", reduced_motion="reduce"
        )
        context.set_default_timeout(TIMEOUT_MS)
        context.add_init_script(PROBE)
        context.on("request", lambda request: self._note_host(request.url))
        context.on("weberror", lambda fault: self.faults.add(str(fault.error)[:200]))
        yield context
        context.close()

    def _note_host(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != urlsplit(self.base).netloc:
            self.foreign.add(f"{parts.scheme}://{parts.netloc}")

    def load(self, context: BrowserContext, path: str, content: str) -> tuple[Page, Load]:
        """Open ``path`` until the script rests and ``content`` (a CSS selector) shows, and a moment more."""
        page = context.new_page()
        page.goto(self.base + path, wait_until="commit")
        is_ready_script = "selector => window.__seen?.ready(selector)"
        try:
            ready = float(page.wait_for_function(is_ready_script, arg=content, polling="raf").json_value())
        except TimeoutError:
            page_text = page.locator("body").inner_text()[-400:]
            raise SystemExit(
                f"{path} does not show {content!r} within {TIMEOUT_MS / 1000:.0f} s:\n{page_text}"
            ) from None
        page.wait_for_timeout(SETTLE_MS)
        measured = page.evaluate(
            """() => ({tasks: __seen.tasks, shift: __seen.shift, http: __seen.transferred(),
                socket: __seen.got.reduce((sum, note) => sum + note.size, 0)})"""
        )
        lengths = [length for _, length in measured["tasks"]]
        blocking = sum(length - 50 for length in lengths)
        return page, Load(
            ready,
            measured["shift"],
            sum(lengths),
            blocking,
            measured["http"] / 1024,
            measured["socket"] / 1024,
        )

    def click(self, page: Page, target: str) -> Click:
        """Click ``target`` (a Playwright selector) and wait until the page has been quiet."""
        element = page.locator(target).first
        element.hover()
        _wait_for_quiet(page)
        page.evaluate("() => Object.assign(__seen, {still: true, sent: [], got: [], changes: []})")
        # By the mouse: the driver's own click looks at the layout within the very event that is measured.
        page.mouse.down()
        page.mouse.up()
        page.wait_for_timeout(QUIET_MS)
        _wait_for_quiet(page)
        measured: dict[str, Any] = page.evaluate(
            """() => { __seen.still = false;
                return {down: __seen.down, changes: __seen.changes, sent: __seen.sent, got: __seen.got}; }"""
        )
        if page.locator("[data-testid=stException]").count():
            self.faults.add(f"the page shows an exception after a click on {target}")
        return _build_click(measured, target)


def _wait_for_quiet(page: Page) -> None:
    """Until nothing has changed for a while and no run is on its way, which may be quiet for longer."""
    page.wait_for_function(
        """quiet => performance.now() - (__seen.changes.at(-1) ?? 0) > quiet
            && document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]")""",
        arg=QUIET_MS,
    )


def _build_click(measured: dict[str, Any], target: str) -> Click:
    down, changes = measured["down"], measured["changes"]
    if not changes:
        raise RuntimeError(f"nothing changed after a click on {target}")
    sent_at = next((at for at in measured["sent"] if at >= down), None)
    ends = [
        note["at"]
        for note in measured["got"]
        if note["at"] >= down and _is_run_finished(bytes(note["bytes"]))
    ]
    end = ends[-1] if ends else None
    return Click(
        changes[0] - down,
        changes[-1] - down,
        None if end is None else end - down,
        None if end is None or sent_at is None else end - sent_at,
        sum(note["size"] for note in measured["got"] if note["at"] >= down) / 1024,
    )


def _is_run_finished(raw: bytes) -> bool:
    if not raw:
        return False
    message = ForwardMsg()
    message.ParseFromString(raw)
    return message.WhichOneof("type") == "script_finished"


@contextlib.contextmanager
def open_visitor(base: str) -> Iterator[Visitor]:
    path = chromium()
    if path is None:
        raise SystemExit("This benchmark needs Chromium (Debian: apt-get install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield Visitor(base, browser)
        browser.close()
