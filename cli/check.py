"""`tansaku check`: find what is wrong with pipeline files."""

from typing import Annotated

import typer

from cli.embedder_option import EmbedderOption
from cli.output import DONE, FAILED, JsonOption, ProfileOption, console, print_json


def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="Names or paths of pipeline files; all of the project's when none is given."
        ),
    ] = None,
    profile: ProfileOption = None,
    embedder_url: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Check pipeline files: says the line, the component and what to write instead.

    \b
    Examples:
      tansaku check
      tansaku check mpep_query my_pipeline.yaml
    """
    from pipelines.checking import check_all

    problems = check_all(files or [], profile)
    if as_json:
        print_json({"ok": not problems, "problems": [problem.to_dict() for problem in problems]})
    else:
        for problem in problems:
            console.print(str(problem), markup=False, soft_wrap=True)
        if not problems:
            console.print("no problems found")
    raise typer.Exit(FAILED if problems else DONE)
