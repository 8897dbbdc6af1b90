"""`overture agents`: what the agents that are used here read of what is here."""

from typing import Any

import click

from ...errors import ConfigError
from ..agents.diff_agents import show_agents_diff
from ..agents.fix_agents import fix_agents, undo_fix
from ..shared.options import AS_JSON, Ask


@click.command("agents")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--cwd", metavar="DIR", help="The directory in which the agents work. Default: here.")
@click.option("--home", metavar="DIR", help="The home directory to look in. Default: yours.")
@click.option("--root", metavar="DIR", help="Look for files no further up than this.")
@click.option("--fix", is_flag=True, help="Write what lets them all read the same: shows a diff, then asks.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
@click.option("--undo", is_flag=True, help="With --fix: take the last fix back.")
@click.option("--all", "everything", is_flag=True, help="Everything, however long it is.")
@AS_JSON
def command(
    names: tuple[str, ...], fix: bool, yes: bool, undo: bool, everything: bool, as_json: bool, **options: Any
) -> int:
    """Show what the agents that are used here are told.

    \b
    overture agents diff codex claude-code   what one is told and the other is not
    overture agents --fix                    let all that are used here read the same
    overture agents --fix --undo             take that back
    """
    ask = Ask(**options)
    if names[:1] == ("diff",):
        return show_agents_diff(names[1:], ask, as_json=as_json, everything=everything)
    if (yes or undo) and not fix:
        raise ConfigError("--yes and --undo belong to --fix. Give both, or leave them out.")
    if undo:
        return undo_fix(ask)
    if fix:
        return fix_agents(names, ask, yes=yes, as_json=as_json)
    from ...project.agents.advice.advice_for import advice_for
    from ...project.agents.report_agents import report_agents
    from ..agents.show_advice import show_advice

    reports = report_agents(names, cwd=ask.cwd, home=ask.home, root=ask.root)
    show_advice(advice_for(reports, cwd=ask.cwd, home=ask.home, root=ask.root), everything=everything)
    return 0
