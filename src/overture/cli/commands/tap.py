"""`overture tap`: what any agent really sends, seen on its way to the provider."""

from typing import TYPE_CHECKING

import click

from ...errors import ConfigError
from ..shared.options import AS_JSON, Ask
from ..shared.terminal import say, write, write_json
from ..tap.group import TapCommands, program_given

if TYPE_CHECKING:
    from ...tap.programs.programs import Way
    from ...tokens.counter import Counter

STORE = click.option(
    "--store", metavar="WHERE", help="A file, or postgresql://… for a team. Default: the project's own file."
)
CWD = click.option("--cwd", metavar="DIR", help="The project whose calls are meant. Default: here.")
SINCE = click.option(
    "--since", metavar="WHEN", help="2h, 7d, 2026-11-15, the id of a run, or all. Default: the newest run."
)
TOKENIZER = click.option("--tokenizer", metavar="NAME", help="What counts: o200k, claude, … Default: the estimate.")


@click.group("tap", cls=TapCommands, invoke_without_command=True)
@click.option("--listen", "listening", is_flag=True, help="Run nothing: say where the tap is, until Ctrl-C.")
@click.option("--upstream", "upstreams", multiple=True, metavar="URL",
              help="Where calls go: a URL for all, or anthropic=URL, openai=URL, …")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the tap, on this machine. Default: any.")
@click.option("--forward/--base-url", "forward", default=None,
              help="As by a proxy, with a certificate of this run; or by its base URL.")  # fmt: skip
@STORE
@click.pass_context
def command(
    context: click.Context, listening: bool, upstreams: tuple[str, ...], port: int, forward: bool | None,
    store: str | None,
) -> int:  # fmt: skip
    """See what any agent really sends: its prompt, what changes from call to call, and what that costs.

    PROGRAM is run as it is, in this terminal, with a server of this machine between it and its provider. Every byte
    passes as it came, and what was sent is told at the end. Keys and cookies are never written; the record is a file
    that only you can read. Needs h11 and cryptography: pip install 'overture[tap]'.

    \b
    overture tap -- claude               run it, and tell at the end
    overture tap -- python my_agent.py   the same for what SDKs send
    overture tap --listen                for what you start yourself
    overture tap report --since 2h       what was sent, and what it cost
    overture tap list                    the calls, a line each
    overture tap show ID                 one of them: sections, tools
    overture tap diff ID ID              what differs between two
    """
    if context.invoked_subcommand is not None:
        _only_without(context)
        return 0
    program = program_given(context)
    if listening == bool(program):
        raise ConfigError("Give a program behind --, e.g. overture tap -- claude; or --listen and none.")
    way: Way | None = None if forward is None else "proxy" if forward else "base"
    return _tap(program, upstreams, port, way, store)


def _tap(program: tuple[str, ...], upstreams: tuple[str, ...], port: int, way: "Way | None", store: str | None) -> int:
    from ..shared.gather_state import models_for
    from ..tap.end_report import show_end
    from ..tap.listening import Live
    from ..tap.run_tap import listen, plan_of, tap_program
    from ..tap.which_store import where

    table = models_for(Ask())
    plan = plan_of(upstreams, where(store, None), port, way)
    ended = tap_program(program, plan) if program else listen(plan, Live(table))
    show_end(plan.store, ended.run, ended.lost, table, proxy=ended.way == "proxy")
    return ended.code


def _only_without(context: click.Context) -> None:
    """Options of the run have no meaning for a command about what was seen."""
    default = click.core.ParameterSource.DEFAULT
    given = [name for name in context.params if context.get_parameter_source(name) is not default]
    if given:
        raise ConfigError(
            f"{context.invoked_subcommand} takes its options behind its name: "
            f"overture tap {context.invoked_subcommand} --help lists them."
        )


@command.command("report")
@SINCE
@STORE
@CWD
@TOKENIZER
@AS_JSON
@click.option("--markdown", is_flag=True, help="For a pull request or an issue.")
def report(
    since: str | None, store: str | None, cwd: str | None, tokenizer: str | None, as_json: bool, markdown: bool
) -> int:
    """Tell what was sent, and what it cost.

    By conversation: the calls with their tokens, what the cache gave beside what it should have given, and why not
    more; sections, tools and messages of the last call with their shares.

    \b
    overture tap report                  the newest run
    overture tap report --since 7d       all of a week
    overture tap report --markdown       for an issue
    """
    from ...report.tap.told import tell
    from ...report.tap.words.report_lines import lines_of, markdown_of
    from ..shared.gather_state import models_for
    from ..tap.end_report import file_lines
    from ..tap.which_store import chosen, recorded, wholes

    if as_json and markdown:
        raise ConfigError("--json and --markdown ask for two things. Leave one out.")
    table, count = models_for(Ask(cwd=cwd)), _counter(tokenizer)
    with recorded(store, cwd) as open_store:
        calls = wholes(chosen(open_store, since))
    told = tell(calls, table=table, count=count)
    if as_json:
        write_json(told.to_dict())
    elif markdown:
        write(markdown_of(told).rstrip("\n"))
    elif told.calls:
        for line in (*lines_of(told), "", *file_lines(calls, told)):
            say(line)
    else:
        say("No call is recorded in that time.")
    return 0


