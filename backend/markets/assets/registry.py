"""Loads the configured assets with their names and their ids at the data providers.

The shipped file is ``data/assets.yaml``. The user's own file adds, changes and disables assets. Prices are
not part of it.
"""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from backend.markets.assets.asset_file import (
    AssetFileError,
    AssetFileIssue,
    RawEntry,
    RawFile,
    read_asset_file,
)
from backend.markets.assets.model import Asset, Links
from backend.markets.assets.symbol_lookup import MarketCaps, normalize_symbol, sort_largest_first
from backend.settings import Settings

SHIPPED_FILE = Path(__file__).parent / "data" / "assets.yaml"
UNIQUE_FIELDS = ("id", "datasrc2_id", "datasrc1_slug", "cmc_id")
"""Fields whose values must be unique among all assets."""


class AssetRegistry:
    """The assets in file order, immutable, with lookup by id and by provider id.

    :raises ValueError: if two assets share an id, here or at a provider.
    """

    __slots__ = ("_all", "_by_datasrc1", "_by_datasrc2", "_by_id", "_by_symbol", "_enabled")

    def __init__(self, assets: Iterable[Asset]) -> None:
        self._all = tuple(assets)
        for key in UNIQUE_FIELDS:
            counts = Counter(value for asset in self._all if (value := getattr(asset, key)) is not None)
            if repeated := [value for value, count in counts.items() if count > 1]:
                raise ValueError(f"more than one asset with {key} {', '.join(map(repr, repeated))}")
        self._enabled = tuple(asset for asset in self._all if asset.enabled)
        self._by_id = MappingProxyType({asset.id: asset for asset in self._all})
        self._by_datasrc1 = MappingProxyType({a.datasrc1_slug: a for a in self._all if a.datasrc1_slug})
        self._by_datasrc2 = MappingProxyType({a.datasrc2_id: a for a in self._all if a.datasrc2_id})
        by_symbol: dict[str, list[Asset]] = {}
        for asset in self._all:
            by_symbol.setdefault(normalize_symbol(asset.symbol), []).append(asset)
        self._by_symbol = by_symbol

    @property
    def all(self) -> tuple[Asset, ...]:
        return self._all

    @property
    def enabled(self) -> tuple[Asset, ...]:
        return self._enabled

    @property
    def by_id(self) -> Mapping[str, Asset]:
        return self._by_id

    def __iter__(self) -> Iterator[Asset]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def resolve(self, term: str, market_caps: MarketCaps) -> Asset | None:
        """Find the asset, enabled or disabled, that ``term`` names; ``None`` if there is none.

        Order of lookup: canonical id; symbol in any case (the largest of ``market_caps``, USD by asset id,
        wins); id at CoinGecko; slug at CoinMarketCap.
        """
        if asset := self._by_id.get(term):
            return asset
        if candidates := self._by_symbol.get(normalize_symbol(term)):
            return sort_largest_first(candidates, market_caps)[0]
        return self._by_datasrc2.get(term) or self._by_datasrc1.get(term)


def load_configured_assets(settings: Settings) -> AssetRegistry:
    """Load the assets for ``settings``. A configured file must exist, the default one need not."""
    chosen = settings.user_assets_file
    return load_assets(chosen if settings.assets_file or chosen.is_file() else None)


def load_assets(user_file: Path | None = None) -> AssetRegistry:
    """Load the shipped assets merged with those of ``user_file``.

    An entry with a known id replaces the fields that it contains (of ``urls`` the lists that it contains;
    null clears), with ``replace: true`` the whole entry. An entry with a new id adds an asset at the end.
    ``disable`` lists ids to disable.

    :raises AssetFileError: with every issue of the file: entry, field, and how to fix it.
    """
    shipped = read_asset_file(SHIPPED_FILE)
    shipped_entries, issues = _by_id(shipped)
    issues += [
        entry.issue("replace", "is for a user's own file")
        for entry in shipped.entries
        if "replace" in entry.fields
    ]
    registry = _validate_assets(shipped_entries, {*shipped_entries}, [*shipped.issues, *issues])
    if user_file is None:
        return registry

    user = read_asset_file(user_file)
    additions, issues = _by_id(user)
    merged = dict(shipped_entries)
    for asset_id, entry in additions.items():
        merged_entry, issue = _merge_entry(shipped_entries.get(asset_id), entry)
        merged[asset_id] = merged_entry
        issues += issue
    for index, asset_id in enumerate(user.disable):
        issues += _disable_asset(merged, user, index, asset_id, user_file)
    return _validate_assets(merged, {*shipped_entries}, [*user.issues, *issues])


def _by_id(file: RawFile) -> tuple[dict[str, RawEntry], list[AssetFileIssue]]:
    entries: dict[str, RawEntry] = {}
    issues: list[AssetFileIssue] = []
    for entry in file.entries:
        entry_id = entry.fields.get("id")
        if entry_id is None:
            issues.append(entry.issue("id", "is missing: every entry needs the asset's id"))
        elif not isinstance(entry_id, str):
            issues.append(entry.issue("id", "is not read by YAML as text: put it in quotes"))
        elif entry_id in entries:
            first = entries[entry_id].number
            issues.append(entry.issue("id", f"is already that of entry {first}: join the two, or rename one"))
        else:
            entries[entry_id] = entry
    return entries, issues


