"""POST /rag_search/run and the MCP tool rag_search."""

from typing import Annotated, Any, Literal

from hayhooks import BasePipelineWrapper
from pydantic import Field

from service.errors import as_http_errors
from service.runtime import shared_runtime


class PipelineWrapper(BasePipelineWrapper):
    """Search in company documents."""

    corpus = "company-docs"

    def setup(self) -> None:
        """Take the runtime of the process; it makes the pipeline ready in the background."""
        self.runtime = shared_runtime()

    def run_api(
        self,
        # The search itself checks ranges, so that all ways to call it agree; callers read them in the schema.
        query: Annotated[str, Field(json_schema_extra={"minLength": 2, "maxLength": 10_000})],
        top_k: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 50})] = 5,
        language: Literal["auto", "ja", "en", "ko", "mixed"] = "auto",
        enable_query_expansion: bool = True,
        enable_entity_boosting: bool = True,
        return_debug_info: bool = False,
        filters: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """
        Search company documents in Japanese, English and Korean.

        Answers the best passages with text, metadata, highlights and the scores that ranked them. Spelling variants,
        synonyms and half- or full-width forms are the same; a project or document number such as EV-2024-001 puts the
        passages of that very project first; a phrase in quotes is found exactly.

        :param query: A question, keywords or a number.
        :param top_k: How many passages to answer.
        :param language: The language that the query is read in; found by its script when "auto".
        :param enable_query_expansion: Search other ways to put the query as well.
        :param enable_entity_boosting: Lift what holds the people, projects, products and dates that the query names.
        :param return_debug_info: Tell how the query was read, and how long each step took.
        :param filters: Filters in Haystack's form: {"field": "meta.department", "operator": "==", "value": "営業部"}.
        :returns: The passages as `results`, with what the memory did, what was missing (`degraded`) and the time taken.
        """
        with as_http_errors(query):
            return self.runtime.search(self.corpus).search(
                query=query,
                top_k=top_k,
                language=language,
                enable_query_expansion=enable_query_expansion,
                enable_entity_boosting=enable_entity_boosting,
                return_debug_info=return_debug_info,
                filters=filters,
            )
