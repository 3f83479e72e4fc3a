"""The keyword store on real servers: the same ranking as embedded, bulk errors, aliases, long lists, restarts."""

import json
import random
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.errors import DocumentStoreError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError

from components.stores.elasticsearch_client import RequestRefusedError
from components.stores.elasticsearch_document_store import ElasticsearchKeywordStore
from components.stores.filters import MAX_DEPTH, matches
from components.stores.store_errors import StoreUnavailableError
from components.stores.tantivy_document_store import TantivyDocumentStore
from components.stores.term_clause import TermClause
from tests.components.stores.opened_stores import KEYWORD_STORES, NewStore, ServerUrl
from tests.servers.search_server import SearchServer

SERVERS = ["elasticsearch", "opensearch"]
FIELDS = ["words", "title"]
OVERWRITE = DuplicatePolicy.OVERWRITE


@pytest.fixture(params=SERVERS)
def new_server_store(request: pytest.FixtureRequest, tmp_path: Path, search_server: ServerUrl) -> Iterator[NewStore]:
    with KEYWORD_STORES[request.param](tmp_path, search_server) as new:
        yield new


def send(store: ElasticsearchKeywordStore, method: str, path: str, body: Any = None) -> Any:
    """Ask the store's server something that the store doesn't offer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{store.hosts}{path}", data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def zipf_words(generator: random.Random, count: int, vocabulary: int) -> list[str]:
    """Words of which few are frequent and many are rare, as in a language."""
    return [f"w{int(vocabulary ** generator.random())}" for _ in range(count)]


def corpus(documents: int, vocabulary: int = 2000) -> list[Document]:
    generator = random.Random(4)
    made = []
    for number in range(documents):
        index = {
            "words": " ".join(zipf_words(generator, generator.randint(5, 300), vocabulary)),
            "title": " ".join(zipf_words(generator, generator.randint(1, 12), vocabulary)),
        }
        made.append(Document(id=f"{number:05}", meta={"order": number, "kind": number % 3, "index": index}))
    return made


def queries(count: int, vocabulary: int = 2000) -> list[list[TermClause]]:
    generator = random.Random(5)
    made = []
    for _ in range(count):
        terms = zipf_words(generator, generator.randint(1, 30), vocabulary)
        made.append(
            [TermClause(field, term, weight) for term in terms for field, weight in (("words", 1.0), ("title", 0.6))]
        )
    return made


def assert_same_ranking(found: list[tuple[str, float]], expected: list[tuple[str, float]]) -> None:
    """The same ids in the same order, where scores differ by more than rounding, and the same scores."""
    assert dict(found) == pytest.approx(dict(expected), rel=1e-4)
    scores = dict(expected)
    for (one, _), (other, _) in zip(found, expected, strict=True):
        assert one == other or scores[one] == pytest.approx(scores[other], rel=1e-5)


@pytest.mark.parametrize("shards", [1, 3])
def test_ranking_and_scores_are_those_of_the_embedded_store(
    new_server_store: NewStore, tmp_path: Path, shards: int
) -> None:
    store = new_server_store(text_fields=FIELDS, settings={"number_of_shards": shards})
    embedded = TantivyDocumentStore(tmp_path / "embedded", text_fields=FIELDS)
    documents = corpus(500)
    for each in (store, embedded):
        each.write_documents(documents)
    identical = 0
    for number, clauses in enumerate(queries(50)):
        filters = {"field": "meta.kind", "operator": "!=", "value": number % 4}
        expected = embedded.search(clauses, filters, top_k=500)
        found = store.search(clauses, filters, top_k=500)
        assert_same_ranking(found, expected)
        identical += [name for name, _ in found[:10]] == [name for name, _ in expected[:10]]
        ids = [document.id for document in documents[::7]]
        assert store.score(ids, clauses) == pytest.approx(embedded.score(ids, clauses), rel=1e-4)
        phrase = [("words", [clauses[0].term, clauses[-1].term])]
        assert_same_ranking(store.search([], phrases=phrase), embedded.search([], phrases=phrase))
    assert identical >= 49
    terms = [f"w{number}" for number in range(2000)]
    assert store.document_frequencies("words", terms) == embedded.document_frequencies("words", terms)


def test_a_term_is_as_rare_as_embedded_where_documents_lack_the_field(
    new_server_store: NewStore, tmp_path: Path
) -> None:
    documents = corpus(100)
    for document in documents[1::2]:
        document.meta["index"]["title"] = " "
    store, embedded = new_server_store(), TantivyDocumentStore(tmp_path / "embedded")
    for each in (store, embedded):
        each.write_documents(documents)
    for number in range(1, 20):
        clauses = [TermClause("title", f"w{number}")]
        # Lengths are compared with an average that is half a token longer. Without the token of empty fields, these
        # scores would differ by a third.
        assert dict(store.search(clauses, top_k=100)) == pytest.approx(
            dict(embedded.search(clauses, top_k=100)), rel=0.1
        )


def test_a_query_with_more_terms_than_the_server_takes_ranks_as_embedded(
    new_server_store: NewStore, tmp_path: Path
) -> None:
    documents = corpus(1500, vocabulary=5000)
    store, embedded = new_server_store(), TantivyDocumentStore(tmp_path / "embedded")
    for each in (store, embedded):
        each.write_documents(documents)
    clauses = [TermClause(field, f"w{number}") for number in range(4000) for field in FIELDS]
    held = embedded.document_frequencies("words", [clause.term for clause in clauses[::2]])
    assert sum(count > 0 for count in held.values()) > 2000
    expected = embedded.search(clauses, top_k=100)
    assert_same_ranking(store.search(clauses, top_k=100), expected)
    ids = [name for name, _ in expected]
    assert store.score(ids, clauses) == pytest.approx(dict(expected), rel=1e-4)


def test_lists_longer_than_one_answer_are_whole(new_server_store: NewStore) -> None:
    store = new_server_store(text_fields=["words"])
    names = [f"{number:05}" for number in range(20_500)]
    documents = [Document(id=i, meta={"order": -int(i), "index": {"words": "same words"}}) for i in names]
    assert store.write_documents(documents) == len(names)
    assert store.count_documents() == len(names)
    assert store.ids() == names
    assert [document.id for document in store.filter_documents()] == names
    assert [i for i, _ in store.search([], top_k=len(names), phrases=[("words", ["same", "words"])])] == names
    assert [i for i, _ in store.search([TermClause("words", "same")], top_k=10_000)] == names[:10_000]
    found, total = store.find(top_k=11_000)
    assert ([document.id for document in found], total) == (names[:-11_001:-1], len(names))
    assert [document.id for document in store.get_many(names[::2])] == names[::2]
    assert len(store.score(names, [TermClause("words", "same")])) == len(names)
    assert store.write_documents(documents, DuplicatePolicy.SKIP) == 0
    assert store.delete_where({"field": "id", "operator": "in", "value": names[1:]}) == len(names) - 1
    assert store.ids() == names[:1]


def test_refused_documents_are_named_and_the_others_written(new_server_store: NewStore) -> None:
    store = new_server_store()
    bad = Document(id="bad", meta={"k" * 40_000: 1})
    with pytest.raises(DocumentStoreError, match=r"refused 1 of 3 documents: 'bad': .*immense term"):
        store.write_documents([Document(id="1"), bad, Document(id="2")])
    assert store.ids() == ["1", "2"]
    with pytest.raises(ValueError, match=r"document 'ä+'?: its id has 514 bytes; allowed are 512"):
        store.write_documents([Document(id="3"), Document(id="ä" * 257)])
    assert store.ids() == ["1", "2"]


def test_the_index_has_no_fields_but_ours_and_stores_no_tokens(new_server_store: NewStore) -> None:
    store = new_server_store(text_fields=["words"], sort_fields=["order", "year"], settings={"number_of_replicas": 0})
    store.write_documents([Document(id="1", content="Claim", meta={"a": {"b": [1, "x"]}, "index": {"words": "claim"}})])
    [index] = send(store, "GET", f"/{store.index}").values()
    assert index["mappings"]["dynamic"] == "strict"
    assert set(index["mappings"]["properties"]) == {"id", "filters", "digest", "mark", "order", "text", "document"}
    assert index["settings"]["index"]["number_of_replicas"] == "0"
    assert index["settings"]["index"]["similarity"]["default"] == {"type": "BM25", "k1": "1.2", "b": "0.75"}
    source = send(store, "GET", f"/{store.index}/_doc/1")["_source"]
    assert set(source) == {"id", "digest", "mark", "order", "document"}
    assert source["document"] == {"id": "1", "content": "Claim", "meta": {"a": {"b": [1, "x"]}}}


def test_an_alias_is_read_and_written_and_switches_at_once(new_server_store: NewStore) -> None:
    old, new = new_server_store("chunks-000001"), new_server_store("chunks-000002")
    for generation, store in enumerate([old, new], start=1):
        store.write_documents([Document(id=str(i), meta={"generation": generation}) for i in range(generation)])
    alias = f"{old.index}-alias"
    store = ElasticsearchKeywordStore(alias, old.hosts)
    send(store, "POST", "/_aliases", {"actions": [{"add": {"index": old.index, "alias": alias}}]})
    assert store.ids() == ["0"]
    store.write_documents([Document(id="written")])
    assert old.ids() == ["0", "written"]
    version = store.version()
    swap = [{"remove": {"index": old.index, "alias": alias}}, {"add": {"index": new.index, "alias": alias}}]
    send(store, "POST", "/_aliases", {"actions": swap})
    assert store.ids() == ["0", "1"]
    assert store.version() == new.version() != version
    send(store, "POST", "/_aliases", {"actions": [{"add": {"index": old.index, "alias": alias}}]})
    with pytest.raises(DocumentStoreError, match=r"must stand for one index, not \["):
        store.write_documents([Document(id="x")])
    store.close()


def test_stores_that_create_the_index_at_the_same_time_share_it(new_server_store: NewStore) -> None:
    stores = [new_server_store() for _ in range(4)]
    for store in stores:
        store._state = type(store._state)()  # as in processes of their own
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: stores[number].write_documents([Document(id=str(number))]), range(4)))
    assert stores[0].ids() == ["0", "1", "2", "3"]


def test_an_index_that_is_deleted_is_created_anew(new_server_store: NewStore) -> None:
    store = new_server_store()
    store.write_documents([Document(id="1", meta={"index": {"words": "claim"}})])
    send(store, "DELETE", f"/{store.index}")
    assert store.search([TermClause("words", "claim")]) == []
    assert (store.count_documents(), store.ids(), store.version(), store.find()) == (0, [], None, ([], 0))
    store.write_documents([Document(id="2", meta={"index": {"stems": "claim"}})])
    assert [name for name, _ in store.search([TermClause("stems", "claim")])] == ["2"]


def nested(operators: list[str], levels: int) -> dict[str, Any]:
    """A filter of so many levels, with the operators in turn."""
    filters: dict[str, Any] = {"field": "meta.year", "operator": ">", "value": 20}
    for level in range(levels):
        other = {"field": "meta.year", "operator": "!=", "value": level}
        operator = operators[level % len(operators)]
        filters = {"operator": operator, "conditions": [filters] if operator == "NOT" else [filters, other]}
    return filters


def test_deep_filters(new_server_store: NewStore) -> None:
    store = new_server_store()
    documents = [Document(id=str(number), meta={"year": number, "index": {"words": "x"}}) for number in range(40)]
    store.write_documents(documents)
    most = MAX_DEPTH - 1
    deep = [nested(["NOT"], most), nested(["AND"], most), nested(["OR"], most), nested(["AND", "NOT"], most)]
    for filters in (*deep, nested(["OR", "AND"], 27)):
        expected = sorted(document.id for document in documents if matches(document.meta, filters))
        assert store.ids(filters) == expected
        assert [name for name, _ in store.search([TermClause("words", "x")], filters, top_k=40)] == expected
    with pytest.raises(FilterError, match="nests AND and OR deeper than 28 levels"):
        store.search([TermClause("words", "x")], nested(["OR", "AND"], 29))


@pytest.mark.usefixtures("always_asked")
def test_a_server_that_comes_back_is_used_again_without_a_restart() -> None:
    with SearchServer("elasticsearch") as server:
        store = ElasticsearchKeywordStore("chunks", server.url)
        store.write_documents(corpus(200))
        [clauses] = queries(1)
        ranking, version = store.search(clauses), store.version()
        server.kill()
        start = monotonic()
        for use in (lambda: store.search(clauses), lambda: store.write_documents([Document(id="new")])):
            with pytest.raises(StoreUnavailableError, match="can't be used now"):
                use()
        assert monotonic() - start < 60
        server.start()
        assert store.search(clauses) == ranking
        assert store.version() is version
        store.write_documents([Document(id="new")])
        assert store.count_documents() == 201
        store.close()


def test_wrong_use_is_refused_before_anything_is_sent() -> None:
    for name in ("Chunks", "a,b", "a*", "_all", "-x", ""):
        with pytest.raises(ValueError, match=r"index: .* is not allowed; use lower-case letters"):
            ElasticsearchKeywordStore(name)


def test_what_the_server_refuses_is_told_with_its_reason(new_server_store: NewStore) -> None:
    store = new_server_store(settings={"number_of_shards": 0})
    with pytest.raises(RequestRefusedError, match=r"refused PUT .*number_of_shards"):
        store.write_documents([Document(id="1")])


def test_an_alias_is_handed_over_and_an_index_removed(new_server_store: NewStore) -> None:
    first, second = new_server_store(), new_server_store()
    other = ElasticsearchKeywordStore(f"{second.index}-g2", second.hosts)
    alias = f"{first.index}-alias"
    first.write_documents([Document(id="1", meta={"index": {"words": "a"}})])
    other.write_documents([Document(id="2", meta={"index": {"words": "a"}})])
    named = ElasticsearchKeywordStore(alias, second.hosts)
    try:
        for store, ids in ((first, ["1"]), (other, ["2"]), (other, ["2"]), (first, ["1"])):
            store.set_alias(alias)
            assert named.ids() == ids
        other.set_alias(alias)
    finally:
        other.remove()
    assert (other.count_documents(), named.ids(), first.ids()) == (0, [], ["1"])
    other.remove()
    for store in (other, named):
        store.close()
