"""New generations beside the one that is searched: built, checked, switched to, gone back from, removed."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from note_components import LetterEmbedder
from notes_corpus import Notes

from pipelines.embedding import VectorPass
from pipelines.errors import ArgumentError, IndexLockedError, IndexMissingError, TansakuError
from pipelines.generations import Generations
from pipelines.index_lock import index_lock
from pipelines.indexing import IndexRun
from pipelines.rebuilding import GenerationKeeper, RebuildRefusedError


@pytest.fixture
def notes(notes_anywhere: Notes) -> Notes:
    """An index of one note."""
    notes_anywhere.write("a.txt", "notes 10", "N1: Apples")
    notes_anywhere.run()
    return notes_anywhere


def keeper(notes: Notes) -> GenerationKeeper:
    return GenerationKeeper(notes.corpus, notes.settings)


def states(notes: Notes) -> dict[int, str]:
    return {each.number: each.state for each in Generations(notes.settings, "notes").all()}


def test_a_first_index_is_generation_1(notes: Notes) -> None:
    [(generation, info)] = keeper(notes).listed()

    assert (generation.number, generation.state, generation.made) == (1, "active", "")
    assert info is not None and info.chunks == 1


def test_a_rebuild_takes_the_place_of_the_index_and_can_be_taken_back(notes: Notes) -> None:
    before = notes.state()
    notes.write("a.txt", "notes 10", "N1: Ants", "N2: Bees")

    rebuilt = keeper(notes).rebuild([notes.sources], workers=1)

    assert (rebuilt.generation, rebuilt.before, rebuilt.removed, rebuilt.report.chunks) == (2, 1, [], 2)
    assert notes.texts() == {"N1#1": "Ants", "N2#1": "Bees"}
    assert states(notes) == {1: "kept", 2: "active"}

    assert keeper(notes).roll_back() == 1
    assert notes.state() == before
    assert states(notes) == {1: "active", 2: "kept"}

    assert keeper(notes).roll_back(2) == 2
    assert list(notes.texts()) == ["N1#1", "N2#1"]


def test_a_rebuilt_index_is_that_of_a_first_run(notes: Notes, tmp_path: Path) -> None:
    fresh = Notes(tmp_path / "fresh")
    for target in (notes, fresh):
        target.write("a.txt", "notes 10", "N1: Ants", "N2: Bees")
        target.write("b.txt", "notes 20", "N2: Cats")
    fresh.run()

    keeper(notes).rebuild([notes.sources], workers=1)

    assert notes.state() == fresh.state()


def test_a_rebuild_embeds_new_texts_alone(notes_everywhere: Notes, tmp_path: Path) -> None:
    notes, fresh = notes_everywhere, Notes(tmp_path / "fresh")
    notes.write("a.txt", "notes 10", "N1: Apples. Ants", "N2: Bees", "N3: Figs")
    notes.run()
    for target in (notes, fresh):
        target.write("a.txt", "notes 20", "N1: Apples. Adders", "N3: Figs", "N4: Bees")
    fresh.run()
    LetterEmbedder.embedded.clear()

    report = keeper(notes).rebuild([notes.sources], workers=1).report

    assert LetterEmbedder.embedded == ["N1#2", "N4#1"]
    assert "2 vectors of unchanged texts taken over from the generation before" in report.notes
    assert notes.state() == fresh.state()


def test_vectors_that_cant_be_read_are_made_again(notes: Notes, caplog: pytest.LogCaptureFixture) -> None:
    shutil.rmtree(notes.folder / "vectors")
    (notes.folder / "vectors").write_text("no store")

    keeper(notes).rebuild([notes.sources], workers=1)

    assert notes.store("vector").ids() == ["N1#1"]
    assert "can't be taken over" in caplog.text


def test_later_runs_bring_the_new_generation_up_to_date(notes: Notes) -> None:
    keeper(notes).rebuild([notes.sources], workers=1)
    notes.write("a.txt", "notes 10", "N1: Ants")

    notes.run()

    assert notes.texts() == {"N1#1": "Ants"}
    keeper(notes).roll_back()
    assert notes.texts() == {"N1#1": "Apples"}


@pytest.mark.parametrize(("keep", "left"), [(1, [3, 4]), (2, [2, 3, 4]), (9, [1, 2, 3, 4])])
def test_old_generations_are_kept_by_number(notes: Notes, keep: int, left: list[int]) -> None:
    for _ in range(3):
        rebuilt = keeper(notes).rebuild([notes.sources], keep=keep, workers=1)

    assert (rebuilt.generation, list(states(notes))) == (4, left)
    folders = [number for number in range(2, 5) if (notes.folder / f"g{number}").exists()]
    assert folders == [number for number in left if number > 1]
    assert (notes.folder / "keyword").exists() is (1 in left)
    assert keeper(notes).roll_back() == 3
    assert notes.texts() == {"N1#1": "Apples"}


def test_a_number_is_not_used_again(notes: Notes) -> None:
    with pytest.raises(RebuildRefusedError):
        keeper(notes).rebuild([notes.sources], proof=lambda settings: ["no"], workers=1)

    assert keeper(notes).rebuild([notes.sources], workers=1).generation == 3
    assert states(notes) == {1: "kept", 3: "active"}


def test_what_does_not_stand_its_checks_is_not_used(notes: Notes) -> None:
    asked = []

    def proof(settings: Any) -> list[str]:
        asked.append(settings.generation)
        return ["nDCG@10 on x is 0.5, below 0.6"]

    with pytest.raises(
        RebuildRefusedError, match=r"generation 2 of notes isn't used, 1 stays: nDCG@10 on x is 0\.5, below 0\.6"
    ):
        keeper(notes).rebuild([notes.sources], proof=proof, workers=1)

    assert asked == [2]
    assert states(notes) == {1: "active", 2: "failed"}
    assert [each.reason for each, _ in keeper(notes).listed()] == ["", "nDCG@10 on x is 0.5, below 0.6"]
    assert notes.texts() == {"N1#1": "Apples"}


def test_an_index_without_anything_to_search_is_not_used(notes: Notes) -> None:
    notes.write("a.txt", "contents")

    with pytest.raises(RebuildRefusedError, match="there is nothing in it to search"):
        keeper(notes).rebuild([notes.sources], workers=1)


def test_a_source_that_could_be_read_before_keeps_the_new_generation_from_use(notes: Notes) -> None:
    notes.write("b.txt", "notes 10", "N2: Bees")
    notes.run()
    notes.write("b.txt", "not notes any more")

    with pytest.raises(RebuildRefusedError, match=r"1 source can't be read any more, for example sources/b\.txt"):
        keeper(notes).rebuild([notes.sources], workers=1)
    assert list(notes.texts()) == ["N1#1", "N2#1"]


def test_stores_that_lost_something_keep_the_new_generation_from_use(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples. Ants")
    whole = IndexRun.run_locked

    def losing(run: IndexRun, *arguments: Any, **options: Any) -> Any:
        report = whole(run, *arguments, **options)
        stores = Notes(notes.sources.parent)
        stores.settings = notes.settings.of_generation(2)
        stores.store("vector").delete_documents(["N1#1"])
        return report

    monkeypatch.setattr(IndexRun, "run_locked", losing)

    with pytest.raises(RebuildRefusedError, match=r"the vector store differs from the manifest \(1 missing"):
        keeper(notes).rebuild([notes.sources], workers=1)


def test_a_rebuild_that_was_stopped_is_finished_by_the_next_one(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    notes.write("a.txt", "notes 10", "N1: Ants", "N2: Bees")
    with monkeypatch.context() as patch:
        patch.setattr(VectorPass, "run", lambda vectors, progress: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            keeper(notes).rebuild([notes.sources], workers=1)
    assert states(notes) == {1: "active", 2: "building"}
    assert notes.texts() == {"N1#1": "Apples"}

    rebuilt = keeper(notes).rebuild([notes.sources], workers=1)

    assert (rebuilt.generation, [source.changed for source in rebuilt.report.sources]) == (2, [False])
    assert list(notes.texts()) == ["N1#1", "N2#1"]


def test_a_rebuild_is_the_only_writer(notes: Notes) -> None:
    with index_lock(notes.settings, "notes"):
        for call in (lambda: keeper(notes).rebuild([notes.sources]), keeper(notes).roll_back):
            with pytest.raises(IndexLockedError):
                call()


@pytest.mark.parametrize(
    ("to", "error", "message"),
    [
        (None, TansakuError, "no other generation of notes is kept; --rebuild makes a new one"),
        (7, ArgumentError, r"--to: 7 is not allowed; it must be a generation that is kept \(none is\)"),
    ],
)
def test_there_must_be_something_to_go_back_to(notes: Notes, to: int | None, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        keeper(notes).roll_back(to)


def test_a_generation_that_lost_its_store_is_not_gone_back_to(notes: Notes) -> None:
    keeper(notes).rebuild([notes.sources], workers=1)
    old = Notes(notes.sources.parent)
    old.settings = notes.settings.of_generation(1)
    old.store("keyword").delete_where(None)

    with pytest.raises(TansakuError, match="generation 1 of notes isn't whole any more"):
        keeper(notes).roll_back()
    assert states(notes) == {1: "kept", 2: "active"}


def test_without_an_index_there_is_nothing_to_list_or_go_back_to(notes_anywhere: Notes) -> None:
    assert keeper(notes_anywhere).listed() == []
    with pytest.raises(IndexMissingError):
        keeper(notes_anywhere).roll_back()


def test_a_first_index_can_be_built_as_a_generation(notes_anywhere: Notes) -> None:
    empty = notes_anywhere
    empty.write("a.txt", "notes 10", "N1: Apples")

    assert keeper(empty).rebuild([empty.sources], workers=1).generation == 1
    assert states(empty) == {1: "active"}
    assert empty.texts() == {"N1#1": "Apples"}
