"""Runs over a small corpus with the real stores: what is new, changed, shadowed, gone, broken or unfinished."""

import io
import os
import random
import tarfile
import zipfile
from pathlib import Path

import pytest
from note_components import LetterEmbedder
from notes_corpus import Notes

from pipelines.errors import ArgumentError, IndexLockedError, IndexMissingError, SourceError
from pipelines.index_lock import index_lock
from pipelines.manifest import read_index_info


@pytest.fixture
def notes(notes_anywhere: Notes) -> Notes:
    """All of these hold for both databases."""
    return notes_anywhere


def numbers(report, origin: str) -> tuple:
    source = next(source for source in report.sources if source.origin == origin)
    return source.kind, source.sections, source.chunks, source.shadowed, source.changed


def test_first_run_indexes_everything_and_reports_it(notes: Notes) -> None:
    notes.write("a.txt", "notes 10 first edition", "N1: Apples grow. Pears too", "N2: Dates")
    notes.write("b.txt", "contents")

    report = notes.run()

    assert report.ok
    assert notes.texts() == {"N1#1": "Apples grow", "N1#2": "Pears too", "N2#1": "Dates"}
    assert sorted(notes.store("vector").ids()) == ["N1#1", "N1#2", "N2#1"]
    assert sorted(notes.store("parents").ids()) == ["N1", "N2"]
    assert numbers(report, "sources/a.txt") == ("note", 2, 3, 0, True)
    assert numbers(report, "sources/b.txt") == ("contents", 0, 0, 0, True)
    assert (report.sections, report.chunks, report.vectors, report.removed) == (2, 3, 3, 0)
    assert report.editions == {"note": ["first edition"]}
    assert read_index_info(notes.manifest, "notes").corpus_version == report.corpus_version


def test_documents_with_a_day_of_publication_are_one_edition(notes: Notes) -> None:
    notes.write("a.txt", "notes 10 published 2030-03-04", "N1: Apples")
    notes.write("b.txt", "notes 10 published 2031-01-20", "N2: Bees")
    notes.write("c.txt", "notes 10 published 2030-09-02", "N3: Dates")

    assert notes.run().editions == {"note": ["published 2031-01-20"]}


