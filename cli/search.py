"""`tansaku search`: find passages from the command line."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.embedder_option import EmbedderOption
from cli.output import JsonOption, ProfileOption, console, print_json, print_warning, progress_bars, quiet_logger
from cli.printed_hits import print_passage
from pipelines.corpora import get_corpus
from pipelines.counting import counted
from pipelines.errors import ArgumentError

if TYPE_CHECKING:
    from pipelines.corpus_search import CorpusSearch


def search(
    corpus: Annotated[str, typer.Argument(help="The corpus: us-patent-law or company-docs.", show_default=False)],
    query: Annotated[str, typer.Argument(help="A question, keywords, a citation or a claim.", show_default=False)],
    top_k: Annotated[int, typer.Option("--top-k", "-k", help="How many passages, up to 20.")] = 5,
    retrieve_k: Annotated[
        int | None, typer.Option("--retrieve-k", help="How many candidates, up to 100.", show_default="4 x top-k")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="Only MPEP, 35_USC, 37_CFR or SUBSEQUENT.", show_default=False)
    ] = None,
    statute: Annotated[bool | None, typer.Option("--statute/--no-statute", help="Only statutes, or none.")] = None,
    regulation: Annotated[
        bool | None, typer.Option("--regulation/--no-regulation", help="Only rules, or none.")
    ] = None,
    update: Annotated[bool | None, typer.Option("--update/--no-update", help="Only updates, or none.")] = None,
    language: Annotated[
        str | None, typer.Option("--language", help="Of a query over company-docs: ja, en, ko.", show_default="auto")
    ] = None,
    profile: ProfileOption = None,
    embedder_url: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Find passages. A section, statute, rule or project number puts that very thing first; "quoted words" are found
    exactly.

    \b
    Examples:
      tansaku search us-patent-law "may new matter be added by amendment"
      tansaku search us-patent-law "MPEP 608.01(o)" --top-k 3
      tansaku search us-patent-law "micro entity fees" --source 37_CFR --json
      tansaku search company-docs "お盆休みの期間"
    """
    get_corpus(corpus)
    law = {"retrieve_k": retrieve_k, "source": source, "statute": statute, "regulation": regulation, "update": update}
    # What is logged of a search is what the warning below says.
    with quiet_logger("pipelines.corpus_search"), progress_bars(quiet=as_json) as report_progress:
        if corpus == "us-patent-law":
            _refuse(corpus, language=language)
            searching, answer = _search_law(query, top_k, law, profile, report_progress)
        else:
            _refuse(corpus, **law)
            searching, answer = _search_company(query, top_k, language, profile, report_progress)
    if as_json:
        print_json(answer)
        return
    if answer["degraded"]:
        reason = searching.vector_problem() if "vector" in answer["degraded"] else ""
        print_warning(f"this answer was made without: {', '.join(answer['degraded'])}" + (reason and f" ({reason})"))
    if answer.get("missing"):
        print_warning(f"not in the index: {', '.join(answer['missing'])}")
    if not answer["results"]:
        console.print("Nothing found.")
        return
    for hit in answer["results"]:
        _print_law(hit) if corpus == "us-patent-law" else _print_company(hit)
    console.print(f"{counted(len(answer['results']), 'passage')} in {answer['execution_time_ms']:.0f} ms", style="dim")


def _search_law(
    query: str, top_k: int, law: dict[str, Any], profile: str | None, progress: Any
) -> "tuple[CorpusSearch, dict[str, Any]]":
    from pipelines.mpep import MpepSearch

    searching = MpepSearch(profile, progress=progress)
    return searching, searching.search(query, top_k, *law.values())


def _search_company(
    query: str, top_k: int, language: str | None, profile: str | None, progress: Any
) -> "tuple[CorpusSearch, dict[str, Any]]":
    from pipelines.rag import RagSearch

    searching = RagSearch(profile, progress=progress)
    return searching, searching.search(query, top_k, language or "auto")


def _refuse(corpus: str, **options: Any) -> None:
    """
    Refuse options of another corpus.

    :raises ArgumentError: When one was given.
    """
    for name, value in options.items():
        if value is not None:
            raise ArgumentError(name, value, f"left out: a search over {corpus} has no such option")


def _print_law(hit: dict[str, Any]) -> None:
    from components.results.printed_citations import printed

    name = " > ".join(hit["breadcrumb"]) or f"{hit['section']} {hit['title']}"
    head = [
        (f"{hit['rank']}. ", "bold"),
        (name, "bold cyan"),
        (f"  {hit['revision']}" if hit["revision"] else "", "dim"),
    ]
    shown = f"{hit['id']}  relevance {hit['relevance_score']:.3f}{_arms(hit)}"
    marks = [
        f"{label}: {', '.join(map(printed, names))}"
        for label, names in (("overrides", hit.get("overrides")), ("rescinded by", hit.get("rescinded_by")))
        if names
    ]
    print_passage(head, hit["text"], hit["highlights"], f"{shown}  {hit['url']}", marks)


def _print_company(hit: dict[str, Any]) -> None:
    meta = hit["metadata"]
    name = meta.get("heading_path") or meta.get("title") or hit["id"]
    notes = " · ".join(str(meta[key]) for key in ("project_id", "department", "updated_at") if meta.get(key))
    head = [(f"{hit['rank']}. ", "bold"), (str(name), "bold cyan"), (f"  {notes}" if notes else "", "dim")]
    foot = f"{hit['id']}  score {hit['score']:.3f}{_arms(hit)}  {meta.get('file', '')}"
    print_passage(head, hit["text"], hit["highlights"], foot)


def _arms(hit: dict[str, Any]) -> str:
    scores = hit["scores"]
    arms = [f"{arm} {scores[f'{arm}_rank']}" for arm in ("keyword", "vector") if scores.get(f"{arm}_rank")]
    return f"  rank by {', '.join(arms)}" if arms else ""
