"""`overture` alone shows a summary of this folder and what to do next, in at most twelve lines."""

import posixpath
import shlex
import shutil
import sys
import unicodedata

from ..agents.summary import AgentSummary, summarize_agents
from ..assemble.build import build
from ..discover.disk.folders_above import list_folders_above
from ..discover.disk.paths import contains_path, make_absolute
from ..discover.disk.real_world import RealWorld
from ..discover.load_tokenizer import find_counter
from ..project.resolve import ResolvedProject, resolve
from ..report.summary import Summary, summarize
from ..terminal.output import dim, escape_controls, print_line, style
from ..terminal.table_layout import MARK, STYLED
from ..text.normalize import shorten_text
from ..tokens.counter import Counter

FILES, SKILLS, NAMED = 4, 6, 2
"""How many are listed by name."""
MAX_LINE_CHARS = 160
"""Characters of a row that may be as long as a file's name is."""
NOTHING = "There are no instruction files and no skills for an agent here."
NOTHING_READ = "There are instruction files or skills here, and only other tools read them by themselves."
MAX_PARENT_STEPS = 4
"""Folders upward that a path is written with; one that lies farther is written in full."""


def show_summary() -> None:
    """Look around, and say it."""
    settled = resolve(world=list_folders_above(RealWorld(), make_absolute(RealWorld(), ".")))
    found = settled.find()
    counter = find_counter()
    told = summarize(build(settled.recipe, found.state, found=found.diagnostics).counted(counter), found)
    rows = _rows(told, settled, counter)
    for label, words in rows:
        _line(f"{style(label.ljust(14), bold=True)}{words}" if label else words)
    print_line()
    commands = _commands(told, settled)
    width = max(len(command) for command, _ in commands)
    for command, about in commands:
        _line(f"{style(escape_controls(command).ljust(width), fg='green')}  {dim(about)}")


def _rows(told: Summary, settled: ResolvedProject, counter: Counter) -> list[tuple[str, str]]:
    if not told.files and not told.skills:
        rows = [
            ("", NOTHING_READ if told.unread else NOTHING),
            ("", "Write an AGENTS.md: what it says is in the prompt of an agent that works here."),
            ("Prompt", f"{counter.shown(told.tokens)} tokens without them"),
        ]
    else:
        of_them = f"{counter.shown(told.from_files)} of them from these files"
        rows = [
            ("Instructions", _files(told, settled, counter)),
            ("Skills", _skills(told, counter)),
            ("Prompt", f"{counter.shown(told.tokens)} tokens, {of_them}"),
        ]
    if told.unread:
        rows.append(("Not read", _unread(told, settled)))
    if told.wrong:
        rows.append(("Wrong", _format_problem(told, settled)))
    if agents := _agents(settled):
        rows.append(("Agents", agents))
    named = settled.config.get("recipe")
    if named.value:
        rows.append(
            (
                "Settings",
                f"{escape_controls(_format_path(named.origin, settled))}: {escape_controls(settled.recipe.name)}",
            )
        )
    return rows


def _files(told: Summary, settled: ResolvedProject, counter: Counter) -> str:
    if not told.files:
        return "none; an AGENTS.md here would be read"
    # The nearest come last, and are what one looks for.
    shown, rest = told.files[-FILES:], told.files[:-FILES]
    names = [
        f"{escape_controls(_format_path(file.name, settled))} ({counter.shown(file.tokens)} tokens)" for file in shown
    ]
    more = [f"and {len(rest)} more ({counter.shown(sum(file.tokens for file in rest))} tokens)"] if rest else []
    return ", ".join([*names, *more])


def _skills(told: Summary, counter: Counter) -> str:
    if not told.skills:
        return "none"
    more = [f"and {len(told.skills) - SKILLS} more"] if len(told.skills) > SKILLS else []
    names = ", ".join([*map(escape_controls, told.skills[:SKILLS]), *more])
    return f"{len(told.skills)} ({counter.shown(told.skill_tokens)} tokens): {names}"


def _unread(told: Summary, settled: ResolvedProject) -> str:
    paths = zip(told.unread, told.counts, strict=True)
    names = [escape_controls(_format_path(path, settled)) + (f" ({count})" if count else "") for path, count in paths]
    return ", ".join(names[:FILES] + ([f"and {len(names) - FILES} more"] if len(names) > FILES else []))


def _agents(settled: ResolvedProject) -> str:
    """The agents that are used here, each with what it reads of what is here."""
    seen = summarize_agents(settled)
    said = [f"{each.name} reads {_format_loaded(each, settled)}" for each in seen.agents]
    line = "; ".join([*said, *([f"also {', '.join(seen.others)}"] if seen.others else [])])
    return shorten_text(line, MAX_LINE_CHARS)


def _format_loaded(agent: AgentSummary, settled: ResolvedProject) -> str:
    names = [
        escape_controls(_format_path(file.path, settled)) + (f" to line {file.last_line}" if file.last_line else "")
        for file in agent.files
    ]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return ", ".join([*names[:NAMED], *more]) or "nothing"


def _format_problem(told: Summary, settled: ResolvedProject) -> str:
    first = told.wrong[0]
    where = f"{_format_path(first.path, settled)}: " if first.path else ""
    line = f"line {first.line}: " if first.line else ""
    many = f"{len(told.wrong)} things, first " if told.wrong[1:] else ""
    said = escape_controls(f"{where}{line}{first.message}")
    return many + shorten_text(said, MAX_LINE_CHARS)


def _commands(told: Summary, settled: ResolvedProject) -> list[tuple[str, str]]:
    """Three that fit what was found."""
    commands = [("overture build", "print the prompt")]
    if told.unread:
        path = told.unread[0].partition("/*")[0]
        commands.append((f"overture explain --why {shlex.quote(_format_path(path, settled))}", "why that is not read"))
    if told.wrong:
        skills = told.wrong[0].code.startswith("skill")
        commands.append((f"overture check{' --skills' * skills}", "all that is wrong, with lines"))
    if not told.files and not told.skills:
        commands += [("overture init", "write a file with settings"), ("overture --help", "all commands")]
    commands += [
        ("overture explain", "where every part of it comes from"),
        ("overture context --by file", "what makes it long"),
    ]
    return commands[:3]


def _format_path(path: str, settled: ResolvedProject) -> str:
    """A path as one would write it here: relative, or from home, or else in full."""
    if not path.startswith("/"):
        return path
    near = posixpath.relpath(path, settled.cwd)
    if not near.startswith("../"):
        return near
    if contains_path(settled.home, path) and not contains_path(posixpath.dirname(path), settled.cwd):
        return "~" + path.removeprefix(settled.home.rstrip("/"))
    return path if near.startswith("../" * MAX_PARENT_STEPS) else near


def _line(text: str) -> None:
    """A line; on a terminal, no longer than that is wide."""
    print_line(_fit_width(text, shutil.get_terminal_size().columns) if sys.stdout.isatty() else text)


def _fit_width(text: str, width: int) -> str:
    """The text with as many of its characters as fit, its colours whole."""
    plain = STYLED.sub("", text)
    if sum(map(_columns, plain)) <= width:
        return text
    kept, used, at = "", 1, 0
    while at < len(text):
        mark = STYLED.match(text, at)
        if mark:
            kept, at = kept + mark[0], mark.end()
            continue
        used += _columns(text[at])
        if used > width:
            break
        kept, at = kept + text[at], at + 1
    return f"{kept}…{MARK}[0m" if MARK in kept else f"{kept}…"


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
