"""Claims, passages and evidence as the tests of assessment need them."""

from collections.abc import Mapping
from datetime import UTC, datetime

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.assessment.evidence import Evidence
from backend.sources.claims import dates
from backend.sources.claims.claim_parser import parse_claim
from backend.sources.claims.model import ComparedValue, Comparison, ParsedStatement, Slot
from backend.sources.comparison.claim_comparison import compare

NAMES: Mapping[str, tuple[str, str]] = {
    "SEC": ("sec", "regulator"),
    "CFTC": ("cftc", "regulator"),
    "Mt. Gox": ("mt-gox", "exchange"),
    "Coinbase": ("coinbase", "exchange"),
    "Kraken": ("kraken", "exchange"),
    "コインチェック": ("coincheck", "exchange"),
    "ビットフライヤー": ("bitflyer", "exchange"),
    "币安": ("binance", "exchange"),
    "Tesla": ("tesla", "company"),
    "Bitcoin": ("bitcoin", "asset"),
    "bitcoin": ("bitcoin", "asset"),
    "比特币": ("bitcoin", "asset"),
    "ビットコイン": ("bitcoin", "asset"),
    "Ethereum": ("ethereum", "asset"),
}
TYPES = dict(NAMES.values())
HALVING = (
    "Fourth Bitcoin halving. At block 840,000 the block reward of Bitcoin fell from 6.25 to 3.125 BTC.",
    datetime(2024, 4, 20, tzinfo=UTC),
)
LOSS = (
    "Mt. Gox files for bankruptcy. The exchange said that about 850,000 BTC had been stolen by hackers.",
    datetime(2014, 2, 28, tzinfo=UTC),
)
APPROVAL = (
    "SEC approves spot bitcoin ETFs. Eleven products were approved at once; trading began on 11 January.",
    datetime(2024, 1, 10, tzinfo=UTC),
)


def claim(text: str, language: Language = "en") -> ParsedStatement:
    mentions = [
        Mention(entity, start, start + len(name), name)
        for name, (entity, _) in NAMES.items()
        for start in range(len(text))
        if text.startswith(name, start)
    ]
    return parse_claim(text, language, mentions)


def held(text: str, record: tuple[str, datetime], language: Language = "en", **facts: str) -> Comparison:
    """``text`` against a record of a day."""
    event_date = dates.build_record_date(record[1], "day")
    return compare(
        claim(text, language), claim(record[0], language), facts, entity_types=TYPES, event_date=event_date
    )


def slots(comparison: Comparison) -> set[Slot]:
    return {difference.slot for difference in comparison.differences}


def evidence(
    *differences: Slot,
    agreed: tuple[Slot, ...] = (),
    entities: int = 2,
    authority: float = 0.9,
    relevance: float = 1.0,
    name: str = "A record",
    url: str = "https://example.org/1",
    digest: int = 0,
    closeness: float = 3.0,
    comparison: Comparison | None = None,
) -> Evidence:
    result = comparison or Comparison(
        entities,
        agreed.count("date"),
        agreed.count("figure"),
        0,
        tuple(ComparedValue(slot, "claimed", "found") for slot in differences),
        tuple(ComparedValue(slot, "claimed", "found") for slot in agreed),
        closeness,
    )
    return Evidence(result, authority, relevance, name, url, digest)
