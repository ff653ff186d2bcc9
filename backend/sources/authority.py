"""How much an address counts as a source: by who answers for its host, never by what its page says.

The scores are fixed words of this file, so that a verdict can be explained and repeated. A project, a
company or an exchange counts for more in what it says about itself than about others.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from backend.documents.model import SourceType
from backend.entities.model import Entity

_HOSTS_FILE = Path(__file__).parent / "data" / "hosts.yaml"

SCORES: Mapping[SourceType, float] = {
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
ABOUT_OTHERS: Mapping[SourceType, float] = {"official": 0.65, "exchange": 0.60}
"""Scores of those whose own word counts for less when it is about somebody else."""
OFFICIAL_ACCOUNT = 0.70
"""A post in the account that the catalogue names as somebody's own."""

_BY_AUTHORITY: Mapping[str, SourceType] = {
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
_BY_TYPE: Mapping[str, SourceType] = {
    "regulator": "regulator",
    "exchange": "exchange",
    "data_provider": "data_provider",
    "media": "trade_press",
}
_OWN_WORD: frozenset[SourceType] = frozenset({"official", "exchange"})
_ACCOUNT_HOSTS = frozenset({"x.com", "twitter.com"})
_NEVER_OFFICIAL: frozenset[SourceType] = frozenset({"press", "trade_press", "social", "blog", "unknown"})


@dataclass(frozen=True, slots=True)
class Authority:
    """What an address counts as. ``owner`` is the entity that answers for the host, if one is known."""

    source_type: SourceType
    score: float
    owner: str | None = None

    @property
    def is_official(self) -> bool:
        """Whether it is a primary source: not press, a post or a page of nobody known."""
        return self.source_type not in _NEVER_OFFICIAL


class Authorities:
    """Who answers for which host, out of the catalogue and the shipped list. Immutable."""

    def __init__(self, entities: Mapping[str, Entity]) -> None:
        self._shipped, self._suffixes, self._paths = _shipped_hosts()
        self._owners: dict[str, tuple[str, SourceType]] = {}
        self._accounts: dict[str, str] = {}
        for entity in entities.values():
            for domain in entity.official_domains:
                self._owners.setdefault(_bare(domain), (entity.id, _type_of(entity)))
            for handle in entity.official_x_accounts:
                self._accounts.setdefault(handle.lstrip("@").lower(), entity.id)

    def classify(self, url: str, *, about: Collection[str] = ()) -> Authority:
        """What the page at ``url`` counts as for a statement ``about`` these entities.

        A host belongs to whoever has the longest domain that it ends in, by whole labels:
        ``sec.gov.evil.example`` is nobody's. An address that cannot be read is unknown.
        """
        host, path = _host_and_path(url)
        if host in _ACCOUNT_HOSTS and (account := self._accounts.get(_first_segment(path))):
            return Authority("official", OFFICIAL_ACCOUNT, account)
        if owned := self._paths.get(f"{host}/{_first_segment(path)}"):
            return _weighed("official", owned, about)
        for domain in _from_the_right(host):
            owner, kind = self._owners.get(domain, (None, None))
            if kind := self._shipped.get(domain) or kind:
                return _weighed(kind, owner, about)
            if domain in self._suffixes:
                return Authority("government", SCORES["government"])
        return Authority("unknown", SCORES["unknown"])


def _weighed(kind: SourceType, owner: str | None, about: Collection[str]) -> Authority:
    foreign = kind in _OWN_WORD and about and owner not in about
    return Authority(kind, ABOUT_OTHERS[kind] if foreign else SCORES[kind], owner)


def _type_of(entity: Entity) -> SourceType:
    return _BY_AUTHORITY.get(entity.authority or "") or _BY_TYPE.get(entity.type, "official")


@cache
def _shipped_hosts() -> tuple[Mapping[str, SourceType], frozenset[str], Mapping[str, str]]:
    listed = yaml.safe_load(_HOSTS_FILE.read_text(encoding="utf-8"))
    suffixes = frozenset(listed.pop("government_suffixes"))
    paths = {path.lower(): owner for path, owner in listed.pop("official_paths").items()}
    return {host: kind for kind, hosts in listed.items() for host in hosts}, suffixes, paths


def _host_and_path(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return "", ""
    return _bare(host) if parts.scheme in ("http", "https") else "", parts.path


def _bare(host: str) -> str:
    return host.strip().rstrip(".").lower().removeprefix("www.")


def _first_segment(path: str) -> str:
    return path.strip("/").split("/", 1)[0].lower()


def _from_the_right(host: str) -> list[str]:
    """``a.b.c`` as ``a.b.c``, ``b.c``, ``c``: the longest, and so the most particular, first."""
    labels = host.split(".")
    return [".".join(labels[index:]) for index in range(len(labels))] if host else []
