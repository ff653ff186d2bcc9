"""The garbage collector is out of the way while a program makes what stays, and works again behind that."""

import gc

import pytest

from backend.runtime import garbage_collection


def test_the_collector_rests_within_and_works_again_behind() -> None:
    assert gc.isenabled()
    with garbage_collection.paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_works_again_after_a_mistake_too() -> None:
    with pytest.raises(ValueError, match="a mistake"), garbage_collection.paused():
        raise ValueError("a mistake")
    assert gc.isenabled()


def test_who_had_it_off_keeps_it_off() -> None:
    gc.disable()
    try:
        with garbage_collection.paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_was_made_while_starting_is_never_looked_at_again() -> None:
    try:
        with garbage_collection.making_what_stays():
            made = [["stays"]]
        later = [["goes"]]
        looked_at = {id(each) for each in gc.get_objects()}
        assert id(made) not in looked_at
        assert id(later) in looked_at
        assert gc.isenabled()
    finally:
        gc.unfreeze()
