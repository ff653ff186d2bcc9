"""Watchlists as they travel: in a link and in a file. The lists themselves live in the browser."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dashboard.services.rankings import MAX_LIST, parse_ids

FORMAT = "chainproof-watchlists"
VERSION = 1
MAX_NAME = 40
MAX_LISTS = 50


class WatchlistFileError(ValueError):
    """A file that holds no watchlists; the message is one sentence for the reader."""


def split_known(ids: Sequence[str], known: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids that exist here, and those that do not, each in their order."""
    return tuple(i for i in ids if i in known), tuple(i for i in ids if i not in known)


def link_value(ids: Sequence[str]) -> str:
    return ",".join(parse_ids(",".join(ids)))


def to_file(lists: Mapping[str, Sequence[str]]) -> str:
    body = {
        "format": FORMAT,
        "version": VERSION,
        "lists": [{"name": name, "ids": list(ids)} for name, ids in lists.items()],
    }
    return json.dumps(body, ensure_ascii=False, indent=2)


def from_file(text: str) -> dict[str, tuple[str, ...]]:
    """Lists by name; damaged entries are left out as the browser leaves them out."""
    try:
        body: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise WatchlistFileError(f"The file is not JSON: {error.msg} in line {error.lineno}.") from error
    if not isinstance(body, dict) or body.get("format") != FORMAT or not isinstance(body.get("lists"), list):
        raise WatchlistFileError(f'The file does not say "format": "{FORMAT}" with an array of lists.')
    lists: dict[str, tuple[str, ...]] = {}
    for entry in body["lists"][:MAX_LISTS]:
        name = entry.get("name") if isinstance(entry, dict) else None
        ids = entry.get("ids") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name.strip() or not isinstance(ids, list):
            continue
        kept = (i for i in ids if isinstance(i, str) and 0 < len(i) <= 80 and "," not in i)
        lists.setdefault(name.strip()[:MAX_NAME], tuple(dict.fromkeys(kept))[:MAX_LIST])
    return lists
