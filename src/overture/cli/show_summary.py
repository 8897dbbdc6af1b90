"""`overture` alone shows what the agents load here, whether they agree, what is wrong, and what to do next."""

import re
from collections import Counter as Counting
from collections.abc import Sequence
from typing import Annotated

from msgspec.structs import asdict

from ..agents.agent_project import agents_in
from ..agents.agent_report import NO_FILES
from ..agents.agents_summary import AgentsSummary, AgentSummary, list_titles, summarize_agents
from ..agents.show.agent_table_cells import SKILL_FORMATS, do_skill_formats_differ
from ..agents.survey_project import find_files_below
from ..assemble.build import build
from ..check.engine import check_agents
from ..check.findings import Finding
from ..discovery.discover import ResolvedProject
from ..discovery.place import locate
from ..discovery.world import World
from ..known_agents.file_owners import match_known_file
from ..model.struct import note
from ..project.resolve import resolve
from ..terminal.error_lines import quote_names
from ..terminal.output import (
    count_noun,
    dim,
    escape_controls,
    print_line,
    print_table,
    print_wrapped,
    style,
    write_json,
)
from ..text.path_printer import PathPrinter
from ..text.words import join_words, pluralize, shorten_text
from ..tokens.counter import Counter
from ..tokens.load_tokenizer import find_counter

MAX_NAMED_FILES = 3
"""Files of an agent that are named; the others are counted."""
MAX_NAMED_SKILLS = 2
"""Skills of an agent that are named where another has as many others."""
MIN_GROUP_SIZE = 4
"""So many files of one folder are named by it."""
MAX_PROBLEM_CHARS = 140
LOST_INSTRUCTIONS = ("never-arrives", "truncated", "unreadable")


class FolderSummary(AgentsSummary, frozen=True, omit_defaults=False):
    """The summary of a folder that `overture` prints."""

    below: Annotated[tuple[str, ...], note("where no file loads at the start: instruction files in folders below")]
    empty: Annotated[tuple[str, ...], note("where no file loads at the start: instruction files without text")]
    problems: Annotated[tuple[Finding, ...], note("errors and warnings of `overture check`, the worst first")]
    next: Annotated[str, note("the command to run next")]
    recipe: Annotated[str, note("of the prompt that `overture build` makes here")]
    tokens: Annotated[int, note("of that prompt")]
    exact: Annotated[bool, note("false: the tokens are an estimate")]


FILES = "overture agents --files"
TAP = "overture tap -- claude"
"""The next step where agents load nothing."""
NOTHING_LOADS = "No instruction files or skills load at the start here."
ABOUT = {
    "overture agents": "shows what each of them skips, and the fix.",
    "overture check": "lists every problem with its line.",
    FILES: "shows which agents read each file.",
}


def show_summary(*, as_json: bool) -> None:
    """Print the summary of the working directory."""
    project = resolve(None, locate(world=World()).at_one_moment())
    counter = find_counter()
    summary = summarize_folder(project, counter)
    if as_json:
        write_json(summary)
        return
    print_path = PathPrinter(project.cwd, project.home)
    if _is_empty(summary):
        _show_empty(summary, print_path)
        return
    _show_agents(summary, counter, print_path)
    print_line()
    if agreement := _describe_agreement(summary, print_path):
        print_wrapped(agreement)
    if summary.problems:
        print_wrapped(_describe_problem(summary, print_path))
    # There is a fix for instructions, and not for every skill or rule.
    shared = [path for path in summary.differences if "*" not in (match_known_file(path) or ("", ""))[0]]
    fixable = bool(summary.uninstructed) or (not summary.agree and bool(shared))
    about = ABOUT[summary.next] if fixable else ABOUT[summary.next].replace(", and the fix", "")
    print_wrapped(dim(f"Next: `{summary.next}` {about}"))
    tokens = f"{counter.shown(summary.tokens)} {pluralize(summary.tokens, 'token')}"
    print_wrapped(dim(f"To build an agent: `overture build` prints {tokens} (recipe {summary.recipe})."))


