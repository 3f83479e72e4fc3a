"""Ratings: POST /api/v2/rag/feedback, and what the memory keeps: /api/memory/*."""

import time
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from memory_components.episode_lines import concept_line, episode_line
from memory_components.errors import MemoryInputError
from memory_components.exchange import export_lines, import_lines
from memory_components.explanation import as_iso, rating_line, without_people
from memory_components.memory_report import memory_stats, plan_lines
from pipelines.memory import MemoryService
from service.api_errors import ApiError, ApiRoute
from service.memory_models import (
    AssociateRequest,
    ConceptRequest,
    EpisodeCorrection,
    ExperienceRequest,
    FeedbackRequest,
    ForgetRequest,
    RetrieveRequest,
    RevokeRequest,
)

_ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": ApiError, "description": "There is no such session, episode, concept or rating"},
    422: {"model": ApiError, "description": "The request is wrong"},
    503: {"model": ApiError, "description": "The memory is out of order"},
}
_MOST = 2**31 - 1  # of what a database counts
_OK = {"status": "ok"}
_PREFIX, _IMPORT = "/api", "/memory/import"

LARGEST_IMPORT = {_PREFIX + _IMPORT: 200_000_000}
"""The size of an import, in bytes: a memory of 10,000 episodes comes to some 40 million."""


def memory_router(service: MemoryService) -> APIRouter:
    """
    The routes of the memory.

    Usage example:
    ```python
    app.include_router(memory_router(MemoryService()))
    ```

    :param service: The memory.
    :returns: The routes.
    """
    router = APIRouter(prefix=_PREFIX, route_class=ApiRoute, responses=_ERRORS)
    _add_feedback(router, service)
    _add_episodes(router, service)
    _add_concepts(router, service)
    _add_upkeep(router, service)
    return router


def _add_feedback(router: APIRouter, service: MemoryService) -> None:
    @router.post("/v2/rag/feedback", tags=["search"])
    def give_feedback(body: FeedbackRequest) -> dict[str, Any]:
        """
        Rate an answer, or one result of it. 4 and 5 lift it for like questions, 1 and 2 take away from what others
        gave. The same rating sent twice is one.
        """
        arguments = body.model_dump(include={"session_id", "rating", "doc_id", "comment", "user_id"})
        outputs = service.give_feedback(**arguments)
        if refused := outputs["refused"]:
            raise MemoryInputError(refused["code"], refused["message"], **refused["details"])
        kept = outputs["feedback"]
        return {**_OK, **kept, "recorded_at": as_iso(kept["recorded_at"])}

    @router.get("/memory/explain/{session_id}", tags=["search"])
    def explain(session_id: str) -> dict[str, Any]:
        """Tell what the memory did to an answer: the boosts, and the past ratings that they come from."""
        return {**_OK, **without_people(service.memory.explain(session_id))}

    @router.get("/memory/sessions/{session_id}", tags=["memory"])
    def session(session_id: str) -> dict[str, Any]:
        """Tell the same with who asked what and who rated what."""
        found = service.memory.explain(session_id)
        return {**_OK, **found, "log": service.memory.store.activity.lines(subject=session_id)}


def _add_episodes(router: APIRouter, service: MemoryService) -> None:
    @router.post("/memory/episodic/store", tags=["memory"])
    def store(body: ExperienceRequest) -> dict[str, Any]:
        """Keep an experience."""
        values = body.model_dump(exclude={"groups"})
        episode = service.memory.episodic.store_experience(**values, groups=frozenset(body.groups))
        return {**_OK, "memory_id": episode.id, "importance": episode.importance}

    @router.post("/memory/episodic/retrieve", tags=["memory"])
    def retrieve(body: RetrieveRequest) -> dict[str, Any]:
        """Find the episodes of the likest questions."""
        found = service.memory.episodic.retrieve_memories(body.query, body.top_k)
        return {**_OK, "memories": [{**episode_line(e), "similarity": round(cosine, 6)} for e, cosine in found]}

    @router.get("/memory/episodic", tags=["memory"])
    def page(
        limit: Annotated[int, Query(ge=1, le=1000)] = 50, offset: Annotated[int, Query(ge=0, le=_MOST)] = 0
    ) -> dict[str, Any]:
        """List episodes, the newest first."""
        records = service.memory.store.episodes
        return {**_OK, "total": records.count(), "memories": [episode_line(e) for e in records.page(limit, offset)]}

    @router.get("/memory/episodic/{memory_id}", tags=["memory"])
    def get(memory_id: str) -> dict[str, Any]:
        """Show an episode with its ratings and concepts."""
        records = service.memory.store
        episode = records.episodes.get(memory_id)
        if episode is None:
            raise _missing("memory", memory_id)
        ratings = [rating_line(rating) for rating in records.ratings.of_episodes([memory_id])]
        concepts = records.episodes.concepts_of([memory_id]).get(memory_id, {})
        return {**_OK, **episode_line(episode), "ratings": ratings, "concepts": concepts}

    @router.patch("/memory/episodic/{memory_id}", tags=["memory"])
    def correct(memory_id: str, body: EpisodeCorrection) -> dict[str, Any]:
        """Put an episode's importance or outcome right."""
        values = body.model_dump(exclude_none=True)
        if not values:
            raise MemoryInputError("INVALID_REQUEST", "there is nothing to change; send importance or outcome")
        if not service.memory.store.episodes.change(memory_id, **values):
            raise _missing("memory", memory_id)
        return {**_OK, "memory_id": memory_id}

    @router.delete("/memory/episodic/{memory_id}", tags=["memory"])
    def delete(memory_id: str) -> dict[str, Any]:
        """Delete an episode with its ratings, for good."""
        if not service.memory.store.episodes.remove([memory_id], time.time(), "deleted"):
            raise _missing("memory", memory_id)
        return {**_OK, "memory_id": memory_id}

    @router.delete("/memory/ratings/{feedback_id}", tags=["memory"])
    def delete_rating(feedback_id: str) -> dict[str, Any]:
        """Delete a rating, for good."""
        if not service.memory.store.ratings.remove(feedback_id, time.time()):
            raise _missing("feedback", feedback_id)
        return {**_OK, "feedback_id": feedback_id}


