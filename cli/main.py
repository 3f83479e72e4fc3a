"""
The `tansaku` command. Each subcommand is a module of its own, `cli/<name>.py`, with one function of the same name.
What is slow to import is imported inside these functions, so that `tansaku --help` answers at once.
"""

from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from cli.check import check
from cli.doctor import doctor
from cli.download import download
from cli.evaluate import evaluate
from cli.index import index
from cli.index_group import index_app
from cli.memory import memory
from cli.output import DONE, FAILED, WRONG_USE, print_error, print_json_error, wants_json
from cli.render import render
from cli.search import search
from cli.section import section
from cli.serve import serve
from pipelines.errors import ArgumentError, TansakuError, UnknownNameError

COMMANDS = (index, search, section, serve, check, render, doctor, download, evaluate)


# Typer may bring its own copy of Click, so the class is found from one that Typer names.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


class TansakuGroup(TyperGroup):
    """
    Turns an error that a user can put right into one line and an exit code instead of a traceback; for programs that
    asked for JSON, into `{"error": ...}` on standard output besides.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options = args[: args.index("--")] if "--" in args else args
        wants_json.set("--json" in options)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except _UsageError as error:
            print_json_error(cast(Any, error).format_message())
            raise
        except TansakuError as error:
            print_error(str(error))
            print_json_error(str(error))
            is_wrong_use = isinstance(error, ArgumentError | UnknownNameError)
            raise typer.Exit(WRONG_USE if is_wrong_use else FAILED) from error


app = typer.Typer(
    cls=TansakuGroup,
    help="Find the right passage in patent, legal and company documents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"tansaku {version('tansaku')}")
        raise typer.Exit(DONE)


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Find the right passage in patent, legal and company documents."""


for command in COMMANDS:
    if command is not index:
        app.command()(command)
app.add_typer(index_app, name="index")
app.add_typer(memory, name="memory")


def run() -> None:
    """Entry point of the installed `tansaku` command."""
    app()
