"""What search_mpep and get_mpep_section answer, as plain dictionaries."""

from typing import Any

from haystack import Document

_METADATA = (
    *("source", "file", "page", "section", "has_statute", "has_mpep_ref", "has_rule_ref"),
    *("is_statute", "is_regulation", "is_update"),
)
_UPDATE_METADATA = ("doc_type", "fr_citation", "effective_date")
_SCORES = ("keyword_rank", "keyword_score", "vector_rank", "vector_score", "rrf_score", "rerank_score")


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
        hit.update({name: meta[name] for name in ("overrides", "rescinded_by") if meta.get(name)})
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
