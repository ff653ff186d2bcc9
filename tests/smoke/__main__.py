"""``python -m tests.smoke``: one line for each supported Python, exit code 1 if it fails on any."""

import sys
import tempfile
import time
from pathlib import Path

from tests.smoke import first_use, pythons
from tests.support.dashboard.browsers import open_chromium


def main() -> int:
    for version in pythons.supported():
        if version not in pythons.installed():
            pythons.bring(version)
    found, failed = pythons.installed(), 0
    with tempfile.TemporaryDirectory(prefix="chainproof-smoke-") as name, open_chromium() as browser:
        wheel = first_use.build_wheel(Path(name))
        for version in pythons.supported():
            if version not in found:
                print(f"Python {version}: not tried; it is not here, and uv could not bring it", flush=True)
                continue
            folder, began = Path(name) / version, time.monotonic()
            folder.mkdir()
            try:
                first_use.try_out(found[version], wheel, folder, browser)
            except Exception as error:  # noqa: BLE001 (whatever it is, the next Python is tried)
                failed += 1
                notes = "\n".join(getattr(error, "__notes__", []))
                print(f"{found[version]}: FAILED: {error}\n{notes}", flush=True)
            else:
                print(f"{found[version]}: works ({time.monotonic() - began:.0f} s)", flush=True)
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
