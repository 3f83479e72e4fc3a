"""
Measures how robust the search of company documents is: `python -m evaluation.evaluate_robustness --all`.

Variation cases ask for one document in several spellings: MRR, nDCG@10, Recall@10, P@1, found rate, and the spread
between the spellings of a case (its best reciprocal rank less its worst). Entity cases name a thing and list all
documents that hold it. Recall, Precision and F1 need a cut: of the first 20 documents those count that hold the entity
for the search itself (a chunk with an `entity_boost` above 1), or the first 5 where the search raised none.
"""

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.output import (
    DONE,
    FAILED,
    JsonOption,
    ProfileOption,
    console,
    print_error,
    print_json,
    print_warning,
    progress_bars,
)
from pipelines.errors import TansakuError

if TYPE_CHECKING:
    from evaluation.robustness import Search
    from pipelines.scanning import Progress

CORPUS, ASKING = "company-docs", "asking queries"
TEST_SAMPLE = 3

app = typer.Typer(add_completion=False)


@app.command()
def evaluate_robustness(
    variation_only: Annotated[bool, typer.Option("--variation-only", help="Only the spellings.")] = False,
    entity_only: Annotated[bool, typer.Option("--entity-only", help="Only the named things.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Both; the default.")] = False,
    test_sample: Annotated[
        bool, typer.Option("--test-sample", help=f"Only the first {TEST_SAMPLE} cases of each, to see that it works.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", help="Where the results are written.", show_default="a new folder")
    ] = None,
    cases: Annotated[
        Path | None, typer.Option("--cases", help="Folder with the cases.", show_default="evaluation/cases")
    ] = None,
    documents: Annotated[
        Path | None, typer.Option("--documents", help="What is searched.", show_default="samples/company_docs")
    ] = None,
    pipeline: Annotated[
        str | None, typer.Option("--pipeline", help="The query pipeline: its name or file.", show_default="rag_query")
    ] = None,
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Ask the query pipeline of company documents all cases, and write variation_results.csv, entity_results.csv and
    evaluation_report.txt.

    \b
    Examples:
      python -m evaluation.evaluate_robustness --all
      python -m evaluation.evaluate_robustness --entity-only --output results --json
    """
    from evaluation.cases import CASES, load_cases
    from evaluation.robustness import evaluate_entities, evaluate_variations
    from evaluation.robustness_report import render_text, summarize, write_report

    if variation_only and entity_only:
        raise typer.BadParameter("--variation-only and --entity-only leave nothing; write --all")
    found = load_cases(cases or CASES)
    limit = TEST_SAMPLE if test_sample else None
    with progress_bars(quiet=as_json) as report_progress, tempfile.TemporaryDirectory() as scratch:
        search = _search(documents, Path(scratch), pipeline, profile, report_progress)
        variations = [] if entity_only else evaluate_variations(found.variations[:limit], search)
        entities = [] if variation_only else evaluate_entities(found.entities[:limit], search)
    summary = summarize(variations, entities)
    folder = output or Path(tempfile.mkdtemp(prefix="tansaku-robustness-"))
    write_report(folder, summary, variations, entities)
    if as_json:
        print_json({**summary, "output": str(folder)})
    else:
        console.print(render_text(summary, variations, entities), markup=False, soft_wrap=True)
        console.print(f"written to {folder}", markup=False, soft_wrap=True)
    raise typer.Exit(DONE)


def _search(
    documents: Path | None, scratch: Path, pipeline: str | None, profile: str | None, progress: "Progress"
) -> "Search":
    """The query pipeline over an index of its own."""
    from evaluation.arms import QueryArms
    from evaluation.scratch_index import ScratchSettings
    from pipelines.corpora import get_corpus
    from pipelines.indexing import IndexRun
    from pipelines.settings import Settings

    corpus = get_corpus(CORPUS)
    settings = ScratchSettings(data_dir=scratch, models=Settings().models_dir)
    report = IndexRun(corpus, settings, profile, progress).run([documents or corpus.samples])
    for failure in report.failures:
        print_warning(f"not read: {failure.origin}: {failure.reason}")
    return QueryArms(pipeline or corpus.query, profile, settings).documents


def main() -> None:
    """Run the command; what is wrong is said in one line."""
    try:
        app()
    except TansakuError as error:
        print_error(str(error))
        sys.exit(FAILED)


if __name__ == "__main__":
    main()
