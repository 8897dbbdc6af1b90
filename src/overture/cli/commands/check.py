"""`overture check`, or `overture lint`: what is wrong with the prompt and the files behind it."""

import sys
from typing import Any

import click

from ... import __version__
from ...check.choice import Choice
from ...check.ground import Ground
from ...check.mend import diff, mended
from ...check.output.github import annotations
from ...check.output.sarif import sarif
from ...check.paths import shown_path
from ...check.rules import page
from ...check.run import Checked, run
from ...discover.configuration.values import Config
from ...discover.disk.walk import absolute
from ...errors import ConfigError
from ...project.find_ground import find_ground
from ...project.project import settle
from ...reports import chosen
from ..layout.progress import doing
from ..shared.gather_state import Gathered, gather
from ..shared.mend_files import refusal, write_mended
from ..shared.options import AS_JSON, WHICH, Ask, building, command_line
from ..shared.terminal import aside, complain, say, style, tell, visible, write, write_json
from ..show.show_check import show_findings, show_rules

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command("check", epilog=WHICH)
@building
@click.option("--select", multiple=True, metavar="CODE", help="Only these checks, by code or how codes begin.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Not these checks.")
@click.option("--no-ignore", is_flag=True, help="Also what comments in files and check.exclude leave out.")
@click.option("--fix", is_flag=True, help="Mend what has one safe mend: shows a diff, then asks.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
@click.option(
    "--format", "form", type=click.Choice(("text", "json", "github", "sarif")), default="text", show_default=True,
    help="text, json, github for annotations, sarif for code scanning.",
)  # fmt: skip
@AS_JSON
@click.option("--strict", is_flag=True, help="Exit 1 if there is any finding, not only an error.")
@click.option("--explain", metavar="CODE", help="Print the page of a check.")
@click.option("--list", "listing", is_flag=True, help="List all checks.")
def command(
    select: tuple[str, ...], ignore: tuple[str, ...], no_ignore: bool, fix: bool, yes: bool, form: str, as_json: bool,
    strict: bool, explain: str | None, listing: bool, **options: Any,
) -> int:  # fmt: skip
    """Check the prompt and the files behind it: forged frames, hidden characters, secrets, files that nobody reads.

    Exits with 1 if there is an error, with --strict if there is any finding. A finding is ignored for a line, with a
    reason, by <!-- overture: ignore CODE: reason --> above it, and for a project by [check] in overture.toml.
    `overture lint` is the same.

    \b
    overture check                       what is wrong here
    overture check --explain CODE        what a check finds, why, and how to mend it
    overture check --fix                 mend what can be mended safely
    overture check --format github       annotations on a pull request
    """
    if explain is not None:
        write(page(explain))
        return 0
    if listing:
        show_rules()
        return 0
    given = Choice(_words(select), _words(ignore), comments=not no_ignore)
    form = "json" if as_json else form
    ask = Ask(**options)
    ground, checked = checked_here(ask, given)
    if fix and mend(ground, checked, yes, plain=form != "text"):
        ground, checked = checked_here(ask, given)
    print_findings(ground, checked, form)
    return int(bool(checked.findings) if strict else not checked.ok)


def _words(given: tuple[str, ...]) -> tuple[str, ...]:
    """`--select a,b --select c` as three words."""
    return tuple(word for text in given for word in (part.strip() for part in text.split(",")) if word)


def checked_here(ask: Ask, given: Choice) -> tuple[Ground, Checked]:
    """What the rules look at here, and what they found."""
    gathered = gather(ask)
    prompt = gathered.build()
    doing("checking")
    if gathered.ask.no_discover:
        ground, config = Ground(prompt, looks=gathered.found.looked_at), Config({})
    else:
        settled = _settled(gathered)
        ground, config = find_ground(settled, prompt, gathered.found), settled.config
    return ground, run(ground, chosen(config, prompt.recipe.name, given))


def _settled(gathered: Gathered) -> Any:
    ask = gathered.ask
    return settle(
        gathered.recipe, cwd=ask.cwd, home=ask.home, root=ask.root, config=command_line(ask), world=ask.world
    )


def print_findings(ground: Ground, checked: Checked, form: str) -> None:
    """In the form that was asked for."""
    if form == "json":
        write_json(checked.to_dict())
    elif form == "sarif":
        write_json(sarif(checked, __version__))
    elif form == "github":
        if lines := annotations(checked):
            write("\n".join(visible(line) for line in lines))
    else:
        world = Ask().world
        show_findings(checked, absolute(world, world.home()), len([page for page in ground.pages if page.read]))


def mend(ground: Ground, checked: Checked, yes: bool, *, plain: bool) -> bool:
    """Show what would be mended, ask, and write it. Whether anything was written."""
    texts = {page.path: page.text for page in ground.pages}
    new = mended(checked.findings, texts)
    for path in list(new):
        why = refusal(path, ground.root, texts[path])
        if why is not None:
            complain(f"warning: {path}: not mended: {why}")
            del new[path]
    if not new:
        aside("Nothing here has a safe mend.")
        return False
    out = complain if plain else say
    for path in sorted(new):
        for line in diff(shown_path(path, ground.root), texts[path], new[path]):
            out(style(visible(line), fg=COLOURS.get(line[:1])))
    if not (yes or _agreed(len(new))):
        return False
    for path, why in write_mended(new).items():
        complain(f"error: {path}: not mended: {why}")
    if not plain:
        tell(f"Mended {len(new)} file{'s' if len(new) > 1 else ''}.")
        say()
    return True


def _agreed(files: int) -> bool:
    """Whoever sits at a terminal is asked; nobody else agreed to anything."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        complain("Nothing was written: give --yes with --fix to write what the diff shows.")
        return False
    return click.confirm(f"Write {'this file' if files == 1 else f'these {files} files'}?", default=False, err=True)
