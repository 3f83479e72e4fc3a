"""`tansaku index generations`: list the generations of an index."""

from typing import Annotated

import typer

from cli.output import JsonOption, ProfileOption, console, print_json


def generations(
    corpus: Annotated[str, typer.Argument(help="Which corpus, for example us-patent-law.", show_default=False)],
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    List the generations of an index: which one is searched, and which can be gone back to.

    \b
    Examples:
      tansaku index generations us-patent-law
      tansaku index generations us-patent-law --json
    """
    from pipelines.corpora import get_corpus
    from pipelines.rebuilding import GenerationKeeper

    listed = GenerationKeeper(get_corpus(corpus), profile=profile).listed()
    if as_json:
        counts = ("corpus_version", "sections", "chunks", "vectors")
        print_json([{**vars(each), **{name: getattr(info, name, None) for name in counts}} for each, info in listed])
        return
    for each, info in listed:
        held = f"{info.corpus_version}: {info.chunks:,} chunks, {info.vectors:,} with vectors" if info else "empty"
        begun = f", begun {each.made}" if each.made else ""
        reason = f"; {each.reason}" if each.reason else ""
        console.print(f"{each.number} {each.state}{begun}: {held}{reason}", markup=False, soft_wrap=True)
    if not listed:
        console.print(f"there is no index for {corpus} yet; build it with: tansaku index {corpus} PATH...")