def test_unchanged_sources_cost_nothing(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    version = notes.run().corpus_version
    monkeypatch.setattr("pipelines.scanning.read_sources", lambda file: pytest.fail("an unchanged file was read"))
    LetterEmbedder.embedded.clear()

    report = notes.run()

    assert [source.changed for source in report.sources] == [False]
    assert (report.corpus_version, LetterEmbedder.embedded) == (version, [])


def test_touched_file_with_the_same_content_is_not_indexed_again(notes: Notes) -> None:
    path = notes.write("a.txt", "notes 10", "N1: Apples")
    notes.run()
    os.utime(path, ns=(1, 1))

    assert [source.changed for source in notes.run().sources] == [False]


def test_changed_source_is_replaced_in_all_stores(notes: Notes) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples grow. Pears too", "N2: Dates")
    notes.run()
    notes.write("a.txt", "notes 10", "N1: Apples grow", "N3: Figs")
    LetterEmbedder.embedded.clear()

    notes.run()

    assert notes.texts() == {"N1#1": "Apples grow", "N3#1": "Figs"}
    assert sorted(notes.store("vector").ids()) == ["N1#1", "N3#1"]
    assert sorted(notes.store("parents").ids()) == ["N1", "N3"]
    assert LetterEmbedder.embedded == ["N3#1"], "the vector of an unchanged text is kept"


def test_metadata_of_a_kept_vector_is_brought_up_to_date(notes: Notes) -> None:
    notes.write("a.txt", "notes 10 old", "N1: Apples")
    notes.run()
    notes.write("a.txt", "notes 10 new", "N1: Apples")
    LetterEmbedder.embedded.clear()

    notes.run()

    newer = {"field": "meta.edition", "operator": "==", "value": "new"}
    assert notes.store("vector").ids(newer) == ["N1#1"]
    assert LetterEmbedder.embedded == []


def test_without_embedding_vectors_of_replaced_text_leave_the_store(notes: Notes) -> None:
    notes.write("a.txt", "notes 10 old", "N1: Apples. Pears", "N2: Dates")
    notes.run()
    notes.write("a.txt", "notes 10 new", "N1: Apples. Plums", "N3: Figs")

    report = notes.run(vectors=False)

    newer = {"field": "meta.edition", "operator": "==", "value": "new"}
    assert (notes.store("vector").ids(), notes.store("vector").ids(newer)) == (["N1#1"], ["N1#1"])
    assert (report.chunks, report.vectors) == (3, 1)
    info = read_index_info(notes.manifest, "notes")
    assert (info.chunks, info.vectors, info.outdated_vectors) == (3, 1, 0)


def test_without_embedding_vectors_of_the_samples_leave_with_them(notes: Notes) -> None:
    samples = notes.corpus.samples
    samples.mkdir()
    (samples / "s.txt").write_text("notes 10\nS1: Samples")
    notes.run(samples)
    notes.write("a.txt", "notes 10", "N1: Apples")

    assert notes.run(vectors=False).notes == ["the sample documents gave way to your own"]

    assert notes.store("vector").ids() == []


def test_removed_source_disappears_from_all_stores(notes: Notes) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    path = notes.write("b.txt", "notes 10", "N2: Dates")
    notes.run()
    path.unlink()

    report = notes.run(vectors=False)

    assert report.removed == 1
    assert (list(notes.texts()), notes.store("vector").ids(), notes.store("parents").ids()) == (
        ["N1#1"],
        ["N1#1"],
        ["N1"],
    )
    assert [source.origin for source in report.sources] == ["sources/a.txt"]


def test_a_path_that_is_gone_leaves_the_index_only_when_asked_for(notes: Notes) -> None:
    kept, gone = notes.write("a.txt", "notes 10", "N1: Apples"), notes.write("b.txt", "notes 10", "N2: Dates")
    notes.run(kept, gone)
    gone.unlink()

    # Its disk may just not be mounted.
    with pytest.raises(ArgumentError, match=r"b\.txt' is not allowed; it must be an existing"):
        notes.run(gone)
    assert list(notes.texts()) == ["N1#1", "N2#1"]

    notes.run(kept, prune=True)
    assert list(notes.texts()) == ["N1#1"]


def test_an_empty_folder_is_refused(notes: Notes, tmp_path: Path) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    notes.run()
    empty = tmp_path / "empty"
    empty.mkdir()

    with pytest.raises(SourceError, match="give the paths that stay, with --prune"):
        notes.run(empty)
    assert list(notes.texts()) == ["N1#1"]


def test_better_edition_of_a_record_wins_and_the_other_comes_back_when_it_goes(notes: Notes) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples from a", "N2: Dates from a")
    better = notes.write("b.txt", "notes 20", "N1: Apples from b")

    report = notes.run()

    assert notes.texts() == {"N1#1": "Apples from b", "N2#1": "Dates from a"}
    assert numbers(report, "sources/a.txt") == ("note", 2, 1, 1, True)

    better.unlink()
    notes.run()

    assert notes.texts() == {"N1#1": "Apples from a", "N2#1": "Dates from a"}
    vectors = notes.store("vector").get_vectors(["N1#1"])
    assert len(vectors) == 1


def test_equal_precedence_is_settled_by_the_origin(notes: Notes) -> None:
    notes.write("b.txt", "notes 10", "N1: from b")
    notes.run()
    notes.write("a.txt", "notes 10", "N1: from a")

    notes.run()

    assert notes.texts() == {"N1#1": "from a"}


def test_index_does_not_depend_on_its_history(tmp_path: Path) -> None:
    chance = random.Random(7)
    lived = Notes(tmp_path / "lived")
    for _ in range(12):
        name = f"{chance.choice('abcd')}.txt"
        if chance.random() < 0.3 and (lived.sources / name).exists():
            (lived.sources / name).unlink()
        else:
            records = chance.sample(range(5), chance.randint(1, 4))
            lines = [f"N{record}: {chance.choice('xyz')} of {name}. More" for record in records]
            lived.write(name, f"notes {chance.choice([10, 20])} {chance.choice('uv')}", *lines)
        lived.run(vectors=chance.random() < 0.5)
    lived.run()
    fresh = Notes(tmp_path / "fresh")
    for path in lived.sources.iterdir():
        fresh.write(path.name, *path.read_text().splitlines())

    fresh.run()

    assert lived.state() == fresh.state()


def test_unreadable_sources_are_named_and_the_rest_goes_on(notes: Notes) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    notes.write("b.txt", "something else")
    notes.write("c.txt", "notes 10", "N2: Dates", "N3:")
    notes.write("d.txt", "notes 10", "crash: now")

    report = notes.run()

    assert not report.ok
    assert {failure.origin: failure.reason for failure in report.failures} == {
        "sources/b.txt": "b.txt does not start with 'notes'",
        "sources/c.txt": "no text in 'N3:'",
        "sources/d.txt": "can't be converted: the converter broke",
    }
    assert list(notes.texts()) == ["N1#1", "N2#1"]
    assert not notes.run().ok, "an unreadable file is reported again as long as it is there"


def test_a_source_that_became_unreadable_leaves_the_index(notes: Notes) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    notes.write("b.txt", "notes 10", "N2: Dates")
    notes.run()
    notes.write("b.txt", "not a note any more")

    notes.run()

    assert list(notes.texts()) == ["N1#1"]


def test_nothing_to_search_is_an_error(notes: Notes) -> None:
    with pytest.raises(SourceError, match=r"nothing in .*sources can be indexed"):
        notes.run()
    with pytest.raises(IndexMissingError, match="tansaku index notes PATH"):
        read_index_info(notes.manifest, "notes")


@pytest.mark.parametrize("kind", ["zip", "tar.xz"])
def test_members_of_archives_are_sources_of_their_own(notes: Notes, kind: str) -> None:
    def pack(**members: str) -> None:
        path = notes.sources / f"notes.{kind}"
        if kind == "zip":
            with zipfile.ZipFile(path, "w") as archive:
                for name, text in members.items():
                    archive.writestr(f"in/{name}.txt", text)
        else:
            with tarfile.open(path, "w:xz") as archive:
                for name, text in members.items():
                    info = tarfile.TarInfo(f"in/{name}.txt")
                    info.size = len(text)
                    archive.addfile(info, io.BytesIO(text.encode()))
        os.utime(path, ns=(len(members), len(members)))

    pack(a="notes 10\nN1: Apples", b="notes 10\nN2: Dates", c="notes 10\nN3: Figs")
    report = notes.run()
    assert [source.origin for source in report.sources] == [f"sources/notes.{kind}!in/{name}.txt" for name in "abc"]

    pack(a="notes 10\nN1: Apples", b="notes 10\nN2: Raisins")
    report = notes.run()

    assert notes.texts() == {"N1#1": "Apples", "N2#1": "Raisins"}
    assert [source.changed for source in report.sources] == [False, True]


def test_damaged_archive_keeps_what_can_not_be_reached(notes: Notes) -> None:
    path = notes.sources / "notes.tar"
    with tarfile.open(path, "w") as archive:
        for name in "ab":
            info = tarfile.TarInfo(f"{name}.txt")
            data = f"notes 10\nN{name}: Apples".encode()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    notes.run()
    path.write_bytes(path.read_bytes()[:1100])

    report = notes.run()

    assert [failure.origin for failure in report.failures] == ["sources/notes.tar"]
    assert list(notes.texts()) == ["Na#1", "Nb#1"]


def test_vectors_can_be_left_to_a_later_run(notes: Notes) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples. Pears")

    report = notes.run(vectors=False)
    assert (report.ok, report.chunks, report.vectors) == (True, 2, 0)
    assert notes.store("vector").ids() == []

    report = notes.resume()
    assert (report.chunks, report.vectors) == (2, 2)
    assert sorted(notes.store("vector").ids()) == ["N1#1", "N1#2"]


def test_prune_takes_out_what_is_not_under_the_paths(notes: Notes) -> None:
    first, second = notes.write("a.txt", "notes 10", "N1: Apples"), notes.write("b.txt", "notes 10", "N2: Dates")
    notes.run(first)
    notes.run(second)
    assert list(notes.texts()) == ["N1#1", "N2#1"]

    notes.run(second, prune=True)

    assert list(notes.texts()) == ["N2#1"]


def test_samples_give_way_to_own_documents(notes: Notes) -> None:
    notes.corpus.samples.mkdir()
    (notes.corpus.samples / "s.txt").write_text("notes 10\nS1: A sample")
    notes.run(notes.corpus.samples)
    notes.write("a.txt", "notes 10", "N1: Apples")

    report = notes.run()

    assert report.notes == ["the sample documents gave way to your own"]
    assert list(notes.texts()) == ["N1#1"]


def test_a_folder_around_a_known_path_takes_it_over(notes: Notes) -> None:
    notes.write("in/a.txt", "notes 10", "N1: Apples")
    notes.run(notes.sources / "in")

    report = notes.run(notes.sources)

    assert [source.origin for source in report.sources] == ["sources/in/a.txt"]
    assert list(notes.texts()) == ["N1#1"]


def test_a_path_below_a_known_folder_belongs_to_it(notes: Notes) -> None:
    path = notes.write("in/a.txt", "notes 10", "N1: Apples")
    notes.run()
    notes.write("in/a.txt", "notes 10", "N1: Pears")

    report = notes.run(path)

    assert [source.origin for source in report.sources] == ["sources/in/a.txt"]
    assert notes.texts() == {"N1#1": "Pears"}


def test_two_paths_of_the_same_name_are_refused(notes: Notes) -> None:
    first, second = notes.write("x/a.txt", "notes 10", "N1: Apples"), notes.write("y/a.txt", "notes 10", "N2: Dates")
    notes.run(first)

    with pytest.raises(ArgumentError, match="has the same name and is in the index"):
        notes.run(second)


def test_a_moved_folder_is_the_same_folder(notes: Notes) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    notes.run()
    moved = notes.sources.parent / "elsewhere" / "sources"
    moved.parent.mkdir()
    notes.sources.rename(moved)

    report = notes.run(moved)

    assert [source.changed for source in report.sources] == [False]
    assert report.sources[0].path == str(moved / "a.txt")


def test_missing_path_is_refused(notes: Notes) -> None:
    with pytest.raises(ArgumentError, match="must be an existing file, folder or archive"):
        notes.run(notes.sources / "missing")


def test_a_run_may_follow_another_at_once(notes):
    for _ in range(50):
        with index_lock(notes.settings, "notes"):
            pass


def test_second_run_at_the_same_time_says_who_is_writing(notes: Notes) -> None:
    with index_lock(notes.settings, "notes"), pytest.raises(IndexLockedError, match=rf"process {os.getpid()} .*since"):
        notes.run()


def test_changed_pipeline_indexes_everything_again_but_keeps_vectors(notes: Notes, tmp_path: Path) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    notes.run()
    LetterEmbedder.embedded.clear()
    folder = tmp_path / "pipelines"
    (folder / "profiles").mkdir(parents=True)
    for name in ("notes_indexing.yaml", "profiles/embedded.yaml"):
        text = (notes.settings.pipelines_dir / name).read_text()
        (folder / name).write_text(text.replace("policy: OVERWRITE", "policy: SKIP", 1))
    notes.settings.pipelines_dir = folder

    report = notes.run()

    assert [source.changed for source in report.sources] == [True]
    assert LetterEmbedder.embedded == []


def test_processes_convert_many_sources(notes: Notes) -> None:
    from pipelines.indexing import IndexRun

    for number in range(140):
        notes.write(f"{number}.txt", "notes 10", f"N{number}: Apples")

    report = IndexRun(notes.corpus, notes.settings, workers=2).run([notes.sources])

    assert (report.ok, report.chunks, report.vectors) == (True, 140, 140)


@pytest.mark.parametrize(
    ("old", "new", "embedded"),
    [
        ("text_fields: [words]", "text_fields: [words, titles]", []),
        ("meta_fields: [edition]", "meta_fields: [edition, origin]", ["N1#1"]),
    ],
)
def test_a_store_that_is_defined_otherwise_is_built_anew(
    notes: Notes, tmp_path: Path, old: str, new: str, embedded: list[str]
) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    notes.run()
    LetterEmbedder.embedded.clear()
    folder = tmp_path / "pipelines"
    (folder / "profiles").mkdir(parents=True)
    for name in ("notes_indexing.yaml", "profiles/embedded.yaml"):
        text = (notes.settings.pipelines_dir / name).read_text()
        (folder / name).write_text(text.replace(old, new))
    notes.settings.pipelines_dir = folder

    report = notes.run()

    assert (report.ok, report.notes, report.chunks, report.vectors) == (True, [], 1, 1)
    assert LetterEmbedder.embedded == embedded


def test_names_that_are_not_utf8_are_indexed_like_others(notes: Notes) -> None:
    folder = notes.write("a.txt", "notes 10", "N1: Apples").parent
    odd = folder / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    (odd / os.fsdecode(b"\xff.txt")).write_text("notes 10\nN2: Dates")

    report = notes.run()

    assert report.ok
    assert notes.texts() == {"N1#1": "Apples", "N2#1": "Dates"}
    assert [source.origin for source in report.sources] == ["sources/a.txt", "sources/caf�/�.txt"]
    assert [source.changed for source in notes.run().sources] == [False, False]
    with pytest.raises(ArgumentError, match="an existing file"):
        notes.run(odd / os.fsdecode(b"\xfe"))


def test_a_folder_that_can_not_be_listed_keeps_what_was_in_it(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    notes.write("a.txt", "notes 10", "N1: Apples")
    closed = notes.write("closed/b.txt", "notes 10", "N2: Dates").parent
    notes.run()
    scandir = os.scandir

    def refuse(path: str | os.PathLike[str]) -> object:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(closed))
        return scandir(path)

    with monkeypatch.context() as patch:
        patch.setattr("os.scandir", refuse)
        report = notes.run()

    assert [failure.origin for failure in report.failures] == ["sources/closed"]
    assert notes.texts() == {"N1#1": "Apples", "N2#1": "Dates"}
    assert notes.run().ok
    (closed / "b.txt").unlink()
    notes.run()
    assert notes.texts() == {"N1#1": "Apples"}


def test_a_path_that_can_not_be_followed_is_refused(notes: Notes, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)

    with pytest.raises(ArgumentError, match="can be reached"):
        notes.run(loop)
