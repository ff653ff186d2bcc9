"""Writes a pack to a file for other processes."""

import pickle
from functools import lru_cache
from pathlib import Path

from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.model import Pack


def write_pack(folder: str, pack: Pack) -> Path:
    """Writes ``pack`` into ``folder``, which nobody else may write to."""
    path = Path(folder, "pack")
    path.write_bytes(pickle.dumps(pack))
    return path


@lru_cache(maxsize=1)
def load_rules(path: Path) -> RuleSet:
    """The rules of the pack in a file that :func:`write_pack` wrote, compiled once in each process.

    Raises ``FileNotFoundError`` where the file is gone and was not read before.
    """
    pack: Pack = pickle.loads(path.read_bytes())  # noqa: S301  # of a folder that is this user's alone
    return compile_rules([pack])