def _merge_entry(existing: RawEntry | None, entry: RawEntry) -> tuple[RawEntry, list[AssetFileIssue]]:
    fields = dict(entry.fields)
    replace = fields.pop("replace", False)
    issues = []
    if not isinstance(replace, bool):
        issues.append(entry.issue("replace", "must be true or false"))
    elif replace and existing is None:
        issues.append(
            entry.issue("replace", "there is no such asset to replace: remove the line, or correct the id")
        )
    if existing is not None and replace is not True:
        urls, added_urls = existing.fields.get("urls"), fields.get("urls")
        if isinstance(urls, dict) and isinstance(added_urls, dict):
            fields["urls"] = {**urls, **added_urls}
        if "platforms" in fields:  # an address for the old platforms is not valid for the new ones
            fields.setdefault("address", None)
        fields = {**existing.fields, **fields}
    return RawEntry(entry.file, entry.number, fields), issues


def _disable_asset(
    merged: dict[str, RawEntry], user: RawFile, index: int, asset_id: str, user_file: Path
) -> list[AssetFileIssue]:
    name = f"disable[{index}]"
    entry = merged.get(asset_id)
    if entry is None:
        return [
            AssetFileIssue(
                user_file, f"there is no asset '{asset_id}'{_suggest_name(asset_id, merged)}", field=name
            )
        ]
    if any(
        entry_id.asset_id == asset_id and entry_id.fields.get("enabled") is True for entry_id in user.entries
    ):
        return [
            AssetFileIssue(
                user_file, f"'{asset_id}' is also enabled by its entry: keep one of them", field=name
            )
        ]
    merged[asset_id] = RawEntry(entry.file, entry.number, {**entry.fields, "enabled": False})
    return []


def _validate_assets(
    entries: Mapping[str, RawEntry], known_ids: set[str], issues: Sequence[AssetFileIssue]
) -> AssetRegistry:
    all_issues = list(issues)
    assets: list[tuple[RawEntry, Asset]] = []
    for asset_id, entry in entries.items():
        try:
            assets.append((entry, Asset.model_validate(_remove_nulls(entry.fields))))
        except ValidationError as error:
            hint = (
                ""
                if asset_id in known_ids
                else f"; no asset '{asset_id}' is known{_suggest_name(asset_id, known_ids)}"
            )
            all_issues += [entry.issue(*_format_error(issue, hint)) for issue in error.errors()]
    all_issues += _find_duplicates(assets)
    if all_issues:
        raise AssetFileError(all_issues)
    return AssetRegistry(asset for _, asset in assets)


def _remove_nulls(fields: Mapping[str, Any]) -> dict[str, Any]:
    entry_id = {key: value for key, value in fields.items() if value is not None}
    if isinstance(urls := entry_id.get("urls"), dict):
        entry_id["urls"] = {key: value for key, value in urls.items() if value is not None}
    return entry_id


def _find_duplicates(assets: Sequence[tuple[RawEntry, Asset]]) -> list[AssetFileIssue]:
    issues = []
    for key in UNIQUE_FIELDS:
        first: dict[object, tuple[RawEntry, Asset]] = {}
        for entry, asset in assets:
            value = getattr(asset, key)
            earlier, holder = first.setdefault(value, (entry, asset))
            if value is not None and holder is not asset:
                message = f"'{value}' belongs to both '{holder.id}' and '{asset.id}'"
                entry_to_change = earlier if entry.file == SHIPPED_FILE else entry
                issues.append(
                    entry_to_change.issue(key, f"{message}: correct one, or clear it with '{key}: null'")
                )
    return issues


def _format_error(issue: Any, hint: str) -> tuple[str | None, str]:
    """Return field and message of one pydantic error."""
    location = [part for part in issue["loc"] if part != "[key]"]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
    kind, context = issue["type"], issue.get("ctx", {})
    if kind == "value_error":
        message = str(context["error"])
    elif kind == "missing":
        message = f"is missing: every asset needs it{hint}"
    elif kind == "extra_forbidden":
        fields = Links.model_fields if location[0] == "urls" else Asset.model_fields
        message = f"is not a field{_suggest_name(str(location[-1]), fields)}: correct or remove it"
    elif kind == "literal_error":
        message = f"must be one of {context['expected']}"
    elif kind in ("bool_type", "bool_parsing"):
        message = "must be true or false"
    elif kind in ("int_type", "greater_than"):
        message = "must be a whole number above zero, without quotes"
    elif kind == "tuple_type":
        message = "must be a list, as in [a, b]; categories are a list of lists, as in [[DeFi, Lending]]"
    elif kind == "too_short":
        message = "must not be an empty list"
    elif kind in ("mapping_type", "dict_type", "model_type"):
        message = "must be a mapping of names to values"
    else:
        message = str(issue["msg"])
    return name or None, message


def _suggest_name(name: str, names: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(names), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
