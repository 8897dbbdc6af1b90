"""`overture agents`: what other agents read here, in which order, cut where, and why not the rest."""

import os
from collections.abc import Sequence
from typing import Any

import click

from ...discover.disk.walk import absolute, expanded
from ...discover.disk.world import RealWorld
from ...errors import ConfigError
from ...project.agents.report_agents import report_agents
from ...recipes.agents import AGENTS
from ...report.agents.agent_report import AgentReport
from ...report.agents.here.as_data import agents_data, grid_data
from ...report.agents.here.file_grid import file_grid
from ...report.agents.here.words import Near
from ...tokens.counter import ESTIMATE
from ..layout.progress import doing
from ..shared.options import AS_JSON
from ..shared.terminal import say, tell, write, write_json

NOBODY = "No agent is used here, by what one sees: no file, folder or program of one."
THEN = "`overture agents codex` asks for one, `overture agents --all` for all that are known."


@click.command("agents")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--all", "everything", is_flag=True, help="Every agent that is known; with NAME, every file.")
@click.option("--files", "by_file", is_flag=True, help="The other way round: each file, and who reads it.")
@click.option("--touching", multiple=True, metavar="PATH", help="What is added when the agent works on this file.")
@click.option("--why", "path", metavar="PATH", help="Only what each agent makes of this file.")
@click.option("--cwd", metavar="DIR", help="The directory in which the agents work. Default: here.")
@click.option("--home", metavar="DIR", help="The home directory to look in. Default: yours.")
@click.option("--root", metavar="DIR", help="Look for files no further up than this.")
@click.option("--tokenizer", metavar="NAME", help="What counts: o200k, cl100k, claude, … Default: the estimate.")
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
    overture agents --touching src/a.py  what each adds when it works there
    overture agents --why CLAUDE.md      what each makes of one file
    """
    check_options(options)
    near = nearness(options)
    reports = asked(names, options)
    if options["path"] is not None:
        from ..agents.show_why import show_why

        return show_why(reports, options["path"], near, as_json=options["as_json"])
    if options["as_json"]:
        write_json(grid_data(file_grid(reports)) if options["by_file"] else agents_data(reports))
    elif not reports:
        tell(NOBODY)
        tell(THEN)
    elif options["markdown"]:
        write(markdown(reports, options, len(names)))
    else:
        show(reports, names, options, near)
    return 0


def check_options(options: dict[str, Any]) -> None:
    """Two that exclude each other are a slip, and so is a home that is not there."""
    pairs = (("as_json", "--json", "markdown", "--markdown"), ("by_file", "--files", "touching", "--touching"))
    for one, first, other, second in (*pairs, ("by_file", "--files", "path", "--why")):
        if options[one] and options[other]:
            raise ConfigError(f"{first} and {second} ask for two things. Leave one out.")
    if options["home"] is not None and not os.path.isdir(options["home"]):
        raise ConfigError(f"The home directory {options['home']!r} is not a directory. Give another with --home.")


def nearness(options: dict[str, Any]) -> Near:
    """How paths are written here."""
    world = RealWorld()
    return Near(absolute(world, options["cwd"] or "."), absolute(world, options["home"] or world.home()))


def asked(names: Sequence[str], options: dict[str, Any]) -> tuple[AgentReport, ...]:
    """The reports that are asked for."""
    doing("reading what agents read")
    counter = ESTIMATE
    if options["tokenizer"]:
        from ...discover.load_tokenizer import find_counter

        counter = find_counter(options["tokenizer"])
    return report_agents(
        names,
        cwd=options["cwd"],
        home=options["home"],
        root=options["root"],
        touching=options["touching"],
        everyone=options["everything"] and not names,
        counter=counter,
    )


def show(reports: Sequence[AgentReport], names: Sequence[str], options: dict[str, Any], near: Near) -> None:
    """For a person."""
    from ..agents.show_agent import show_added, show_agent
    from ..agents.show_files import show_files
    from ..agents.show_table import show_table

    everything = options["everything"]
    if options["touching"]:
        paths = [expanded(path, near.cwd, near.home) for path in options["touching"]]
        show_added(reports, near, paths, everything)
    elif options["by_file"]:
        show_files(file_grid(reports), near, everything and bool(names))
    elif len(names) == 1:
        show_agent(reports[0], near, everything)
    elif names and everything:
        for report in reports:
            show_agent(report, near, everything)
            say()
    else:
        first = reports if names else sorted(reports, key=lambda report: not report.used)
        show_table(first, near, 0 if everything or names else len(AGENTS) - len(reports))


def markdown(reports: Sequence[AgentReport], options: dict[str, Any], named: int) -> str:
    """For a README: paths begin at the project's top."""
    from ..agents.as_markdown import markdown_agent, markdown_files, markdown_table

    near = Near(top_of(options), "/ ")
    if options["by_file"]:
        return markdown_files(file_grid(reports), near, options["everything"] and named > 0)
    if named == 1:
        return markdown_agent(reports[0], near, options["everything"])
    return markdown_table(reports, near)


def top_of(options: dict[str, Any]) -> str:
    """The project's top."""
    from ...project.agents.report_agents import walk_here
    from ...project.project import settle
    from ...recipes.agents import agent

    return walk_here(settle(agent(AGENTS[0]), cwd=options["cwd"], home=options["home"], root=options["root"]))[0]
