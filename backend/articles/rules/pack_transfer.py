"""Passes a pack to other processes in a file."""

import pickle
from functools import lru_cache
from pathlib import Path

from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.model import Pack


def write_pack(folder: str, pack: Pack) -> Path:
    """Write ``pack`` into ``folder``, which only this user may write to."""
    path = Path(folder, "pack")
    path.write_bytes(pickle.dumps(pack))
    return path


@lru_cache(maxsize=1)
def load_rules(path: Path) -> RuleSet:
    """Compile the pack in a file of :func:`write_pack`, once in each process.

    Raises ``FileNotFoundError`` if the file is gone and was not read before.
    """
    pack: Pack = pickle.loads(path.read_bytes())  # noqa: S301  # only this user can write to the folder
    return compile_rules([pack])
