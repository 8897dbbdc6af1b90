"""`overture agents` shows what other agents load here, in which order, truncated where, and why not the rest."""

from collections.abc import Sequence
from typing import Any

import click
from msgspec.structs import replace

from ..discover.disk.paths import expand_path
from ..discover.load_tokenizer import find_counter
from ..errors import ConfigError
from ..known_agents import AGENTS
from ..terminal.options import AS_JSON, READ_OUTSIDE, CommandOptions, check_home, make_path_printer
from ..terminal.output import dim, print_line, print_wrapped, write, write_json
from ..terminal.progress import report_step
from ..text.path_printer import PathPrinter, make_root_printer
from ..tokens.counter import Counter
from .agent_report import AgentReport
from .report_agents import report_agents


def check_options(options: dict[str, Any]) -> None:
    """Two that exclude each other are a slip, and so is a home that is not there."""
    pairs = (("as_json", "--json", "markdown", "--markdown"), ("by_file", "--files", "touching", "--touching"))
    for one, first, other, second in (
        *pairs,
        ("by_file", "--files", "path", "--why"),
        ("only_skills", "--skills", "touching", "--touching"),
        ("only_skills", "--skills", "path", "--why"),
        ("only_skills", "--skills", "fix", "--fix"),
    ):
        if options[one] and options[other]:
            raise ConfigError(f"{first} and {second} ask for two things.", hint="Leave one out.")
    if (options["yes"] or options["undo"]) and not options["fix"]:
        raise ConfigError("--yes and --undo belong to --fix.", hint="Give both, or leave them out.")
    check_home(CommandOptions(home=options["home"]))


def find_named_counter(options: dict[str, Any]) -> Counter | None:
    """The counter that is asked for; the default is loaded once there is something to count."""
    return find_counter(options["tokenizer"]) if options["tokenizer"] is not None else None


def make_reports(names: Sequence[str], options: dict[str, Any]) -> tuple[AgentReport, ...]:
    """The reports that are asked for."""
    report_step("reading what agents read")
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
    )
    return tuple(map(only_skills, reports)) if options["only_skills"] else reports


def only_skills(report: AgentReport) -> AgentReport:
    """What an agent does with skills, and with no other file."""
    return replace(report, files=tuple(file for file in report.files if file.kind == "skill"))


def find_project_top(options: dict[str, Any]) -> str:
    """The project's top."""
    from ..discover.disk.location import locate
    from ..known_agents import agent
    from ..project.resolve import resolve
    from .report_agents import list_project_folders

    return list_project_folders(
        resolve(agent(AGENTS[0]), locate(cwd=options["cwd"], home=options["home"], root=options["root"]))
    )[0]


NO_AGENTS = "No agent is set up here, and there are no instruction files or skills."
NEXT_STEPS = "hint: `overture agents codex` asks for one agent, `overture agents --all` for every one"


