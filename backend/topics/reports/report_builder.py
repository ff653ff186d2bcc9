"""Putting a report together: a topic in three languages, with the address that its figures stand at."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from backend.entities.model import LANGUAGES, Language
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.number_format import format_percent, format_price
from backend.topics.reports.market_facts import Coin, MarketFacts
from backend.topics.reports.report_templates import JOIN, NOTE, SAMPLE, WORDS


@dataclass(frozen=True, slots=True)
class Draft:
    """A report in one language: a title, a line below it, and sentences, of which the first sum it up."""

    title: str
    subtitle: str
    sentences: Sequence[str]


Wording = Callable[[Language], Draft]


@dataclass(frozen=True, slots=True)
class ReportContext:
    """Where reports are written: the address of the service, whose own answers are their sources."""

    base_url: str

    def topic(
        self,
        facts: MarketFacts,
        kind: str,
        slot: datetime,
        category: Category,
        wording: Wording,
        coins: Iterable[Coin] = (),
    ) -> Topic:
        """A report that is named by its kind and the beginning of the stretch of time that it stands for."""
        named = list(coins)
        path = f"/prices/{named[0].id}/quotes" if named else "/crypto/market-overview"
        name = f"{facts.realm}:{kind}:{slot:%Y-%m-%dT%H:%MZ}"
        url = f"{self.base_url}{path}"
        return Topic(
            category=category,
            published_at=max(slot, facts.at.replace(second=0, microsecond=0)),
            url=url,
            texts={language: _text(wording(language), facts.realm, language) for language in LANGUAGES},
            external_id=name,
            realm=facts.realm,
            entities=tuple(coin.entity for coin in named if coin.entity),
            event=kind.partition(":")[0],
            media=(Media("primary_source", url, title=path, published_at=facts.at, site_name="Chainproof"),),
        )


def _text(draft: Draft, realm: str, language: Language) -> TopicText:
    sentences = [*draft.sentences, *([NOTE[language]] if realm == "sample" else [])]
    title = f"{SAMPLE[language]}{draft.title}" if realm == "sample" else draft.title
    gap = " " if language == "en" else ""
    return TopicText(
        title=title,
        subtitle=draft.subtitle,
        summary=gap.join(sentences[:2]),
        bullets=(tuple(sentences),),
        origin="template",
    )


def say(language: Language, key: str, **values: str) -> str:
    return WORDS[language][key].format(**values)


def names(coins: Sequence[Coin], language: Language, *, changes: bool = True) -> str:
    """Coins in a row, each with its change if wanted."""
    if not changes:
        return JOIN[language].join(coin.name(language) for coin in coins)
    return JOIN[language].join(
        say(language, "coin", name=coin.name(language), change=format_percent(coin.change)) for coin in coins
    )


def stands_at(coin: Coin, language: Language) -> str:
    return say(
        language,
        "coin_price",
        name=coin.name(language),
        price=format_price(coin.price, language),
        change=format_percent(coin.change),
    )
