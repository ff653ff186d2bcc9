"""Builds a report as a topic in three languages, with the URL of its figures as its source."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from backend.entities.model import LANGUAGES, Language
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.number_format import format_percent, format_price
from backend.topics.reports.market_facts import Coin, MarketFacts
from backend.topics.reports.report_templates import JOIN, SAMPLE_NOTE, SAMPLE_PREFIX, TEMPLATES


@dataclass(frozen=True, slots=True)
class Draft:
    """A report in one language. The first two sentences are its summary."""

    title: str
    subtitle: str
    sentences: Sequence[str]


DraftWriter = Callable[[Language], Draft]


@dataclass(frozen=True, slots=True)
class ReportContext:
    """Builds report topics whose sources are URLs of this service."""

    base_url: str

    def build_topic(
        self,
        facts: MarketFacts,
        kind: str,
        slot: datetime,
        category: Category,
        write_draft: DraftWriter,
        coins: Iterable[Coin] = (),
    ) -> Topic:
        """Build a report. Its external id consists of its realm, kind and time slot."""
        named_coins = list(coins)
        path = f"/prices/{named_coins[0].id}/quotes" if named_coins else "/crypto/market-overview"
        name = f"{facts.realm}:{kind}:{slot:%Y-%m-%dT%H:%MZ}"
        url = f"{self.base_url}{path}"
        return Topic(
            category=category,
            published_at=max(slot, facts.at.replace(second=0, microsecond=0)),
            url=url,
            texts={
                language: _build_text(write_draft(language), facts.realm, language) for language in LANGUAGES
            },
            external_id=name,
            realm=facts.realm,
            entities=tuple(coin.entity for coin in named_coins if coin.entity),
            event=kind.partition(":")[0],
            media=(Media("primary_source", url, title=path, published_at=facts.at, site_name="Chainproof"),),
        )


def _build_text(draft: Draft, realm: str, language: Language) -> TopicText:
    sentences = [*draft.sentences, *([SAMPLE_NOTE[language]] if realm == "sample" else [])]
    title = f"{SAMPLE_PREFIX[language]}{draft.title}" if realm == "sample" else draft.title
    separator = " " if language == "en" else ""
    return TopicText(
        title=title,
        subtitle=draft.subtitle,
        summary=separator.join(sentences[:2]),
        bullets=(tuple(sentences),),
        origin="template",
    )


def fill(language: Language, key: str, **values: str) -> str:
    return TEMPLATES[language][key].format(**values)


def join_names(coins: Sequence[Coin], language: Language, *, changes: bool = True) -> str:
    """Join the names of coins, each with its change unless ``changes`` is False."""
    if not changes:
        return JOIN[language].join(coin.name(language) for coin in coins)
    return JOIN[language].join(
        fill(language, "coin", name=coin.name(language), change=format_percent(coin.change)) for coin in coins
    )


def format_price_line(coin: Coin, language: Language) -> str:
    return fill(
        language,
        "coin_price",
        name=coin.name(language),
        price=format_price(coin.price, language),
        change=format_percent(coin.change),
    )
