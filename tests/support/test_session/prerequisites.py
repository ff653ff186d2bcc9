"""Installs what tests need besides Python packages: Chromium, Redis, promtool, Node.js and npm packages.

``make test`` runs it. If it cannot install them, the tests that need them are skipped with a reason; with
``CI=true`` nothing is skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first needs a quarter less CPU time, since it has no browser window."""
PACKAGES = ("chromium-headless-shell", "chromium")
"""Debian packages; not every release has the first one."""
NO_CHROMIUM = "No Chromium: the browser tests cannot run. Install one (Debian: apt-get install chromium)."
NO_REDIS = (
    "No Redis: tests of shared counters cannot run. Install one (Debian: apt-get install redis-server)."
)
NO_NODE = (
    "No Node.js packages: the TypeScript client cannot be tested. Install Node.js 18 or newer and npm "
    "(Debian: apt-get install nodejs npm), then run "
    "python -m tests.support.test_session.prerequisites with a network."
)
NODE_FOLDER = Path(sys.prefix) / "npm"
"""Where the packages of ``tests/support/npm`` are installed: in the environment of Python."""
NODE_FILES = Path(__file__).parents[1] / "npm"
INSPECTOR_FOLDER = Path(__file__).parents[3] / ".venv" / "inspector"
INSPECTOR_PACKAGES = ("@modelcontextprotocol/inspector@2.12.0", "node@22.23.3")
"""The Inspector needs Node 22.19, which Debian does not have; npm has it as a package."""
NO_INSPECTOR = (
    "No MCP Inspector: its test cannot run. python -m tests.support.test_session.prerequisites installs it "
    "with npm (Debian: apt-get install npm)."
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


def node_modules() -> Path | None:
    """Find the installed Node.js packages, if they are those of the lock file."""
    lock = NODE_FOLDER / "package-lock.json"
    if shutil.which("node") is None or not (NODE_FOLDER / "node_modules" / ".package-lock.json").exists():
        return None
    is_current = lock.read_bytes() == (NODE_FILES / lock.name).read_bytes()
    return NODE_FOLDER / "node_modules" if is_current else None


def install_node_packages() -> None:
    NODE_FOLDER.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(NODE_FILES / name, NODE_FOLDER)
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    subprocess.run(command, cwd=NODE_FOLDER, check=False, stdout=subprocess.DEVNULL)


def inspector() -> tuple[str, str] | None:
    """Find the Node and the script that run the Inspector, if installed."""
    modules = INSPECTOR_FOLDER / "node_modules"
    node = modules / "node" / "bin" / "node"
    script = modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    return (str(node), str(script)) if node.is_file() and script.is_file() else None


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
    if shutil.which("node") is None or shutil.which("npm") is None:
        apt("install", "-y", "--no-install-recommends", "nodejs", "npm")
    if promtool() is None:
        apt("install", "-y", "--no-install-recommends", "prometheus")


def install_inspector() -> None:
    """Install the Inspector beside the Python packages, which needs a minute and 300 MB."""
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(INSPECTOR_FOLDER)]
    subprocess.run([*command, *INSPECTOR_PACKAGES], check=False, stdout=subprocess.DEVNULL)


def list_missing() -> list[str]:
    """List the messages of the programs that are not installed."""
    found = (
        (chromium(), NO_CHROMIUM),
        (redis_server(), NO_REDIS),
        (promtool(), NO_PROMTOOL),
        (node_modules(), NO_NODE),
        (inspector(), NO_INSPECTOR),
    )
    return [message for program, message in found if program is None]


def main() -> int:
    programs = (chromium(), redis_server(), promtool(), shutil.which("node"), shutil.which("npm"))
    if None in programs and can_install():
        print("Installing Chromium, Redis, promtool and Node.js for the tests…", flush=True)
        install()
    if shutil.which("npm") is not None:
        if node_modules() is None:
            install_node_packages()
        if inspector() is None:
            print("Installing the MCP Inspector for its test…", flush=True)
            install_inspector()
    missing = list_missing()
    for message in missing:
        print(message)
    return 1 if missing and os.environ.get("CI") == "true" else 0


if __name__ == "__main__":
    sys.exit(main())
