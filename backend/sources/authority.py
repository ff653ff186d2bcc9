"""Scores the authority of a URL by the owner of its host, never by the page's content.

The scores are constants, so a verdict can be explained and repeated. A project, a company or an exchange
scores higher for statements about itself than for statements about others.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from backend.documents.model import Document, SourceType
from backend.entities.model import Entity

_HOSTS_FILE = Path(__file__).parent / "data" / "hosts.yaml"

AUTHORITY_SCORES: Mapping[SourceType, float] = {
    "regulator": 0.98,
    "court": 0.97,
    "government": 0.95,
    "onchain": 0.90,
    "official": 0.90,
    "exchange": 0.85,
    "data_provider": 0.80,
    "press": 0.60,
    "trade_press": 0.55,
    "blog": 0.35,
    "social": 0.25,
    "unknown": 0.25,
}
SCORES_ABOUT_OTHERS: Mapping[SourceType, float] = {"official": 0.65, "exchange": 0.60}
"""Lower scores of projects, companies and exchanges for statements about others."""
OFFICIAL_ACCOUNT_SCORE = 0.70
"""Score of a post in an entity's official account, as the catalogue lists it."""

_TYPE_BY_AUTHORITY: Mapping[str, SourceType] = {
    "regulator": "regulator",
    "court": "court",
    "government": "government",
    "official_project": "official",
    "company": "official",
    "exchange": "exchange",
    "data_provider": "data_provider",
    "press": "press",
    "trade_press": "trade_press",
}
_TYPE_BY_ENTITY_TYPE: Mapping[str, SourceType] = {
    "regulator": "regulator",
    "exchange": "exchange",
    "data_provider": "data_provider",
    "media": "trade_press",
}
GENERAL_REFERENCE_FACTOR = 0.9
"""Factor on the authority of a general reference, such as a site's home page."""
MIN_KNOWN_AUTHORITY = 0.5
"""Authority of the least known outlet; blog platforms, social media and unknown hosts are below it."""
_SELF_INTERESTED: frozenset[SourceType] = frozenset({"official", "exchange"})
_ACCOUNT_HOSTS = frozenset({"x.com", "twitter.com"})
_UNOFFICIAL_TYPES: frozenset[SourceType] = frozenset({"press", "trade_press", "social", "blog", "unknown"})


@dataclass(frozen=True, slots=True)
class Authority:
    """Source type and score (0..1) of a URL. ``owner`` is the entity id of the host's owner, if known."""

    source_type: SourceType
    score: float
    owner: str | None = None

    @property
    def is_known(self) -> bool:
        """Whether it is an official site of the catalogue or a known outlet."""
        return self.score >= MIN_KNOWN_AUTHORITY

    @property
    def is_official(self) -> bool:
        """Whether it is a primary source: not press, social media, a blog or an unknown host."""
        return self.source_type not in _UNOFFICIAL_TYPES


class Authorities:
    """Maps hosts and accounts to their owners, from the catalogue and the shipped list. Immutable."""

    def __init__(self, entities: Mapping[str, Entity]) -> None:
        self._shipped, self._suffixes, self._paths = _load_shipped_hosts()
        self._owners: dict[str, tuple[str, SourceType]] = {}
        self._accounts: dict[str, str] = {}
        for entity in entities.values():
            for domain in entity.official_domains:
                self._owners.setdefault(_normalize_host(domain), (entity.id, _choose_source_type(entity)))
            for handle in entity.official_x_accounts:
                self._accounts.setdefault(handle.lstrip("@").lower(), entity.id)

    def classify(self, url: str, *, about: Collection[str] = (), is_general: bool = False) -> Authority:
        """Return the authority of ``url`` for a statement ``about`` these entity ids.

        A host belongs to the owner of its longest known parent domain, compared by whole labels:
        ``sec.gov.evil.example`` has no owner. A malformed URL is unknown. A general reference leads to no
        page about the matter, so its score is lower. Every home page is one.
        """
        host, path = _split_url(url)
        authority = self._classify_host(host, path, about)
        if is_general or not path.strip("/"):
            return replace(authority, score=authority.score * GENERAL_REFERENCE_FACTOR)
        return authority

    def classify_source(self, url: str, document: Document, *, about: Collection[str] = ()) -> Authority:
        """Return the authority of ``url`` as a source of ``document``, which knows its general references."""
        return self.classify(url, about=about, is_general=url in document.general_urls)

    def _classify_host(self, host: str, path: str, about: Collection[str]) -> Authority:
        if host in _ACCOUNT_HOSTS and (account := self._accounts.get(_get_first_segment(path))):
            return Authority("official", OFFICIAL_ACCOUNT_SCORE, account)
        if owned := self._paths.get(f"{host}/{_get_first_segment(path)}"):
            return _score("official", owned, about)
        for domain in _list_parent_domains(host):
            owner, kind = self._owners.get(domain, (None, None))
            if kind := self._shipped.get(domain) or kind:
                return _score(kind, owner, about)
            if domain in self._suffixes:
                return Authority("government", AUTHORITY_SCORES["government"])
        return Authority("unknown", AUTHORITY_SCORES["unknown"])


def _score(kind: SourceType, owner: str | None, about: Collection[str]) -> Authority:
    is_about_others = kind in _SELF_INTERESTED and about and owner not in about
    return Authority(kind, SCORES_ABOUT_OTHERS[kind] if is_about_others else AUTHORITY_SCORES[kind], owner)


def _choose_source_type(entity: Entity) -> SourceType:
    return _TYPE_BY_AUTHORITY.get(entity.authority or "") or _TYPE_BY_ENTITY_TYPE.get(entity.type, "official")


@cache
def _load_shipped_hosts() -> tuple[Mapping[str, SourceType], frozenset[str], Mapping[str, str]]:
    hosts_by_type = yaml.safe_load(_HOSTS_FILE.read_text(encoding="utf-8"))
    suffixes = frozenset(hosts_by_type.pop("government_suffixes"))
    paths = {path.lower(): owner for path, owner in hosts_by_type.pop("official_paths").items()}
    return {host: kind for kind, hosts in hosts_by_type.items() for host in hosts}, suffixes, paths


def _split_url(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return "", ""
    return _normalize_host(host) if parts.scheme in ("http", "https") else "", parts.path


def _normalize_host(host: str) -> str:
    return host.strip().rstrip(".").lower().removeprefix("www.")


def _get_first_segment(path: str) -> str:
    return path.strip("/").split("/", 1)[0].lower()


def _list_parent_domains(host: str) -> list[str]:
    """List ``a.b.c``, ``b.c``, ``c`` for ``a.b.c``: the most specific first."""
    labels = host.split(".")
    return [".".join(labels[index:]) for index in range(len(labels))] if host else []
