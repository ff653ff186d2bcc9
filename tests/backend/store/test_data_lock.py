from pathlib import Path

import pytest

from backend.errors import Conflict, Unavailable
from backend.store.data_lock import DataLock


def test_data_lock_is_shared_or_exclusive(tmp_path: Path) -> None:
    sharing = [DataLock(tmp_path / "db", exclusive=False) for _ in range(2)]
    with pytest.raises(Conflict, match="Stop"):
        DataLock(tmp_path / "db", exclusive=True)
    for lock in sharing:
        lock.release()
    with DataLock(tmp_path / "db", exclusive=True):
        for exclusive, refusal in ((True, Conflict), (False, Unavailable)):
            with pytest.raises(refusal):
                DataLock(tmp_path / "db", exclusive=exclusive)
    DataLock(tmp_path / "db", exclusive=True).release()


def test_unreferenced_lock_is_released(tmp_path: Path) -> None:
    DataLock(tmp_path / "db", exclusive=True)
    DataLock(tmp_path / "db", exclusive=True).release()
