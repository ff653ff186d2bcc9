"""Serves recorded provider responses from a folder, in the format of replay mode.

``docs/replay.md`` describes the folder. Other responses come from the simulated market.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

from backend.markets.provider_names import ALTERNATIVE_ME, COINGECKO, COINMARKETCAP
from backend.markets.providers.replay.recordings import FOLDERS, Recordings
from tests.support.providers.provider_pages import Pages, Query


@dataclass
class RecordedPages(Pages):
    """``restamp`` shifts the recorded times to the present, since old figures would be stale."""

    folder: Path = Path()
    restamp: bool = False
    _recordings: Recordings = field(init=False)

    def __post_init__(self) -> None:
        self._recordings = Recordings(self.folder, restamp=self.restamp, now=self.moment)
        if not any(self._recordings.has_provider(name) for name in FOLDERS):
            raise SystemExit(f"{self.folder} contains no recorded responses.")

    def answer(self, path: str, query: Query) -> tuple[int, object]:
        provider = COINMARKETCAP
        if path.startswith("/api/v3/"):
            provider = COINGECKO
        elif path.startswith("/fng"):
            provider = ALTERNATIVE_ME
        body = self._recordings.find_body(provider, path, query)
        if body is None:
            return super().answer(path, query)
        value = json.loads(body)
        if provider == COINGECKO and isinstance(value, list):
            # Send no request to other machines.
            for row in (row for row in value if isinstance(row, dict)):
                row["image"] = f"{self.base_url}/images/{row['id']}.png"
        return 200, value
