"""Shares of titles and their idf by hand, and that they follow the store."""

import math
from pathlib import Path

import pytest
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from components.analysis.english import analyze_english
from components.retrieval.title_shares import TitleShares, inverse_frequencies, title_terms
from components.stores.tantivy_document_store import TantivyDocumentStore


def titled(name: str, number: str, title: str) -> Document:
    stems = " ".join(analyze_english(f"{number} {title}").terms("stems"))
    return Document(id=name, meta={"number_label": number, "title": title, "index": {"title_stems": stems}})


@pytest.fixture
def store(tmp_path: Path) -> TantivyDocumentStore:
    store = TantivyDocumentStore(tmp_path / "parents", text_fields=["title_stems"])
    store.write_documents([titled("a", "", "New Matter"), titled("b", "", "New Drawings"), titled("c", "", "")])
    return store


def test_inverse_frequencies() -> None:
    idf = inverse_frequencies({"common", "rare", "none"}, 3, {"common": 3, "rare": 1})

    assert idf == pytest.approx(
        {"common": math.log(1 + 0.5 / 3.5), "rare": math.log(1 + 2.5 / 1.5), "none": math.log(8)}
    )
    assert inverse_frequencies([], 3, {}) == {}


def test_title_terms_hold_the_number_and_count_once() -> None:
    assert title_terms("MPEP 608.02", "Drawings and Drawing") == {"draw", "mpep:608", "mpep:608.02"}


# idf: "new" is in 2 of 3 documents, "matter" and "draw" in 1.
COMMON, RARE = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)


@pytest.mark.parametrize(
    ("query", "shares"),
    [
        ({"new"}, [COMMON / (COMMON + RARE), COMMON / (COMMON + RARE), 0]),
        ({"matter", "new", "other"}, [1, COMMON / (COMMON + RARE), 0]),
        ({"draw"}, [0, RARE / (COMMON + RARE), 0]),
        (set(), [0, 0, 0]),
    ],
)
def test_shares(store: TantivyDocumentStore, query: set[str], shares: list[float]) -> None:
    titles = TitleShares(store, "title_stems")

    for _ in range(2):  # read, then kept
        assert titles.of(["a", "b", "c"], frozenset(query)) == pytest.approx(shares)
        assert titles.of(["gone", "a", "a"], frozenset(query)) == pytest.approx([0, shares[0], shares[0]])


def test_changed_titles_are_read_again(store: TantivyDocumentStore) -> None:
    titles, query = TitleShares(store, "title_stems"), frozenset({"fee"})
    assert titles.of(["a"], query) == [0]

    store.write_documents([titled("a", "", "Fees")], DuplicatePolicy.OVERWRITE)

    assert titles.of(["a"], query) == [1]
