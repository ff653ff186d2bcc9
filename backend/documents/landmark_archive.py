"""Loads, validates and imports the shipped archive of landmarks.

Each event becomes one document per language, so that a statement is compared with text in its own language
and cited by the event's primary sources.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import orjson
import sqlalchemy as sa
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import Connection

from backend.documents.document_rows import prepare_documents
from backend.documents.model import Document, SourceType
from backend.documents.store import DocumentStore
from backend.documents.tables import document_archives, documents
from backend.errors import strip_library_prefix
from backend.formats import yaml_with_lines
from backend.formats.timestamps import Instant
from backend.formats.urls import is_home_page
from backend.store.database import Database

LANDMARKS_FILE = Path(__file__).parent / "data" / "landmarks.yaml"
ARCHIVE_NAME = "landmarks"
KIND: Literal["landmark"] = "landmark"

Category = Literal["protocol", "regulation", "enforcement", "incident", "market", "company", "adoption"]
ArchiveLanguage = Literal["en", "ja", "zh"]
LANGUAGES: tuple[ArchiveLanguage, ...] = get_args(ArchiveLanguage)
SourceClassifier = Callable[[str, Collection[str]], SourceType]
"""Classifies the source type of a URL, for a text about the entities with these ids."""


def _parse_decimal(value: Any) -> Any:
    """Parse a figure as written, never through a float."""
    if not isinstance(value, str):
        raise ValueError("must be a number")
    try:
        number = Decimal(value)
    except InvalidOperation:
        raise ValueError(f"must be a number such as 3.125; {value!r} is none") from None
    if not number.is_finite():
        raise ValueError("must be a finite number")
    return number


def _validate_url(value: str) -> str:
    if not re.fullmatch(r"https://[a-z0-9-]+(\.[a-z0-9-]+)+(/\S*)?", value):
        raise ValueError("must be an address that begins with https:// and a host in lower case")
    return value


def _parse_day(value: Any) -> Any:
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("must be a day such as 2024-04-20")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("must be a day that there is") from None


Line = Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=r"^\S(.*\S)?$")]
Texts = Annotated[dict[ArchiveLanguage, Line], Field(min_length=len(LANGUAGES))]
"""One text for each language."""
Urls = Annotated[tuple[Annotated[str, AfterValidator(_validate_url)], ...], Field(max_length=10)]
Figure = Annotated[Decimal, BeforeValidator(_parse_decimal)]
FactName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$", max_length=60)]
EntityId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$", max_length=100)]


class Landmark(BaseModel):
    """One event. ``facts`` are figures with which a statement can be compared.

    ``primary_sources`` are pages about this event. ``general_sources`` are home pages, sections and pages
    about a related event: they have less weight.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, StringConstraints(pattern=r"^lm-\d{4}-\d{2}-\d{2}-[a-z0-9-]+$", max_length=90)]
    date: Annotated[date, BeforeValidator(_parse_day)]
    time_utc: Instant | None
    category: Category
    title: Texts
    detail: Texts
    primary_sources: Urls
    general_sources: Urls = ()
    entities: Annotated[tuple[EntityId, ...], Field(min_length=1, max_length=20)]
    facts: dict[FactName, Figure]

    @model_validator(mode="after")
    def _validate_event(self) -> Self:
        if not self.id.startswith(f"lm-{self.date}-"):
            raise ValueError("id must hold the day that date gives")
        for name, values in (("the sources", self.urls), ("entities", self.entities)):
            if len(set(values)) < len(values):
                raise ValueError(f"{name} must not give anything twice")
        if not self.urls:
            raise ValueError("primary_sources or general_sources must give an address")
        if home_page := next(filter(is_home_page, self.primary_sources), None):
            raise ValueError(f"{home_page} is a home page and belongs in general_sources")
        return self

    @property
    def urls(self) -> tuple[str, ...]:
        """All sources: the pages about the event first."""
        return self.primary_sources + self.general_sources


class InvalidArchiveError(ValueError):
    """An invalid archive. The message has a line for each error: file, line and reason."""


