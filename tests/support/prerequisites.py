"""Installs what the tests need beside Python packages: a Chromium and a Redis, where they can be had.

Run by ``make test``. Where it may not or cannot install, the tests that need them are skipped with a reason,
except with ``CI=true``, where nothing is skipped.
"""

import os
import shutil
import subprocess
import sys

CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first needs a quarter less of the processor: it draws pages and no browser around them."""
PACKAGES = ("chromium-headless-shell", "chromium")
"""Of Debian; the first is not in every release."""
NO_CHROMIUM = "No Chromium: the browser tests cannot run. Install one (Debian: apt-get install chromium)."
NO_REDIS = "No Redis: tests of shared counts cannot run. Install one (Debian: apt-get install redis-server)."


def chromium() -> str | None:
    """Path of the browser that the tests drive, if there is one."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)


def redis_server() -> str | None:
    """Path of the Redis that tests start, if there is one."""
    return shutil.which("redis-server")


def may_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install() -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}  # starts no service

    def apt(*command: str) -> None:
        subprocess.run(["apt-get", *command, "-qq"], check=False, env=environment, stdout=subprocess.DEVNULL)

    apt("update")
    for package in PACKAGES:
        if chromium() is None:
            apt("install", "-y", package, "fonts-noto-cjk")
    if redis_server() is None:
        apt("install", "-y", "redis-server")


def main() -> int:
    if (chromium() is None or redis_server() is None) and may_install():
        print("Installing what the tests need: Chromium, Redis…", flush=True)
        install()
    lacking = [
        told for found, told in ((chromium(), NO_CHROMIUM), (redis_server(), NO_REDIS)) if found is None
    ]
    for told in lacking:
        print(told)
    return 1 if lacking and os.environ.get("CI") == "true" else 0


if __name__ == "__main__":
    sys.exit(main())
