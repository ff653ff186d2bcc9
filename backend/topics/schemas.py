"""Declares the shapes of requests and responses of the topic endpoints.

Models that end in ``In`` validate requests, which :mod:`backend.topics.request_bodies` converts. The others
document responses, which :mod:`backend.topics.response_bodies` renders.
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    StringConstraints,
    TypeAdapter,
    WithJsonSchema,
    WrapValidator,
)

from backend.entities.model import Language, Slug
from backend.formats.field_types import Day, RelativeUrl, Timestamp, WebUrl
from backend.formats.timestamps import parse_instant
from backend.formats.urls import require_web_url

MAX_ID = 2**63 - 1
MAX_SCORE = 1e15
"""Larger scores would lose whole numbers in a sum of floats."""
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,30}")
MAX_URL_CHARS = 2000
URL_PATTERN = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@]+(?:[/?#]\S*)?$"


class ResponseModel(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TopicItem(ResponseModel):
    """A topic in one language, as in lists."""

    id: int
    title: str
    subtitle: str | None
    summary: str | None
    summary_bullets: list[list[str]] = Field(description="Groups of bullets.")
    category: Literal[0, 1, 2] = Field(description="0 Breaking, 1 Important, 2 Normal.")
    lang: Language
    published_at: Timestamp
    url: WebUrl


class TermOut(ResponseModel):
    term: str
    definition: str


class TopicDetail(ResponseModel):
    """A topic in one language; here the category is a word."""

    id: int
    title: str
    subtitle: str | None
    summary: str | None
    summary_bullets: list[list[str]] = Field(description="Groups of bullets.")
    category: Literal["Breaking", "Important", "Normal"]
    lang: Language
    published_at: Timestamp
    url: WebUrl
    terms_concepts: list[TermOut]
    cover_img: WebUrl | None


class TopicPrimarySource(ResponseModel):
    id: int
    topic_id: int
    url: WebUrl
    title: str | None
    summary: str | None
    published_at: Timestamp | None
    site_name: str | None


class TopicArticle(ResponseModel):
    id: int
    topic_id: int
    entry_url: WebUrl
    title: str | None
    published_at: Timestamp | None


class TopicTweet(ResponseModel):
    id: int
    topic_id: int
    entry_url: WebUrl
    summary: str | None
    published_at: Timestamp | None


class TopicMedia(ResponseModel):
    """Each kind newest first."""

    primary_sources: list[TopicPrimarySource]
    articles: list[TopicArticle]
    tweets: list[TopicTweet]


class InsightSection(ResponseModel):
    title: str
    expanded_explanation: str
    topic_links: list[dict[str, RelativeUrl]] = Field(description="`{title: url}` of topics of this service.")


class Insight(ResponseModel):
    conclusion: str
    deep_analysis: list[InsightSection]


class SectionText(ResponseModel):
    kind: Literal["confirmed", "points", "differ", "unknown", "next", "market", "before", "note"]
    title: str
    text: str
    is_generated: bool = Field(description="True if a language model wrote the text.")


class ComparedFigure(ResponseModel):
    figure: str = Field(description="In the notation of its source.")
    source: str = Field(description="The names of all sources that give it.")
    measure: str = Field(default="", description="What it measures (*stolen funds*); empty if not known.")


class DueDate(ResponseModel):
    day: Day
    text: str = Field(description="The sentence of the source that names the day.")
    source: str


class PriceMove(ResponseModel):
    name: str
    before: str = Field(description="US dollars, a decimal.")
    after: str = Field(description="US dollars, a decimal.")
    before_at: Timestamp
    after_at: Timestamp
    change: str = Field(description="Percent, a decimal.")
    market_change: str | None = Field(description="The median change of other coins in percent, a decimal.")
    is_unusual: bool | None = Field(description="Null with too few earlier prices.")


class EarlierTopic(ResponseModel):
    id: int
    title: str
    published_at: Timestamp


class InsightSections(ResponseModel):
    """An insight with the data behind its sections."""

    conclusion: str
    sections: list[SectionText] = Field(description="In the order of `GET /ai_insights/{id}`.")
    differences: list[list[ComparedFigure]] = Field(description="Groups of figures for one thing.")
    next_dates: list[DueDate] = Field(description="The next day first.")
    moves: list[PriceMove]
    is_sample: bool = Field(description="True if the prices are those of the sample market.")
    earlier_topics: list[EarlierTopic] = Field(description="The oldest first.")


class StoredTopic(ResponseModel):
    id: int
    external_id: str | None


class Envelope(ResponseModel):
    code: Literal[0]
    message: Literal["ok"]


class TopicList(Envelope):
    data: list[TopicItem]
    total: int = Field(description="How many there are on all pages.")


class RankedTopics(Envelope):
    data: list[TopicItem]


class TopicAnswer(Envelope):
    data: TopicDetail


class MediaAnswer(Envelope):
    data: TopicMedia


class InsightAnswer(Envelope):
    data: Insight


class InsightSectionsAnswer(Envelope):
    data: InsightSections


class StoredTopics(Envelope):
    data: list[StoredTopic] = Field(description="In the order of what was sent.")


class TopicError(ResponseModel):
    """An error in the envelope of this group."""

    code: int = Field(ge=400, le=599, description="The HTTP status.")
    message: str = Field(description="A sentence that says what to do.")
    data: None


def _require_whole_number(value: Any) -> Any:
    if isinstance(value, str) and not _WHOLE_NUMBER.fullmatch(value):
        raise ValueError("must be a whole number")
    return value


WholeNumber = BeforeValidator(_require_whole_number)
"""Accepts only digits in a query or path: the framework would also accept ``1.0`` and ``1_000``."""
AnyId = Annotated[int, Field(ge=-MAX_ID - 1, le=MAX_ID), WholeNumber]
FromOne = Annotated[int, Field(ge=1, le=MAX_ID), WholeNumber]
UpToFifty = Annotated[int, Field(ge=1, le=50), WholeNumber]
CategoryNumber = Annotated[Literal[0, 1, 2], BeforeValidator(lambda value: _convert_digit(value))]


def _convert_digit(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value in ("0", "1", "2") else value


def _parse_time(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("must be an RFC 3339 instant such as 2026-11-21T09:30:00Z")
    return parse_instant(value)


SentTime = Annotated[
    datetime,
    BeforeValidator(_parse_time),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": r"^\d{4}-"}),
]
"""Accepts only text: for a number, pydantic would guess between seconds and milliseconds."""


def _convert_integral(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Integral = BeforeValidator(_convert_integral)
"""``1.0`` is 1 in JSON Schema."""


def _require_storable(value: str) -> str:
    if "\0" in value:
        raise ValueError("contains U+0000, which cannot be stored")
    return value


def _require_url(value: str) -> str:
    return require_web_url(value, MAX_URL_CHARS)


def _limit_chars(max_chars: int, min_chars: int = 0) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=min_chars, max_length=max_chars)


Storable = AfterValidator(_require_storable)
Url = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=MAX_URL_CHARS),
    AfterValidator(_require_url),
    Storable,
    # No format "uri": letters of every script are accepted, as browsers display URLs (RFC 3987).
    WithJsonSchema({"type": "string", "maxLength": MAX_URL_CHARS, "pattern": URL_PATTERN}),
]
"""Only these schemes are accepted, because the URL is shown as a link."""
_SCORE_RANGE = Field(ge=-MAX_SCORE, le=MAX_SCORE)
Score = Annotated[StrictFloat, _SCORE_RANGE] | Annotated[StrictInt, _SCORE_RANGE]
Title = Annotated[str, _limit_chars(1000, 1), Storable]
Sentence = Annotated[str, _limit_chars(2000), Storable]
Prose = Annotated[str, _limit_chars(20_000), Storable]


class RequestModel(BaseModel):
    """A request body; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class TermIn(RequestModel):
    term: Annotated[str, _limit_chars(300, 1), Storable]
    definition: Prose


