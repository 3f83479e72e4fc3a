"""`tansaku search`: find passages from the command line."""

import logging
from typing import Annotated, Any

import typer

from cli.output import JsonOption, ProfileOption, console, print_json, print_warning, progress_bars
from pipelines.corpora import get_corpus
from pipelines.counting import counted


def search(
    corpus: Annotated[str, typer.Argument(help="The corpus: us-patent-law.", show_default=False)],
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
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Find passages. A section, statute or rule number puts that very section first; "quoted words" are found exactly.

    \b
    Examples:
      tansaku search us-patent-law "may new matter be added by amendment"
      tansaku search us-patent-law "MPEP 608.01(o)" --top-k 3
      tansaku search us-patent-law "micro entity fees" --source 37_CFR --json
    """
    from pipelines.mpep import MpepSearch

    get_corpus(corpus)
    # What it logs of a search is what the warning below says.
    logging.getLogger("pipelines.corpus_search").setLevel(logging.ERROR)
    with progress_bars(quiet=as_json) as report_progress:
        searching = MpepSearch(profile, progress=report_progress)
        answer = searching.search(query, top_k, retrieve_k, source, statute, regulation, update)
    if as_json:
        print_json(answer)
        return
    if answer["degraded"]:
        reason = searching.vector_problem() if "vector" in answer["degraded"] else ""
        print_warning(f"this answer was made without: {', '.join(answer['degraded'])}" + (reason and f" ({reason})"))
    if not answer["results"]:
        console.print("Nothing found.")
        return
    for hit in answer["results"]:
        _print_hit(hit)
    console.print(f"{counted(len(answer['results']), 'passage')} in {answer['execution_time_ms']:.0f} ms", style="dim")


def _print_hit(hit: dict[str, Any]) -> None:
    from rich.text import Text

    from components.results.printed_citations import printed

    scores = hit["scores"]
    arms = ", ".join(f"{arm} {scores[f'{arm}_rank']}" for arm in ("keyword", "vector") if scores[f"{arm}_rank"])
    console.print(
        Text.assemble(
            (f"{hit['rank']}. ", "bold"),
            (" > ".join(hit["breadcrumb"]) or f"{hit['section']} {hit['title']}", "bold cyan"),
            (f"  {hit['revision']}" if hit["revision"] else "", "dim"),
        ),
        soft_wrap=True,
    )
    text = Text(hit["text"])
    for start, end in hit["highlights"]:
        text.stylize("bold yellow", start, end)
    console.print(text, soft_wrap=True)
    for label, names in (("overrides", hit.get("overrides")), ("rescinded by", hit.get("rescinded_by"))):
        if names:
            console.print(Text(f"{label}: {', '.join(map(printed, names))}", "bold magenta"), soft_wrap=True)
    shown = f"{hit['id']}  relevance {hit['relevance_score']:.3f}" + (f"  rank by {arms}" if arms else "")
    console.print(Text(f"{shown}  {hit['url']}\n", "dim"), soft_wrap=True)
