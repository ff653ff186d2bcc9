"""The wheel on the oldest and the newest Python of this machine; ``make test-matrix`` tries each."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.smoke import first_use, pythons


@pytest.mark.browser
def test_a_new_user_of_the_wheel_gets_figures_and_jobs_on_the_oldest_and_the_newest_python(
    browser: Browser, tmp_path: Path
) -> None:
    wheel = first_use.build_wheel(tmp_path)
    tried = pythons.oldest_and_newest()
    assert tried
    for python in tried:
        folder = tmp_path / python.version
        folder.mkdir()
        first_use.try_out(python, wheel, folder, browser)
