"""Creates a working directory that takes over a program which imports or configures itself from there."""

from pathlib import Path

NAME = "hostile"
MODULES = (
    "asgi.py",  # Streamlit's name of the dashboard's application
    "backend/__init__.py",
    "backend/cli/__init__.py",
    "dashboard/__init__.py",
    "pickle.py",  # multiprocessing imports it before it sets its parent's paths
    "typing.py",
)
RECORD = """from pathlib import Path
with Path({log!r}).open("a") as log:
    log.write(__file__ + "\\n")
raise ImportError(__file__)
"""
STREAMLIT = """[server]
baseUrlPath = "elsewhere"
[browser]
gatherUsageStats = true
[client]
toolbarMode = "developer"
[theme]
base = "dark"
"""


def create(parent: Path) -> Path:
    """Create a folder under ``parent`` with modules named like ours and Python's, and a Streamlit config."""
    folder = parent / NAME
    for name in MODULES:
        module = folder / name
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(RECORD.format(log=str(_log(parent))))
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "config.toml").write_text(STREAMLIT)
    return folder


def list_imported(parent: Path) -> list[str]:
    """List the modules of the folder that programs have imported."""
    return _log(parent).read_text().splitlines() if _log(parent).exists() else []


def _log(parent: Path) -> Path:
    return parent / "imported.txt"
