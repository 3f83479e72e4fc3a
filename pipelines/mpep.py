"""search_mpep and get_mpep_section: arguments in, plain dictionaries out, for the command line, REST and MCP."""

import logging
import re
import threading
import time
from typing import Any

from pipelines.corpora import get_corpus
from pipelines.errors import ArgumentError, IndexMissingError
from pipelines.loading import load_pipeline, prepare_haystack
from pipelines.manifest import IndexInfo, read_index_info
from pipelines.settings import Settings

prepare_haystack()

from haystack import Document, Pipeline  # noqa: E402  # Haystack reads the environment when it is imported

from components.analysis.legal_citations import bare_readings, find_citations  # noqa: E402

logger = logging.getLogger(__name__)

CORPUS = "us-patent-law"
SOURCES = ("MPEP", "35_USC", "37_CFR", "SUBSEQUENT")
SECTION_FORMS = (
    'a section number such as "608.01(o)", "MPEP 2106.04(a)(2)", "2100" (a chapter), "35 U.S.C. 112", "37 CFR 1.131" '
    'or "¶ 7.05.01"'
)
_MIN_QUERY, _MAX_QUERY = 3, 10_000
_LONGEST_NUMBER = 200
_VARIANT = re.compile(
    r"\s*\(((?:pre-AIA|note|transitional|pre-\d)[^)]*|[^)]*\d{4}-\d\d-\d\d[^)]*)\)\s*$", re.IGNORECASE
)
_MOST_RESULTS, _MOST_CANDIDATES, _MOST_CHUNKS = 20, 100, 1000
_METADATA = (
    *("source", "file", "page", "section", "has_statute", "has_mpep_ref", "has_rule_ref"),
    *("is_statute", "is_regulation", "is_update"),
)
_UPDATE_METADATA = ("doc_type", "fr_citation", "effective_date")
_SCORES = ("keyword_rank", "keyword_score", "vector_rank", "vector_score", "rrf_score", "rerank_score")
# Components that say in `degraded` what an answer was made without.
_DEGRADABLE = ("hyde_generator", "embedder", "keyword_retriever", "vector_retriever", "reranker")


