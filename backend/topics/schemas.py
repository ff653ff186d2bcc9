"""Wire shapes of the topic endpoints, as the interface names them."""

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
from backend.formats.timestamps import parse_instant
from backend.formats.urls import has_valid_host

LARGEST = 2**63 - 1
LARGEST_SCORE = 1e15
"""Beyond, a sum of scores would lose whole ones."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
ADDRESS_PATTERN = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@]+(?:[/?#]\S*)?$"
_ADDRESS = re.compile(ADDRESS_PATTERN)

Timestamp = Annotated[
    str, Field(examples=["2026-11-21T09:30:00Z"], json_schema_extra={"format": "date-time"})
]


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TopicItem(Wire):
    """A topic in one language, as lists hold it."""

    id: int
    title: str
    subtitle: str | None
    summary: str | None
    summary_bullets: list[list[str]] = Field(description="Groups of bullets.")
    category: Literal[0, 1, 2] = Field(description="0 Breaking, 1 Important, 2 Normal.")
    lang: Language
    published_at: Timestamp
    url: str


class TermOut(Wire):
    term: str
    definition: str


class TopicDetail(Wire):
    """A topic in one language; here the category is a word."""

    id: int
    title: str
    subtitle: str | None
    summary: str | None
    summary_bullets: list[list[str]] = Field(description="Groups of bullets.")
    category: Literal["Breaking", "Important", "Normal"]
    lang: Language
    published_at: Timestamp
    url: str
    terms_concepts: list[TermOut]
    cover_img: str | None


class PrimarySourceOut(Wire):
    id: int
    topic_id: int
    url: str
    title: str | None
    summary: str | None
    published_at: Timestamp | None
    site_name: str | None


class ArticleOut(Wire):
    id: int
    topic_id: int
    entry_url: str
    title: str | None
    published_at: Timestamp | None


class TweetOut(Wire):
    id: int
    topic_id: int
    entry_url: str
    summary: str | None
    published_at: Timestamp | None


class TopicMedia(Wire):
    """Each kind newest first."""

    primary_sources: list[PrimarySourceOut]
    articles: list[ArticleOut]
    tweets: list[TweetOut]


class InsightSection(Wire):
    title: str
    expanded_explanation: str
    topic_links: list[dict[str, str]] = Field(description="`{title: url}` of topics of this service.")


class Insight(Wire):
    conclusion: str
    deep_analysis: list[InsightSection]


class StoredTopic(Wire):
    id: int
    external_id: str | None


class Envelope(Wire):
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


class StoredTopics(Envelope):
    data: list[StoredTopic] = Field(description="In the order of what was sent.")


class TopicError(Wire):
    """A refusal in the envelope of this group."""

    code: int = Field(ge=400, le=599, description="The HTTP status.")
    message: str = Field(description="A sentence that says what to do.")
    data: None


def _whole(value: Any) -> Any:
    if isinstance(value, str) and not _WHOLE.fullmatch(value):
        raise ValueError("must be a whole number")
    return value


Whole = BeforeValidator(_whole)
"""The digits of a query or path and nothing else: the framework would take ``1.0`` and ``1_000`` too."""
AnyId = Annotated[int, Field(ge=-LARGEST - 1, le=LARGEST), Whole]
FromOne = Annotated[int, Field(ge=1, le=LARGEST), Whole]
UpToFifty = Annotated[int, Field(ge=1, le=50), Whole]
CategoryNumber = Annotated[Literal[0, 1, 2], BeforeValidator(lambda value: _digit(value))]


def _digit(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value in ("0", "1", "2") else value


def _instant(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("must be an RFC 3339 instant such as 2026-11-21T09:30:00Z")
    return parse_instant(value)


SentInstant = Annotated[
    datetime, BeforeValidator(_instant), WithJsonSchema({"type": "string", "format": "date-time"})
]
"""Text alone: a number would be guessed to be seconds or milliseconds."""


def _integral(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Integral = BeforeValidator(_integral)
"""``1.0`` is 1 in JSON Schema."""


def _storable(value: str) -> str:
    if "\0" in value:
        raise ValueError("holds U+0000, which cannot be stored")
    return value


def _address(value: str) -> str:
    if not _ADDRESS.fullmatch(value) or not has_valid_host(value):
        raise ValueError("must be an address that begins with https:// or http://")
    return value


def _limits(longest: int, shortest: int = 0) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=shortest, max_length=longest)


Storable = AfterValidator(_storable)
Address = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=2000),
    AfterValidator(_address),
    Storable,
    # No format "uri": letters of every script are taken, as browsers show addresses (RFC 3987).
    WithJsonSchema({"type": "string", "maxLength": 2000, "pattern": ADDRESS_PATTERN}),
]
"""Shown as a link: hence no scheme but these."""
_WITHIN_A_SUM = Field(ge=-LARGEST_SCORE, le=LARGEST_SCORE)
Score = Annotated[StrictFloat, _WITHIN_A_SUM] | Annotated[StrictInt, _WITHIN_A_SUM]
Title = Annotated[str, _limits(1000, 1), Storable]
Sentence = Annotated[str, _limits(2000), Storable]
Prose = Annotated[str, _limits(20_000), Storable]


class Sent(BaseModel):
    """What is sent; fields that are not named are let be."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class TermIn(Sent):
    term: Annotated[str, _limits(300, 1), Storable]
    definition: Prose


