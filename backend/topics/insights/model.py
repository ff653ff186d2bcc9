"""Defines the facts of an insight, which must state nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from backend.entities.model import Language
from backend.topics.model import Realm


@dataclass(frozen=True, slots=True)
class Source:
    """A publisher of the topic. ``official`` is False for press, posts and pages of unknown owners."""

    name: str
    url: str
    official: bool
    published_at: datetime | None = None
    """None if the page has no date of its own."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one page reports. ``text`` is empty if only the title is known, or if the text contains
    instructions for its reader. ``owner`` is the catalogue id of the publisher, if it is known."""

    source: str
    url: str
    official: bool
    title: str
    text: str
    language: Language
    published_at: datetime
    """The topic's time if the page has none of its own."""
    owner: str | None = None
    is_dated: bool = True
    is_link: bool = False
    """True for a page to which articles link and which is not known to tell of the event."""
    is_about_event: bool = True
    """False for a linked page of a party whose link and address say nothing of the event."""


@dataclass(frozen=True, slots=True)
class SourcedFigure:
    """A figure in the notation of one source."""

    text: str
    source: str
    measure: str = ""
    """What it measures, in the reader's language; empty if that is not known."""


@dataclass(frozen=True, slots=True)
class SharedFigure:
    """A figure that several independent sources give, in the notation of the first of them."""

    text: str
    sources: tuple[str, ...]
    measure: str = ""


@dataclass(frozen=True, slots=True)
class SourcedSentence:
    """A sentence of one source, word for word. An ellipsis or brackets mark what is left out or filled in."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class NextDate:
    """A time after the topic at which something is due, and the sentence that says what."""

    day: date
    text: str
    source: str
    label: str = ""
    """A word or two on what is due; empty if the sentence shows no known kind."""
    words: str = ""
    """The report's own words for a time that is no exact day (*by the end of Q1*)."""
    until: date | None = None
    """The last of several days in a row, or the last one that ``words`` may mean."""

    @property
    def last(self) -> date:
        return self.until or self.day


@dataclass(frozen=True, slots=True)
class Move:
    """An asset's price in US dollars before the topic and a day after it, or the latest within that day."""

    name: str
    before: Decimal
    after: Decimal
    before_at: datetime
    after_at: datetime
    market_change: Decimal | None = None
    """The median change of other coins in the same time, in percent; None with too few prices."""
    usual_share: Decimal | None = None
    """The share (0 to 1) of equally long spans before that moved at least as much; None with too few
    prices."""

    @property
    def change(self) -> Decimal:
        """Percent."""
        return (self.after / self.before - 1) * 100


@dataclass(frozen=True, slots=True)
class Related:
    id: int
    title: str
    published_at: datetime


@dataclass(frozen=True, slots=True)
class InsightFacts:
    title: str
    summary: str
    """The summary and the bullets, one on each line."""
    realm: Realm
    is_report: bool
    """True if the topic is a report of this service on its own figures."""
    sources: Sequence[Source]
    """Other publishers than this service."""
    differences: Sequence[Sequence[SourcedFigure]]
    """Different figures for one thing, each of another source."""
    moves: Sequence[Move]
    related: Sequence[Related]
    """Earlier topics of the same story, the oldest first."""
    stage: int = 0
    """The number of past stages of market history (see :mod:`facts`)."""
    shared_figure: SharedFigure | None = None
    """None if the title or the summary has it."""
    credits: Sequence[str] = ()
    """Names of outlets that the reports credit and that are none of the sources."""
    credits_by_source: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The outlets that each source credits; empty if all sources credit the same ones."""
    is_relayed: bool = False
    """True if the earliest report, or one that names an outlet beside the sources, relays another report."""
    linked: Sequence[str] = ()
    """Names of official publishers to whose pages the articles link; what the pages say is not known."""
    silent: Sequence[str] = ()
    """Names of the parties whose own official page would settle the event and is missing from the sources."""
    cites_official: bool = False
    """True if the first report relays an official announcement without its author's name."""
    originators: Sequence[str] = ()
    """Names of those to whom the only report attributes what it tells, and who are no outlets."""
    replies: Sequence[SourcedSentence] = ()
    """Statements of the parties in the title."""
    denials: Sequence[SourcedSentence] = ()
    no_comments: Sequence[SourcedSentence] = ()
    unknowns: Sequence[SourcedSentence] = ()
    next_dates: Sequence[NextDate] = ()
    official_words: Sequence[SourcedSentence] = ()
    """What official sources say: a sentence or a title of each."""
    points: Sequence[SourcedSentence] = ()
    """Sentences that limit, contradict or complete what the summary tells."""
    anniversary_of: date | None = None
    """The day of the event, if the topic is its anniversary."""