class MpepSearch:
    """
    Searches US patent law and gives whole sections.

    Usage example:
    ```python
    search = MpepSearch()
    search.search("when may new matter be added", top_k=3)["results"][0]["section"]
    search.section("608.01(o)")["total_chunks"]
    ```

    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :param pipeline: The query pipeline's name or file; that of the corpus by default.
    """

    def __init__(self, profile: str | None = None, settings: Settings | None = None, pipeline: str | None = None):
        self.settings = settings or Settings()
        self.profile = profile or self.settings.profile
        self._name = pipeline or get_corpus(CORPUS).query
        self._pipeline: Pipeline | None = None
        self._lock = threading.Lock()
        self._info: tuple[tuple[int, ...], IndexInfo] | None = None

    def warm_up(self) -> None:
        """
        Load the pipeline and its models; does nothing the second time.

        :raises IndexMissingError: When the corpus has no index.
        :raises ConfigError: When the pipeline can't be built.
        """
        self.info()
        self._ready_pipeline()

    def search(
        self,
        query: str,
        top_k: int = 5,
        retrieve_k: int | None = None,
        source_filter: str | None = None,
        is_statute: bool | None = None,
        is_regulation: bool | None = None,
        is_update: bool | None = None,
    ) -> dict[str, Any]:
        """
        Find passages.

        :param query: 3 to 10,000 characters.
        :param top_k: How many passages; more than 20 are cut to 20.
        :param retrieve_k: How many candidates are reranked and looked through for updates; `top_k * 4` by default, at
            most 100, never below `top_k`. The pipeline sets how deep each arm looks: the order doesn't depend on it.
        :param source_filter: One of "MPEP", "35_USC", "37_CFR", "SUBSEQUENT".
        :param is_statute: Only statutes, or only others.
        :param is_regulation: Only rules, or only others.
        :param is_update: Only updates, or only others.
        :returns: `query`, `results`, `corpus`, `degraded`, `execution_time_ms`.
        :raises ArgumentError: When an argument is not allowed.
        :raises IndexMissingError: When the corpus has no index.
        """
        started = time.perf_counter()
        query = check_query(query)
        top_k = min(check_count("top_k", top_k), _MOST_RESULTS)
        candidates = top_k * 4 if retrieve_k is None else check_count("retrieve_k", retrieve_k)
        candidates = max(min(candidates, _MOST_CANDIDATES), top_k)
        filters = build_filters(source_filter, is_statute, is_regulation, is_update)
        info = self.info()
        pipeline = self._ready_pipeline()
        answer = pipeline.run(
            {
                "analyzer": {"query": query},
                "hyde_generator": {"query": query},
                "keyword_retriever": {"filters": filters},
                "vector_retriever": {"filters": filters},
                "section_lookup": {"filters": filters},
                "result_documents": {"top_k": candidates},
                "reranker": {"query": query},
                "update_promoter": {"filters": filters},
                "highlighter": {"top_k": top_k},
            }
        )
        named = {part for name in _DEGRADABLE for part in answer.get(name, {}).get("degraded", [])}
        degraded = sorted(named)
        if degraded:
            logger.warning("an answer was made without: %s", ", ".join(degraded))
        return {
            "query": query,
            "results": as_hits(answer["highlighter"]["documents"]),
            "corpus": {"name": CORPUS, "version": info.corpus_version, "editions": info.editions},
            "degraded": degraded,
            "execution_time_ms": round((time.perf_counter() - started) * 1000, 2),
        }

    def section(self, section_number: str, max_chunks: int = 50) -> dict[str, Any]:
        """
        Get a whole section in document order.

        :param section_number: As printed, in any usual way of writing; "608.01" includes its lettered subsections,
            "2100" is the chapter.
        :param max_chunks: How many chunks at most, 1 to 1,000.
        :returns: `section`, `total_chunks` and `chunks`, or `error` when there is no such section.
        :raises ArgumentError: When the number has no known form.
        :raises IndexMissingError: When the corpus has no index.
        """
        names, readings = read_section_number(section_number)
        max_chunks = check_count("max_chunks", max_chunks)
        if max_chunks > _MOST_CHUNKS:
            raise ArgumentError("max_chunks", max_chunks, f"an integer from 1 to {_MOST_CHUNKS}")
        self.info()
        store = self._store("section_lookup")
        for filters in readings:
            documents, total = store.find(filters, top_k=max_chunks)
            if total:
                return {
                    "section": section_number.strip(),
                    "total_chunks": total,
                    "chunks": [{"text": d.content, "metadata": as_metadata(d)} for d in documents],
                }
        if not names:
            raise ArgumentError("section_number", section_number, SECTION_FORMS)
        return {"error": f"No content found for MPEP section {section_number.strip()}"}

    def health(self) -> dict[str, Any]:
        """
        What is ready.

        :returns: `ready`, `pipelines`, `stores` (counts), `corpus` (version and editions), `embedder`.
        """
        try:
            info = self.info()
        except IndexMissingError as error:
            return {"ready": False, "detail": str(error)}
        if self._pipeline is None:
            return {"ready": False, "detail": f"{self._name} is not loaded yet"}
        stores = {
            "keyword": self._store("keyword_retriever").count_documents(),
            "vector": self._store("vector_retriever").count_documents(),
        }
        embedder = self._pipeline.get_component("embedder")
        return {
            "ready": stores["keyword"] > 0,
            "pipelines": {self._name: "ready"},
            "stores": stores,
            "corpus": {
                "name": CORPUS,
                "version": info.corpus_version,
                "editions": info.editions,
                "sections": info.sections,
                "chunks": info.chunks,
                "pending_sources": info.pending_sources,
            },
            "embedder": embedder.health() if hasattr(embedder, "health") else {},
            "degraded": ["vector"] if stores["vector"] < stores["keyword"] else [],
        }

    def info(self) -> IndexInfo:
        """
        What the index holds; read again when another process changed it.

        :raises IndexMissingError: When the corpus has no index.
        """
        folder = self.settings.index_dir(CORPUS)
        stamps = []
        for name in ("manifest.sqlite", "manifest.sqlite-wal"):
            try:
                stamps.append((folder / name).stat().st_mtime_ns)
            except FileNotFoundError:
                stamps.append(0)
        if self._info is None or self._info[0] != tuple(stamps):
            self._info = (tuple(stamps), read_index_info(folder, CORPUS))
        return self._info[1]

    def _store(self, name: str) -> Any:
        """The document store of a component of the query pipeline."""
        return getattr(self._ready_pipeline().get_component(name), "document_store")  # noqa: B009

    def _ready_pipeline(self) -> Pipeline:
        with self._lock:
            if self._pipeline is None:
                pipeline = load_pipeline(self._name, self.profile, self.settings)
                pipeline.warm_up()
                self._pipeline = pipeline
            return self._pipeline


def check_query(query: str) -> str:
    """
    The query without surrounding blanks.

    :raises ArgumentError: When it is shorter than 3 or longer than 10,000 characters.
    """
    allowed = f"a text of {_MIN_QUERY} to {_MAX_QUERY:,} characters, not counting blanks around it"
    if not isinstance(query, str):
        raise ArgumentError("query", query, allowed)
    query = query.strip()
    if not _MIN_QUERY <= len(query) <= _MAX_QUERY:
        raise ArgumentError("query", query, allowed)
    return query


