"""`overture agents` shows what other agents load here, in which order, truncated where, and why not the rest."""

import posixpath
from collections.abc import Sequence
from typing import Any

import click

from ..discovery.paths import expand_path
from ..errors import RecipeError
from ..terminal.options import (
    AS_JSON,
    READ_OUTSIDE,
    CommandOptions,
    check_home,
    make_path_printer,
    refuse_combinations,
    require_option,
)
from ..terminal.output import dim, print_error, print_wrapped, write, write_json
from ..terminal.progress_line import report_step
from ..text.invisible import escape_to_line
from ..text.path_printer import PathPrinter, make_root_printer
from ..tokens.load_tokenizer import find_counter
from .agent_project import AgentProject
from .table import Question, Table, agents_to_data, ask, files_to_data, list_starts, make_table, open_agents_in

NO_AGENTS = "No agent is set up here, and no instruction files or skills load at the start."
NEXT_STEPS = "hint: `overture agents codex` shows one agent, `overture agents --all` every one"


@click.command("agents")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--why", "path", metavar="PATH", help="Show what each agent does with this file, and why.")
@click.option("--files", "by_file", is_flag=True, help="One line per file, with the agents that read it.")
@click.option("--skills", "only_skills", is_flag=True, help="One line per skill, with the agents that list it.")
@click.option("--touching", multiple=True, metavar="PATH", help="Show what the agent adds when it works on this file.")
@click.option("--fix", is_flag=True, help="Make all agents read the same files: print a diff, ask, then write.")
@click.option("--yes", is_flag=True, help="With --fix: write without asking.")
@click.option("--undo", is_flag=True, help="With --fix: undo the last fix.")
@click.option("--all", "everything", is_flag=True, help="All known agents; with NAME, all files.")
@AS_JSON
@click.option("--markdown", is_flag=True, help="Print Markdown, for a README or a pull request.")
@click.option("--tokenizer", metavar="NAME", help="The tokenizer: o200k, cl100k, claude, estimate, …")
@click.option("--cwd", metavar="DIR", help="The working directory of the agents. Default: the current one.")
@click.option("--home", metavar="DIR", help="The home directory to search. Default: yours.")
@click.option("--root", metavar="DIR", help="Do not look for files above this directory.")
@READ_OUTSIDE
def command(names: tuple[str, ...], **options: Any) -> int:
    """Show which files each coding agent loads here, in which order, and what it truncates or skips, and why.

    NAME is an agent, such as codex, claude-code, gemini-cli, copilot-cli or cursor. The default is every agent with a
    file or folder in the project; then your agents (a folder under home, or a program on the PATH) and the most used
    ones, if they load something here.

    Each rule names its source: seen in a run of that version, read in its source code, documented, or reported.

    \b
    overture agents                      a line for each agent that is likely here, and what never arrives
    overture agents codex                its files in order; what it skips and why
    overture agents --files              each file, and who reads it
    overture agents --skills             each skill, and who lists it
    overture agents --touching src/a.py  what each agent adds when it works there
    overture agents --why CLAUDE.md      what each agent does with one file, from each folder
    overture agents diff codex cursor    what only one of the two loads
    overture agents --fix                make all agents read the same
    """
    _check_options(names, options)
    printer = make_path_printer(CommandOptions(cwd=options["cwd"], home=options["home"]))
    report_step("reading the files of each agent")
    where = {name: options[name] for name in ("cwd", "home", "root", "read_outside")}
    base = open_agents_in(**where, touching=options["touching"] if options["as_json"] else ())
    if options["fix"]:
        from .fix.fix_agents import fix_agents
        from .fix.history import undo_fix

        counter = find_counter(options["tokenizer"]) if options["tokenizer"] else None
        if options["undo"]:
            return undo_fix(base)
        return fix_agents(base, names, counter, yes=options["yes"], as_json=options["as_json"])
    return _View(base, names, options, printer).show()


def _check_options(names: Sequence[str], options: dict[str, Any]) -> None:
    """Two that exclude each other are a slip, and so is a home that is not there."""
    refuse_combinations(
        ("--json", "--markdown"),
        ("--files", "--skills", "--touching", "--why", "--fix"),
        ("--why", "--markdown", "--fix"),
        ("--touching", "--markdown"),
        ("diff", "--files", "--skills", "--why", "--fix"),
        words=names[:1],
    )
    require_option("--fix", "--yes", "--undo")
    check_home(CommandOptions(home=options["home"]))


