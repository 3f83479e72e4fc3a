"""`tansaku index`: build and update the index of a corpus."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.embedder_option import EmbedderOption
from cli.output import (
    DONE,
    FAILED,
    JsonOption,
    ProfileOption,
    ProgressReport,
    console,
    print_error,
    print_json,
    progress_bars,
    visible,
)
from pipelines.counting import counted
from pipelines.errors import ArgumentError

if TYPE_CHECKING:
    from pipelines.index_report import IndexReport

_MOST_LINES = 40
_WIDEST = 1_000


def index(
    corpus: Annotated[str, typer.Argument(help="Which corpus, for example us-patent-law.", show_default=False)],
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH", help="Files, folders and archives (.zip, .tar, .tar.*).")
    ] = None,
    no_vectors: Annotated[
        bool, typer.Option("--no-vectors", help="Make keyword search ready and leave the embedding to a later run.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Finish what an earlier run left undone; needs no PATH.")
    ] = False,
    renew_vectors: Annotated[
        bool,
        typer.Option("--renew-vectors", help="Make all vectors anew when another embedder made those of the index."),
    ] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Take out everything that is not under PATH.")] = False,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Build a new generation beside the one that is searched, check it and switch."),
    ] = False,
    keep: Annotated[int, typer.Option("--keep", min=1, help="With --rebuild: how many old generations stay.")] = 2,
    floor: Annotated[
        str | None,
        typer.Option("--floor", help="With --rebuild: what must be reached on --questions, for example nDCG@10=0.68."),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", metavar="DIR", help="Questions with known answers, as `tansaku evaluate` takes."),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Index one of N equal parts of the files, I from 0 to N - 1, beside runs over the others; needs a "
            "profile of servers and TANSAKU_DATABASE_URL.",
        ),
    ] = None,
    profile: ProfileOption = None,
    embedder_url: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Build or update the index of a corpus from files, folders and archives.

    Every file is recognised by its content. Unchanged files cost nothing, changed ones are replaced, and files that
    are gone from a PATH leave the index. A run that was stopped is finished by the next one.

    \b
    Examples:
      tansaku index us-patent-law ~/law/uspto-mpep-html.tar.xz ~/law/usc35.xml
      tansaku index us-patent-law ~/law --no-vectors
      tansaku index us-patent-law --resume
      tansaku index company-docs ~/documents
      tansaku index us-patent-law ~/law --rebuild --floor nDCG@10=0.68 --questions my-questions
      tansaku index generations us-patent-law
      tansaku index rollback us-patent-law
    """
    if not paths and not resume:
        hint = "give one or more, or --resume to finish an earlier run"
        raise typer.BadParameter(hint, param_hint="PATH")
    if not paths and prune:
        raise ArgumentError("--prune", "without PATH", "used with at least one PATH, which stays in the index")
    _check_rebuild(rebuild, bool(paths) and not no_vectors, shard, floor, questions)
    from pipelines.corpora import get_corpus
    from pipelines.indexing import IndexRun
    from pipelines.shards import WHOLE, Shard

    with progress_bars(quiet=as_json) as report_progress:
        if rebuild:
            report = _rebuild(corpus, paths or [], profile, keep, floor, questions, report_progress)
        else:
            part = Shard.read(shard) if shard else WHOLE
            run = IndexRun(get_corpus(corpus), profile=profile, progress=report_progress, shard=part)
            report = run.run(paths, vectors=not no_vectors, prune=prune, renew_vectors=renew_vectors)
    error = "" if report.chunks else f"nothing in {', '.join(map(str, paths or [])) or 'the index'} can be searched"
    if as_json:
        print_json({**report.to_dict(), **({"error": error} if error else {})})
    else:
        _print_report(report)
    if error:
        print_error(error)
    raise typer.Exit(DONE if report.ok else FAILED)


def _check_rebuild(rebuild: bool, is_whole: bool, shard: str | None, floor: str | None, questions: Path | None) -> None:
    if rebuild and shard:
        raise ArgumentError("--rebuild", f"with --shard {shard}", "used without --shard")
    if rebuild and not is_whole:
        raise ArgumentError("--rebuild", "without PATH or with --no-vectors", "given all PATHs, vectors included")
    if (floor or questions) and not rebuild:
        raise ArgumentError("--floor", floor or str(questions), "used with --rebuild")
    if (floor is None) != (questions is None):
        raise ArgumentError("--floor", floor, "used together with --questions DIR")


def _rebuild(
    corpus: str,
    paths: list[Path],
    profile: str | None,
    keep: int,
    floor: str | None,
    questions: Path | None,
    report_progress: ProgressReport,
) -> "IndexReport":
    from evaluation.proving import Floor, IndexProof
    from pipelines.corpora import get_corpus
    from pipelines.rebuilding import GenerationKeeper

    least = Floor.read(floor) if floor else None
    proof = IndexProof(get_corpus(corpus), profile, questions, least, report_progress)
    keeper = GenerationKeeper(get_corpus(corpus), profile=profile, progress=report_progress)
    rebuilt = keeper.rebuild(paths, keep=keep, proof=proof.problems)
    note = f"generation {rebuilt.generation} is searched now"
    if rebuilt.before != rebuilt.generation:
        note += f", {rebuilt.before} before; go back with: tansaku index rollback {corpus}"
    return replace(rebuilt.report, notes=[*rebuilt.report.notes, note])


def _print_report(report: "IndexReport") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    groups = report.kinds()
    if len(groups) > _MOST_LINES:
        merged: dict[tuple[str, str], Counter[str]] = {}
        for file, kind, sums in groups:
            merged.setdefault((str(Path(file).parent), kind), Counter()).update(sums)
        groups = [(folder, kind, sums) for (folder, kind), sums in merged.items()]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("found in", overflow="fold")
    table.add_column("kind", no_wrap=True)
    for heading in ("files", "changed", "sections", "chunks", "shadowed"):
        table.add_column(heading, justify="right")
    for place, kind, sums in groups:
        numbers = (sums[name] for name in ("sources", "changed", "sections", "chunks", "shadowed"))
        table.add_row(Text(visible(place)), kind, *(f"{number:,}" for number in numbers))
    if groups:
        # Where no terminal sets a width, a path stays in one piece.
        (console if console.is_terminal else Console(highlight=False, width=_WIDEST)).print(table)
    for label, colour, sources in (("not read", "red", report.failures), ("skipped", "yellow", report.skipped)):
        for source in sources[:_MOST_LINES]:
            shown = visible(f": {source.origin}: {source.reason}")
            console.print(Text.assemble((label, colour), shown), soft_wrap=True)
        if (more := len(sources) - _MOST_LINES) > 0:
            console.print(f"and {counted(more, 'more source')} {label}; --json names them all")
    for note in report.notes:
        console.print(f"note: {note}", markup=False, soft_wrap=True)
    if report.removed:
        console.print(f"gone, and taken out of the index: {counted(report.removed, 'file')}")
    console.print(
        f"{report.corpus} {report.corpus_version}: {counted(report.sections, 'section')}, "
        f"{counted(report.chunks, 'chunk')}, "
        f"{report.vectors:,} with vectors; {sum(report.seconds.values()):.1f} s",
        soft_wrap=True,
    )
    if report.vectors < report.chunks:
        console.print(f"embed the other chunks with: tansaku index {report.corpus} --resume", soft_wrap=True)