def summarize_folder(project: ResolvedProject, counter: Counter) -> FolderSummary:
    """What agents load here, the worst problem, and the prompt of the folder's own recipe.

    That agents disagree is in the summary itself, and no second problem.
    """
    discovery = project.find()
    prompt = build(project.recipe, discovery.state, found=discovery.diagnostics).counted(counter)
    agents = summarize_agents(agents_in(project), counter)
    _, checked = check_agents(agents_in(project))
    problems = [each for each in checked.findings if each.severity != "note" and each.code != "agents-disagree"]
    # Errors, then instructions that do not arrive.
    problems.sort(key=lambda each: (each.severity != "error", each.code not in LOST_INSTRUCTIONS))
    nothing = _is_empty(agents)
    below = tuple(find_files_below(agents_in(project))) if nothing else ()
    cleared = (look.path for look in discovery.looked_at if look.what == "context" and look.outcome == "cleared")
    return FolderSummary(
        **asdict(agents),
        below=below,
        empty=tuple(cleared) if nothing else (),
        problems=tuple(problems),
        next=_choose_next(agents, problems) if problems or not nothing else FILES if below else TAP,
        recipe=project.recipe.name,
        tokens=prompt.tokens,
        exact=counter.exact,
    )


def _is_empty(agents: AgentsSummary) -> bool:
    """Whether there is nothing to show: no agent loads anything, nor does another load a file in their place."""
    loads_something = any(agent.files or agent.skills for agent in agents.agents)
    return not loads_something and not (agents.agents and agents.shared_file and match_known_file(agents.shared_file))


def _choose_next(agents: AgentsSummary, problems: Sequence[Finding]) -> str:
    """The command that the summary proposes as the next: errors first, then what differs."""
    if problems and (agents.agree or problems[0].severity == "error"):
        return "overture check"
    return "overture agents" if not agents.agree or agents.uninstructed or agents.skills_differ else FILES


def _show_empty(summary: FolderSummary, print_path: PathPrinter) -> None:
    """What is here although no agent loads anything, and what to do."""
    print_line(NOTHING_LOADS if summary.below or summary.empty or summary.problems else NO_FILES)
    if summary.below:
        named = [escape_controls(print_path(path)) for path in summary.below[:MAX_NAMED_FILES]]
        more = [count_noun(left, "more file")] if (left := len(summary.below) - MAX_NAMED_FILES) > 0 else []
        print_wrapped(f"Folders below have {join_words([*named, *more])}.")
    print_line()
    if summary.problems:
        print_wrapped(_describe_problem(summary, print_path))
        print_wrapped(dim(f"Next: `{summary.next}` {ABOUT[summary.next]}"))
    elif summary.below:
        print_wrapped(dim(f"Next: `{summary.next}` shows which agents load them when they work there."))
    else:
        if summary.empty:
            name = escape_controls(print_path(summary.empty[0]))
            print_wrapped(f"{name} is empty: write what agents should know here.")
        else:
            print_wrapped(dim("Write an `AGENTS.md`: most agents load it when they start."))
        print_wrapped(dim(f"`{TAP}` shows what an agent sends without one."))


def _show_agents(summary: AgentsSummary, counter: Counter, print_path: PathPrinter) -> None:
    width = max(len("tokens"), *(len(counter.shown(agent.tokens)) for agent in summary.agents))
    rows, loaded = list[tuple[str, ...]](), list[tuple[int, str, int]]()
    for agent in summary.agents:
        tokens = counter.shown(agent.tokens).rjust(width)
        rows.append((style(agent.title, bold=True), tokens, _describe_files(agent, summary, print_path)))
        loaded.append((sum(file.tokens for file in agent.files), ", ".join(_count_listed(agent)), agent.tokens))
    print_table(rows, "", heads=("agent", "tokens".rjust(width), "loads"))
    if do_skill_formats_differ(loaded):
        print_wrapped(dim(SKILL_FORMATS))
    if summary.others:
        rest = len(summary.others) - summary.readers
        also = f"; {rest} more read{'s' * (rest == 1)} other files" if rest else ""
        shared = escape_controls(print_path(summary.shared_file or ""))
        many = f"{summary.readers} more agents read" if summary.readers > 1 else "1 more agent reads"
        print_wrapped(dim(f"{many} {shared}{also} (`overture agents --all`)"))


def _describe_files(agent: AgentSummary, summary: AgentsSummary, print_path: PathPrinter) -> str:
    ends = {file.path: " twice" if file.repeated else "" for file in agent.files}
    ends |= {f.path: f" to line {f.last_line:,}" for f in agent.files if f.last_line is not None}
    # The nearest come last, and are what one looks for.
    groups = _group_by_folder(list(ends))
    named = [escape_controls(_name_group(group, print_path)) + ends[group[-1]] for group in groups]
    left = sum(map(len, groups[:-MAX_NAMED_FILES]))
    listed = _count_listed(agent)
    if agent.skills:  # those that agents with equal counts lack
        alike = [each for each in summary.agents if each.skills == agent.skills]
        lacked = {name for each in alike for name in agent.find_lacking(each)}
        own = [escape_controls(name) for name in agent.skill_names if name in lacked]
        some = "including " if len(own) < agent.skills else ""
        names = ", ".join(own[:MAX_NAMED_SKILLS]) + ", …" * (len(own) > MAX_NAMED_SKILLS)
        listed[0] += f" ({some}{names})" if own else ""
    more = [count_noun(left, "more file")] if left else []
    return ", ".join([*named[-MAX_NAMED_FILES:], *more, *listed]) or "nothing"