@command.command("list")
@SINCE
@STORE
@CWD
@AS_JSON
def list_calls(since: str | None, store: str | None, cwd: str | None, as_json: bool) -> int:
    """List the calls that were recorded, a line each.

    \b
    overture tap list --since all        everything that is kept
    """
    from ..tap.show_list import list_data, show_list
    from ..tap.which_store import chosen, recorded

    with recorded(store, cwd) as open_store:
        calls = chosen(open_store, since)
        if as_json:
            write_json(list_data(open_store, calls))
        else:
            show_list(open_store, calls)
    return 0


@command.command("show")
@click.argument("id", required=False)
@click.option("--text", is_flag=True, help="Print the whole system prompt, and nothing else.")
@click.option("--sources", is_flag=True, help="Every stretch that is from a file, with file and line.")
@STORE
@CWD
@TOKENIZER
@AS_JSON
def show(
    id: str | None, text: bool, sources: bool, store: str | None, cwd: str | None, tokenizer: str | None, as_json: bool
) -> int:
    """Show one call: its sections, tools, messages.

    Each with its tokens and its share; what came back; and the files behind it, as they are now: what of each was
    sent, where it was cut, and which instruction files were not sent, by which rule of the agent.

    ID is that of `overture tap list`, or how it begins; without one, the newest call is shown.

    \b
    overture tap show                    the newest call
    overture tap show 3f --text          the system prompt of another
    overture tap show --sources          from which file and line it is
    """
    from ..tap.show_call import call_data, show_call, write_text
    from ..tap.which_store import one, recorded

    if text and as_json:
        raise ConfigError("--json and --text ask for two things. Leave one out.")
    with recorded(store, cwd) as open_store:
        call = one(open_store, id)
    if text:
        write_text(call)
    elif as_json:
        write_json(call_data(call, _counter(tokenizer)))
    else:
        show_call(call, _counter(tokenizer), sources)
    return 0


@command.command("diff")
@click.argument("before")
@click.argument("after")
@STORE
@CWD
@AS_JSON
def diff(before: str, after: str, store: str | None, cwd: str | None, as_json: bool) -> int:
    """Show what differs between two calls.

    The first byte that does, in which section, and all tools and sections that do.

    \b
    overture tap diff 3f 9a              from one to the other
    """
    from ...model.struct import as_json as data_of
    from ...report.tap.words.change_lines import change_lines, differences
    from ..tap.which_store import one, recorded

    with recorded(store, cwd) as open_store:
        found = differences(one(open_store, before), one(open_store, after))
    if as_json:
        write_json(data_of(found))
    else:
        for line in change_lines(found):
            say(line)
    return 0


@command.command("export")
@click.option("-o", "output", metavar="FILE", help="Write to a file, that only you can read. Default: standard output.")
@SINCE
@STORE
@CWD
def export(output: str | None, since: str | None, store: str | None, cwd: str | None) -> int:
    """Write calls as lines of JSON.

    The runs first, then the calls, whole. Without --since, all of them.

    \b
    overture tap export -o calls.jsonl   everything that is kept
    """
    from ..tap.export_lines import export_lines
    from ..tap.which_store import chosen, recorded

    with recorded(store, cwd) as open_store:
        export_lines(open_store.export(chosen(open_store, since or "all")), output)
    return 0


@command.command("retain")
@click.option("--days", type=click.FloatRange(0), metavar="N", help="Remove calls that are older.")
@click.option("--megabytes", type=click.FloatRange(0), metavar="N", help="Then the oldest, until no more are used.")
@STORE
@CWD
def retain(days: float | None, megabytes: float | None, store: str | None, cwd: str | None) -> int:
    """Remove old calls, by age or size.

    With them go the texts that no other call has.

    \b
    overture tap retain --days 30        a month is enough
    overture tap retain --megabytes 500  as much as there is room
    """
    from ..shared.terminal import counted
    from ..tap.which_store import recorded

    if days is None and megabytes is None:
        raise ConfigError("Nothing is said of what may go. Give --days N, --megabytes N, or both.")
    with recorded(store, cwd) as open_store:
        done = open_store.retain(age_days=days, bytes=None if megabytes is None else int(megabytes * 1e6))
    left = f"{done.after / 1e6:,.1f} MB are used, of {done.before / 1e6:,.1f}"
    say(f"Removed {counted(done.calls, 'call')} and {counted(done.texts, 'text')}; {left}.")
    return 0


def _counter(name: str | None) -> "Counter":
    from ...discover.load_tokenizer import find_counter
    from ...tokens.counter import ESTIMATE

    return find_counter(name) if name else ESTIMATE
