"""The doctor finds what differs between manifest and stores, and puts it right."""

import gc
import json
from collections.abc import Callable
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy
from note_components import LetterEmbedder
from notes_corpus import Notes

from pipelines.doctor import Doctor, Findings
from pipelines.errors import IndexDamagedError, IndexMissingError
from pipelines.manifest import Manifest


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

    # The new chunk alone: the old one of the same file keeps its vector.
    assert (findings.ok, findings.without_vectors) == (True, 1)
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


def damage(notes: Notes, pattern: str) -> None:
    gc.collect()  # stores that are open in this process would go on with what they have read
    newest = max((notes.folder / "vectors" / "snapshots").iterdir(), key=lambda path: int(path.name))
    pattern = pattern.replace("{newest}", newest.name)
    broken = max(notes.folder.glob(pattern), key=lambda path: path.stat().st_size)
    broken.write_bytes(broken.read_bytes()[:-9])


@pytest.mark.parametrize(
    ("store", "file"),
    [
        ("keyword", "keyword/meta.json"),
        ("keyword", "keyword/.managed.json"),
        ("keyword", "keyword/*.store"),
        ("keyword", "keyword/*.pos"),
        ("parents", "parents/*.idx"),
        ("vector", "vectors/current.json"),
        ("vector", "vectors/snapshots/{newest}/edge_config.json"),
        ("vector", "vectors/snapshots/{newest}/segments/*/segment.json"),
    ],
)
def test_damaged_stores_are_named_and_made_again(filled: Notes, store: str, file: str) -> None:
    sound = filled.state()
    damage(filled, file)

    findings = examine(filled)
    assert not findings.ok
    assert [name for name, found in findings.stores.items() if found.damage] == [store]

    Doctor(filled.corpus, filled.settings).repair()
    filled.resume()

    assert examine(filled).ok
    assert filled.state() == sound


def test_a_run_over_a_damaged_store_says_what_to_do(filled: Notes) -> None:
    damage(filled, "keyword/*.store")
    filled.write("c.txt", "notes 10", "N4: Eels")

    with pytest.raises(
        IndexDamagedError, match=r"damaged \(keyword: .*\); mend it with: tansaku doctor notes --repair"
    ):
        filled.run()


@pytest.mark.parametrize("kept", [0, 100, 5000])
def test_an_index_with_a_damaged_manifest_is_taken_away(filled: Notes, kept: int) -> None:
    manifest = filled.folder / "manifest.sqlite"
    size = manifest.stat().st_size
    manifest.write_bytes(manifest.read_bytes()[:kept] + b"x" * (size - kept))
    doctor = Doctor(filled.corpus, filled.settings)

    with pytest.raises(IndexDamagedError, match=r"manifest.*mend it with: tansaku doctor notes --repair"):
        doctor.examine()
    paths = doctor.remove_index()

    assert [path.name for path in filled.folder.iterdir()] == ["lock"]
    filled.run(*paths)
    assert examine(filled).ok


def recorded(notes: Notes) -> dict[str, Any]:
    with Manifest(notes.manifest) as manifest:
        return json.loads(manifest.fact("embedder"))


def test_vectors_of_another_recipe_are_found_and_made_anew(filled: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    sound, embedded = filled.state(), len(LetterEmbedder.embedded)
    assert recorded(filled)["type"] == "note_components.LetterEmbedder"
    monkeypatch.setattr(LetterEmbedder, "recipe", "letters, version 2", raising=False)

    assert (examine(filled).ok, examine(filled).other_recipe) == (False, "LetterEmbedder {}")
    report = filled.resume()

    assert report.notes == [
        "4 vectors by another recipe (LetterEmbedder {}) taken out, and chunks embedded anew by the present one "
        "(letters, version 2)"
    ]
    assert len(LetterEmbedder.embedded) == embedded + 4
    assert recorded(filled)["recipe"] == "letters, version 2"
    assert (examine(filled).ok, filled.state()) == (True, sound)
    assert filled.resume().notes == []


def test_without_embedding_vectors_of_another_recipe_leave_the_store(
    filled: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LetterEmbedder, "recipe", "letters, version 2", raising=False)

    filled.run(vectors=False)

    assert filled.store("vector").count_documents() == 0
    assert (examine(filled).ok, examine(filled).without_vectors) == (True, 4)


def test_a_manifest_that_told_no_recipe_yet_costs_nothing(filled: Notes) -> None:
    embedded = len(LetterEmbedder.embedded)
    definition = recorded(filled)
    del definition["recipe"]
    with Manifest(filled.manifest) as manifest:
        manifest.set_fact("embedder", json.dumps(definition, sort_keys=True))

    assert examine(filled).ok
    assert filled.resume().notes == []
    assert len(LetterEmbedder.embedded) == embedded
    assert recorded(filled)["recipe"] == ""


def test_missing_index_names_the_command_that_builds_it(notes: Notes) -> None:
    with pytest.raises(IndexMissingError, match="tansaku index notes PATH"):
        Doctor(notes.corpus, notes.settings)
