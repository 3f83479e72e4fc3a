"""Ranking, lookups and listings of every keyword store."""

import math
from typing import Any

import pytest
from haystack import Document
from haystack.dataclasses import ByteStream
from haystack.document_stores.types import DuplicatePolicy

from components.stores.elasticsearch_document_store import ElasticsearchKeywordStore
from components.stores.tantivy_document_store import TantivyDocumentStore
from components.stores.term_clause import TermClause
from tests.components.stores.opened_stores import NewStore

KeywordStore = TantivyDocumentStore | ElasticsearchKeywordStore

TEXTS = {
    "a": "claim specification claim",
    "b": "claim",
    "c": "specification drawing enablement drawing",
    "d": '608.01(o) a:b "quoted" -not +must te*st fuzzy~2 [to] AND ^4 \\',
    "e": "写真 フィルム 특허 명세서",
    "f": "written description requirement",
    "g": "description written requirement",
}


def doc(document_id: str, text: str, **meta: Any) -> Document:
    return Document(id=document_id, content=text.upper(), meta={**meta, "index": {"words": text, "title": document_id}})


DOCUMENTS = [doc(i, text, order=ord(i), vowel=i in "ae") for i, text in TEXTS.items()]


@pytest.fixture(scope="module")
def store(shared_keyword_store: NewStore) -> KeywordStore:
    """A store to read from."""
    store = shared_keyword_store(text_fields=["words", "title"])
    store.write_documents(DOCUMENTS)
    return store


def bm25(frequency: int, length: int, documents_with_term: int) -> float:
    lengths = [len(text.split()) for text in TEXTS.values()]
    idf = math.log(1 + (len(lengths) - documents_with_term + 0.5) / (documents_with_term + 0.5))
    norm = 1.2 * (1 - 0.75 + 0.75 * length / (sum(lengths) / len(lengths)))
    return idf * frequency * 2.2 / (frequency + norm)


def test_scores_are_bm25_weighted_and_added_up(store: KeywordStore) -> None:
    ranking = store.search([TermClause("words", "claim", 2.0), TermClause("words", "specification")])
    expected = {
        "a": 2 * bm25(2, 3, 2) + bm25(1, 3, 2),
        "b": 2 * bm25(1, 1, 2),
        "c": bm25(1, 4, 2),
    }
    assert [i for i, _ in ranking] == sorted(expected, key=lambda i: -expected[i])
    assert dict(ranking) == pytest.approx(expected, rel=1e-5)


def test_a_repeated_term_counts_with_its_weights_added_up(store: KeywordStore) -> None:
    once = store.search([TermClause("words", "claim", 3.0)])
    assert store.search([TermClause("words", "claim"), TermClause("words", "claim", 2.0)]) == once


def test_a_query_of_thousands_of_terms_works(store: KeywordStore) -> None:
    clauses = [TermClause("words", f"term{number}") for number in range(5000)]
    assert [i for i, _ in store.search([*clauses, TermClause("words", "drawing")])] == ["c"]


@pytest.mark.parametrize("term", [token for i in "de" for token in TEXTS[i].split()])
def test_any_character_in_a_term_is_only_itself(store: KeywordStore, term: str) -> None:
    assert [i for i, _ in store.search([TermClause("words", term)])] == ["d" if term in TEXTS["d"].split() else "e"]
    assert store.search([TermClause("words", term[:-1] + "x")]) == []
    assert store.document_frequencies("words", [term, "x"]) == {term: 1, "x": 0}


def test_filters_restrict_without_changing_scores(store: KeywordStore) -> None:
    clauses = [TermClause("words", "claim"), TermClause("words", "specification")]
    unfiltered = dict(store.search(clauses))
    filtered = store.search(clauses, {"field": "meta.vowel", "operator": "==", "value": False})
    assert filtered == [(i, unfiltered[i]) for i in ("b", "c")]


