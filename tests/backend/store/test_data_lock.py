from pathlib import Path

import pytest

from backend.errors import Conflict, Unavailable
from backend.store.data_lock import DataLock


def test_many_share_a_folder_or_one_has_it_alone(tmp_path: Path) -> None:
    sharing = [DataLock(tmp_path / "db", exclusive=False) for _ in range(2)]
    with pytest.raises(Conflict, match="Stop"):
        DataLock(tmp_path / "db", exclusive=True)
    for lock in sharing:
        lock.release()
    with DataLock(tmp_path / "db", exclusive=True):
        for alone, refusal in ((True, Conflict), (False, Unavailable)):
            with pytest.raises(refusal):
                DataLock(tmp_path / "db", exclusive=alone)
    DataLock(tmp_path / "db", exclusive=True).release()


def test_one_who_forgets_a_lock_gives_it_back(tmp_path: Path) -> None:
    DataLock(tmp_path / "db", exclusive=True)
    DataLock(tmp_path / "db", exclusive=True).release()
