"""`tansaku doctor`: compare the manifest of an index with its stores."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.embedder_option import EmbedderOption
from cli.output import DONE, FAILED, JsonOption, ProfileOption, console, print_json, progress_bars, visible
from pipelines.counting import counted
from pipelines.errors import IndexDamagedError, TansakuError

if TYPE_CHECKING:
    from pipelines.doctor import Findings

_SHOWN = 5


def doctor(
    corpus: Annotated[str, typer.Argument(help="Which corpus, for example us-patent-law.", show_default=False)],
    repair: Annotated[
        bool, typer.Option("--repair", help="Delete what should not be there and make again what is missing.")
    ] = False,
    no_vectors: Annotated[
        bool, typer.Option("--no-vectors", help="With --repair: leave the embedding to a later run.")
    ] = False,
    profile: ProfileOption = None,
    embedder_url: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Compare an index's manifest with its stores, id by id.

    \b
    Examples:
      tansaku doctor us-patent-law
      tansaku doctor us-patent-law --repair
    """
    from pipelines.corpora import get_corpus
    from pipelines.doctor import Doctor
    from pipelines.indexing import IndexRun

    examined = Doctor(get_corpus(corpus), profile=profile)
    paths: list[Path] = []
    try:
        findings = examined.examine()
        is_sound = findings.ok
        if repair and not is_sound:
            examined.repair()
    except IndexDamagedError:
        if not repair:
            raise
        is_sound = False
        if not (paths := examined.remove_index()):
            raise TansakuError(
                "the manifest could not be mended and doesn't tell any more what was indexed, so the index was taken "
                f"away; build it anew with: tansaku index {corpus} PATH..."
            ) from None
    if repair and not is_sound:
        with progress_bars(quiet=as_json) as report_progress:
            run = IndexRun(get_corpus(corpus), profile=profile, progress=report_progress)
            run.run(paths, vectors=not no_vectors)
        findings = examined.examine()
    if as_json:
        print_json(findings.to_dict())
    else:
        _print_findings(findings)
    raise typer.Exit(DONE if findings.ok else FAILED)


def _print_findings(findings: "Findings") -> None:
    for name, store in findings.stores.items():
        if store.damage:
            console.print(f"{name}: damaged: {store.damage}", markup=False, soft_wrap=True)
            continue
        state = "differs from the manifest" if store.differs else "as it should be"
        console.print(f"{name}: {counted(store.documents, 'document')}, {state}")
        kinds = (("missing", store.missing, store.missing_count), ("unknown", store.unknown, store.unknown_count))
        for label, ids, count in kinds:
            if count:
                more = ", ..." if count > _SHOWN else ""
                console.print(f"  {count:,} {label}: {', '.join(ids[:_SHOWN])}{more}", markup=False, soft_wrap=True)
    finish = f"finish it with: tansaku index {findings.corpus} --resume"
    if findings.unfinished:
        console.print(f"still to be indexed: {counted(findings.unfinished, 'source')}; {finish}", soft_wrap=True)
    if findings.without_vectors:
        console.print(f"still without vectors: {counted(findings.without_vectors, 'chunk')}; {finish}", soft_wrap=True)
    if findings.other_recipe:
        console.print(
            f"vectors by another recipe than the present embedder's ({findings.other_recipe}): they are not searched; "
            f"make new ones with: tansaku index {findings.corpus} --resume --renew-vectors",
            soft_wrap=True,
        )
    for label, named in (("not read", findings.unreadable), ("skipped", findings.skipped)):
        for origin, reason in named.items():
            console.print(visible(f"{label}: {origin}: {reason}"), markup=False, soft_wrap=True)
    if any(store.differs for store in findings.stores.values()):
        console.print(f"put it right with: tansaku doctor {findings.corpus} --repair")
