"""The archive of landmarks that comes with the program: its file, its rules, and its way into the store.

Each event becomes one document for each language, so that a statement is compared with words of its own
language and cited by the event's primary sources.
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

from backend.documents.document_rows import prepare
from backend.documents.model import Document, SourceType
from backend.documents.store import DocumentStore
from backend.documents.tables import document_archives, documents
from backend.errors import strip_library_prefix
from backend.formats import yaml_with_lines
from backend.formats.timestamps import Instant
from backend.store.database import Database

FILE = Path(__file__).parent / "data" / "landmarks.yaml"
NAME = "landmarks"
KIND: Literal["landmark"] = "landmark"

Category = Literal["protocol", "regulation", "enforcement", "incident", "market", "company", "adoption"]
ArchiveLanguage = Literal["en", "ja", "zh"]
LANGUAGES: tuple[ArchiveLanguage, ...] = get_args(ArchiveLanguage)
Classify = Callable[[str, Collection[str]], SourceType]
"""What kind of source an address is, for a text about the entities with these ids."""


def _decimal(value: Any) -> Any:
    """A figure as it is written; never through a float."""
    if not isinstance(value, str):
        raise ValueError("must be a number")
    try:
        number = Decimal(value)
    except InvalidOperation:
        raise ValueError(f"must be a number such as 3.125; {value!r} is none") from None
    if not number.is_finite():
        raise ValueError("must be a finite number")
    return number


def _web_address(value: str) -> str:
    if not re.fullmatch(r"https://[a-z0-9-]+(\.[a-z0-9-]+)+(/\S*)?", value):
        raise ValueError("must be an address that begins with https:// and a host in lower case")
    return value


def _day(value: Any) -> Any:
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("must be a day such as 2024-04-20")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("must be a day that there is") from None


Line = Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=r"^\S(.*\S)?$")]
Texts = Annotated[dict[ArchiveLanguage, Line], Field(min_length=len(LANGUAGES))]
"""One for each language."""
Figure = Annotated[Decimal, BeforeValidator(_decimal)]
FactName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$", max_length=60)]
EntityId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$", max_length=100)]


class Landmark(BaseModel):
    """One event. ``facts`` are figures that a statement can be held against."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, StringConstraints(pattern=r"^lm-\d{4}-\d{2}-\d{2}-[a-z0-9-]+$", max_length=90)]
    date: Annotated[date, BeforeValidator(_day)]
    time_utc: Instant | None
    category: Category
    title: Texts
    detail: Texts
    primary_sources: Annotated[
        tuple[Annotated[str, AfterValidator(_web_address)], ...], Field(min_length=1, max_length=10)
    ]
    entities: Annotated[tuple[EntityId, ...], Field(min_length=1, max_length=20)]
    facts: dict[FactName, Figure]

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if not self.id.startswith(f"lm-{self.date}-"):
            raise ValueError("id must hold the day that date gives")
        for name in ("primary_sources", "entities"):
            given = getattr(self, name)
            if len(set(given)) < len(given):
                raise ValueError(f"{name} must not give anything twice")
        return self


class ArchiveRefused(ValueError):
    """An archive with mistakes; the message has a line for each, with file, line and reason."""


