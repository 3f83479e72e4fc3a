"""`tansaku render`: print a pipeline file with all references resolved."""

import sys
from typing import Annotated

import typer

from cli.embedder_option import EmbedderOption
from cli.output import JsonOption, ProfileOption, print_json


def render(
    pipeline: Annotated[str, typer.Argument(help="A pipeline's name or the path of its file.", show_default=False)],
    profile: ProfileOption = None,
    embedder_url: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Print a pipeline as plain Haystack YAML, with the profile's stores and models put in.

    \b
    Examples:
      tansaku render mpep_query
      tansaku render mpep_query --profile embedded > resolved.yaml
    """
    from pipelines.loading import render as render_yaml
    from pipelines.loading import resolve

    if as_json:
        print_json(resolve(pipeline, profile))
    else:
        sys.stdout.write(render_yaml(pipeline, profile))