def test_a_filter_to_a_few_of_many_still_fills_top_k(new_keyword_store: NewStore) -> None:
    store = new_keyword_store(text_fields=["words", "title"])
    best = [doc(f"best-{n}", "claim", source="MPEP") for n in range(300)]
    few = [doc(f"few-{n}", "claim and many other words", source="37_CFR") for n in range(5)]
    store.write_documents([*best, *few])
    ranking = store.search([TermClause("words", "claim")], {"field": "source", "operator": "==", "value": "37_CFR"}, 5)
    assert [i for i, _ in ranking] == [f"few-{n}" for n in range(5)]


@pytest.mark.parametrize(
    ("clauses", "phrases", "expected"),
    [
        ([], [["written", "description"]], ["f"]),
        ([], [["description", "written"]], ["g"]),
        ([], [["written"]], ["f", "g"]),
        ([], [["written", "requirement"]], ["g"]),
        ([], [["written"], ["description", "requirement"]], ["f"]),
        (["claim"], [["written", "description"]], ["f"]),
        (["claim", "requirement"], [["written"]], ["f", "g"]),
        ([], [["a:b", '"quoted"']], ["d"]),
        ([], [["claim", "claim"]], []),
        ([], [], []),
    ],
)
def test_phrases_are_required_and_exact(
    store: KeywordStore, clauses: list[str], phrases: list[list[str]], expected: list[str]
) -> None:
    terms = [TermClause("words", term) for term in clauses]
    assert [i for i, _ in store.search(terms, phrases=[("words", phrase) for phrase in phrases])] == expected


def test_phrases_add_no_score_beside_clauses(store: KeywordStore) -> None:
    clauses = [TermClause("words", "requirement")]
    assert store.search(clauses, phrases=[("words", ["written", "description"])]) == store.search(clauses, top_k=1)


def test_ties_are_broken_by_id_also_where_the_ranking_is_cut(new_keyword_store: NewStore) -> None:
    store = new_keyword_store(text_fields=["words", "title"])
    for start in (300, 0, 600):  # three segments, none in the order of ids
        store.write_documents([doc(f"{n:03}", "same words") for n in reversed(range(start, start + 300))])
    for top_k in (1, 7, 500):
        ranking = store.search([TermClause("words", "same"), TermClause("words", "words", 0.3)], top_k=top_k)
        assert [i for i, _ in ranking] == [f"{n:03}" for n in range(top_k)]
        assert [document.id for document in store.find(None, top_k)[0]] == [f"{n:03}" for n in range(top_k)]


def test_score_gives_what_search_gives(store: KeywordStore) -> None:
    clauses = [TermClause("words", "claim", 2.0), TermClause("title", "c", 0.5)]
    ranking = dict(store.search(clauses))
    assert store.score(["c", "a", "f", "unknown"], clauses) == {
        "c": ranking["c"],
        "a": ranking["a"],
        "f": 0,
        "unknown": 0,
    }
    assert store.score(["a"], []) == {"a": 0.0}
    assert store.score([], clauses) == {}


def test_get_many_keeps_the_order_asked_for(store: KeywordStore) -> None:
    documents = store.get_many(["c", "unknown", "a", "c"])
    assert [document.id for document in documents] == ["c", "a", "c"]
    assert documents[1] == Document(id="a", content=TEXTS["a"].upper(), meta={"order": 97, "vowel": True})


def test_find_orders_by_a_meta_field_and_counts_all(new_keyword_store: NewStore) -> None:
    store = new_keyword_store(sort_fields=["order", "year"])
    orders: dict[str, int | None] = {"a": 3, "b": -7, "c": 3, "d": None, "e": 10**12, "f": 0}
    store.write_documents([Document(id=i, meta={"order": order, "year": ord(i)}) for i, order in orders.items()])
    documents, total = store.find(top_k=4)
    assert [document.id for document in documents] == ["b", "f", "a", "c"]
    assert total == 6
    documents, total = store.find({"field": "meta.order", "operator": ">=", "value": 3}, top_k=2)
    assert ([document.id for document in documents], total) == (["a", "c"], 3)
    assert [document.id for document in store.find(top_k=10)[0]] == ["b", "f", "a", "c", "e", "d"]
    assert [document.id for document in store.find(top_k=2, sort_by="year")[0]] == ["a", "b"]
    assert store.find({"field": "meta.order", "operator": ">", "value": 10**13}) == ([], 0)
    with pytest.raises(ValueError, match="sort_by: 'title' is not allowed; the store sorts by order, year"):
        store.find(sort_by="title")


