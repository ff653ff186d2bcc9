"""Whom a text names as the doer of a deed."""

import pytest

from backend.entities.model import Language
from backend.sources.claims.agent_phrases import find_named_agent


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("The hack was carried out by Iran.", "en", "Iran"),
        ("The FBI attributed the theft to North Korea (TraderTraitor).", "en", "North Korea"),
        ("The attack was the work of the Lazarus Group.", "en", "Lazarus Group"),
        ("The plan was approved by the court.", "en", None),
        ("FBIは北朝鮮（TraderTraitor）の犯行とした。", "ja", "北朝鮮"),
        ("FBIは対策を公表した。", "ja", None),
        ("FBI将其归因于朝鲜（TraderTraitor）。", "zh", "朝鲜"),
        ("攻击由伊朗实施。", "zh", "伊朗"),
        ("银行可以为加密货币企业服务。", "zh", None),
    ],
)
def test_agent_phrases_name_the_agent(text: str, language: Language, name: str | None) -> None:
    assert find_named_agent(text, language) == name
