"""The settings' reference is made from the code."""

from backend.settings import Settings
from docs import settings as reference


def test_the_reference_is_up_to_date() -> None:
    stored = reference.FILE.read_text(encoding="utf-8")
    assert stored == reference.render(), "Run: make docs"


def test_every_setting_is_described_once() -> None:
    described = reference._docstrings()
    assert set(described) == set(Settings.model_fields)
    assert all(text.endswith(".") for text in described.values())
