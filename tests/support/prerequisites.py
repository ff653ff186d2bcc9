"""Installs what the tests need beside Python packages: a Chromium, where that can be had.

Run by ``make test``. Where it may not or cannot install, the browser tests are skipped with a reason,
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


def chromium() -> str | None:
    """Path of the browser that the tests drive, if there is one."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)


def may_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install() -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}

    def apt(*command: str) -> None:
        subprocess.run(["apt-get", *command, "-qq"], check=False, env=environment, stdout=subprocess.DEVNULL)

    apt("update")
    for package in PACKAGES:
        if chromium() is None:
            apt("install", "-y", package, "fonts-noto-cjk")


def main() -> int:
    if chromium() is None and may_install():
        print("Installing Chromium for the browser tests…", flush=True)
        install()
    if chromium() is not None:
        return 0
    print("No Chromium: the browser tests cannot run. Install one (Debian: apt-get install chromium).")
    return 1 if os.environ.get("CI") == "true" else 0


if __name__ == "__main__":
    sys.exit(main())
