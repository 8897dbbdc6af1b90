"""`overture agents` shows what other agents load here, in which order, truncated where, and why not the rest."""

from collections.abc import Sequence
from typing import Any

import click
from msgspec.structs import replace

from ..discovery.paths import expand_path
from ..discovery.place import locate
from ..discovery.world import World
from ..known_agents import AGENTS
from ..terminal.options import (
    AS_JSON,
    READ_OUTSIDE,
    CommandOptions,
    check_home,
    make_path_printer,
    refuse_combinations,
    require_option,
)
from ..terminal.output import dim, print_line, print_wrapped, write, write_json
from ..terminal.progress_line import report_step
from ..text.path_printer import PathPrinter, make_root_printer
from ..tokens.counter import Counter
from ..tokens.load_tokenizer import find_counter
from .agent_project import AgentProject, resolve_in_folder
from .agent_report import AgentReport, grid_to_data, make_file_grid, reports_to_data
from .make_reports import report_agents, touch_paths
from .survey_project import list_project_folders


def check_options(names: Sequence[str], options: dict[str, Any]) -> None:
    """Two that exclude each other are a slip, and so is a home that is not there."""
    refuse_combinations(
        ("--json", "--markdown"),
        ("--files", "--skills", "--touching", "--why", "--fix"),
        ("--skills", "--touching", "--why", "--fix"),
        ("--why", "--touching", "--markdown", "--fix"),
        ("--fix", "--touching", "--markdown"),
        ("diff", "--files", "--skills", "--why", "--fix"),
        words=names[:1],
    )
    require_option("--fix", "--yes", "--undo")
    check_home(CommandOptions(home=options["home"]))


def find_named_counter(options: dict[str, Any]) -> Counter | None:
    """The counter that an option names; the default is loaded once there is something to count."""
    return find_counter(options["tokenizer"]) if options["tokenizer"] is not None else None


def select_reports(names: Sequence[str], options: dict[str, Any]) -> tuple[AgentReport, ...]:
    """The reports that the options select."""
    report_step("reading the files of each agent")
    reports = report_agents(
        names,
        cwd=options["cwd"],
        home=options["home"],
        root=options["root"],
        touching=options["touching"],
        everyone=options["everything"] and not names,
        counter=find_named_counter(options),
        count_later=options["as_json"] or options["markdown"],
        read_outside=options["read_outside"],
        world=options["world"],
    )
    if not options["only_skills"]:
        return reports
    return tuple(replace(each, files=tuple(file for file in each.files if file.kind == "skill")) for each in reports)


def resolve_options(options: dict[str, Any]) -> AgentProject:
    """The project that the options name, seen from the `--cwd` folder or else the process's."""
    where = {name: options[name] for name in ("cwd", "home", "root", "world", "read_outside")}
    return resolve_in_folder(**where)


NO_AGENTS = "No agent is set up here, and no instruction files or skills load at the start."
NEXT_STEPS = "hint: `overture agents codex` shows one agent, `overture agents --all` every one"


@click.command("agents")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--all", "everything", is_flag=True, help="All known agents; with NAME, all files.")
@click.option("--files", "by_file", is_flag=True, help="One line per file, with the agents that read it.")
@click.option("--skills", "only_skills", is_flag=True, help="One line per skill, with the agents that list it.")
@click.option("--touching", multiple=True, metavar="PATH", help="Show what the agent adds when it works on this file.")
@click.option("--why", "path", metavar="PATH", help="Show what each agent does with this file.")
@click.option("--fix", is_flag=True, help="Make all agents read the same files: print a diff, ask, then write.")
@click.option("--yes", is_flag=True, help="With --fix: write without asking.")
@click.option("--undo", is_flag=True, help="With --fix: undo the last fix.")
@click.option("--cwd", metavar="DIR", help="The working directory of the agents. Default: the current one.")
@click.option("--home", metavar="DIR", help="The home directory to search. Default: yours.")
@click.option("--root", metavar="DIR", help="Do not look for files above this directory.")
@READ_OUTSIDE
@click.option("--tokenizer", metavar="NAME", help="The tokenizer: o200k, cl100k, claude, estimate, …")
@AS_JSON
@click.option("--markdown", is_flag=True, help="Print Markdown, for a README or a pull request.")
def command(names: tuple[str, ...], **options: Any) -> int:
    """Show which files each coding agent loads here, in which order, and what it truncates or skips, and why.

    NAME is an agent, such as codex, claude-code, gemini-cli, copilot-cli or cursor. The default is every agent with a
    file or folder in the project; then your agents (a folder under home, or a program on the PATH) and the most used
    ones, if they load something here.

    Each rule names its source: seen in a run of that version, read in its source code, documented, or reported.

    \b
    overture agents                      a line for each agent that is likely here
    overture agents codex                its files in order; what it skips and why
    overture agents --files              each file, and who reads it
    overture agents --skills             each skill, and who lists it
    overture agents --touching src/a.py  what each agent adds when it works there
    overture agents --why CLAUDE.md      what each agent does with one file
    overture agents diff codex cursor    what only one of the two loads
    overture agents --fix                make all agents read the same
    """
    check_options(names, options)
    options["by_file"] = options["by_file"] or options["only_skills"]
    printer = make_path_printer(CommandOptions(cwd=options["cwd"], home=options["home"]))
    # One moment for the table and the advice: nothing is looked at twice.
    options["world"] = locate(options["cwd"], options["home"], options["root"], world=World().at_one_moment()).world
    if names[:1] == ("diff",) or options["fix"]:
        return compare_or_fix(names, options, printer)
    about_files = options["by_file"] or options["path"] is not None
    # Any agent may do something with a file: questions about files go to all of them.
    reports = select_reports(names, {**options, "everything": options["everything"] or about_files})
    if options["path"] is not None:
        from .show.show_files_by_agent import show_why

        form = {"as_json": options["as_json"], "everything": options["everything"]}
        return show_why(reports, options["path"], printer, **form)
    if options["as_json"]:
        write_json(make_data(reports, by_file=options["by_file"]))
    elif not reports:
        print_wrapped(NO_AGENTS)
        print_wrapped(dim(NEXT_STEPS))
    elif options["markdown"]:
        write(format_markdown(reports, options, len(names)))
    else:
        show_reports(reports, names, options, printer)
    return 0


