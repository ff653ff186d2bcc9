from pathlib import Path

import pytest

from backend.data_lock import JOURNAL, DataLock, finish_moves, make_moves
from backend.errors import Conflict, Unavailable
from tests.support.own_thread import in_this_thread

OLD, NEW = {"db": "old", "rules/a": "old"}, {"db": "new", "rules/a": "new", "key": "new"}


class Killed(BaseException):
    """As if the process ended here."""


def lay_out(folder: Path) -> list[tuple[Path, Path]]:
    for place, files in ((folder, OLD), (folder / "staging", NEW)):
        for name, content in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(content)
    away = [(folder / name, folder / "aside" / name) for name in OLD]
    return [*away, *((folder / "staging" / name, folder / name) for name in NEW)]


def contents(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in NEW if (folder / name).exists()}


@pytest.mark.parametrize("survived", range(len(OLD) + len(NEW) + 1))
def test_moves_that_are_stopped_anywhere_are_finished_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survived: int
) -> None:
    moves = lay_out(tmp_path)
    rename, made = Path.rename, list[Path]()

    def stop(self: Path, target: Path) -> Path:
        if len(made) == survived:
            raise Killed
        made.append(target)
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", in_this_thread(stop, rename))
        try:
            make_moves(tmp_path, moves, staging=tmp_path / "staging")
        except Killed:
            assert (tmp_path / JOURNAL).exists()
    with DataLock(tmp_path / "db", alone=False):
        assert contents(tmp_path) == NEW
        assert contents(tmp_path / "aside") == OLD
        assert not (tmp_path / JOURNAL).exists()
        assert not (tmp_path / "staging").exists()


def test_many_share_a_folder_or_one_has_it_alone(tmp_path: Path) -> None:
    sharing = [DataLock(tmp_path / "db", alone=False) for _ in range(2)]
    with pytest.raises(Conflict, match="Stop"):
        DataLock(tmp_path / "db", alone=True)
    for lock in sharing:
        lock.release()
    with DataLock(tmp_path / "db", alone=True):
        for alone, refusal in ((True, Conflict), (False, Unavailable)):
            with pytest.raises(refusal):
                DataLock(tmp_path / "db", alone=alone)
    DataLock(tmp_path / "db", alone=True).release()


def test_one_who_forgets_a_lock_gives_it_back(tmp_path: Path) -> None:
    DataLock(tmp_path / "db", alone=True)
    DataLock(tmp_path / "db", alone=True).release()


def test_to_finish_where_nothing_is_unfinished_does_nothing(tmp_path: Path) -> None:
    finish_moves(tmp_path)
    assert list(tmp_path.iterdir()) == []
