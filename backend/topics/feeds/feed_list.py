"""Loads the configured feeds with their publishers, languages and kinds of outlet.

The shipped list is ``data/feeds.yaml``. A file of the user can add, change and disable feeds.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.yaml_reader import Document, read_document
from backend.entities.model import Language, Slug
from backend.formats.file_errors import FileError
from backend.settings import Settings

SHIPPED_FILE = Path(__file__).parent / "data" / "feeds.yaml"

OutletKind = Literal[
    "regulator",
    "court",
    "government",
    "official",
    "exchange",
    "data_provider",
    "press",
    "trade_press",
    "blog",
]
"""The kind of publisher, in the terms of :data:`backend.documents.model.SourceType`."""
OFFICIAL_KINDS: frozenset[OutletKind] = frozenset(get_args(OutletKind)) - {"press", "trade_press", "blog"}
DEFAULT_INTERVAL_MINUTES: Mapping[bool, int] = MappingProxyType({True: 30, False: 10})
"""Polling interval of official feeds (True) and of others (False) without their own interval."""


class Feed(BaseModel):
    """One feed. Strict and immutable: an unknown field is an error, because it is most likely a typo."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Slug = Field(max_length=64)
    name: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    url: Annotated[str, StringConstraints(max_length=2_000)]
    language: Language
    kind: OutletKind
    outlet: Slug | None = None
    """The key that all feeds of one publisher share. A publisher counts once for a topic."""
    about: Literal["crypto", "general"] = "crypto"
    """``general``: only entries that name an entity or term of the crypto field are kept."""
    every_minutes: int | None = Field(default=None, ge=1, le=1_440)
    enabled: bool = True

    @field_validator("url")
    @classmethod
    def _validate_url(cls, url: str) -> str:
        if not url.startswith(("https://", "http://")) or any(letter.isspace() for letter in url):
            raise ValueError("must be a URL that begins with https:// (or http://), without spaces")
        return url

    @property
    def publisher(self) -> str:
        return self.outlet or self.id

    @property
    def is_official(self) -> bool:
        return self.kind in OFFICIAL_KINDS

    @property
    def interval_minutes(self) -> int:
        return self.every_minutes or DEFAULT_INTERVAL_MINUTES[self.is_official]


class InvalidFeedListError(InvalidRulesError):
    """The feed list has errors. The message lists them all, one on each line: ``file:line: …``."""