def make_data(reports: Sequence[AgentReport], *, by_file: bool) -> dict[str, Any]:
    """The reports of `overture agents --json`: by agent, or by file."""
    from .file_answers import answer_for_file

    if not by_file:
        return reports_to_data(reports)
    data = grid_to_data(make_file_grid(reports))
    for file in data["files"]:
        file["answers"] = answer_for_file(reports, [file["path"]])
    return data


def compare_or_fix(names: tuple[str, ...], options: dict[str, Any], printer: PathPrinter) -> int:
    """What one agent loads and another does not; or the files by which all load the same."""
    from .diff_agents import compare_in_folder, show_agents_diff
    from .fix_agents import fix_agents, undo_fix

    base, counter = resolve_options(options), find_named_counter(options)
    if options["undo"]:
        return undo_fix(base)
    if options["fix"]:
        return fix_agents(base, names, counter, yes=options["yes"], as_json=options["as_json"])
    diff = compare_in_folder(touch_paths(base, options["touching"]), names[1:], counter)
    if options["as_json"]:
        write_json(diff)
    elif options["markdown"]:
        from .show.as_markdown import markdown_diff

        write(markdown_diff(diff, PathPrinter(list_project_folders(base)[0])))
    else:
        show_agents_diff(diff, printer, options["everything"])
    return int(not diff.same)


def show_reports(
    reports: Sequence[AgentReport], names: Sequence[str], options: dict[str, Any], printer: PathPrinter
) -> None:
    """Print the reports of `overture agents` for a person: by file, one agent, or the table."""
    from .show.show_agents import show_added, show_agent

    everything = options["everything"]
    if options["touching"]:
        paths = [expand_path(path, printer.folder, printer.home) for path in options["touching"]]
        show_added(reports, printer, paths, everything)
    elif options["by_file"]:
        from .show.show_files_by_agent import show_files

        show_files(reports, printer, everything, named=bool(names), only_skills=options["only_skills"])
    elif len(names) == 1:
        show_agent(reports[0], printer, everything)
    elif names and everything:
        for report in reports:
            show_agent(report, printer, everything)
            print_line()
    else:
        from .show.show_agents import show_table

        first = reports if names else sorted(reports, key=lambda report: not report.used)
        show_table(first, printer, 0 if everything or names else len(AGENTS) - len(reports))
        if not everything:
            print_advice(reports, names, options, printer)


def print_advice(
    reports: Sequence[AgentReport], names: Sequence[str], options: dict[str, Any], printer: PathPrinter
) -> None:
    """For `overture agents`: print the advice by which these agents load what others here load."""
    from .advice.give_advice import give_advice
    from .show.show_agents import show_advice

    base = resolve_options(options)
    advice = give_advice(reports, base, find_named_counter(options))
    if advice:
        top = list_project_folders(base)[0]
        print_line()
        if top != printer.folder:
            print_wrapped(dim(f"Paths below are relative to the project's root, {printer(top)}"))
        # Changes are written from the project's root, from any working directory.
        show_advice(advice, make_root_printer(top), names)


def format_markdown(reports: Sequence[AgentReport], options: dict[str, Any], named: int) -> str:
    """The reports of `overture agents` as Markdown, for a README: paths begin at the project's top."""
    from .show.as_markdown import markdown_agent, markdown_files, markdown_table

    printer = PathPrinter(list_project_folders(resolve_options(options))[0])
    if options["by_file"]:
        return markdown_files(make_file_grid(reports), printer, options["everything"] and named > 0)
    if named == 1:
        return markdown_agent(reports[0], printer, options["everything"])
    return markdown_table(reports, printer)
