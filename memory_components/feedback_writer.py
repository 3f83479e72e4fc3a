"""Keeps ratings of answers."""

from dataclasses import asdict
from typing import Any

from haystack import component

from memory_components.errors import MemoryInputError
from memory_components.rag_memory_integrator import RAGMemoryIntegrator


@component
class FeedbackWriter:
    """
    Keeps what someone says of an answer, so that it acts on later searches.

    Usage example:

    ```python
    writer = FeedbackWriter(memory=memory)
    writer.run(session_id=session.id, rating=5, doc_id="HR-7#1")["feedback"]["feedback_id"]
    ```
    """

    def __init__(self, memory: RAGMemoryIntegrator):
        """
        :param memory: The memory.
        """
        self.memory = memory

    def warm_up(self) -> None:
        """
        Open the memory, once.

        :raises MemoryStoreError: When it can't be opened.
        """
        self.memory.warm_up()

    @component.output_types(feedback=dict[str, Any], refused=dict[str, Any])
    def run(
        self, session_id: str, rating: int, doc_id: str | None = None, comment: str = "", user_id: str = ""
    ) -> dict[str, Any]:
        """
        Keep a rating. The same one given twice is one.

        :param session_id: The answer's session.
        :param rating: 1 to 5.
        :param doc_id: The result that it is about; all results when it isn't given.
        :param comment: What else was said.
        :param user_id: Who rates; the one who searched when it isn't given.
        :returns: `feedback` with feedback_id, memory_id, importance and recorded_at; empty when it can't be kept, and
            `refused` has code, message and details.
        :raises MemoryStoreError: When the database or the embedder is out of order.
        """
        # What callers get wrong is no failure of the pipeline, which Haystack would write a snapshot of.
        try:
            feedback = self.memory.record_feedback(session_id, rating, doc_id, comment, user_id)
        except MemoryInputError as error:
            refused = {"code": error.code, "message": error.message, "details": error.details}
            return {"feedback": {}, "refused": refused}
        return {"feedback": asdict(feedback), "refused": {}}