class FeedList:
    """The feeds in file order, immutable."""

    __slots__ = ("_by_id",)

    def __init__(self, feeds: Iterable[Feed]) -> None:
        self._by_id = MappingProxyType({feed.id: feed for feed in feeds})

    @property
    def by_id(self) -> Mapping[str, Feed]:
        """All feeds by id, including disabled ones."""
        return self._by_id

    @property
    def enabled(self) -> tuple[Feed, ...]:
        return tuple(feed for feed in self if feed.enabled)

    def __iter__(self) -> Iterator[Feed]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry as written, with the line of each field, so that a later file can override single fields."""

    fields: Mapping[str, Any]
    places: Mapping[str, FileError]
    """An error without a reason at the line of each field, and of the entry itself under ``""``."""

    def build_error(self, name: str, reason: str) -> FileError:
        location = self.places.get(name, self.places[""])
        return FileError(location.file, location.line, f"{name}: {reason}" if name else reason)


def load_configured(settings: Settings) -> FeedList:
    """Load the list that ``settings`` configure. A file that they name must exist; the default file may."""
    chosen = settings.user_feeds_file
    return load_feeds(chosen if settings.feeds_file or chosen.is_file() else None)


def load_feeds(user_file: Path | None = None) -> FeedList:
    """Load the shipped feeds and apply ``user_file`` to them.

    An entry with a known id replaces the given fields. An unknown id adds a feed after the others.
    ``disable`` lists ids to disable; ``disable: all`` disables every shipped feed.

    :raises InvalidFeedListError: with every error, its file and line.
    """
    shipped, errors, _ = _read(SHIPPED_FILE)
    feeds, more_errors = _validate(shipped, {})
    _raise_errors([*errors, *more_errors])
    if user_file is None:
        return FeedList(feeds)
    user_entries, errors, document = _read(user_file)
    merged = dict(shipped)
    errors += _disable_feeds(merged, user_entries, document)
    for feed_id, entry in user_entries.items():
        base = merged.get(feed_id, _Entry({}, {}))
        merged[feed_id] = _Entry({**base.fields, **entry.fields}, {**base.places, **entry.places})
    feeds, more_errors = _validate(merged, shipped)
    _raise_errors([*errors, *more_errors])
    return FeedList(feeds)


def _raise_errors(errors: Sequence[FileError]) -> None:
    if errors:
        raise InvalidFeedListError(sorted(errors, key=lambda error: (str(error.file), error.line)))


def _read(path: Path) -> tuple[dict[str, _Entry], list[FileError], Document]:
    """Read a file; returns the entries by id, the errors found so far, and the document."""
    try:
        document = read_document(path)
    except InvalidRulesError as error:
        raise InvalidFeedListError(error.errors) from None
    data = document.data if document.data is not None else {}
    if not isinstance(data, dict):
        reason = "must hold a list under 'feeds:', each entry with an id"
        raise InvalidFeedListError([document.build_error((), reason)])
    errors = [
        document.build_error((key,), f"'{key}' is not known here: only 'feeds' and 'disable' are")
        for key in data
        if key not in ("feeds", "disable")
    ]
    listed = data.get("feeds")
    if listed is not None and not isinstance(listed, list):
        errors.append(
            document.build_error(("feeds",), "must be a list of entries, each beginning with '- id:'")
        )
    entries: dict[str, _Entry] = {}
    for number, fields in enumerate(listed if isinstance(listed, list) else ()):
        at = ("feeds", number)
        if not isinstance(fields, dict) or not isinstance(fields.get("id"), str):
            errors.append(document.build_error(at, "must begin with 'id:' and a word for the feed"))
        elif fields["id"] in entries:
            errors.append(document.build_error((*at, "id"), f"'{fields['id']}' is given twice: join the two"))
        else:
            locations = {
                "": document.build_error(at, ""),
                **{k: document.build_error((*at, k), "") for k in fields},
            }
            entries[fields["id"]] = _Entry(fields, locations)
    return entries, errors, document


def _disable_feeds(
    merged: dict[str, _Entry], user_entries: Mapping[str, _Entry], document: Document
) -> list[FileError]:
    """Disable the feeds that the user's file lists. With ``all``, feeds that have an entry there stay."""
    data = document.data if isinstance(document.data, dict) else {}
    disabled_ids = data.get("disable")
    if disabled_ids == "all":
        disabled_ids = [feed_id for feed_id in merged if feed_id not in user_entries]
    elif disabled_ids is not None and not isinstance(disabled_ids, list):
        return [
            document.build_error(
                ("disable",), "must be a list of feed ids, as in [coindesk, decrypt], or all"
            )
        ]
    errors = []
    for index, feed_id in enumerate(disabled_ids or ()):
        at = ("disable", index)
        if feed_id in user_entries:
            errors.append(
                document.build_error(at, f"'{feed_id}' has an entry here: write 'enabled: false' in it")
            )
        elif feed_id not in merged:
            hint = _suggest_name(str(feed_id), merged)
            errors.append(document.build_error(at, f"there is no feed '{feed_id}'{hint}"))
        else:
            entry = merged[feed_id]
            merged[feed_id] = _Entry({**entry.fields, "enabled": False}, entry.places)
    return errors


def _validate(
    entries: Mapping[str, _Entry], known_entries: Mapping[str, _Entry]
) -> tuple[list[Feed], list[FileError]]:
    feeds: list[Feed] = []
    errors: list[FileError] = []
    by_url: dict[str, str] = {}
    for feed_id, entry in entries.items():
        try:
            feed = Feed.model_validate(entry.fields)
        except ValidationError as error:
            hint = (
                f"; no feed '{feed_id}' is known{_suggest_name(feed_id, known_entries)}"
                if known_entries
                else ""
            )
            errors += [entry.build_error(*_describe_error(detail, hint)) for detail in error.errors()]
            continue
        if (other_feed_id := by_url.setdefault(feed.url, feed.id)) != feed.id:
            errors.append(
                entry.build_error("url", f"is that of '{other_feed_id}' already: remove one of them")
            )
        feeds.append(feed)
    return feeds, errors


def _describe_error(error: Any, hint: str) -> tuple[str, str]:
    """Return the field and the message for one of pydantic's errors."""
    name = str(error["loc"][0]) if error["loc"] else ""
    kind, context = error["type"], error.get("ctx", {})
    match kind:
        case "missing":
            return "", f"{name} is missing: every feed needs it{hint}"
        case "extra_forbidden":
            return name, f"is not a field{_suggest_name(name, Feed.model_fields)}: correct or remove it"
        case "value_error":
            return name, str(context["error"])
        case "literal_error":
            return name, f"must be one of {context['expected']}"
        case "bool_type" | "bool_parsing":
            return name, "must be true or false"
        case "string_type":
            return name, "must be text: put it in quotes"
        case _:
            return name, str(error["msg"])


def _suggest_name(word: str, words: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(words), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
