"""Asks a query pipeline, and listens to its two retrievers on the way."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from components.retrieval.ranking import source_of
from pipelines.errors import ConfigError
from pipelines.loading import build, resolve, without
from pipelines.settings import Settings

if TYPE_CHECKING:
    from haystack import Document

    from components.retrieval.ranking import Ranking

RETRIEVERS = {"keyword": "keyword_retriever", "vector": "vector_retriever"}
DECORATORS = ("highlighter",)
"""Components that add to the documents at a pipeline's end and never reorder them: time that isn't measured here."""
_QUERY_SOCKETS = {"query": False, "text": False, "texts": True}
"""Inputs that take the question, and whether they take a list."""
_K = 60


class QueryArms:
    """
    A query pipeline whose retrievers' rankings are looked at, too.

    Usage example:
    ```python
    arms = QueryArms("mpep_query", None, Settings())
    arms.run("lack of written description")["pipeline"]  # ["MPEP-2163", ...]
    ```

    :param pipeline: The pipeline's name or the path of its file. It needs a `keyword_retriever` and a
        `vector_retriever` with the output `rankings`, and one component at its end with the output `documents` or
        `results`.
    :param profile: The profile; that of the settings by default.
    :param settings: Where the index is.
    :param depth: How many chunks the components behind the retrievers are asked for, where they take `top_k`.
    :raises ConfigError: If the pipeline is not like that.
    """

    def __init__(self, pipeline: str, profile: str | None, settings: Settings, depth: int = 1000):
        self._pipeline = build(without(resolve(pipeline, profile, settings), DECORATORS))
        outputs = self._pipeline.outputs(include_components_with_connected_outputs=True)
        for name in RETRIEVERS.values():
            if "rankings" not in outputs.get(name, {}):
                raise ConfigError(
                    f"{pipeline} can't be evaluated: it has no component {name!r} with an output 'rankings'"
                )
        ends = [
            name
            for name, sockets in self._pipeline.outputs().items()
            if not self._pipeline.graph.out_degree(name) and sockets.keys() & {"documents", "results"}
        ]
        if len(ends) != 1:
            found = ", ".join(ends) or "none"
            raise ConfigError(
                f"{pipeline} can't be evaluated: one component must end in 'documents' or 'results', found: {found}"
            )
        self._end = ends[0]
        inputs = self._pipeline.inputs()
        self._asked = [
            (name, socket) for name, sockets in inputs.items() for socket in _QUERY_SOCKETS if socket in sockets
        ]
        # How deep the retrievers look belongs to what is measured; how much is shown of what they found doesn't.
        shown = [name for name in inputs if name not in RETRIEVERS.values() and "top_k" in inputs[name]]
        self._options = {name: {"top_k": depth} for name in shown}
        self.degraded: dict[str, int] = {}
        """How many questions were answered without something, by its name."""
        self._pipeline.warm_up()

    def run(self, query: str) -> dict[str, list[str]]:
        """
        Ask one question.

        :param query: The question.
        :returns: For "keyword", "vector" and "pipeline" the documents' ids, best first.
        """
        results = self._ask(query)
        ranked = {arm: _ids(fuse(results[name]["rankings"])) for arm, name in RETRIEVERS.items()}
        return {**ranked, "pipeline": _ids(document.id for document in self._found(results))}

    def documents(self, query: str) -> "list[Document]":
        """
        Ask one question, and get what the pipeline ends in.

        :param query: The question.
        :returns: The chunks, best first, with their scores in `meta["scores"]`.
        """
        return self._found(self._ask(query))

    def _ask(self, query: str) -> dict[str, Any]:
        data: dict[str, dict[str, Any]] = {name: dict(options) for name, options in self._options.items()}
        for name, socket in self._asked:
            data.setdefault(name, {})[socket] = [query] if _QUERY_SOCKETS[socket] else query
        results = self._pipeline.run(data, include_outputs_from=set(RETRIEVERS.values()))
        missing = {name for sockets in results.values() for name in sockets.get("degraded") or ()}
        for name in sorted(missing):
            self.degraded[name] = self.degraded.get(name, 0) + 1
        return results

    def _found(self, results: dict[str, Any]) -> "list[Document]":
        end = results[self._end]
        return list(end["results"].documents if "results" in end else end["documents"])


def fuse(rankings: "Sequence[Ranking]") -> list[str]:
    """
    One arm's rankings of the variants of a query as one: reciprocal rank fusion with the rankings' weights.

    :param rankings: The rankings.
    :returns: Chunk ids, best first.
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, (chunk_id, _) in enumerate(ranking.entries, start=1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + ranking.weight / (_K + rank)
    return sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))


def _ids(chunk_ids: Iterable[str]) -> list[str]:
    """Documents in the order of their best chunks."""
    return list(dict.fromkeys(source_of(chunk_id) for chunk_id in chunk_ids))
