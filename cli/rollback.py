"""`tansaku index rollback`: search an earlier generation of an index again."""

from typing import Annotated

import typer

from cli.output import JsonOption, ProfileOption, console, print_json


def rollback(
    corpus: Annotated[str, typer.Argument(help="Which corpus, for example us-patent-law.", show_default=False)],
    to: Annotated[
        int | None, typer.Option("--to", help="Its number.", show_default="the last one before the active one")
    ] = None,
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Go back to an earlier generation of an index. Searches under way finish on the present one.

    \b
    Examples:
      tansaku index rollback us-patent-law
      tansaku index rollback us-patent-law --to 3
    """
    from pipelines.corpora import get_corpus
    from pipelines.rebuilding import GenerationKeeper

    number = GenerationKeeper(get_corpus(corpus), profile=profile).roll_back(to)
    if as_json:
        print_json({"corpus": corpus, "generation": number})
    else:
        console.print(f"{corpus}: generation {number} is searched now")
