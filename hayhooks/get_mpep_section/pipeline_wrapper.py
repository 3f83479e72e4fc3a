"""POST /get_mpep_section/run and the MCP tool get_mpep_section."""

from typing import Annotated, Any

from fastapi import HTTPException
from hayhooks import BasePipelineWrapper
from pydantic import Field

from service.errors import as_http_errors
from service.runtime import shared_runtime


class PipelineWrapper(BasePipelineWrapper):
    """Read a section of the MPEP by its number."""

    corpus = "us-patent-law"

    def setup(self) -> None:
        """Take the runtime of the process; it opens the index in the background."""
        self.runtime = shared_runtime()

    def run_api(
        self,
        # The search itself checks ranges, so that all ways to call it agree; callers read them in the schema.
        section_number: Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": 200})],
        max_chunks: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 1000})] = 50,
    ) -> dict[str, Any]:
        """
        Read a section of the MPEP by its number, whole and in order.

        A section comes with its subsections: 608.01 gives 608.01 itself, then 608.01(a), 608.01(b) and so on; 2100
        gives chapter 2100. A list ("608.01(o) and 2106") or range ("2106-2107") gives all of it; what isn't there is in
        `missing`. `total_chunks` tells how many passages there are, also when `max_chunks` cuts them off.

        :param section_number: The number as printed: 2106, 608.01(o), 2106.04(a)(2); "MPEP 2106" and "§ 2106" work too.
        :param max_chunks: How many passages to answer at most.
        :returns: The section's number, how many passages it has and the passages as `chunks`.
        """
        with as_http_errors():
            answer = self.runtime.search(self.corpus).section(section_number=section_number, max_chunks=max_chunks)
        if "error" in answer:
            raise HTTPException(404, answer)
        return answer
