"""Another doer than the source's: a country, a firm or a person that the catalogue lacks."""

from datetime import UTC, datetime

import pytest

from backend.entities.model import Language
from tests.backend.sources.evidence import held

DAY = datetime(2021, 9, 7, tzinfo=UTC)
TENDER = ("Bitcoin becomes legal tender in El Salvador. It was the first country to take this step.", DAY)
TENDER_ZH = ("萨尔瓦多将比特币定为法定货币。这是首个采取此举的国家。", DAY)
FIRM_JA = ("コインチェックがビットコインを購入。10億円分を買うと発表した。", DAY)
CHRISTIE = ("Christie's sells a token. The work of the token brought 69 million dollars.", DAY)
LIBRA = ("Facebook launches Libra. The stablecoin project Libra was for bitcoin users.", DAY)
STATE = ("Kraken settles with New York. Kraken pays 18.5 million dollars and leaves New York.", DAY)
PRISON = (
    "Bitcoin thief sentenced. Ilya Lichtenstein was sentenced to five years in prison for 119,754 BTC.",
    DAY,
)


@pytest.mark.parametrize(
    ("text", "record", "language", "claimed", "found"),
    [
        (
            "Bitcoin became legal tender in Honduras in September 2021.",
            TENDER,
            "en",
            "Honduras",
            "El Salvador",
        ),
        (
            "Sotheby's was the house that sold the token for 69 million dollars in September 2021.",
            CHRISTIE,
            "en",
            "Sotheby",
            "Christie",
        ),
        (
            "Tesla was the company that launched the stablecoin project Libra in September 2021.",
            LIBRA,
            "en",
            "Tesla",
            "Facebook",
        ),
        (
            "In September 2021 Kraken settled with California and paid 18.5 million dollars.",
            STATE,
            "en",
            "California",
            "New York",
        ),
        ("2021年9月，巴拿马把比特币定为法定货币。", TENDER_ZH, "zh", "巴拿马", "萨尔瓦多"),
        (
            "任天堂は2021年9月、10億円分のビットコインを購入すると発表した。",
            FIRM_JA,
            "ja",
            "任天堂",
            "コインチェック",
        ),
        (
            "Robert Lang was sentenced to five years in September 2021 for 119,754 BTC.",
            PRISON,
            "en",
            "Robert Lang",
            "Ilya Lichtenstein",
        ),
    ],
)
def test_an_unknown_agent_differs_from_the_agent_of_the_record(
    text: str, record: tuple[str, datetime], language: Language, claimed: str, found: str
) -> None:
    differences = held(text, record, language).differences
    assert [(one.slot, one.claimed, one.found) for one in differences] == [("agent", claimed, found)]


@pytest.mark.parametrize(
    ("text", "record", "language"),
    [
        ("Bitcoin became legal tender in El Salvador in September 2021.", TENDER, "en"),
        ("2021年9月，比特币成为法定货币。", TENDER_ZH, "zh"),
        ("コインチェックは2021年9月、10億円分のビットコインを購入すると発表した。", FIRM_JA, "ja"),
        ("In September 2021 the owner of Coinbase settled with New York over Kraken.", STATE, "en"),
        (
            "Fresh from its loss, a house sold the token for 69 million dollars in September 2021.",
            CHRISTIE,
            "en",
        ),
        ("2021年9月、ワシントンは10億円分のビットコインの購入を認めた。", FIRM_JA, "ja"),
        ("A thief of 119,754 BTC was sentenced to five years in September 2021.", PRISON, "en"),
        ("Lichtenstein was sentenced to five years in September 2021.", PRISON, "en"),
    ],
)
def test_an_agent_with_another_name_or_no_name_does_not_differ(
    text: str, record: tuple[str, datetime], language: Language
) -> None:
    assert held(text, record, language).differences == ()
