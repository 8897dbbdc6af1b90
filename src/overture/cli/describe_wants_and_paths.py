"""Describes in words which files a recipe wants, and what became of one path."""

from collections.abc import Iterator

from ..model.agent_rules import AgentWants
from ..model.recipe.recipe import Recipe
from ..model.wants import SkillDirs, fill_settings
from ..report.why import PathStatus
from ..terminal.output import (
    OUTCOMES,
    print_error,
    print_heading,
    print_line,
    print_table,
    print_wrapped,
    style,
    write_json,
)
from ..text.path_printer import PathPrinter

MACHINE = "the machine"
KINDS = {"instructions": "files", "rule": "rules", "agent": "sub-agents", "command": "commands"}
WHERE = {"project": "", "home": " under home", "later": ", in folders that it works in"}


def describe_wants(recipe: Recipe) -> list[tuple[str, str]]:
    """The files that a recipe wants read, in words."""
    rows: list[tuple[str, str]] = []
    wants = recipe.wants if recipe.agent else fill_settings(recipe.wants, recipe.settings)
    if wants.context:
        rows += [("project files", f"~/{path}") for path in wants.context.home]
        which = "the first" if wants.context.take == "first" else "all"
        names = f"{which} of {', '.join(wants.context.placed_names)}"
        rows.append(("project files", f"in each folder from the root down to cwd, {names}"))
        if wants.context.nested:
            rows.append(("project files", "below cwd too: a session loads them when a tool touches a file there"))
    if isinstance(wants, AgentWants):
        rows += _describe_agent(wants.fill(recipe.settings))
    if wants.skills:
        rows += _describe_skill_folders(wants.skills)
    if wants.overrides:
        own = wants.overrides
        rows += [(name, f"{own.project}/{name} in cwd, else ~/{own.home}/{name}") for name in (own.system, own.append)]
    if wants.persona:
        rows += [("persona", f"~/{wants.persona.folder}/{name}.md") for name in ("IDENTITY", "SOUL", "USER")]
    if wants.workspace:
        rows += [("workspace files", f"~/{wants.workspace.folder}/{name}") for name in wants.workspace.names]
    if wants.runtime:
        sudo = ", and in a session whether sudo needs a password" if wants.sudo else ""
        rows.append((MACHINE, f"its name, system, processor, shell and time zone{sudo}"))
    if wants.agent:
        rows.append(("agent", f"{wants.agent.name} in cwd"))
    if wants.memories:
        rows.append(("memories", f"the nearest {wants.memories.name}, from cwd up to the root"))
    return rows


def _describe_agent(wants: AgentWants) -> Iterator[tuple[str, str]]:
    """What an agent looks for; its page in the docs says where and in which order."""
    for step in wants.steps:
        names = ", ".join(name.replace("|", " or ") for name in step.names) or "what its settings name"
        home = ", ".join(f"~/{folder}".rstrip("/") for folder in step.at_home)
        yield KINDS.get(step.kind, step.kind), f"in {home}: {names}" if home else f"{names}{WHERE[step.place]}"
    for limit in wants.limits:
        over = "each file" if limit.over == "file" else "all together"
        yield "limit", f"{limit.most:,} {limit.unit} of {', '.join(limit.of)}, {over}"
    for file in wants.configured:
        yield "settings", ", ".join(dict.fromkeys((*file.paths, *file.adds, *file.limits, *file.enables)))
    for path in (*wants.listed.project, *wants.listed.here) if wants.listed else ():
        yield "skills", f"{path}/*/SKILL.md"
    for path in wants.listed.home if wants.listed else ():
        yield "skills", f"{path if path.startswith('/') else f'~/{path}'}/*/SKILL.md"


def _describe_skill_folders(skills: SkillDirs) -> list[tuple[str, str]]:
    above = " and in the folders above it" if skills.ancestors else ""
    rows = [("skills", f"{path}/*/SKILL.md in cwd{above}") for path in skills.project]
    rows += [("skills", f"~/{path}/*/SKILL.md") for path in skills.home]
    return [*rows, ("skills", "only valid skills")] if skills.invalid == "skip" else rows


MAX_SHORT_WORDS = 2
"""Where nothing was found, so many kinds of files are named with their places."""
EMPTY = "No instruction files or skills found: the prompt is the recipe's own text and facts about the machine."


def show_empty(recipe: Recipe) -> None:
    """What a project without files of its own gets: what would be read, and how to go on."""
    print_line()
    print_wrapped(EMPTY)
    wanted = list(describe_wants(recipe))
    kinds = list(dict.fromkeys(kind for kind, _ in wanted if kind != MACHINE))
    print_heading(f"The recipe {recipe.name} would read")
    first = [row for row in wanted if row[0] in kinds[:MAX_SHORT_WORDS]]
    begins = {kind: path for kind, path in reversed(first)}
    print_table([(kind if path == begins[kind] else "", path) for kind, path in first])
    if kinds[MAX_SHORT_WORDS:]:
        print_wrapped(f"and {', '.join(kinds[MAX_SHORT_WORDS:])}: `overture recipes {recipe.name}` shows where", "  ")
    print_heading("Next")
    context = recipe.wants.context
    write = [(f"write {context.names[0]}", "with what an agent should know about this project")] if context else []
    build = (f"overture build {recipe.name}", "print the prompt")
    everything = (f"overture explain {recipe.name} --all", "list every section, rule and path")
    print_table([*write, build, everything])


IN_PROMPT = "in the prompt: "


def show_path_statuses(statuses: tuple[PathStatus, ...], printer: PathPrinter, recipe: str, as_json: bool) -> None:
    """What became of a file: a line for each path, and of one that is not in the prompt the cause and a hint."""
    if as_json:
        write_json(statuses)
    for status in statuses:
        if status.outcome == "missing":
            print_error(f"error: No such file: `{printer(status.path)}`")
            if status.similar:
                print_error(f"  tip: a similar path exists: `{printer.within(status.similar)}`", indented=True)
        elif as_json:
            continue
        elif status.cause:
            show_absence(status, printer, recipe)
        else:
            colour = OUTCOMES.get(status.outcome, "yellow")
            sentence = status.said
            if sentence.startswith(IN_PROMPT):
                sentence = f"in the prompt of {recipe}: {sentence.removeprefix(IN_PROMPT)}"
            print_wrapped(f"{printer(status.path)}: {style(printer.within(sentence), fg=colour)}")


def show_absence(status: PathStatus, printer: PathPrinter, recipe: str) -> None:
    """Shows that a file is not in the prompt, and why."""
    print_wrapped(f"{style(printer(status.path), bold=True)} is not in the prompt of {recipe}")
    cause = printer.within(status.cause.removesuffix("."))
    print_wrapped(f"cause: {cause[:1].upper() + cause[1:]}")