def _add_concepts(router: APIRouter, service: MemoryService) -> None:
    @router.post("/memory/semantic/store", tags=["memory"])
    def store(body: ConceptRequest) -> dict[str, Any]:
        """Keep a concept, in place of the one of that name."""
        values = body.model_dump(exclude={"concept", "related_concepts"})
        concept = service.memory.semantic.store_concept(body.concept, related=body.related_concepts, **values)
        return {**_OK, "concept": concept.name}

    @router.post("/memory/semantic/retrieve", tags=["memory"])
    def retrieve(body: RetrieveRequest) -> dict[str, Any]:
        """Find the concepts that a text names, then those near it in meaning."""
        found = service.memory.semantic.retrieve_semantic_knowledge(body.query, body.top_k)
        lines = [{**concept_line(k.concept), "score": round(k.score, 6), "matched": k.matched} for k in found]
        service.memory.store.concepts.count_access([known.concept.name for known in found])
        return {**_OK, "concepts": lines}

    @router.post("/memory/associate", tags=["memory"])
    def associate(body: AssociateRequest) -> dict[str, Any]:
        """Tie episodes to concepts: those of a question, or one of each."""
        if body.query_context:
            found = service.memory.episodic.integrate_episodic_semantic(body.query_context, body.top_k)
            strengths = found["associations"]
        elif body.episode_id and body.concept:
            if service.memory.store.episodes.get(body.episode_id) is None:
                raise _missing("memory", body.episode_id)
            _known_concept(service, body.concept)
            strengths = {(body.episode_id, body.concept): body.strength}
            service.memory.store.episodes.associate(strengths)
        else:
            raise MemoryInputError("INVALID_REQUEST", "send query_context, or episode_id and concept")
        ties = [{"episode_id": e, "concept": c, "strength": strength} for (e, c), strength in strengths.items()]
        return {**_OK, "associations": ties}

    @router.get("/memory/semantic", tags=["memory"])
    def page() -> dict[str, Any]:
        """List all concepts by name."""
        concepts = sorted(service.memory.concepts().items())
        return {**_OK, "total": len(concepts), "concepts": [concept_line(concept) for _, concept in concepts]}

    @router.get("/memory/semantic/{name:path}", tags=["memory"])
    def get(name: str) -> dict[str, Any]:
        """Show a concept with those that it has to do with, over two ties."""
        concept = _known_concept(service, name)
        return {**_OK, **concept_line(concept), "near": service.memory.semantic.related_concepts(name, depth=2)}

    @router.delete("/memory/semantic/{name:path}", tags=["memory"])
    def delete(name: str) -> dict[str, Any]:
        """Delete a concept. One of the vocabulary file comes back when that file is read again."""
        if not service.memory.store.concepts.remove(name, time.time()):
            raise _missing("concept", name)
        return {**_OK, "concept": name}


def _add_upkeep(router: APIRouter, service: MemoryService) -> None:
    @router.get("/memory/stats", tags=["memory"])
    def stats() -> dict[str, Any]:
        """Count what there is."""
        return {**_OK, **memory_stats(service.memory)}

    @router.post("/memory/revoke", tags=["memory"])
    def revoke(body: RevokeRequest) -> dict[str, Any]:
        """Take back what a user said: it stays in the records and acts no more, from this moment on."""
        count = service.memory.store.ratings.revoke(body.user_id, body.since, time.time())
        return {**_OK, "revoked": count}

    @router.post("/memory/forget", tags=["memory"])
    def forget(body: ForgetRequest) -> dict[str, Any]:
        """Forget by the rules now, or list what would go."""
        forgetter = service.memory.forgetter
        return {**_OK, "dry_run": body.dry_run, **plan_lines(forgetter.plan() if body.dry_run else forgetter.run())}

    @router.get("/memory/export", tags=["memory"], response_class=StreamingResponse)
    def export() -> StreamingResponse:
        """All of the memory as JSON lines."""
        memory = service.memory

        def lines() -> Iterator[str]:
            for line in export_lines(memory):
                yield line + "\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    @router.post(_IMPORT, tags=["memory"])
    async def take_in(request: Request) -> dict[str, Any]:
        """Take in JSON lines of an export, all or nothing; what is there already stays."""
        body = await request.body()

        def taken() -> dict[str, int]:
            return import_lines(service.memory, body.decode("utf-8", "replace").split("\n"))

        return {**_OK, "imported": await run_in_threadpool(taken)}


def _known_concept(service: MemoryService, name: str) -> Any:
    concept = service.memory.concepts().get(name)
    if concept is None:
        raise _missing("concept", name)
    return concept


def _missing(kind: str, name: str) -> MemoryInputError:
    return MemoryInputError(f"{kind.upper()}_NOT_FOUND", f"there is no {kind} {name!r}", id=name)
