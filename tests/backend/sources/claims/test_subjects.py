"""Names of doers that no catalogue knows, and what only looks like one."""

import pytest

from backend.entities.model import Language
from backend.sources.claims.subjects import Subject, find_subject


@pytest.mark.parametrize(
    ("text", "language", "subject"),
    [
        ("任天堂は2024年4月、ビットコインを購入した。", "ja", Subject("任天堂", False)),
        ("2024年4月、トヨタが購入を発表した。", "ja", Subject("トヨタ", False)),
        ("山田太郎被告は禁錮25年を言い渡された。", "ja", Subject("山田太郎", True)),
        ("トヨタ、2024年4月に購入", "ja", Subject("トヨタ", False)),
        ("星巴克2020年8月买入比特币。", "zh", Subject("星巴克", False)),
        ("2025年5月，沃尔玛披露买入比特币。", "zh", Subject("沃尔玛", False)),
        ("2024年3月，创始人李大伟被判25年监禁。", "zh", Subject("李大伟", True)),
        ("Robert Lang was sentenced to five years.", "en", Subject("Robert Lang", True)),
    ],
)
def test_a_subject_name_is_found(text: str, language: Language, subject: Subject) -> None:
    assert find_subject(text, language, ()) == subject


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("裁判所は2024年4月、計画を認めた。", "ja"),
        ("攻撃者は資金を返した。", "ja"),
        ("弁済が開始された。", "ja"),
        ("法院在2024年10月批准了计划。", "zh"),
        ("黑客从热钱包提走比特币。", "zh"),
        ("创始人辞去CEO一职。", "zh"),
        ("The Supreme Court set the ban aside.", "en"),
        ("Hackers stole the coins in New York.", "en"),
    ],
)
def test_offices_roles_and_objects_are_not_subject_names(text: str, language: Language) -> None:
    assert find_subject(text, language, ()) is None


def test_a_known_entity_is_not_returned_as_an_unknown_subject() -> None:
    text = "任天堂は2024年4月、ビットコインを購入した。"
    assert find_subject(text, "ja", [(0, 3)]) is None
