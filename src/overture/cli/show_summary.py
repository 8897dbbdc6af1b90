"""`overture` alone shows a summary of this folder and what to do next, in at most twelve lines."""

import shlex
import shutil
import sys

from ..agents.summary import AgentSummary, summarize_agents
from ..assemble.build import build
from ..discover.disk.folders_above import list_folders_above
from ..discover.disk.paths import make_absolute
from ..discover.disk.real_world import RealWorld
from ..discover.load_tokenizer import find_counter
from ..project.resolve import ResolvedProject, resolve
from ..report.summary import Summary, summarize
from ..terminal.output import dim, escape_controls, print_line, style
from ..terminal.table_layout import truncate_line
from ..text.paths import PathPrinter
from ..tokens.counter import Counter

FILES, SKILLS, NAMED = 4, 6, 2
"""How many are listed by name."""
MAX_LINE_CHARS = 160
"""Characters of a row that may be as long as a file's name is."""
NOTHING = "There are no instruction files and no skills for an agent here."
NOTHING_READ = "There are instruction files or skills here, and only other tools read them by themselves."


def show_summary() -> None:
    """Discover what is here, and print it."""
    project = resolve(world=list_folders_above(RealWorld(), make_absolute(RealWorld(), ".")))
    found, printer = project.find(), PathPrinter(project.cwd, project.home)
    counter = find_counter()
    summary = summarize(build(project.recipe, found.state, found=found.diagnostics, counting=counter), found)
    for label, words in _rows(summary, project, printer, counter):
        _print_line(f"{style(label.ljust(14), bold=True)}{words}" if label else words)
    print_line()
    commands = _commands(summary, printer)
    width = max(len(command) for command, _ in commands)
    for command, about in commands:
        _print_line(f"{style(escape_controls(command).ljust(width), fg='green')}  {dim(about)}")


def _rows(summary: Summary, project: ResolvedProject, printer: PathPrinter, counter: Counter) -> list[tuple[str, str]]:
    if not summary.files and not summary.skills:
        rows = [
            ("", NOTHING_READ if summary.unread else NOTHING),
            ("", "Write an AGENTS.md: what it says is in the prompt of an agent that works here."),
            ("Prompt", f"{counter.shown(summary.tokens)} tokens without them"),
        ]
    else:
        of_them = f"{counter.shown(summary.from_files)} of them from these files"
        rows = [
            ("Instructions", _files(summary, printer, counter)),
            ("Skills", _skills(summary, counter)),
            ("Prompt", f"{counter.shown(summary.tokens)} tokens, {of_them}"),
        ]
    if summary.unread:
        rows.append(("Not read", _unread(summary, printer)))
    if summary.wrong:
        rows.append(("Wrong", _format_problem(summary, printer)))
    if agents := _agents(project, printer):
        rows.append(("Agents", agents))
    named = project.config.get("recipe")
    if named.value:
        rows.append(("Settings", f"{printer(named.origin)}: {escape_controls(project.recipe.name)}"))
    return rows


def _files(summary: Summary, printer: PathPrinter, counter: Counter) -> str:
    if not summary.files:
        return "none; an AGENTS.md here would be read"
    # The nearest come last, and are what one looks for.
    shown, rest = summary.files[-FILES:], summary.files[:-FILES]
    names = [f"{printer(file.name)} ({counter.shown(file.tokens)} tokens)" for file in shown]
    more = [f"and {len(rest)} more ({counter.shown(sum(file.tokens for file in rest))} tokens)"] if rest else []
    return ", ".join([*names, *more])


def _skills(summary: Summary, counter: Counter) -> str:
    if not summary.skills:
        return "none"
    more = [f"and {len(summary.skills) - SKILLS} more"] if len(summary.skills) > SKILLS else []
    names = ", ".join([*map(escape_controls, summary.skills[:SKILLS]), *more])
    return f"{len(summary.skills)} ({counter.shown(summary.skill_tokens)} tokens): {names}"


def _unread(summary: Summary, printer: PathPrinter) -> str:
    paths = zip(summary.unread, summary.counts, strict=True)
    names = [printer(path) + (f" ({count})" if count else "") for path, count in paths]
    return ", ".join(names[:FILES] + ([f"and {len(names) - FILES} more"] if len(names) > FILES else []))


def _agents(project: ResolvedProject, printer: PathPrinter) -> str:
    """The agents that are used here, each with what it reads of what is here."""
    found = summarize_agents(project)
    words = [f"{each.name} reads {_format_loaded(each, printer)}" for each in found.agents]
    return _truncate("; ".join([*words, *([f"also {', '.join(found.others)}"] if found.others else [])]))


def _format_loaded(agent: AgentSummary, printer: PathPrinter) -> str:
    names = [printer(file.path) + (f" to line {file.last_line}" if file.last_line else "") for file in agent.files]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return ", ".join([*names[:NAMED], *more]) or "nothing"


def _format_problem(summary: Summary, printer: PathPrinter) -> str:
    first = summary.wrong[0]
    where = f"{printer(first.path)}: " if first.path else ""
    line = f"line {first.line}: " if first.line else ""
    many = f"{len(summary.wrong)} things, first " if summary.wrong[1:] else ""
    words = escape_controls(f"{where}{line}{first.message}")
    return many + _truncate(words)


def _truncate(words: str) -> str:
    return words if len(words) <= MAX_LINE_CHARS else f"{words[: MAX_LINE_CHARS - 1]}…"


def _commands(summary: Summary, printer: PathPrinter) -> list[tuple[str, str]]:
    """Three that fit what was found."""
    commands = [("overture build", "print the prompt")]
    if summary.unread:
        path = summary.unread[0].partition("/*")[0]
        commands.append((f"overture explain --why {shlex.quote(printer.relative(path))}", "why that is not read"))
    if summary.wrong:
        skills = summary.wrong[0].code.startswith("skill")
        commands.append((f"overture check{' --skills' * skills}", "all that is wrong, with lines"))
    if not summary.files and not summary.skills:
        commands += [("overture init", "write a file with settings"), ("overture --help", "all commands")]
    commands += [
        ("overture explain", "where every part of it comes from"),
        ("overture context --by file", "what makes it long"),
    ]
    return commands[:3]


def _print_line(text: str) -> None:
    """A line; on a terminal, no longer than that is wide."""
    print_line(truncate_line(text, shutil.get_terminal_size().columns) if sys.stdout.isatty() else text)
