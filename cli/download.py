"""`tansaku download`: fetch the official sources of a corpus."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.output import FAILED, JsonOption, console, print_error, print_json, print_warning, progress_bars


def download(
    corpus: Annotated[str, typer.Argument(help="The corpus: us-patent-law.", show_default=False)],
    into: Annotated[
        Path | None, typer.Option("--into", help="The folder.", show_default="downloads in the data folder")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", help="Only this source; may be repeated: mpep-html, mpep-pdf, usc, cfr, federal-register."
        ),
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since", formats=["%Y-%m-%d"], help="First day of Federal Register documents.", show_default=False
        ),
    ] = None,
    base: Annotated[
        list[str] | None,
        typer.Option("--base", metavar="SOURCE=URL", help="Another host for a source; may be repeated."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Fetch the official sources of a corpus.

    A download that was cut or stopped goes on where it was; what is there already is fetched again only if there is a
    newer version.

    \b
    Examples:
      tansaku download us-patent-law
      tansaku download us-patent-law --into law --only usc --only cfr
    """
    from pipelines.corpora import get_corpus
    from pipelines.download_sources import load_download_sources
    from pipelines.downloading import Downloader
    from pipelines.errors import ArgumentError
    from pipelines.fetching import Fetcher, RetryPolicy
    from pipelines.settings import Settings

    bases = dict(item.partition("=")[::2] for item in base or [])
    if not all(bases.values()):
        raise ArgumentError("base", next(name for name in bases if not bases[name]), "SOURCE=URL")
    known = get_corpus(corpus)
    sources = load_download_sources(corpus, only, bases, since.date() if since else None)
    folder = into or Settings().data_dir.expanduser() / "downloads" / corpus
    with progress_bars(quiet=as_json) as report_progress:
        downloader = Downloader(known, folder, lambda source: Fetcher(RetryPolicy(pause=source.pause)), report_progress)
        reports = downloader.run(sources)
    failed = [report.name for report in reports if report.failures or not report.files]
    error = (
        f"not everything of {', '.join(failed)} could be fetched; try again later, it goes on where it stopped, or "
        f"fetch the files by hand and index them with: tansaku index {corpus} PATH"
    )
    if as_json:
        answer = {"folder": folder, "sources": [vars(report) for report in reports]}
        print_json({**answer, **({"error": error} if failed else {})})
    else:
        for report in reports:
            counts = ", ".join(f"{count} {state}" for state, count in report.states.items()) or "nothing"
            edition = f" ({report.edition})" if report.edition else ""
            console.print(f"{report.title}{edition}: {counts}, {report.size / 1e6:.1f} MB", soft_wrap=True)
        for report in reports:
            for failure in report.failures:
                print_warning(f"{failure['url']}: {failure['reason']}")
        if any(report.files for report in reports):
            console.print(f"index them with: tansaku index {corpus} {folder}", soft_wrap=True)
    if failed:
        print_error(error)
        raise typer.Exit(FAILED)
