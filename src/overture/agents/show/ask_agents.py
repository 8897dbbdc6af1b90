"""What `overture agents` is asked for: its options checked, and the reports that answer it."""

import os
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from ...discover.disk.walk import absolute
from ...discover.disk.world import RealWorld
from ...errors import ConfigError
from ...known_agents import AGENTS
from ...terminal.progress import doing
from ...tokens.counter import ESTIMATE
from ..report.agent_report import AgentReport
from ..report_agents import report_agents
from .words import Near


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
            raise ConfigError(f"{first} and {second} ask for two things. Leave one out.")
    if (options["yes"] or options["undo"]) and not options["fix"]:
        raise ConfigError("--yes and --undo belong to --fix. Give both, or leave them out.")
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
    reports = report_agents(
        names,
        cwd=options["cwd"],
        home=options["home"],
        root=options["root"],
        touching=options["touching"],
        everyone=options["everything"] and not names,
        counter=counter,
        count_later=options["as_json"] or options["markdown"],
        read_outside=options["read_outside"],
    )
    return tuple(map(only_skills, reports)) if options["only_skills"] else reports


def only_skills(report: AgentReport) -> AgentReport:
    """What an agent does with skills, and with no other file."""
    return replace(report, files=tuple(file for file in report.files if file.kind == "skill"))


def top_of(options: dict[str, Any]) -> str:
    """The project's top."""
    from ...known_agents import agent
    from ...project.project import settle
    from ..report_agents import walk_here

    return walk_here(settle(agent(AGENTS[0]), cwd=options["cwd"], home=options["home"], root=options["root"]))[0]
