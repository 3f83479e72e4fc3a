"""Runs where there is too little room stop in time, and go on later."""

import errno
from pathlib import Path
from types import SimpleNamespace

import pytest
from notes_corpus import Notes

from pipelines import free_space
from pipelines.free_space import (
    RESERVE_BYTES,
    DiskFullError,
    full_disk_named,
    require_space,
    require_space_for_vectors,
    space_for_sources,
)
from pipelines.manifest import read_index_info


def test_what_is_needed_and_what_is_free_is_named(tmp_path: Path) -> None:
    require_space(tmp_path, 0)

    with pytest.raises(DiskFullError) as error:
        require_space(tmp_path, 10**18)

    assert str(error.value).startswith(f"{tmp_path}: ")
    assert "MB are free there and 1,000,000,000,034 MB are needed" in str(error.value)
    assert error.value.needed == 10**18 + RESERVE_BYTES


@pytest.mark.parametrize(("size", "packed", "space"), [(0, False, 0), (1_000, False, 2_000), (1_000, True, 24_000)])
def test_space_for_sources(size: int, packed: bool, space: int) -> None:
    assert space_for_sources(size, packed) == space


def test_vectors_need_room_in_the_folder_of_their_store_alone(tmp_path: Path) -> None:
    store = SimpleNamespace(path=tmp_path / "index" / "vectors", dimension=384)
    require_space_for_vectors(store, 1)
    require_space_for_vectors(SimpleNamespace(dimension=384), 10**15)

    with pytest.raises(DiskFullError) as error:
        require_space_for_vectors(store, 10**15)

    # Four copies of 384 dimensions of 5 bytes, and 300 bytes besides.
    assert (error.value.folder, error.value.needed) == (tmp_path, 4 * 2_220 * 10**15 + RESERVE_BYTES)


def test_a_failure_on_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="No space"), full_disk_named(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(free_space, "RESERVE_BYTES", 10**18)

    with pytest.raises(DiskFullError, match="MB are needed"), full_disk_named(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_run_stops_before_it_writes_and_is_finished_later(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    notes.run()
    notes.write("b.txt", "notes 10", "N2: Bees", "N3: Cats")
    with monkeypatch.context() as full:
        full.setattr(free_space, "_BYTES_A_SOURCE_BYTE", 10**15)
        with pytest.raises(DiskFullError, match="TANSAKU_DATA_DIR"):
            notes.run()
    assert list(notes.texts()) == ["N1#1"]

    with monkeypatch.context() as full:
        full.setattr(free_space, "_BYTES_A_DIMENSION", 10**15)
        with pytest.raises(DiskFullError, match="TANSAKU_DATA_DIR"):
            notes.run()
    assert list(notes.texts()) == ["N1#1", "N2#1", "N3#1"]
    assert read_index_info(notes.manifest, "notes").vectors == 1

    notes.resume()
    assert notes.store("vector").ids() == ["N1#1", "N2#1", "N3#1"]