class _View:
    """One of the views of the table, as the options select it."""

    def __init__(
        self, base: AgentProject, names: tuple[str, ...], options: dict[str, Any], printer: PathPrinter
    ) -> None:  # fmt: skip
        self.base, self.names, self.options, self.printer = base, names, options, printer
        self.is_diff = names[:1] == ("diff",)
        self.by_file = options["by_file"] or options["only_skills"]
        self.about_files = self.by_file or options["path"] is not None
        if self.is_diff and len(names) != 3:
            message = f"`overture agents diff` compares two agents, not {len(names) - 1}."
            raise RecipeError(message, hint="Name two: `overture agents diff codex cursor`.")
        # Any agent may do something with a file: questions about files go to all of them.
        everyone = (options["everything"] or self.about_files) and not names
        counter = find_counter(options["tokenizer"])
        asked = names[1:] if self.is_diff else names
        self.question: Question = ask(base, asked, everyone=everyone, counter=counter)

    def show(self) -> int:
        if self.is_diff:
            return self.show_diff()
        if self.options["path"] is not None:
            form = {"as_json": self.options["as_json"], "everything": self.options["everything"]}
            return show_why(self.question, self.options["path"], self.printer, **form)
        if self.options["as_json"]:
            table = self.make_table(every=self.by_file)
            write_json(files_to_data(table) if self.by_file else agents_to_data(table))
            return 0
        if self.options["touching"]:
            return self.show_touching()
        if not self.question.names:
            print_wrapped(NO_AGENTS)
            print_wrapped(dim(NEXT_STEPS))
            return 0
        return self.show_agents()

    def make_table(self, *, every: bool) -> Table:
        """The table from here, or from every start."""
        return make_table(self.question, list_starts(self.question.files, self.base.cwd) if every else None)

    def show_agents(self) -> int:
        from .verdicts import Verdicts
        from .views import count_known, format_view, print_view, view_agent, view_agents, view_files

        everything, files = self.options["everything"], self.question.files
        judges = not (everything and not self.names)
        table = self.make_table(every=self.by_file or judges)
        printer = make_root_printer(table.root) if self.options["markdown"] else self.printer
        if self.by_file:
            kinds = ("skill",) if self.options["only_skills"] else ()
            view = list(view_files(table, files.find_alias, printer, everything, kinds))
        elif len(self.names) == 1 or (self.names and everything):
            view = [block for agent in table.agents for block in view_agent(table, agent, printer, everything)]
        else:
            verdicts = Verdicts(table, files) if judges else None
            view = list(view_agents(table, printer, verdicts, 0 if everything or self.names else count_known(table)))
        if self.options["markdown"]:
            write(format_view(view))
        elif view:
            print_view(view)
        else:
            print_wrapped("No skills here." if self.options["only_skills"] else "No instruction files or skills here.")
        return 0

    def show_touching(self) -> int:
        from .views import print_view, view_added

        paths = [expand_path(path, self.printer.folder, self.printer.home) for path in self.options["touching"]]
        where = {name: self.options[name] for name in ("cwd", "home", "root", "read_outside")}
        touched = open_agents_in(**where, touching=self.options["touching"])
        after = make_table(self.question._replace(base=touched))
        print_view(view_added(after, self.make_table(every=False), paths, self.printer, self.options["everything"]))
        return 0

    def show_diff(self) -> int:
        from .diff_agents import diff_agents, format_diff, view_diff
        from .views import print_view

        table = self.make_table(every=False)
        diff = diff_agents(table, self.question.files, self.question.files.counter)
        if self.options["as_json"]:
            write_json(diff)
        elif self.options["markdown"]:
            write(format_diff(diff, make_root_printer(table.root)))
        else:
            print_view(view_diff(diff, self.printer, self.options["everything"]))
        return int(not diff.same)


def show_why(question: Question, name: str, printer: PathPrinter, *, as_json: bool, everything: bool) -> int:
    """What the agents of a question do with a file; 2 if there is no such file."""
    from .views import print_view, view_why

    base, files = question.base, question.files
    path = posixpath.normpath(expand_path(name, base.cwd, base.home))
    folders = {file.folder for file in files.judged if file.path == path or file.path.endswith(f"/{name}")}
    table = make_table(question, list(dict.fromkeys((base.cwd, files.top, *sorted(folders)))))
    paths = find_paths(table, path, name)
    if not paths and base.world.exists(path):
        paths = (path,)
    if as_json:
        data = files_to_data(table)
        wanted = {table.shorten(each) for each in paths}
        write_json({**data, "files": [file for file in data["files"] if file["path"] in wanted]})
    elif paths:
        print_view(view_why(table, paths, printer, everything))
    if not paths:
        print_error(f"error: No such file: `{escape_to_line(name)}`")
    return 0 if paths else 2


def find_paths(table: Table, path: str, name: str) -> tuple[str, ...]:
    """The file of that path; if there is none, every file of that name that an agent knows, and a skill's."""
    known = table.by_path
    if exact := next((each for each in (path, f"{path}/SKILL.md") if each in known), None):
        return (exact,)
    return tuple(each for each in known if each.endswith((f"/{name}", f"/{name}/SKILL.md")))
