"""Builds and caches the response of ``GET /assets/names``."""

import threading
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from backend.articles.rules.active_rules import ActiveRules
from backend.entities.model import LANGUAGES, Entity
from backend.entity_names.name_index import list_all_names
from backend.http.prepared_responses import Prepared
from backend.markets.assets.model import Asset

PATH = "/assets/names"


class NamesResponseCache:
    """Caches the response for the active names."""

    def __init__(self, rules: ActiveRules, assets: Iterable[Asset]) -> None:
        self._rules = rules
        self._assets = tuple(assets)
        self._lock = threading.Lock()
        self._cached: tuple[str, Prepared] | None = None

    def find(self, path: str, query: bytes) -> Prepared | None:
        """Return the cached response if it belongs to the active names."""
        cached = self._cached
        is_current = path == PATH and not query and cached is not None and cached[0] == self._rules.version
        return cached[1] if is_current and cached is not None else None

    def load(self) -> Prepared:
        rules = self._rules.current
        with self._lock:
            if self._cached is None or self._cached[0] != rules.version:
                response = Prepared(orjson.dumps(build_names(self._assets, rules.entities)))
                response.compress()
                self._cached = (rules.version, response)
            return self._cached[1]


def build_names(assets: Iterable[Asset], entities: Mapping[str, Entity]) -> dict[str, dict[str, Any]]:
    """Build the names by id: assets by their asset id, then the other entities by their catalogue id."""
    names: dict[str, dict[str, Any]] = {}
    used: set[str] = set()
    for asset in assets:
        entity = entities.get(asset.entity or asset.id)
        if entity is None or entity.market_asset not in (None, asset.id):
            names[asset.id] = _build_entry(dict.fromkeys(LANGUAGES, asset.name), [asset.symbol])
            continue
        used.add(entity.id)
        named = _build_entity(entity, asset.symbol)
        if entity.name("en").casefold() != asset.name.casefold():
            # The entity is wider than the asset: Polygon has the assets POL and "Polygon (old MATIC)".
            aliases = [*(named[language] for language in LANGUAGES), *named["aliases"]]
            named = _build_entry(dict.fromkeys(LANGUAGES, asset.name), aliases)
        names[asset.id] = named
    for entity in entities.values():
        if entity.type != "term" and entity.id not in used and entity.id not in names:
            names[entity.id] = _build_entity(entity)
    return names


def _build_entity(entity: Entity, *more: str) -> dict[str, Any]:
    by_language: dict[str, str] = {language: entity.name(language) for language in LANGUAGES}
    return _build_entry(by_language, [*list_all_names(entity), *entity.symbols, *more])


def _build_entry(names: Mapping[str, str], aliases: Iterable[str]) -> dict[str, Any]:
    shown = set(names.values())
    return {**names, "aliases": [alias for alias in dict.fromkeys(aliases) if alias not in shown]}
