"""Names the catalogue's entities in the reader's language, once for each version of the rules."""

import threading
from collections.abc import Mapping
from typing import NamedTuple

from dashboard.app_pages.topics import session_state
from dashboard.client import articles
from dashboard.client.articles import RuleEntity
from dashboard.i18n import Language


class EntityNames(NamedTuple):
    """Names by id in one language, or else in English; ``labels`` add the English name, sorted by label."""

    names: Mapping[str, str]
    labels: Mapping[str, str]


_lock = threading.Lock()
_cached: dict[Language, tuple[str, EntityNames]] = {}
"""By language, with the version of the rules."""


def load_names(lang: Language) -> EntityNames:
    """Load the names; empty before the session's first scan or if the service is unavailable."""
    version = session_state.load_state().rules_version
    with _lock:
        cached_version, names = _cached.get(lang, ("", EntityNames({}, {})))
    if not version or version == cached_version:
        return names if version else EntityNames({}, {})
    rule_set = articles.fetch_rules(version).data
    if rule_set is None:
        return EntityNames({}, {})
    names = _build_names([entity for entity in rule_set["entities"] if entity["type"] != "term"], lang)
    with _lock:
        _cached[lang] = (version, names)
    return names


def _build_names(entities: list[RuleEntity], lang: Language) -> EntityNames:
    names, labels = {}, {}
    for entity in entities:
        english = entity["names"].get("en") or entity["id"]
        name = entity["names"].get(lang) or english
        names[entity["id"]] = name
        # Readers search for either name.
        labels[entity["id"]] = name if name == english else f"{name} · {english}"
    return EntityNames(names, dict(sorted(labels.items(), key=lambda item: item[1].casefold())))