class TextIn(Sent):
    title: Title
    subtitle: Sentence | None = None
    summary: Prose | None = None
    summary_bullets: Annotated[
        list[Annotated[list[Sentence], Field(max_length=50)]] | None, Field(max_length=50)
    ] = None
    terms_concepts: Annotated[list[TermIn] | None, Field(max_length=200)] = None


class TopicIn(Sent):
    external_id: Annotated[str, _limits(200, 1), Storable] | None = Field(
        default=None, description="The sender's own name of it: a known one updates that topic."
    )
    category: Annotated[StrictInt, Field(ge=0, le=2), Integral] = Field(
        description="0 Breaking, 1 Important, 2 Normal."
    )
    published_at: SentInstant
    url: Address
    cover_img: Address | None = None
    total_tweet_score: Score | None = None
    entities: Annotated[list[Slug] | None, Field(max_length=40)] = Field(
        default=None,
        description="Ids of the catalogue, weightiest first; without them, whom the texts name.",
    )
    texts: Annotated[dict[Language, TextIn], Field(min_length=1)] = Field(
        description="By language; the first is the topic's own."
    )


class PrimarySourceIn(Sent):
    url: Address
    title: Sentence | None = None
    summary: Prose | None = None
    published_at: SentInstant | None = None
    site_name: Sentence | None = None
    lang: Language | None = None


class ArticleIn(Sent):
    entry_url: Address
    title: Sentence | None = None
    published_at: SentInstant | None = None
    lang: Language | None = None


class TweetIn(Sent):
    entry_url: Address
    summary: Prose | None = None
    published_at: SentInstant | None = None
    lang: Language | None = None
    score: Score | None = Field(default=None, description="Adds to the topic's `total_tweet_score`.")


class MediaIn(Sent):
    primary_sources: list[PrimarySourceIn] | None = None
    articles: list[ArticleIn] | None = None
    tweets: list[TweetIn] | None = None


ONE_TOPIC = TypeAdapter(TopicIn)


def _one_or_many(value: Any, many: Callable[[Any], list[TopicIn]]) -> list[TopicIn]:
    return [ONE_TOPIC.validate_python(value)] if isinstance(value, dict) else many(value)


TopicsIn = Annotated[
    list[TopicIn], WrapValidator(_one_or_many, json_schema_input_type=TopicIn | list[TopicIn])
]
"""One topic, or an array of them."""
