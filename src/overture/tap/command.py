"""`overture tap`: runs a program behind the tap, or asks about what was recorded."""

from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING

import click

from ..errors import ConfigError, OvertureError, find_similar
from ..terminal.options import CommandOptions, refuse_combinations
from .commands.choose_store_and_calls import STORE, format_store_option

if TYPE_CHECKING:
    from ..known_models.model_facts import TableForm
    from .run.programs import Way

PROGRAM_KEY = "overture.tap.program"
COMMANDS = {
    "report": "commands.report_command.command",
    "list": "commands.list_command.command",
    "show": "commands.show_command.command",
    "diff": "commands.diff_command.command",
    "import": "commands.import_command.command",
    "export": "commands.export_and_retain.export_command",
    "retain": "commands.export_and_retain.retain_command",
}
"""In the order of their use, each with its module below this package."""


class TapCommands(click.Group):
    """Arguments after `--` are a program with its own arguments: no command, and no option of Overture.

    A command is imported when it is called, so that running a program waits for none of them.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands of `overture tap`."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of `overture tap` of that name."""
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name].rpartition(".")
        command = getattr(import_module(f"overture.tap.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with the program put aside."""
        before, after = args, []
        if "--" in args and not any(word in COMMANDS for word in args[: args.index("--")]):
            cut = args.index("--")
            before, after = args[:cut], args[cut + 1 :]
        ctx.meta[PROGRAM_KEY] = tuple(after)
        return super().parse_args(ctx, before)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; the name of a program that is not behind `--` is a slip."""
        if args[0] not in COMMANDS:
            raise OvertureError(
                f"No tap command named {args[0]!r}.",
                noun="command",
                tip=find_similar(args[0], COMMANDS),
                hint=f"Try `overture tap -- {args[0]}` to run it.",
            )
        return super().resolve_command(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """How `overture tap` is called."""
        return ["[OPTIONS] -- PROGRAM [ARG]…", "| COMMAND"]


@click.group("tap", cls=TapCommands, invoke_without_command=True)
@click.option(
    "--listen", "listening", is_flag=True, help="Run no program: print the tap's addresses and wait until Ctrl-C."
)
@click.option("--upstream", "upstreams", multiple=True, metavar="URL",
              help="Send calls to this URL, or per provider: anthropic=URL, openai=URL, …")  # fmt: skip
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The tap's port on this machine. Default: any free port."
)
@click.option("--forward/--base-url", "forward", default=None,
              help="Tap as an HTTPS proxy with a certificate for this run, or through the base URL.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help='Send nothing: answer every call with "ok".')
@click.option("--demo", is_flag=True, help="Report on a recorded conversation: no program, no key, no network.")
@click.option("--page", is_flag=True, help="Show the calls in the browser as they happen.")
@STORE
@click.pass_context
def command(
    context: click.Context, listening: bool, upstreams: tuple[str, ...], port: int, forward: bool | None,
    dry_run: bool, demo: bool, page: bool, store: str | None,
) -> int:  # fmt: skip
    """See what any agent really sends: its prompt, what changes from call to call, and what that costs.

    PROGRAM runs unchanged in this terminal, with a local server between it and its provider. Every byte is passed on
    unchanged, and a summary is printed at the end. Keys and cookies are never written; only you can read the
    recording. Needs an extra: pip install 'overture[tap]'.

    \b
    overture tap --demo                  see a report, without an agent
    overture tap -- claude               run it, print a summary at the end
    overture tap -- python my_agent.py   the same for programs that use SDKs
    overture tap --dry-run -- claude     send nothing, see the prompt
    overture tap --page -- claude        watch it in the browser
    overture tap --listen                for programs you start yourself
    overture tap report --since 2h       what was sent, and what it cost
    overture tap list                    the calls, one per line
    overture tap show ID                 one call: sections, tools
    overture tap diff ID ID              what differs between two
    overture tap import calls.har        existing logs
    """
    if context.invoked_subcommand is not None:
        _check_no_options(context)
        return 0
    refuse_combinations(("--dry-run", "--upstream"))
    program: tuple[str, ...] = context.meta[PROGRAM_KEY]
    if demo:
        from .commands.report_command import play_demo

        refuse_combinations(("--demo", "--listen", "--upstream", "--port", "--forward", "--dry-run", "--page"))
        if program:
            raise ConfigError("--demo can't be combined with a program.", hint="Omit one of them.")
        return play_demo(context, store)
    if listening == bool(program):
        raise ConfigError("Pass a program after `--`, e.g. `overture tap -- claude`, or use --listen without one.")
    way: Way | None = None if forward is None else "proxy" if forward else "base"
    if not dry_run:
        return _run_tap(program, upstreams, port, way, store, page)
    from .run.dry_run_provider import serve_dry_run

    with serve_dry_run() as upstream:
        return _run_tap(program, (), port, way, store, page, dry_run=upstream)


def _run_tap(
    program: tuple[str, ...], upstreams: tuple[str, ...], port: int, way: "Way | None", store: str | None, page: bool,
    dry_run: str = "",
) -> int:  # fmt: skip
    """Run a program behind the tap, by the options of `overture tap`."""
    from .commands.export_and_retain import retain_calls
    from .run.end_summary import explain_no_call, show_end
    from .run.live_view import make_run_url, serve_page_beside, wait_for_interrupt
    from .run.run_tap import listen_until_stopped, make_plan, tap_program

    table, store_path = _load_settings(store, bool(program))
    plan = make_plan(upstreams, store_path, port, way, program, dry_run)
    with serve_page_beside(plan.store, plan.cwd) if page else nullcontext("") as address:
        plan = plan._replace(page=address)
        ended = tap_program(plan) if program else listen_until_stopped(plan)
        if ended.run:
            no_call = explain_no_call(ended, bool(program), bool(dry_run))
            show_end(plan.store, ended, table, no_call, format_store_option(store))
            if address and program:
                wait_for_interrupt(make_run_url(address, ended.run))
    if ended.run and store is None:
        retain_calls(plan.store)
    return ended.code


def _load_settings(store: str | None, program: bool) -> tuple["TableForm", str]:
    """The table of models, and where calls are kept. A program runs with defaults where the configuration is broken."""
    from ..known_models.model_table import packaged_table
    from ..terminal.option_values import models_for
    from ..terminal.output import print_error
    from .commands.choose_store_and_calls import find_store
    from .run.run_tap import find_current_folder
    from .store.store import find_store_path

    try:
        return models_for(CommandOptions()), find_store(store, None)
    except OvertureError as problem:
        if not program:
            raise
        print_error(f"overture tap: {str(problem).rstrip('.')}. The program runs with default settings.")
        return packaged_table(), store or find_store_path(find_current_folder())


def _check_no_options(context: click.Context) -> None:
    """Options of the run have no meaning for a command about what was seen."""
    default = click.core.ParameterSource.DEFAULT
    names = [name for name in context.params if context.get_parameter_source(name) is not default]
    if names:
        raise ConfigError(
            f"{context.invoked_subcommand} takes its options after its name: "
            f"overture tap {context.invoked_subcommand} --help lists them."
        )
