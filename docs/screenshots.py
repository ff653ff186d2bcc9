"""Takes the README's screenshots from a running sample service: ``python -m docs.screenshots``."""

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.support import running
from tests.support.prerequisites import chromium

IMAGES = Path(__file__).parent / "images"
DESKTOP: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
SHOTS: dict[str, tuple[str, dict[str, Any]]] = {
    "rankings": ("/rankings?coin=ethereum", DESKTOP),
    "rankings-dark": ("/rankings?coin=ethereum", {**DESKTOP, "color_scheme": "dark"}),
    "rankings-phone": ("/rankings", PHONE),
    "rankings-phone-dark": ("/rankings", {**PHONE, "color_scheme": "dark"}),
    "coin-phone": ("/rankings?coin=ethereum", PHONE),
    "treemap": ("/rankings?view=treemap", DESKTOP),
    "compare": ("/rankings?view=compare&compare=bitcoin,ethereum,solana&span=7d", DESKTOP),
    "overview": ("/", DESKTOP),
    "overview-dark": ("/", {**DESKTOP, "color_scheme": "dark"}),
    "overview-phone": ("/", PHONE),
    "overview-ja": ("/?lang=ja", DESKTOP),
    "rankings-zh": ("/rankings?lang=zh&span=7d", DESKTOP),
}
KEPT = ("rankings", "overview-dark", "rankings-phone")
"""Those that the README shows; with a folder given all are taken into it."""
SETTLE_MS = 4000


def take(folder: Path, names: tuple[str, ...]) -> None:
    with (
        tempfile.TemporaryDirectory() as home,
        running.service(Path(home)) as service,
        running.dashboard(service) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        for name in names:
            path, options = SHOTS[name]
            context = browser.new_context(locale="en-US", reduced_motion="reduce", **options)
            page = context.new_page()
            page.goto(url + path)
            page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
            page.wait_for_timeout(SETTLE_MS)
            page.screenshot(path=folder / f"{name}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    import sys

    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    take(chosen or IMAGES, tuple(SHOTS) if chosen else KEPT)