@click.command("agents")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--all", "everything", is_flag=True, help="Every agent that is known; with NAME, every file.")
@click.option("--files", "by_file", is_flag=True, help="The other way round: each file, and who reads it.")
@click.option("--skills", "only_skills", is_flag=True, help="Each skill, and which agents list it.")
@click.option("--touching", multiple=True, metavar="PATH", help="What is added when the agent works on this file.")
@click.option("--why", "path", metavar="PATH", help="Only what each agent makes of this file.")
@click.option("--fix", is_flag=True, help="Let them all read the same: shows a diff, then asks and writes.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
@click.option("--undo", is_flag=True, help="With --fix: take the last one back.")
@click.option("--cwd", metavar="DIR", help="The directory in which the agents work. Default: here.")
@click.option("--home", metavar="DIR", help="The home directory to look in. Default: yours.")
@click.option("--root", metavar="DIR", help="Look for files no further up than this.")
@READ_OUTSIDE
@click.option("--tokenizer", metavar="NAME", help="What counts: o200k, cl100k, claude, estimate, …")
@AS_JSON
@click.option("--markdown", is_flag=True, help="For a README or a pull request.")
def command(names: tuple[str, ...], **options: Any) -> int:
    """Show what other agents read here: which files, in which order, cut where, and why not the others.

    NAME is an agent, such as codex, claude-code, gemini-cli, copilot-cli or cursor; without one, those count that are
    used here: that have a file or folder of their own in the project or under home, or a program on the PATH.

    How each rule is known is said: seen in a run of that version, read in the source, documented, or reported.

    \b
    overture agents                      a line for each agent that is used here
    overture agents codex                its files in order, and why not others
    overture agents --files              each file, and who reads it
    overture agents --skills             each skill, and who lists it
    overture agents --touching src/a.py  what each adds when it works there
    overture agents --why CLAUDE.md      what each makes of one file
    overture agents diff codex cursor    what one is told and the other not
    overture agents --fix                let all of them read the same
    """
    check_options(options)
    options["by_file"] = options["by_file"] or options["only_skills"]
    if names[:1] == ("diff",) or options["fix"]:
        return compare_or_fix(names, options)
    printer = make_path_printer(CommandOptions(cwd=options["cwd"], home=options["home"]))
    about_files = options["by_file"] or options["path"] is not None
    # Any agent may do something with a file: whoever asks about files asks all of them.
    reports = make_reports(names, {**options, "everything": options["everything"] or about_files})
    if options["path"] is not None:
        from .show.show_files import show_why

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
    """For programs: by agent, or by file."""
    from .agent_report import grid_to_data, make_file_grid, reports_to_data
    from .file_answers import answer_for_file

    if not by_file:
        return reports_to_data(reports)
    data = grid_to_data(make_file_grid(reports))
    for file in data["files"]:
        file["answers"] = answer_for_file(reports, [file["path"]])
    return data


def compare_or_fix(names: tuple[str, ...], options: dict[str, Any]) -> int:
    """What one agent is told and another is not; or the files by which all are told the same."""
    from .diff_agents import compare_in_folder, show_agents_diff
    from .fix_command import fix_agents, undo_fix

    command_options = CommandOptions(
        cwd=options["cwd"], home=options["home"], root=options["root"], read_outside=options["read_outside"],
        tokenizer=options["tokenizer"],
    )  # fmt: skip
    if not options["fix"]:
        if options["markdown"]:
            from .show.as_markdown import markdown_diff

            found = compare_in_folder(names[1:], command_options, options["touching"])
            write(markdown_diff(found, PathPrinter(find_project_top(options))))
            return int(not found.same)
        form = {"as_json": options["as_json"], "everything": options["everything"]}
        return show_agents_diff(names[1:], command_options, **form, touching=options["touching"])
    return (
        undo_fix(command_options)
        if options["undo"]
        else fix_agents(names, command_options, yes=options["yes"], as_json=options["as_json"])
    )


def show_reports(
    reports: Sequence[AgentReport], names: Sequence[str], options: dict[str, Any], printer: PathPrinter
) -> None:
    """For a person."""
    from .show.show_agent import show_added, show_agent

    everything = options["everything"]
    if options["touching"]:
        paths = [expand_path(path, printer.folder, printer.home) for path in options["touching"]]
        show_added(reports, printer, paths, everything)
    elif options["by_file"]:
        from .show.show_files import show_files

        show_files(reports, printer, everything, named=bool(names))
    elif len(names) == 1:
        show_agent(reports[0], printer, everything)
    elif names and everything:
        for report in reports:
            show_agent(report, printer, everything)
            print_line()
    else:
        from .show.show_table import show_table

        first = reports if names else sorted(reports, key=lambda report: not report.used)
        show_table(first, printer, 0 if everything or names else len(AGENTS) - len(reports))
        if not everything:
            advise(reports, options)


def advise(reports: Sequence[AgentReport], options: dict[str, Any]) -> None:
    """What lets these agents load what others here load."""
    from .advice.give_advice import give_advice
    from .show.show_table import show_advice

    where = {name: options[name] for name in ("cwd", "home", "root", "read_outside")}
    found = give_advice(reports, **where, counter=find_named_counter(options))
    if found:
        print_line()
        # Changes are written from the project's root, wherever somebody asks.
        show_advice(found, make_root_printer(find_project_top(options)))


def format_markdown(reports: Sequence[AgentReport], options: dict[str, Any], named: int) -> str:
    """For a README: paths begin at the project's top."""
    from .agent_report import make_file_grid
    from .show.as_markdown import markdown_agent, markdown_files, markdown_table

    printer = PathPrinter(find_project_top(options))
    if options["by_file"]:
        return markdown_files(make_file_grid(reports), printer, options["everything"] and named > 0)
    if named == 1:
        return markdown_agent(reports[0], printer, options["everything"])
    return markdown_table(reports, printer)
