"""POST /search_mpep/run and the MCP tool search_mpep."""

from typing import Annotated, Any, Literal

from hayhooks import BasePipelineWrapper
from pydantic import Field

from service.errors import as_http_errors
from service.runtime import shared_runtime


class PipelineWrapper(BasePipelineWrapper):
    """Search in US patent law."""

    corpus = "us-patent-law"

    def setup(self) -> None:
        """Take the runtime of the process; it makes the pipeline ready in the background."""
        self.runtime = shared_runtime()

    def run_api(
        self,
        # The search itself checks ranges, so that all ways to call it agree; callers read them in the schema.
        query: Annotated[str, Field(json_schema_extra={"minLength": 3, "maxLength": 10_000})],
        top_k: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 20})] = 5,
        retrieve_k: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 100})] | None = None,
        source_filter: Literal["MPEP", "35_USC", "37_CFR", "SUBSEQUENT"] | None = None,
        is_statute: bool | None = None,
        is_regulation: bool | None = None,
        is_update: bool | None = None,
    ) -> dict[str, Any]:
        """
        Search US patent law: the MPEP, 35 U.S.C., 37 CFR and newer Federal Register documents.

        Answers the best passages with section number, title, breadcrumb, official URL, text, highlights and the scores
        that ranked them. A number in the query, such as 2106.04(a)(2), 35 USC 112(b), 37 CFR 1.131 or a form paragraph,
        puts the passages of that very section first; a phrase in quotes is found exactly. Passages of source SUBSEQUENT
        are newer than the manual and may override it. What the query names that doesn't exist is listed in `missing`.
        To read a whole section, use get_mpep_section.

        :param query: A question, keywords, a citation or a whole claim, in English.
        :param top_k: How many passages to answer; more than 20 are cut to 20.
        :param retrieve_k: How many candidates are reranked and looked through for updates; four times top_k when not
            given, never fewer than top_k, at most 100.
        :param source_filter: Search this source alone: the manual, the statute, the rules, or Federal Register
            documents newer than the manual.
        :param is_statute: true: statute text alone; false: all but statute text.
        :param is_regulation: true: rules alone; false: all but rules.
        :param is_update: true: updates newer than the manual alone; false: all but updates.
        :returns: The passages as `results`, with corpus versions, what the answer had to do without (`degraded`), what
            the query names that isn't in the index (`missing`) and the time taken.
        """
        with as_http_errors(query):
            return self.runtime.search(self.corpus).search(
                query=query,
                top_k=top_k,
                retrieve_k=retrieve_k,
                source_filter=source_filter,
                is_statute=is_statute,
                is_regulation=is_regulation,
                is_update=is_update,
            )
