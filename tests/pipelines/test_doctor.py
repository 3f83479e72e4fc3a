"""The doctor finds what differs between manifest and stores, and puts it right."""

from collections.abc import Callable

import pytest
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy
from notes_corpus import Notes

from pipelines.doctor import Doctor, Findings
from pipelines.errors import IndexMissingError


@pytest.fixture
def filled(notes: Notes) -> Notes:
    notes.write("a.txt", "notes 10", "N1: Apples. Ants", "N2: Bees")
    notes.write("b.txt", "notes 10", "N3: Dates")
    notes.run()
    return notes


def examine(notes: Notes) -> Findings:
    return Doctor(notes.corpus, notes.settings).examine()


def change(notes: Notes, store: str, action: Callable[..., None]) -> None:
    opened = notes.store(store)
    action(opened)
    opened.close()


def test_sound_index_has_no_findings(filled: Notes) -> None:
    findings = examine(filled)

    assert findings.ok
    assert {name: store.documents for name, store in findings.stores.items()} == {
        "keyword": 4,
        "parents": 3,
        "vector": 4,
    }


@pytest.mark.parametrize("store", ["keyword", "parents", "vector"])
def test_missing_documents_are_found_and_made_again(filled: Notes, store: str) -> None:
    sound = filled.state()
    missing = "N2" if store == "parents" else "N2#1"
    change(filled, store, lambda opened: opened.delete_documents([missing]))

    findings = examine(filled)
    assert not findings.ok
    assert {name: found.missing for name, found in findings.stores.items() if found.missing} == {store: [missing]}

    Doctor(filled.corpus, filled.settings).repair()
    filled.resume()

    assert examine(filled).ok
    assert filled.state() == sound


@pytest.mark.parametrize("store", ["keyword", "parents", "vector"])
def test_unknown_documents_are_found_and_deleted(filled: Notes, store: str) -> None:
    sound = filled.state()
    stray = Document(id="stray", content="Stray", embedding=[1.0] * 8, meta={"order": 1})
    change(filled, store, lambda opened: opened.write_documents([stray], DuplicatePolicy.OVERWRITE))

    findings = examine(filled)
    assert {name: found.unknown for name, found in findings.stores.items() if found.unknown} == {store: ["stray"]}

    assert Doctor(filled.corpus, filled.settings).repair().ok
    assert filled.state() == sound


def test_vectors_that_are_not_made_yet_are_no_finding_but_are_told(filled: Notes) -> None:
    filled.write("b.txt", "notes 10", "N3: Dates. Ducks")
    filled.run(vectors=False)

    findings = examine(filled)

    # The new chunk, and the old one of the same file, whose metadata names the file's new version.
    assert (findings.ok, findings.without_vectors) == (True, 2)
    assert not any(store.missing or store.unknown for store in findings.stores.values())


def test_unreadable_sources_are_told(filled: Notes) -> None:
    filled.write("c.txt", "something else")
    filled.run()

    assert examine(filled).unreadable == {"sources/c.txt": "c.txt does not start with 'notes'"}


def test_an_index_whose_keyword_store_is_gone_is_built_again(filled: Notes) -> None:
    sound = filled.state()
    ids = list(filled.texts())
    change(filled, "keyword", lambda opened: opened.delete_documents(ids))

    filled.resume()

    assert filled.state() == sound


def test_missing_index_names_the_command_that_builds_it(notes: Notes) -> None:
    with pytest.raises(IndexMissingError, match="tansaku index notes PATH"):
        Doctor(notes.corpus, notes.settings)
