"""Installs the programs that tests need besides Python packages: Chromium, Redis and promtool.

``make test`` runs it. If it cannot install them, the tests that need them are skipped with a reason; with
``CI=true`` nothing is skipped.
"""

import os
import shutil
import subprocess
import sys

CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first needs a quarter less CPU time, since it has no browser window."""
PACKAGES = ("chromium-headless-shell", "chromium")
"""Debian packages; not every release has the first one."""
NO_CHROMIUM = "No Chromium: the browser tests cannot run. Install one (Debian: apt-get install chromium)."
NO_REDIS = (
    "No Redis: tests of shared counters cannot run. Install one (Debian: apt-get install redis-server)."
)
NO_PROMTOOL = (
    "No promtool: the alert rules cannot be checked. Install one (Debian: apt-get install prometheus)."
)


def chromium() -> str | None:
    """Find the path of the browser, if installed."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)


def redis_server() -> str | None:
    """Find the path of the Redis server, if installed."""
    return shutil.which("redis-server")


def promtool() -> str | None:
    """Find the path of Prometheus' checker of rules, if installed."""
    return shutil.which("promtool")


def can_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install() -> None:
    environment = {
        **os.environ,
        "DEBIAN_FRONTEND": "noninteractive",
        "RUNLEVEL": "1",
    }  # do not start services

    def apt(*command: str) -> None:
        subprocess.run(["apt-get", *command, "-qq"], check=False, env=environment, stdout=subprocess.DEVNULL)

    apt("update")
    for package in PACKAGES:
        if chromium() is None:
            apt("install", "-y", package, "fonts-noto-cjk")
    if redis_server() is None:
        apt("install", "-y", "redis-server")
    if promtool() is None:
        apt("install", "-y", "--no-install-recommends", "prometheus")


def list_missing() -> list[str]:
    found = {NO_CHROMIUM: chromium(), NO_REDIS: redis_server(), NO_PROMTOOL: promtool()}
    return [message for message, path in found.items() if path is None]


def main() -> int:
    if list_missing() and can_install():
        print("Installing Chromium, Redis and promtool for the tests…", flush=True)
        install()
    missing = list_missing()
    for message in missing:
        print(message)
    return 1 if missing and os.environ.get("CI") == "true" else 0


if __name__ == "__main__":
    sys.exit(main())
