"""`overture tap report`: what was sent and what it cost, as text, JSON or a page; and `overture tap --demo`."""

import os
from collections.abc import Sequence

import click

from ...errors import ConfigError
from ...known_models.model_facts import TableForm
from ...terminal.options import AS_JSON, CommandOptions, refuse_combinations
from ...terminal.output import print_error, print_hint, print_line, print_lines, write, write_json, write_text
from ...terminal.progress_line import report_step
from ...text.invisible import escape_to_line
from ..store.stored_calls import StoredCall
from .choose_store_and_calls import (
    CWD,
    SINCE,
    STORE,
    TOKENIZER,
    RunNames,
    describe_no_call,
    format_store_option,
    open_store_or_nothing,
    refuse_store_as_output,
    select_calls,
)


def write_page(path: str, store_path: str, table: TableForm, calls: Sequence[StoredCall]) -> int:
    """Write the page; it shows the calls of one run only."""
    from ..page.single_file_page import make_calls_file

    runs = {call.head.run for call in calls}
    if len(runs) != 1:
        message = "No calls recorded in that time." if not runs else f"These are calls of {len(runs)} runs."
        raise ConfigError(f"{message} -o writes one run: omit --since, or pass the id of a run.")
    report_step("searching for the files in the calls")
    page = make_calls_file(store_path, table, runs.pop())
    write_text(path, page, mode=0o600)
    print_hint(f"{path}: {len(page.encode()):,} bytes; open it in a browser")
    return 0


@click.command("report")
@SINCE
@STORE
@CWD
@TOKENIZER
@AS_JSON
@click.option("--markdown", is_flag=True, help="For a pull request or an issue.")
@click.option("-o", "--output", metavar="FILE", help="Write one run as an HTML page.")
def command(
    since: str | None, store: str | None, cwd: str | None, tokenizer: str | None, as_json: bool, markdown: bool,
    output: str | None,
) -> int:  # fmt: skip
    """Show what was sent and what it cost.

    For each conversation: the calls with their tokens, predicted and measured cache reads, and the causes of
    misses; the sections, tools and messages of the last call with their shares; and the files in the prompt.
    Of more than twelve conversations, those that cost most are shown, and the others are added up.

    \b
    overture tap report                  the newest run
    overture tap report --since 7d       the last week
    overture tap report --markdown       for an issue
    overture tap report -o calls.html    a page that you can share
    """
    refuse_combinations(("--json", "--markdown"), ("-o", "--json", "--markdown"))
    from ...terminal.option_values import models_for
    from ...tokens.load_tokenizer import find_counter
    from ..judge.report_data import find_main_call, make_report
    from .describe_call_files import make_file_lines, view_files
    from .report_text import make_file_table, make_markdown, make_report_lines

    table, count = models_for(CommandOptions(cwd=cwd)), find_counter(tokenizer)
    with open_store_or_nothing(store, cwd) as open_store:
        refuse_store_as_output(output, open_store)
        found = select_calls(open_store, since)
        if output is not None:
            return write_page(output, store or open_store.where, table, found)
        names = RunNames(open_store.list_runs(), found, since)
        calls = {call.id: call.read_call() for call in found}
    report = make_report([*calls.values()], table=table, count=count)
    main_call = calls.get(find_main_call(report) or "")
    if as_json:
        view = view_files(main_call)
        write_json({**names.to_data(), **report.to_dict(), "files": view.make_summary() if view else None})
    elif markdown:
        view = view_files(main_call)
        files = make_file_table(view.call.id, view.describe_share(), list(view.list_rows())) if view else ()
        title, _, rest = make_markdown(report).rstrip("\n").partition("\n")
        write("\n".join([title, "", *names.make_lines(), rest, *files]).rstrip("\n"))
    elif report.calls:
        shown = map(escape_to_line, make_report_lines(report))
        print_lines((*names.make_lines(), "", *shown, "", *make_file_lines(main_call)))
    else:
        for line in (describe_no_call(since), *names.make_lines()):
            print_line(line)
    return 0


RECORDING = os.path.join(os.path.dirname(os.path.dirname(__file__)), "demo.har")
"""Made by docs/make_demo.py."""
MISS = ("0840", "61b5")
"""The calls before and after its first cache miss."""


def play_demo(context: click.Context, store: str | None) -> int:
    """Import the recording into a store of its own, unless another is given, and report on it."""
    from ..import_calls import Importer, LogFile
    from ..store.store import find_store_path, open_store

    path = store or os.path.join(os.path.dirname(find_store_path(os.getcwd())), "demo.sqlite")
    with open_store(path) as opened:
        done = Importer(opened, program="demo").import_log(LogFile(RECORDING, True), "har")
    code: int = context.invoke(command, store=path, since=next(iter(done.runs)))
    print_error(f"hint: `overture tap diff {' '.join(MISS)}{format_store_option(path)}` shows what the clock changed")
    return code
