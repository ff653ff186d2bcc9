"""The configured assets: what each is called, here and at the data providers.

The shipped book is ``data/assets.yaml``; a file of the user's own adds to it, changes and disables.
Figures are no part of it.
"""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from backend.markets.assets.asset_file import AssetFileError, FileFault, RawEntry, RawFile, read_asset_file
from backend.markets.assets.model import Asset, Links
from backend.markets.assets.symbol_lookup import MarketCaps, largest_first, symbol_key
from backend.settings import Settings

SHIPPED = Path(__file__).parent / "data" / "assets.yaml"
UNIQUE_FIELDS = ("id", "datasrc2_id", "datasrc1_slug", "cmc_id")
"""Fields in which no two assets may agree."""


class AssetBook:
    """The assets in file order, immutable; ids at a provider lead to one asset each.

    :raises ValueError: when two assets share an id, here or at a provider.
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
            by_symbol.setdefault(symbol_key(asset.symbol), []).append(asset)
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
        """The asset that ``term`` means, disabled ones too; ``None`` when it means none.

        Canonical id, then symbol in any case (the largest of ``market_caps``, USD by asset id, wins),
        then id at CoinGecko, then slug at CoinMarketCap.
        """
        if found := self._by_id.get(term):
            return found
        if sharers := self._by_symbol.get(symbol_key(term)):
            return largest_first(sharers, market_caps)[0]
        return self._by_datasrc2.get(term) or self._by_datasrc1.get(term)


def load_configured(settings: Settings) -> AssetBook:
    """The book that ``settings`` ask for: a file that they name must exist, the default one may."""
    chosen = settings.user_assets_file
    return load_assets(chosen if settings.assets_file or chosen.is_file() else None)


def load_assets(user_file: Path | None = None) -> AssetBook:
    """The shipped assets, with those of ``user_file`` laid over them.

    An entry with a known id replaces the fields that it gives (of ``urls`` the lists that it gives;
    null clears), with ``replace: true`` the whole entry; an unknown id is a new asset, after the
    others; ``disable`` lists ids to disable.

    :raises AssetFileError: with every fault of the file, its entry and field, and what to do.
    """
    shipped = read_asset_file(SHIPPED)
    written, faults = _by_id(shipped)
    faults += [
        entry.fault("replace", "is for a user's own file")
        for entry in shipped.entries
        if "replace" in entry.fields
    ]
    book = _judge(written, {*written}, [*shipped.faults, *faults])
    if user_file is None:
        return book

    own = read_asset_file(user_file)
    additions, faults = _by_id(own)
    merged = dict(written)
    for asset_id, entry in additions.items():
        laid, fault = _lay_over(written.get(asset_id), entry)
        merged[asset_id] = laid
        faults += fault
    for index, asset_id in enumerate(own.disable):
        faults += _disable(merged, own, index, asset_id, user_file)
    return _judge(merged, {*written}, [*own.faults, *faults])


def _by_id(file: RawFile) -> tuple[dict[str, RawEntry], list[FileFault]]:
    entries: dict[str, RawEntry] = {}
    faults: list[FileFault] = []
    for entry in file.entries:
        given = entry.fields.get("id")
        if given is None:
            faults.append(entry.fault("id", "is missing: every entry needs the asset's id"))
        elif not isinstance(given, str):
            faults.append(entry.fault("id", "is not read by YAML as text: put it in quotes"))
        elif given in entries:
            first = entries[given].number
            faults.append(entry.fault("id", f"is already that of entry {first}: join the two, or rename one"))
        else:
            entries[given] = entry
    return entries, faults


def _lay_over(known: RawEntry | None, entry: RawEntry) -> tuple[RawEntry, list[FileFault]]:
    fields = dict(entry.fields)
    replace = fields.pop("replace", False)
    faults = []
    if not isinstance(replace, bool):
        faults.append(entry.fault("replace", "must be true or false"))
    elif replace and known is None:
        faults.append(
            entry.fault("replace", "there is no such asset to replace: remove the line, or correct the id")
        )
    if known is not None and replace is not True:
        urls, more = known.fields.get("urls"), fields.get("urls")
        if isinstance(urls, dict) and isinstance(more, dict):
            fields["urls"] = {**urls, **more}
        if "platforms" in fields:  # an address given with the old platforms says nothing of the new ones
            fields.setdefault("address", None)
        fields = {**known.fields, **fields}
    return RawEntry(entry.file, entry.number, fields), faults


def _disable(
    merged: dict[str, RawEntry], own: RawFile, index: int, asset_id: str, user_file: Path
) -> list[FileFault]:
    name = f"disable[{index}]"
    entry = merged.get(asset_id)
    if entry is None:
        return [FileFault(user_file, f"there is no asset '{asset_id}'{_near(asset_id, merged)}", field=name)]
    if any(given.asset_id == asset_id and given.fields.get("enabled") is True for given in own.entries):
        return [
            FileFault(user_file, f"'{asset_id}' is also enabled by its entry: keep one of them", field=name)
        ]
    merged[asset_id] = RawEntry(entry.file, entry.number, {**entry.fields, "enabled": False})
    return []


def _judge(entries: Mapping[str, RawEntry], known: set[str], faults: Sequence[FileFault]) -> AssetBook:
    found = list(faults)
    assets: list[tuple[RawEntry, Asset]] = []
    for asset_id, entry in entries.items():
        try:
            assets.append((entry, Asset.model_validate(_without_nulls(entry.fields))))
        except ValidationError as error:
            hint = "" if asset_id in known else f"; no asset '{asset_id}' is known{_near(asset_id, known)}"
            found += [entry.fault(*_sentence(fault, hint)) for fault in error.errors()]
    found += _clashes(assets)
    if found:
        raise AssetFileError(found)
    return AssetBook(asset for _, asset in assets)


def _without_nulls(fields: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in fields.items() if value is not None}
    if isinstance(urls := given.get("urls"), dict):
        given["urls"] = {key: value for key, value in urls.items() if value is not None}
    return given


def _clashes(assets: Sequence[tuple[RawEntry, Asset]]) -> list[FileFault]:
    faults = []
    for key in UNIQUE_FIELDS:
        first: dict[object, tuple[RawEntry, Asset]] = {}
        for entry, asset in assets:
            value = getattr(asset, key)
            earlier, other = first.setdefault(value, (entry, asset))
            if value is not None and other is not asset:
                both = f"'{value}' belongs to both '{other.id}' and '{asset.id}'"
                changed = earlier if entry.file == SHIPPED else entry
                faults.append(changed.fault(key, f"{both}: correct one, or clear it with '{key}: null'"))
    return faults


def _sentence(fault: Any, hint: str) -> tuple[str | None, str]:
    """Field and sentence of one of pydantic's faults."""
    location = [part for part in fault["loc"] if part != "[key]"]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "value_error":
        sentence = str(context["error"])
    elif kind == "missing":
        sentence = f"is missing: every asset needs it{hint}"
    elif kind == "extra_forbidden":
        fields = Links.model_fields if location[0] == "urls" else Asset.model_fields
        sentence = f"is not a field{_near(str(location[-1]), fields)}: correct or remove it"
    elif kind == "literal_error":
        sentence = f"must be one of {context['expected']}"
    elif kind in ("bool_type", "bool_parsing"):
        sentence = "must be true or false"
    elif kind in ("int_type", "greater_than"):
        sentence = "must be a whole number above zero, without quotes"
    elif kind == "tuple_type":
        sentence = "must be a list, as in [a, b]; categories are a list of lists, as in [[DeFi, Lending]]"
    elif kind == "too_short":
        sentence = "must not be an empty list"
    elif kind in ("mapping_type", "dict_type", "model_type"):
        sentence = "must be a mapping of names to values"
    else:
        sentence = str(fault["msg"])
    return name or None, sentence


def _near(word: str, words: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(words), n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
