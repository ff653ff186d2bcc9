"""Names that a text gives to something: called X, renamed from X to Y, Y and not X."""

from datetime import UTC, datetime

import pytest

from backend.entities.model import Language
from tests.backend.sources.evidence import held

DAY = datetime(2025, 12, 3, tzinfo=UTC)
UPGRADE = ("The Fusaka upgrade of Ethereum activates. It brings PeerDAS.", DAY)
UPGRADE_JA = ("イーサリアムの「フサカ」が有効化。PeerDASを導入した。", DAY)
RENAMED = ("Bitcoin board renamed. The board changed its name from Alpha to Omega in December 2025.", DAY)
RENAMED_ZH = ("比特币协会改名。协会将“甲会”改称“乙会”。", DAY)
LOSS = ("Kraken loses 850,000 BTC. Kraken said in December 2025 that 850,000 BTC had been stolen.", DAY)


@pytest.mark.parametrize(
    ("text", "record", "language", "claimed", "found"),
    [
        (
            "The upgrade of Ethereum in December 2025 that brings PeerDAS is called Pectra.",
            UPGRADE,
            "en",
            "Pectra",
            "Fusaka",
        ),
        (
            "In December 2025 the board of Bitcoin changed its name from Omega to Alpha.",
            RENAMED,
            "en",
            "changed its name from Omega to Alpha",
            "changed its name from Alpha to Omega",
        ),
        (
            "2025年12月，比特币协会由“乙会”改为“甲会”。",
            RENAMED_ZH,
            "zh",
            "由“乙会”改为“甲会",
            "将“甲会”改称“乙会",
        ),
        (
            "Omega, the board of Bitcoin, was renamed Alpha in December 2025.",
            (
                "Bitcoin board renamed. Alpha was renamed Omega in December 2025, the board of Bitcoin said.",
                DAY,
            ),
            "en",
            "Omega, the board of Bitcoin, was renamed Alpha",
            "Alpha was renamed Omega",
        ),
        (
            "In December 2025 thieves took 850,000 BTC from Coinbase and not Kraken.",
            LOSS,
            "en",
            "Coinbase",
            "Kraken",
        ),
    ],
)
def test_a_name_in_place_of_the_source_s_differs(
    text: str, record: tuple[str, datetime], language: Language, claimed: str, found: str
) -> None:
    differences = held(text, record, language).differences
    assert (claimed, found) in [(one.claimed, one.found) for one in differences]


@pytest.mark.parametrize(
    ("text", "record", "language"),
    [
        ("The upgrade of Ethereum in December 2025 is called Fusaka.", UPGRADE, "en"),
        ("In December 2025 the board of Bitcoin changed its name from Alpha to Omega.", RENAMED, "en"),
        ("2025年12月，比特币协会由“甲会”改为“乙会”。", RENAMED_ZH, "zh"),
        ("In December 2025 thieves took 850,000 BTC from Kraken and not Coinbase.", LOSS, "en"),
        ("2025年12月、イーサリアムの「フサカ」と呼ばれる更新が有効になった。", UPGRADE_JA, "ja"),
    ],
)
def test_the_name_that_the_source_gives_does_not_differ(
    text: str, record: tuple[str, datetime], language: Language
) -> None:
    assert held(text, record, language).differences == ()


def test_a_renaming_without_quotation_marks_is_read_in_japanese() -> None:
    record = ("ビットコインの計画。計画は2020年12月に「オメガ」へ改称した。", DAY)
    text = "ビットコインの計画は{}の名で始まり、2020年12月に{}へと看板を掛け替えた。"
    assert [
        difference.slot for difference in held(text.format("オメガ", "アルファ"), record, "ja").differences
    ] == ["roles"]
    assert held(text.format("アルファ", "オメガ"), record, "ja").differences == ()