class TextIn(RequestModel):
    title: Title
    subtitle: Sentence | None = None
    summary: Prose | None = None
    summary_bullets: Annotated[
        list[Annotated[list[Sentence], Field(max_length=50)]] | None, Field(max_length=50)
    ] = None
    terms_concepts: Annotated[list[TermIn] | None, Field(max_length=200)] = None


class TopicIn(RequestModel):
    external_id: Annotated[str, _limit_chars(200, 1), Storable] | None = Field(
        default=None, description="The sender's own name of it: a known one updates that topic."
    )
    category: Annotated[StrictInt, Field(ge=0, le=2), Integral] = Field(
        description="0 Breaking, 1 Important, 2 Normal."
    )
    published_at: SentTime
    url: Url
    cover_img: Url | None = None
    total_tweet_score: Score | None = None
    entities: Annotated[list[Slug] | None, Field(max_length=40)] = Field(
        default=None,
        description="Ids of the catalogue, most important first; by default the entities in the texts.",
    )
    texts: Annotated[dict[Language, TextIn], Field(min_length=1)] = Field(
        description="By language; the first is the topic's own."
    )


class NewPrimarySource(RequestModel):
    url: Url
    title: Sentence | None = None
    summary: Prose | None = None
    published_at: SentTime | None = None
    site_name: Sentence | None = None
    lang: Language | None = None


class NewArticle(RequestModel):
    entry_url: Url
    title: Sentence | None = None
    published_at: SentTime | None = None
    lang: Language | None = None


class NewTweet(RequestModel):
    entry_url: Url
    summary: Prose | None = None
    published_at: SentTime | None = None
    lang: Language | None = None
    score: Score | None = Field(default=None, description="Adds to the topic's `total_tweet_score`.")


class MediaIn(RequestModel):
    primary_sources: list[NewPrimarySource] | None = None
    articles: list[NewArticle] | None = None
    tweets: list[NewTweet] | None = None


TOPIC_VALIDATOR = TypeAdapter(TopicIn)


def _parse_one_or_many(value: Any, parse_many: Callable[[Any], list[TopicIn]]) -> list[TopicIn]:
    return [TOPIC_VALIDATOR.validate_python(value)] if isinstance(value, dict) else parse_many(value)


TopicsIn = Annotated[
    list[TopicIn], WrapValidator(_parse_one_or_many, json_schema_input_type=TopicIn | list[TopicIn])
]
"""One topic, or an array of them."""
