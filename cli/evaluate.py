"""`tansaku evaluate`: measure a pipeline on questions with known answers."""

from pathlib import Path
from typing import Annotated

import typer

from cli.embedder_option import EmbedderOption
from cli.output import JsonOption, ProfileOption, console, print_json, print_warning, progress_bars
from pipelines.counting import counted

_JSON_KEYS = ("dataset", "queries", "arms", "kinds", "intervals", "seconds")


def evaluate(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder with a corpus, queries and qrels.", show_default=False)
    ],
    pipeline: Annotated[
        str, typer.Option("--pipeline", help="The query pipeline: its name or the path of its file.")
    ] = "mpep_query",
    profile: ProfileOption = None,
    embedder_url: EmbedderOption = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", help="Where indexes are kept for the next run.", show_default="in the data folder"),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Index anew, whatever was kept.")] = False,
    as_json: JsonOption = False,
) -> None:
    """
    Measure a pipeline, and its keyword and vector arms alone, on questions with known answers.

    DIR holds corpus.jsonl or corpus.jsonl.gz (id, title, text), queries.jsonl (id, text, and if you like kind and
    exclude_doc) and qrels.tsv (query, document, grade), as in the BEIR benchmark.

    \b
    Examples:
      tansaku evaluate my-questions
      tansaku evaluate my-questions --pipeline my_query.yaml --json
    """
    from evaluation.evaluate import evaluate as run
    from evaluation.report import render_report

    with progress_bars(quiet=as_json) as report_progress:
        report = run(folder, pipeline, profile, cache, fresh, report_progress)
    for note in report["notes"]:
        print_warning(note)
    if as_json:
        print_json({key: report[key] for key in _JSON_KEYS})
        return
    console.print(render_report(report))
    console.print(
        f"{counted(report['chunks'], 'chunk')}; {report['query_ms']:.0f} ms a question; {report['seconds']:.1f} s",
        soft_wrap=True,
    )