def test_tokens_and_embeddings_are_not_stored_but_other_content_is(new_keyword_store: NewStore) -> None:
    store = new_keyword_store()
    blob = ByteStream(b"\x00\xff", meta={"k": 1}, mime_type="image/png")
    document = Document(
        id="1",
        content="x",
        blob=blob,
        meta={"n": {"k": [1, None]}, "index": {"words": "x"}},
        embedding=[1.0],
        score=0.5,
    )
    store.write_documents([document])
    assert store.get_many(["1"]) == [Document(id="1", content="x", blob=blob, meta={"n": {"k": [1, None]}})]


def test_text_fields_come_from_the_first_documents_when_none_are_given(new_keyword_store: NewStore) -> None:
    store = new_keyword_store()
    store.write_documents([doc("1", "claim"), Document(id="2", meta={"index": {"stems": "claim"}})])
    assert store.search([TermClause("stems", "claim")]) == store.search([TermClause("stems", "claim")], top_k=1)
    with pytest.raises(
        ValueError, match="document '3': the index has no text field 'body'; it has: stems, title, words"
    ):
        store.write_documents([Document(id="3", meta={"index": {"body": "claim"}})])
    assert new_keyword_store(text_fields=["title", "words", "stems"]).count_documents() == 2


def test_rewriting_the_same_document_changes_nothing(new_keyword_store: NewStore) -> None:
    store = new_keyword_store(text_fields=["words", "title"])
    store.write_documents(DOCUMENTS)
    version = store.version()
    same = doc("a", TEXTS["a"], order=97, vowel=True)
    assert store.write_documents([same], DuplicatePolicy.OVERWRITE) == 1
    with store.batch():
        store.delete_documents(["a"])
        store.write_documents([same])
    assert store.version() is version
    for changed in (doc("a", "x", order=97, vowel=True), doc("a", "x", order=98, vowel=True)):
        store.write_documents([changed], DuplicatePolicy.OVERWRITE)
        assert store.version() not in (version, None)
        assert store.get_many(["a"])[0].meta["order"] == changed.meta["order"]
        assert store.search([TermClause("words", "x")])[0][0] == "a"
        version = store.version()
    store.delete_documents(["a"])
    assert store.version() != version


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.search([TermClause("body", "x")]), "the index has no text field 'body'; it has: title, words"),
        (lambda s: s.search([], phrases=[("body", ["x"])]), "the index has no text field 'body'"),
        (lambda s: s.search([], phrases=[("words", [])]), "a phrase in 'words' has no tokens"),
        (lambda s: s.score(["a"], [TermClause("body", "x")]), "the index has no text field 'body'"),
        (lambda s: s.document_frequencies("_id", ["x"]), "the index has no text field '_id'"),
        (lambda s: s.search([TermClause("words", "x")], top_k=0), "top_k: 0 is not allowed; it must be 1 or more"),
        (lambda s: s.find(top_k=-1), "top_k: -1 is not allowed"),
        (lambda s: s.write_documents([doc("1", "x", order="1")]), "document '1': meta\\['order'\\] must be an integer"),
        (lambda s: s.write_documents([doc("1", "x", order=2**70)]), "must be an integer"),
        (lambda s: s.write_documents([Document(id="1", meta={"index": "x"})]), "must map text fields to strings"),
        (lambda s: type(s)("x", text_fields=["_id"]), "text_fields: '_id' is not allowed"),
    ],
)
def test_wrong_use_says_what_is_allowed(store: KeywordStore, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(store)
