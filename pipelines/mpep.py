"""search_mpep and get_mpep_section: arguments in, plain dictionaries out, for the command line, REST and MCP."""

import time
from typing import Any

from pipelines.corpus_search import CorpusSearch
from pipelines.errors import ArgumentError
from pipelines.mpep_answers import as_hits, as_metadata
from pipelines.mpep_arguments import build_filters, check_count, check_query
from pipelines.scanning import Progress, no_progress
from pipelines.section_numbers import SECTION_FORMS, read_section_number
from pipelines.settings import Settings
from pipelines.vector_state import names_damage

CORPUS = "us-patent-law"
_MOST_RESULTS, _MOST_CANDIDATES, _MOST_CHUNKS = 20, 100, 1000


class MpepSearch(CorpusSearch):
    """
    Searches US patent law and gives whole sections.

    Usage example:
    ```python
    search = MpepSearch()
    search.search("when may new matter be added", top_k=3)["results"][0]["section"]
    search.section("608.01(o)")["total_chunks"]
    ```

    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :param pipeline: The query pipeline's name or file; that of the corpus by default.
    :param progress: Called while models are loaded.
    """

    def __init__(
        self,
        profile: str | None = None,
        settings: Settings | None = None,
        pipeline: str | None = None,
        progress: Progress = no_progress,
    ):
        super().__init__(CORPUS, profile, settings, pipeline, progress)

    @names_damage
    def search(
        self,
        query: str,
        top_k: int = 5,
        retrieve_k: int | None = None,
        source_filter: str | None = None,
        is_statute: bool | None = None,
        is_regulation: bool | None = None,
        is_update: bool | None = None,
    ) -> dict[str, Any]:
        """
        Find passages.

        :param query: 3 to 10,000 characters.
        :param top_k: How many passages; more than 20 are cut to 20.
        :param retrieve_k: How many candidates are reranked and looked through for updates; `top_k * 4` by default, at
            most 100, never below `top_k`. The pipeline sets how deep each arm looks: the order doesn't depend on it.
        :param source_filter: One of "MPEP", "35_USC", "37_CFR", "SUBSEQUENT".
        :param is_statute: Only statutes, or only others.
        :param is_regulation: Only rules, or only others.
        :param is_update: Only updates, or only others.
        :returns: `query`, `results`, `corpus`, `degraded`, `execution_time_ms`, and `missing` where the query names a
            section, statute, rule, form paragraph or notice that isn't in the index.
        :raises ArgumentError: When an argument is not allowed.
        :raises IndexMissingError: When the corpus has no index.
        """
        query = check_query(query)
        top_k = min(check_count("top_k", top_k, _MOST_RESULTS), _MOST_RESULTS)
        candidates = top_k * 4 if retrieve_k is None else check_count("retrieve_k", retrieve_k, _MOST_CANDIDATES)
        candidates = max(min(candidates, _MOST_CANDIDATES), top_k)
        filters = build_filters(source_filter, is_statute, is_regulation, is_update)
        answer = self.run(
            {
                "analyzer": {"query": query},
                "hyde_generator": {"query": query},
                "keyword_retriever": {"filters": filters},
                "vector_retriever": {"filters": filters},
                "section_lookup": {"filters": filters},
                "loader": {"top_k": candidates},
                "reranker": {"query": query},
                "update_promoter": {"filters": filters},
                "highlighter": {"top_k": top_k},
            }
        )
        missing = answer.outputs["section_lookup"].get("missing")
        return {
            "query": query,
            **({"missing": missing} if missing else {}),
            "results": as_hits(answer.outputs["highlighter"]["documents"]),
            "corpus": answer.edition,
            "degraded": answer.degraded,
            "execution_time_ms": round((time.perf_counter() - answer.started) * 1000, 2),
        }

    @names_damage
    def section(self, section_number: str, max_chunks: int = 50) -> dict[str, Any]:
        """
        Get a whole section in document order.

        :param section_number: As printed, in any usual way of writing; "608.01" includes its lettered subsections,
            "2100" is the chapter. A list ("608.01(o) and 2106") gives all of its sections, a range ("2106-2107") all
            that is printed from its first section to the end of its last.
        :param max_chunks: How many chunks at most, 1 to 1,000.
        :returns: `section`, `total_chunks` and `chunks`, with `missing` where some of a list aren't there; or `error`
            when there is no such section.
        :raises ArgumentError: When the number has no known form, or a range doesn't rise.
        :raises IndexMissingError: When the corpus has no index.
        """
        request = read_section_number(section_number)
        max_chunks = check_count("max_chunks", max_chunks, _MOST_CHUNKS)
        if max_chunks > _MOST_CHUNKS:
            raise ArgumentError("max_chunks", max_chunks, f"an integer from 1 to {_MOST_CHUNKS:,}")
        self.info()
        documents, total, missing = request.find(self.store_of("section_lookup"), max_chunks)
        if total:
            return {
                "section": section_number.strip(),
                "total_chunks": total,
                "chunks": [{"text": d.content, "metadata": as_metadata(d)} for d in documents],
                **({"missing": missing} if missing else {}),
            }
        self.refuse_empty("section_lookup")
        if not request.parts:
            raise ArgumentError("section_number", section_number, SECTION_FORMS)
        is_manual = any(name.startswith("mpep:") for part in request.parts for name in part.names)
        number = section_number.strip()
        label = "MPEP section " if is_manual and number[:1].isdigit() else ""
        return {"error": f"No content found for {label}{number}"}