def load_landmarks(path: Path = LANDMARKS_FILE) -> list[Landmark]:
    """Load the landmarks of a YAML file ``{version: 1, events: […]}``.

    :raises InvalidArchiveError: with every error.
    """
    try:
        lined = yaml_with_lines.parse_yaml(path.read_text("utf-8"))
    except yaml_with_lines.InvalidYamlError as mistake:
        raise InvalidArchiveError(f"{path}:{mistake.line}: {mistake.reason}") from None
    except UnicodeDecodeError:
        raise InvalidArchiveError(f"{path}: is not UTF-8") from None
    data = lined.data
    if not isinstance(data, dict) or data.get("version") != "1" or not isinstance(data.get("events"), list):
        raise InvalidArchiveError(f"{path}:1: must hold version: 1 and a list of events")
    landmarks: list[Landmark] = []
    mistakes: list[str] = []
    first: dict[str, int] = {}
    for index, event in enumerate(data["events"]):
        line = lined.line(("events", index))
        try:
            landmark = Landmark.model_validate(event)
        except ValidationError as error:
            mistakes += [
                f"{path}:{lined.line(('events', index, *detail['loc']))}: {_format_error(detail)}"
                for detail in error.errors(include_url=False)
            ]
            continue
        if landmark.id in first:
            mistakes.append(f"{path}:{line}: id {landmark.id} is taken, in line {first[landmark.id]}")
        first.setdefault(landmark.id, line)
        landmarks.append(landmark)
    if mistakes:
        raise InvalidArchiveError("\n".join(mistakes))
    return landmarks


def _format_error(error: Any) -> str:
    location = ".".join(str(part) for part in error["loc"] if part != "[key]")
    reason = strip_library_prefix(str(error["msg"]))
    return f"{location}: {reason}" if location else reason


def to_documents(
    landmarks: Sequence[Landmark], source_type: SourceClassifier = lambda _url, _about: "unknown"
) -> list[Document]:
    """Build one document for each event and language."""
    return [
        _build_document(landmark, language, source_type(landmark.urls[0], landmark.entities))
        for landmark in landmarks
        for language in LANGUAGES
    ]


def _build_document(landmark: Landmark, language: ArchiveLanguage, source_type: SourceType) -> Document:
    day = landmark.date
    return Document(
        kind=KIND,
        external_id=f"{landmark.id}:{language}",
        url=landmark.urls[0],
        title=landmark.title[language],
        text=landmark.detail[language],
        language=language,
        published_at=landmark.time_utc or datetime(day.year, day.month, day.day, tzinfo=UTC),
        date_precision="second" if landmark.time_utc else "day",
        source_type=source_type,
        urls=landmark.urls,
        general_urls=landmark.general_sources,
        entities=landmark.entities,
        facts={name: format(value, "f") for name, value in landmark.facts.items()},
        event=landmark.id,
    )


def import_archive(
    database: Database,
    *,
    now: datetime,
    source_type: SourceClassifier = lambda _url, _about: "unknown",
    path: Path = LANDMARKS_FILE,
) -> bool:
    """Import the archive unless this version is already stored. Return whether it was imported.

    Landmarks that are no longer in the file are deleted. Several processes may call this at once: one
    imports, the others wait and find it done. Raises :class:`InvalidArchiveError`.
    """
    archive_documents = to_documents(load_landmarks(path), source_type)
    digest = hashlib.sha256(orjson.dumps(archive_documents, option=orjson.OPT_SORT_KEYS)).hexdigest()
    with database.read() as connection:
        if _load_stored_digest(connection) == digest:
            return False
    prepared = prepare_documents(archive_documents)
    store = DocumentStore(database)
    with database.write() as connection:
        if not _claim_import(connection, digest, now):
            return False
        names = set(
            connection.execute(sa.select(documents.c.external_id).where(documents.c.kind == KIND)).scalars()
        )
        store.delete(connection, KIND, names - {entry.document.external_id for entry in prepared})
        store.put(connection, prepared, now=now)
    return True


def _load_stored_digest(connection: Connection) -> str | None:
    query = sa.select(document_archives.c.digest).where(document_archives.c.name == ARCHIVE_NAME)
    digest: str | None = connection.execute(query).scalar_one_or_none()
    return digest


def _claim_import(connection: Connection, digest: str, now: datetime) -> bool:
    """Record the digest of the archive. Return False if another process has just recorded it."""
    statement = (sqlite_insert if connection.dialect.name == "sqlite" else pg_insert)(document_archives)
    claimed = connection.execute(
        statement.values(name=ARCHIVE_NAME, digest=digest, stored_at=now)
        .on_conflict_do_update(
            index_elements=["name"],
            set_={"digest": digest, "stored_at": now},
            where=document_archives.c.digest != digest,
        )
        .returning(document_archives.c.name)
    )
    return claimed.first() is not None
