"""Episodes and concepts as people read them."""

from typing import Any

from memory_components.explanation import as_iso
from memory_components.records import Concept, Episode


def episode_line(episode: Episode) -> dict[str, Any]:
    """All of an episode but its vector."""
    return {
        "memory_id": episode.id,
        "context": episode.context,
        "action": dict(episode.action),
        "outcome": dict(episode.outcome),
        "reward": round(episode.reward, 6),
        "importance": round(episode.importance, 6),
        "novelty": round(episode.novelty, 6),
        "recurrence": episode.recurrence,
        "user_id": episode.user_id,
        "groups": sorted(episode.groups),
        "session_id": episode.session_id,
        "created_at": as_iso(episode.created_at),
        "consolidated": episode.consolidated,
        "compressed": episode.compressed,
    }


def concept_line(concept: Concept) -> dict[str, Any]:
    """All of a concept but its vector."""
    return {
        "concept": concept.name,
        "definition": concept.definition,
        "related_concepts": list(concept.related),
        "aliases": list(concept.aliases),
        "entity_type": concept.entity_type,
        "confidence": concept.confidence,
        "origin": concept.origin,
        "access_count": concept.access_count,
    }
