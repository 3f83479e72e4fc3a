"""`tansaku index` with its two further forms, `tansaku index rollback` and `tansaku index generations`."""

from typing import Any

import typer
from typer.core import TyperGroup

from cli.generations import generations
from cli.index import index
from cli.rollback import rollback

_UPDATE = "update"


class IndexGroup(TyperGroup):
    """Takes `index CORPUS PATH...`, whose first word is none of the further forms."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the form's name before arguments that have none."""
        return super().parse_args(ctx, args if args[:1] and args[0] in self.commands else [_UPDATE, *args])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Leave the form's name out of what help shows."""
        name, command, rest = super().resolve_command(ctx, args)
        return "" if name == _UPDATE else name, command, rest


index_app = typer.Typer(cls=IndexGroup, help="Build and update the index of a corpus.", add_completion=False)
index_app.command(_UPDATE)(index)
index_app.command()(rollback)
index_app.command()(generations)
