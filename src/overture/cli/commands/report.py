"""`overture report`: the page for one prompt, as a single file to attach to an issue or a CI run."""

import sys
from typing import Any

import click

from ...errors import ConfigError
from ...project.project import Settled, settle
from ...serve.page.report_page import Reported, report_page
from ..layout.progress import doing
from ..shared.gather_state import Gathered, gather, models_for
from ..shared.options import WHICH, Ask, building, command_line
from ..shared.terminal import aside, report, write, write_text


@click.command("report", epilog=WHICH)
@building
@click.option("-o", "--output", metavar="FILE", help="The file to write. Default: standard output, where it is piped.")
@click.option("--with-files", is_flag=True, help="Also put the files behind the prompt into it, whole.")
def command(output: str | None, with_files: bool, **options: Any) -> None:
    """Write a page about the prompt into one file, which any browser shows without a server.

    It holds the prompt with the source of every part, the map of its tokens, the files that were looked at, what the
    checks found and what other agents read here. Nothing in it is fetched from anywhere. `overture serve` shows the
    same page live.

    \b
    overture report -o page.html                  of an agent that begins here
    overture report claude-code -o page.html      of what Claude Code is told
    """
    if output is None and sys.stdout.isatty():
        raise ConfigError("A page is too long for a terminal. Name a file: -o page.html.")
    ask = Ask(**options)
    gathered = gather(ask)
    prompt = gathered.build()
    doing("looking at what agents read, and checking")
    told = Reported(prompt, gathered.found, _settled(gathered), models_for(ask), with_files)
    page = report_page(told)
    if output is None:
        write(page)
        return
    write_text(output, page)
    report(prompt.diagnostics)
    aside(f"{output}: {len(page.encode()):,} bytes; open it in a browser")


def _settled(gathered: Gathered) -> Settled | None:
    """The project behind the prompt; of what was saved or given, none is known."""
    ask = gathered.ask
    if ask.no_discover or gathered.sent is not None:
        return None
    return settle(gathered.recipe, cwd=ask.cwd, home=ask.home, root=ask.root, config=command_line(ask), world=ask.world)
