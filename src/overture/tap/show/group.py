"""`overture tap` is both: a command that runs what stands behind `--`, and a group of commands about what was seen."""

from typing import Any

import click

from ...errors import suggest

PROGRAM = "overture.tap.program"


class TapCommands(click.Group):
    """What stands behind `--` is a program with its own words: no command, and no option of ours."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with the program put aside."""
        before, behind = args, []
        if "--" in args and not any(word in self.commands for word in args[: args.index("--")]):
            cut = args.index("--")
            before, behind = args[:cut], args[cut + 1 :]
        ctx.meta[PROGRAM] = tuple(behind)
        return super().parse_args(ctx, before)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; the name of a program that is not behind `--` is a slip."""
        if args[0] not in self.commands:
            like = suggest(args[0], self.commands)
            raise click.UsageError(f"tap has no command {args[0]!r}.{like} Try `overture tap -- {args[0]}` to run it.")
        return super().resolve_command(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """How it is called."""
        return ["[OPTIONS] -- PROGRAM [WORD]…", "| COMMAND"]


def program_given(ctx: click.Context) -> tuple[str, ...]:
    """The program that stands behind `--`, with its words."""
    given: Any = ctx.meta[PROGRAM]
    return tuple(given)
