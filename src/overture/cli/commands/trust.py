"""`overture trust`: show what a project asks for, and remember that it may have it."""

import sys

import click
from msgspec.structs import replace

from ...discover.configuration.approvals import (
    SETTINGS,
    Approvals,
    change_approvals,
    compute_approved_digest,
    read_approvals,
)
from ...discover.configuration.config import format_setting
from ...discover.place import locate_home
from ...discover.world import World, make_absolute
from ...errors import ConfigError
from ...terminal.confirm_changes import style_diff_line
from ...terminal.options import CommandOptions, make_path_printer, refuse_combinations
from ...terminal.output import (
    count_noun,
    dim,
    escape_controls,
    print_heading,
    print_table,
    print_wrapped,
    style,
    write_json,
)
from ..project_trust import TrustReport, approve, report_trust

MAX_DIFF_LINES = 40
"""So many lines of a difference are shown; the others are counted."""
HOW_TO_TRUST_ALL = "To trust everything in that folder, list it in your own setting `trusted`."
STATES = {
    "nothing": "Nothing needs approval here.",
    "trusted": "This project is trusted as it is now.",
    "folder": "It is in a folder that your setting `trusted` lists: all its settings apply.",
}


@click.command("trust")
@click.argument("path", required=False, default=".")
@click.option("--home", metavar="DIR", help="The home directory to read. Default: yours.")
@click.option("--yes", is_flag=True, help="Do not ask: trust the files as they are now.")
@click.option("--read-outside", is_flag=True, help="Also show the text of files outside the project.")
@click.option("--list", "listing", is_flag=True, help="List what is trusted and what changed since.")
@click.option("--remove", is_flag=True, help="Stop trusting PATH and everything below it.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output, without a question.")
def command(
    path: str, home: str | None, yes: bool, read_outside: bool, listing: bool, remove: bool, as_json: bool
) -> int:  # fmt: skip
    """Review the settings and files of a project that need your approval, and trust them.

    PATH is a project's folder. Shows the pending settings of its overture.toml, the files they use, the files
    outside the project that it reads, and how the prompt would change. Trust covers these files as they are now: a
    changed file needs approval again.
    Exit code 1: something is pending and was not trusted.

    \b
    overture trust                       review the project here, and answer
    overture trust --yes                 trust it in a script
    overture trust --list                everything that is trusted
    overture trust --remove              stop trusting this project
    """
    refuse_combinations(
        ("--list", "PATH", "--remove", "--yes", "--read-outside"), ("--remove", "--yes", "--read-outside")
    )
    world = World()
    approvals = read_approvals(world, locate_home(world, home or None))
    if approvals.problem:
        raise ConfigError(f"{approvals.path}: {approvals.problem}.", hint="Fix it, or delete it and trust again.")
    if listing:
        return show_approvals(approvals, as_json)
    if remove:
        return forget_trust(world.real_or_same(make_absolute(world, path)), home, as_json)
    return ask_for_trust(report_trust(path, home, read_outside=read_outside), home, yes, as_json)


def ask_for_trust(report: TrustReport, home: str | None, yes: bool, as_json: bool) -> int:
    """Shows a project, and remembers it if the user approves."""
    statuses = [*(file.status for file in report.files), *(file.status for file in report.outside)]
    waits = any(status != "trusted" for status in statuses)
    if not as_json:
        show_trust(report)
    asks = not as_json and sys.stdin is not None and sys.stdin.isatty()
    if report.problem:
        if not as_json:
            print_wrapped(f"Nothing is trusted, because {escape_controls(report.problem)}. {HOW_TO_TRUST_ALL}")
    elif waits and (yes or (asks and click.confirm("Trust these files as they are?"))):
        approve(report, home)
        report = replace(report, remembered=True)
    if as_json:
        write_json(report)
    elif report.remembered:
        number = len(report.files) + len(report.outside)
        state = "as it is now" if number == 1 else "as they are now"
        print_wrapped(f"{count_noun(number, 'file')} trusted {state}. To undo it: overture trust --remove")
    elif waits and not report.problem:
        print_wrapped("Nothing is trusted. To trust it as it is: overture trust --yes")
    return int((waits or bool(report.problem)) and not report.remembered)


def show_trust(report: TrustReport) -> None:
    """What a project asks for, for a person."""
    printer = make_path_printer(CommandOptions())
    print_wrapped(style(printer(report.config or report.path), bold=True))
    if report.trust in STATES:
        print_wrapped(STATES[report.trust])
    elif report.trust == "changed":
        print_wrapped(style("It changed since it was trusted.", fg="yellow"))
    if report.asks:
        print_heading("Settings that need approval")
        rows = []
        for each in report.asks:
            setting = each.key if each.value is None else f"{each.key} = {format_setting(each.value)}"
            rows.append((str(each.line or ""), escape_controls(setting), dim(escape_controls(each.why))))
        print_table(rows, heads=("line", "setting", "why"))
    if report.files:
        print_heading("Files, as they are now")
        print_table([(file.status, printer(file.path), dim(file.sha256[:12])) for file in report.files])
    if report.outside:
        print_heading("Files outside the project that it reads")
        print_table([(file.status, printer(file.path), dim(printer.within(file.why))) for file in report.outside])
    if report.diff:
        print_heading("The prompt would change")
        for line in report.diff[:MAX_DIFF_LINES]:
            print_wrapped(style_diff_line(line), "  ")
        if (rest := len(report.diff) - MAX_DIFF_LINES) > 0:
            print_wrapped(dim(f"and {count_noun(rest, 'more line')}: `--json` has them all"), "  ")


def show_approvals(approvals: Approvals, as_json: bool) -> int:
    """All that is trusted, and whether it is still the same."""
    rows = []
    known = ((purpose, *row) for purpose, files in approvals.known.items() for row in files.items())
    for purpose, path, approval in known:
        digest = compute_approved_digest(World(), path, settings=purpose == SETTINGS)
        status = "gone" if digest is None else approvals.status(purpose, path, digest)
        rows.append({"path": path, "sha256": approval.sha256, "when": approval.when, "status": status})
    if as_json:
        write_json({"file": approvals.path, "files": rows})
    elif not rows:
        print_wrapped("Nothing is trusted.")
    else:
        printer = make_path_printer(CommandOptions())
        shown = [(row["status"], printer(row["path"]), dim(row["when"])) for row in rows]
        print_table(shown, indent="", heads=("now", "file", "since"))
    return 0


def forget_trust(path: str, home: str | None, as_json: bool) -> int:
    """Take back what was trusted at a path and below it, and what a project there may reach outside."""
    world = World()
    at_home = locate_home(world, home or None)
    before = read_approvals(world, at_home)
    if before.without(path) != before:
        before = change_approvals(world, at_home, lambda now: now.without(path))
    remaining = before.without(path).paths()
    removed = [each for each in before.paths() if each not in remaining]
    if as_json:
        write_json({"removed": removed})
    elif removed:
        print_wrapped(f"{count_noun(len(removed), 'file')} no longer trusted.")
    else:
        print_wrapped(f"Nothing is trusted at {make_path_printer(CommandOptions())(path)}.")
    return int(not removed)
