"""Numbers about a memory."""

from typing import Any

from memory_components.forgetting import ForgettingPlan
from memory_components.rag_memory_integrator import RAGMemoryIntegrator


def memory_stats(memory: RAGMemoryIntegrator) -> dict[str, Any]:
    """
    Count what there is.

    :param memory: The memory.
    :returns: Numbers of sessions, episodes, ratings and concepts, by what matters about them.
    """
    changes = memory.store.changes_since(0)
    episodes = changes.episodes if changes else []
    ratings = changes.ratings if changes else []
    counted = [rating for rating in ratings if rating.revoked_at is None]
    return {
        **memory.health(),
        "sessions": memory.store.sessions.count(),
        "consolidated": sum(episode.consolidated for episode in episodes),
        "compressed": sum(episode.compressed for episode in episodes),
        "ratings": len(counted),
        "revoked_ratings": len(ratings) - len(counted),
        "ratings_by_stars": {str(star): sum(r.rating == star for r in counted) for star in range(1, 6)},
        "users": len({rating.user_id for rating in counted}),
    }


def plan_lines(plan: ForgettingPlan) -> dict[str, list[str]]:
    """What forgetting does or did, by ids."""
    return {"consolidate": list(plan.consolidate), "compress": list(plan.compress), "forget": list(plan.forget)}
