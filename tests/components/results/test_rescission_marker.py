"""Updates that newer ones took back."""

from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from components.results.rescission_marker import RescissionMarker
from components.retrieval.ranking import Results
from components.splitters.section_splitter import SectionSplitter
from components.stores.tantivy_document_store import TantivyDocumentStore


def chunk(name: str, number: str, text: str, **meta: Any) -> Document:
    """A chunk as the index holds it."""
    base = {"source": "SUBSEQUENT", "section": number, "number_label": number, "title": "", "is_update": True}
    [made] = SectionSplitter().run(documents=[Document(id=name, content=text, meta={**base, **meta})])["documents"]
    return made


def notice(number: str, text: str, **meta: Any) -> Document:
    return chunk(f"FR-{number}", number, text, **{"publication_date": f"{number[:4]}-05-01", **meta})


OLD = notice("2030-00001", "MPEP § 2106 is superseded.", fr_citation="95 FR 50", title="Guidance for Jars and Lids")
MANUAL = chunk("MPEP-2106", "2106", "The notice 2030-00001 is in force.", source="MPEP", is_update=False)


def marks(folder: Path, newer: list[Document], *results: Document, depth: int = 20) -> list[Any]:
    store = TantivyDocumentStore(folder / "keyword", text_fields=["words"])
    store.write_documents([OLD, *newer], DuplicatePolicy.OVERWRITE)
    found = RescissionMarker(store, depth=depth).run(results=Results(results))
    assert found["degraded"] == []
    assert [document.id for document in found["results"].documents] == [document.id for document in results]
    return [document.meta.get("rescinded_by") for document in found["results"].documents]


@pytest.mark.parametrize(
    ("text", "is_rescinded"),
    [
        ("The notice 2030-00001 is rescinded.", True),
        ("The Office withdraws the guidance at 95 FR 50.", True),
        ("This supersedes the Guidance for Jars and Lids in full.", True),
        ("Examiners no longer follow document 2030-00001.", True),
        # Named in another sentence than the one that takes something back.
        ("See 2030-00001. The notice 2029-00007 is rescinded.", False),
        ("The notice 2030-00001 is not rescinded.", False),
        ("The notice 2030-00001 is amended.", False),
        ("The notice 2030-00002 is rescinded.", False),
    ],
)
def test_what_takes_an_update_back(tmp_path: Path, text: str, is_rescinded: bool) -> None:
    assert marks(tmp_path, [notice("2031-00001", text)], MANUAL, OLD) == [
        None,
        ["2031-00001"] if is_rescinded else None,
    ]


def test_the_newest_is_named_first(tmp_path: Path) -> None:
    newer = [notice(f"{year}-00001", "The notice 2030-00001 is rescinded.") for year in (2031, 2033, 2032)]

    assert marks(tmp_path, newer, OLD) == [["2033-00001", "2032-00001", "2031-00001"]]


@pytest.mark.parametrize(
    "other",
    [
        notice("2029-00001", "The notice 2030-00001 is rescinded."),
        notice("2031-00002", "The notice 2030-00001 is rescinded.", doc_type="Proposed Rule"),
        chunk("MPEP-2107", "2107", "The notice 2030-00001 is rescinded.", source="MPEP", is_update=False),
    ],
)
def test_what_is_older_proposed_or_no_update_takes_nothing_back(tmp_path: Path, other: Document) -> None:
    assert marks(tmp_path, [other], OLD) == [None]


def test_results_below_the_depth_stay_unmarked(tmp_path: Path) -> None:
    rescinding = notice("2031-00001", "The notice 2030-00001 is rescinded.")

    assert marks(tmp_path, [rescinding], MANUAL, OLD, depth=1) == [None, None]
    with pytest.raises(ValueError, match="depth must be 1 or more, not 0"):
        RescissionMarker(TantivyDocumentStore(tmp_path), depth=0)


def test_a_store_that_can_not_be_read_leaves_the_results_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "keyword").write_text("a file where the folder should be")
    store = TantivyDocumentStore(tmp_path / "keyword", text_fields=["words"])

    found = RescissionMarker(store).run(results=Results((OLD,)))

    assert (found["degraded"], found["results"].documents) == (["keyword"], (OLD,))