def load(path: Path = FILE) -> list[Landmark]:
    """The landmarks of a YAML file ``{version: 1, events: […]}``.

    :raises ArchiveRefused: with every mistake.
    """
    try:
        lined = yaml_with_lines.parse_yaml(path.read_text("utf-8"))
    except yaml_with_lines.InvalidYamlError as mistake:
        raise ArchiveRefused(f"{path}:{mistake.line}: {mistake.reason}") from None
    except UnicodeDecodeError:
        raise ArchiveRefused(f"{path}: is not UTF-8") from None
    data = lined.data
    if not isinstance(data, dict) or data.get("version") != "1" or not isinstance(data.get("events"), list):
        raise ArchiveRefused(f"{path}:1: must hold version: 1 and a list of events")
    landmarks: list[Landmark] = []
    mistakes: list[str] = []
    first: dict[str, int] = {}
    for place, event in enumerate(data["events"]):
        line = lined.line(("events", place))
        try:
            landmark = Landmark.model_validate(event)
        except ValidationError as error:
            mistakes += [
                f"{path}:{lined.line(('events', place, *fault['loc']))}: {_told(fault)}"
                for fault in error.errors(include_url=False)
            ]
            continue
        if landmark.id in first:
            mistakes.append(f"{path}:{line}: id {landmark.id} is taken, in line {first[landmark.id]}")
        first.setdefault(landmark.id, line)
        landmarks.append(landmark)
    if mistakes:
        raise ArchiveRefused("\n".join(mistakes))
    return landmarks


def _told(fault: Any) -> str:
    where = ".".join(str(part) for part in fault["loc"] if part != "[key]")
    reason = strip_library_prefix(str(fault["msg"]))
    return f"{where}: {reason}" if where else reason


def to_documents(
    landmarks: Sequence[Landmark], source_type: Classify = lambda _url, _about: "unknown"
) -> list[Document]:
    """One document for each event and language."""
    return [
        _document(landmark, language, source_type(landmark.primary_sources[0], landmark.entities))
        for landmark in landmarks
        for language in LANGUAGES
    ]


def _document(landmark: Landmark, language: ArchiveLanguage, source_type: SourceType) -> Document:
    day = landmark.date
    return Document(
        kind=KIND,
        external_id=f"{landmark.id}:{language}",
        url=landmark.primary_sources[0],
        title=landmark.title[language],
        text=landmark.detail[language],
        language=language,
        published_at=landmark.time_utc or datetime(day.year, day.month, day.day, tzinfo=UTC),
        date_precision="second" if landmark.time_utc else "day",
        source_type=source_type,
        urls=landmark.primary_sources,
        entities=landmark.entities,
        facts={name: format(figure, "f") for name, figure in landmark.facts.items()},
        event=landmark.id,
    )


def import_archive(
    database: Database,
    *,
    now: datetime,
    source_type: Classify = lambda _url, _about: "unknown",
    path: Path = FILE,
) -> bool:
    """Bring the archive into the store, unless it holds this very one; gives whether it did.

    Documents of landmarks that are no longer in the file go. Any number of processes may call this at
    once: one writes, the others wait for it and find it done. Raises :class:`ArchiveRefused`.
    """
    brought = to_documents(load(path), source_type)
    digest = hashlib.sha256(orjson.dumps(brought, option=orjson.OPT_SORT_KEYS)).hexdigest()
    with database.read() as connection:
        if _held(connection) == digest:
            return False
    prepared = prepare(brought)
    store = DocumentStore(database)
    with database.write() as connection:
        if not _claim(connection, digest, now):
            return False
        names = set(
            connection.execute(sa.select(documents.c.external_id).where(documents.c.kind == KIND)).scalars()
        )
        store.delete(connection, KIND, names - {one.document.external_id for one in prepared})
        store.put(connection, prepared, now=now)
    return True


def _held(connection: Connection) -> str | None:
    wanted = sa.select(document_archives.c.digest).where(document_archives.c.name == NAME)
    found: str | None = connection.execute(wanted).scalar_one_or_none()
    return found


def _claim(connection: Connection, digest: str, now: datetime) -> bool:
    """Note that the archive is this one; False where another process has just done so."""
    statement = (sqlite_insert if connection.dialect.name == "sqlite" else pg_insert)(document_archives)
    claimed = connection.execute(
        statement.values(name=NAME, digest=digest, stored_at=now)
        .on_conflict_do_update(
            index_elements=["name"],
            set_={"digest": digest, "stored_at": now},
            where=document_archives.c.digest != digest,
        )
        .returning(document_archives.c.name)
    )
    return claimed.first() is not None
