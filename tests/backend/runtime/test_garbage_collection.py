"""Tests that the garbage collector pauses while a program builds permanent objects, and then resumes."""

import gc

import pytest

from backend.runtime import garbage_collection


def test_paused_disables_garbage_collection_and_enables_it_again() -> None:
    assert gc.isenabled()
    with garbage_collection.paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_garbage_collection_is_enabled_again_after_an_exception() -> None:
    with pytest.raises(ValueError, match="a mistake"), garbage_collection.paused():
        raise ValueError("a mistake")
    assert gc.isenabled()


def test_disabled_garbage_collection_stays_disabled_after_paused() -> None:
    gc.disable()
    try:
        with garbage_collection.paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_objects_created_at_startup_are_excluded_from_garbage_collection() -> None:
    try:
        with garbage_collection.making_what_stays():
            permanent = [["stays"]]
        later = [["goes"]]
        looked_at = {id(tracked) for tracked in gc.get_objects()}
        assert id(permanent) not in looked_at
        assert id(later) in looked_at
        assert gc.isenabled()
    finally:
        gc.unfreeze()