def check_count(argument: str, value: int) -> int:
    """
    :raises ArgumentError: When `value` is no integer of 1 or more.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ArgumentError(argument, value, "an integer of 1 or more")
    return value


def build_filters(
    source: str | None, is_statute: bool | None, is_regulation: bool | None, is_update: bool | None
) -> dict[str, Any] | None:
    """
    The arguments of search_mpep as Haystack filters; None when none is given.

    :raises ArgumentError: When `source` is unknown or a flag is no boolean.
    """
    conditions: list[dict[str, Any]] = []
    if source is not None:
        if source not in SOURCES:
            raise ArgumentError("source_filter", source, "one of " + ", ".join(SOURCES))
        conditions.append({"field": "meta.source", "operator": "==", "value": source})
    flags = {"is_statute": is_statute, "is_regulation": is_regulation, "is_update": is_update}
    for name, value in flags.items():
        if value is None:
            continue
        if not isinstance(value, bool):
            raise ArgumentError(name, value, "true or false")
        conditions.append({"field": f"meta.{name}", "operator": "==", "value": value})
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return {"operator": "AND", "conditions": conditions}


def read_section_number(text: str) -> tuple[list[str], list[dict[str, Any]]]:
    """
    Filters for the things that a section number can mean, likeliest first; last, what is printed exactly so.

    >>> read_section_number("§ 2106")[0]
    ['mpep:2106', 'usc:35:2106']

    :param text: The number as typed, with a variant behind it if need be: "35 U.S.C. 102 (pre-AIA)".
    :returns: The canonical identifiers, and the filters.
    :raises ArgumentError: When the text is empty or too long for a number.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST_NUMBER:
        raise ArgumentError("section_number", text, SECTION_FORMS)
    text = " ".join(text.split())
    number, variant = text, ""
    if match := _VARIANT.search(text):
        number, variant = text[: match.start()].strip(), match.group(1)
    bare = bare_readings(number)
    names = list(dict.fromkeys(bare or [found.canonical for found in find_citations(number)][:1]))
    filters = [found for name in names for found in _named(name, variant)]
    filters.append({"field": "meta.section", "operator": "==", "value": text})
    return names, filters


def _named(name: str, variant: str) -> list[dict[str, Any]]:
    scheme, _, number = name.rpartition(":")
    if scheme == "mpep":
        hundred = [f"mpep:c{number}"] if number.isdigit() and number.endswith("00") else []
        return [_contains("within", [name, *hundred])]
    condition = _contains("self_ids", [name])
    if scheme == "fp":
        return [condition]
    # The text in force, unless a variant is asked for or there is nothing else: former law is never mixed into it.
    wanted = {"field": "meta.variant", "operator": "==", "value": variant}
    in_force = {"operator": "AND", "conditions": [condition, wanted]}
    return [in_force] if variant else [in_force, condition]


def _contains(field: str, values: list[str]) -> dict[str, Any]:
    return {"field": f"meta.{field}", "operator": "in", "value": values}


def as_hits(documents: list[Document]) -> list[dict[str, Any]]:
    """
    Results as plain dictionaries.

    `relevance_score` is 1 for what the query names by number, else the pipeline's score cut to 0..1; never below that
    of a hit further down.
    """
    hits = []
    for rank, document in enumerate(documents, start=1):
        meta = document.meta
        scores = meta.get("scores", {})
        hit = {
            "rank": rank,
            "id": document.id,
            **as_metadata(document),
            "title": meta.get("title", ""),
            "breadcrumb": [*meta.get("breadcrumb", []), *meta.get("headings", [])],
            "url": meta.get("url", ""),
            "revision": meta.get("revision", ""),
            "kind": meta.get("kind", ""),
            "relevance_score": round(1.0 if meta.get("tier") == 0 else min(max(_relevance(document), 0.0), 1.0), 6),
            "text": document.content or "",
            "highlights": meta.get("highlights", []),
            "scores": {name: scores.get(name) for name in _SCORES},
        }
        hit["scores"]["fused_score"] = scores.get("fused_score")
        if meta.get("overrides"):
            hit["overrides"] = meta["overrides"]
        hits.append(hit)
    for above, below in zip(reversed(hits[:-1]), reversed(hits[1:]), strict=True):
        above["relevance_score"] = max(above["relevance_score"], below["relevance_score"])
    return hits


def as_metadata(document: Document) -> dict[str, Any]:
    """What both tools tell of every chunk; of Federal Register documents also type, citation and effective date."""
    meta = document.meta
    told = {name: meta.get(name) for name in _METADATA}
    if meta.get("is_update"):
        told.update({name: meta.get(name) or None for name in _UPDATE_METADATA})
    return told


def _relevance(document: Document) -> float:
    rerank = document.meta.get("scores", {}).get("rerank_score")
    return float(rerank if rerank is not None else document.score or 0.0)
