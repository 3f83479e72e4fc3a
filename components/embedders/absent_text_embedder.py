"""Stands where an embedder would, when there is nothing to compare its vectors with."""

from typing import Any

from haystack import component

from components.retrieval.vectors import QueryVectors


@component
class AbsentTextEmbedder:
    """
    Embeds nothing and says so: a search goes without vectors, and no model is loaded for it.

    ```python
    AbsentTextEmbedder().run(texts=["What is new matter?"])  # {"vectors": QueryVectors(), "degraded": ["vector"]}
    ```
    """

    @component.output_types(vectors=QueryVectors, degraded=list[str])
    def run(self, texts: list[str], passages: list[str] | None = None) -> dict[str, Any]:
        """
        Embed nothing.

        :param texts: The query's variants.
        :param passages: Hypothetical answers.
        :returns: `vectors`, which are none, and `degraded`, ["vector"].
        """
        return {"vectors": QueryVectors(), "degraded": ["vector"]}