def _count_listed(agent: AgentSummary) -> list[str]:
    """The skills, commands and sub-agents in an agent's line of the summary, each as a number."""
    numbers = {"skill": agent.skills, "command": agent.commands, "sub-agent": agent.sub_agents}
    return [count_noun(number, noun) for noun, number in numbers.items() if number]


def _group_by_folder(paths: Sequence[str]) -> list[list[str]]:
    """Paths in their order; many of one folder together."""
    sizes = Counting(path.rpartition("/")[0] for path in paths)
    groups: dict[str, list[str]] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        groups.setdefault(folder if sizes[folder] >= MIN_GROUP_SIZE else path, []).append(path)
    return list(groups.values())


def _name_group(group: Sequence[str], print_path: PathPrinter) -> str:
    return f"{len(group)} files in {print_path(group[0].rpartition('/')[0])}" if group[1:] else print_path(group[0])


def _describe_agreement(summary: AgentsSummary, print_path: PathPrinter) -> str:
    none = list_titles(summary, summary.uninstructed)
    groups = [group for group in summary.groups if group[0] not in summary.uninstructed]
    skills = " Their skills differ." if summary.skills_differ else ""
    if not groups:
        who = f"{none[0]} gets no" if not none[1:] else "None of them gets"
        return style(f"{who} instructions.{skills}", fg="yellow")
    if not summary.agents[1:]:
        return ""
    titles = [list_titles(summary, group) for group in sorted(groups, key=len)]
    what = _describe_difference(summary, titles, print_path) if titles[1:] else _describe_same(titles[0], bool(none))
    without = f"; {join_words(none)} {'get' if none[1:] else 'gets'} none" if none else ""
    sentences = f"{what}{without}.{skills}"
    return sentences if summary.agree and not skills else style(sentences, fg="yellow")


def _describe_same(titles: Sequence[str], some_get_none: bool) -> str:
    if not titles[1:]:
        return f"{titles[0]} gets instructions"
    all_of_them = "Both" if not titles[2:] else f"All {len(titles)}"
    return f"{join_words(titles) if some_get_none else all_of_them} get the same instructions"


def _describe_difference(summary: AgentsSummary, titles: Sequence[Sequence[str]], print_path: PathPrinter) -> str:
    """Two or more groups of agents that get different instructions, the smallest group first."""
    names = [_name_group(group, print_path) for group in _group_by_folder(summary.differences)]
    left = len(names) - MAX_NAMED_FILES
    named = ", ".join([*map(escape_controls, names[:MAX_NAMED_FILES]), *([f"{left} more"] if left > 0 else [])])
    number = len(summary.differences)
    differ = f"{count_noun(number, 'file')} {'differs' if number == 1 else 'differ'} ({named})"
    first, *_, most = titles
    if len(titles) > 2:
        return f"They get {len(titles)} different sets of instructions: {differ}"
    if first[1:] or most[1:]:
        verb = "get" if first[1:] else "gets"
        return f"{join_words(first)} {verb} other instructions than {join_words(most)}: {differ}"
    return f"{first[0]} and {most[0]} get different instructions: {differ}"


def _describe_problem(summary: FolderSummary, print_path: PathPrinter) -> str:
    """The line of the summary about the worst problem."""
    worst = summary.problems[0]
    where = f"{print_path(worst.path)}{f':{worst.line}' if worst.line else ''}: " if worst.path else ""
    lists = "" if summary.next == "overture check" else ": `overture check`"
    more = f" ({len(summary.problems) - 1} more{lists})" if summary.problems[1:] else ""
    colour = "red" if worst.severity == "error" else "yellow"
    # The problem comes before its reason: rather one whole clause than a part of the sentence.
    whole = print_path.within(quote_names(worst.message))
    words = whole if len(where + whole) <= MAX_PROBLEM_CHARS else re.split("[:;] ", whole)[0]
    message = escape_controls(shorten_text(where + words, MAX_PROBLEM_CHARS))
    return f"{style(worst.severity, fg=colour)}: {message}{more}"
