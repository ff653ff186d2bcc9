"""Streamlit's configuration: privacy, speed, and known options; images and scripts without other hosts."""

import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

from streamlit import config

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
DASHBOARD = ROOT / "dashboard"


def options(section: dict[str, object], name: str) -> list[str]:
    found = []
    for key, value in section.items():
        found += options(value, f"{name}.{key}") if isinstance(value, dict) else [f"{name}.{key}"]
    return found


def test_every_option_is_recognised() -> None:
    known_options = set(config._config_options_template)
    assert {name for section, body in CONFIG.items() for name in options(body, section)} <= known_options


def test_garbage_collection_after_every_run_is_off() -> None:
    assert CONFIG["runner"]["postScriptGC"] is False
    command = "from streamlit import config; print(config.get_option('runner.postScriptGC'))"
    result = subprocess.run(
        [sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"


def test_usage_statistics_are_off() -> None:
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"]["toolbarMode"] == "minimal"
    assert CONFIG["client"]["showErrorDetails"] == "none"
    assert CONFIG["server"]["address"] == "127.0.0.1"


def test_images_are_valid_and_load_nothing() -> None:
    for name in ("favicon.svg", "logo.svg"):
        picture = ElementTree.parse(DASHBOARD / "frame" / name)  # our own files
        assert picture.getroot().tag == "{http://www.w3.org/2000/svg}svg"
        assert not [
            element for element in picture.iter() if any(key.endswith("href") for key in element.attrib)
        ]


def test_styles_and_scripts_name_no_other_host() -> None:
    files = [*DASHBOARD.rglob("*.css"), *DASHBOARD.rglob("*.js")]
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "@import" not in text
        text = text.replace("url(#", "")  # a part of the same drawing
        text = text.replace("url('data:image/svg+xml,", "")  # a drawing in the file itself
        assert "url(" not in text
        assert "https://" not in text
        assert "http://" not in text
