"""`tansaku section`: print a whole section."""

from typing import Annotated

import typer

from cli.output import FAILED, JsonOption, ProfileOption, console, print_error, print_json, print_warning
from pipelines.corpora import check_corpus
from pipelines.counting import counted


def section(
    corpus: Annotated[str, typer.Argument(help="The corpus: us-patent-law.", show_default=False)],
    number: Annotated[str, typer.Argument(help="The section, statute, rule or form paragraph.", show_default=False)],
    max_chunks: Annotated[int, typer.Option("--max-chunks", help="How many chunks at most, up to 1,000.")] = 50,
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Print a section in document order, then its lettered subsections; a chapter by its hundred.

    \b
    Examples:
      tansaku section us-patent-law "608.01(o)"
      tansaku section us-patent-law "35 U.S.C. 112"
      tansaku section us-patent-law 2100 --max-chunks 10 --json
    """
    from rich.text import Text

    from pipelines.mpep import MpepSearch

    check_corpus(corpus, "us-patent-law")
    answer = MpepSearch(profile).section(number, max_chunks)
    if as_json:
        print_json(answer)
    if "error" in answer:
        print_error(answer["error"])
        raise typer.Exit(FAILED)
    if as_json:
        return
    previous = None
    for chunk in answer["chunks"]:
        metadata = chunk["metadata"]
        if metadata["section"] != previous:
            console.print(Text(f"{metadata['source']} {metadata['section']}", "bold cyan"))
            previous = metadata["section"]
        console.print(Text(chunk["text"] + "\n"), soft_wrap=True)
    left = answer["total_chunks"] - len(answer["chunks"])
    if answer.get("missing"):
        print_warning(f"no content found for: {', '.join(answer['missing'])}")
    if left > 0:
        console.print(Text(f"{counted(left, 'more chunk')}: --max-chunks {answer['total_chunks']}", "dim"))
