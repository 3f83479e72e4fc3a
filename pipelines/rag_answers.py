"""What a search over company documents answers, as plain dictionaries."""

from collections.abc import Mapping
from typing import Any

from haystack import Document

_HIDDEN = (
    "scores",
    "tier",
    "highlights",
    "blocks",
    "span",
    "sidecar",
    "self_ids",
    "cites",
    "order",
    "digest",
    "within",
)


def as_hits(documents: list[Document]) -> list[dict[str, Any]]:
    """
    Results as plain dictionaries.

    :param documents: Documents, best first, with `scores` and `highlights` in their meta.
    :returns: For each `id`, `rank`, `score`, `memory_boost`, `source` ("rrf", or "rrf+memory" where the memory acted),
        `text`, `metadata`, `highlights` and `scores`.
    """
    hits = []
    for rank, document in enumerate(documents, start=1):
        scores = dict(document.meta.get("scores", {}))
        boost = float(scores.get("memory_boost") or 0.0)
        hits.append(
            {
                "id": document.id,
                "rank": rank,
                "score": round(float(document.score or 0.0), 6),
                "memory_boost": boost,
                "source": "rrf+memory" if boost else "rrf",
                "text": document.content or "",
                "metadata": {name: value for name, value in document.meta.items() if name not in _HIDDEN},
                "highlights": document.meta.get("highlights", []),
                "scores": scores,
            }
        )
    return hits


def memory_context(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """
    What the memory did to an answer.

    :param outputs: The components' outputs.
    :returns: `semantic_concepts`, `past_sessions_used`, `entity_boost_enriched`.
    """
    enriched = outputs.get("semantic_enricher", {})
    return {
        "semantic_concepts": enriched.get("concepts", []),
        "past_sessions_used": len(outputs.get("memory_booster", {}).get("past_sessions", {})),
        "entity_boost_enriched": bool(enriched.get("boosts")),
    }


def preprocessing(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """
    How the query was read.

    :param outputs: The components' outputs.
    :returns: `normalized_query`, `tokens` (by stream), `identifiers`, `entities`, `expansions` with their origin and
        what the guard decided, `cache`.
    """
    analysis = outputs["analyzer"]["analysis"]
    expander = outputs.get("query_expander", {})
    recognizer = outputs.get("entity_recognizer", {})
    expansions = expander.get("expansions", [])
    return {
        "normalized_query": " ".join(analysis.terms("words")),
        "tokens": {name: analysis.terms(name) for name in analysis.tokens},
        "identifiers": [identifier.canonical for identifier in analysis.identifiers],
        "entities": [_plain(entity) for entity in recognizer.get("entities", [])],
        "expansions": expansions,
        "guard": {
            "accepted": sum(bool(each.get("accepted", True)) for each in expansions),
            "refused": sum(not each.get("accepted", True) for each in expansions),
        },
        "cache": {
            name: output["cached"]
            for name, output in (("query_expander", expander), ("entity_recognizer", recognizer))
            if "cached" in output
        },
    }


def _plain(entity: Any) -> Any:
    return entity if isinstance(entity, dict) else {name: getattr(entity, name) for name in entity.__dataclass_fields__}
