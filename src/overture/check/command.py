"""`overture check`, or `overture lint`: what is wrong with the prompt and the files behind it."""

from typing import Any

import click

from ..discover.disk.walk import absolute
from ..errors import ConfigError
from ..terminal.gather_state import gather
from ..terminal.options import AS_JSON, WHICH, Ask, building
from ..terminal.terminal import visible, write, write_json
from ..version import __version__
from .check_here import check_here
from .choice import Choice
from .fix_command import mend
from .ground import Ground
from .output.github import annotations
from .output.sarif import sarif
from .rules import page
from .run import Checked
from .show import show_findings, show_rules


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
@click.option("--all", "everything", is_flag=True, help="Also the ninth finding of a kind, and those after it.")
@click.option("--strict", is_flag=True, help="Exit 1 if there is any finding, not only an error.")
@click.option("--skills", is_flag=True, help="List the skills that are found, and what is wrong with each.")
@click.option("--explain", metavar="CODE", help="Print the page of a check.")
@click.option("--list", "listing", is_flag=True, help="List all checks.")
def command(
    select: tuple[str, ...], ignore: tuple[str, ...], no_ignore: bool, fix: bool, yes: bool, form: str, as_json: bool,
    everything: bool, strict: bool, skills: bool, explain: str | None, listing: bool, **options: Any,
) -> int:  # fmt: skip
    """Find what is wrong in the prompt and in the files behind it: hidden text, keys, files that nobody reads.

    Exits with 1 if there is an error, with --strict if there is any finding. A finding is ignored for a line, with a
    reason, by <!-- overture: ignore CODE: reason --> above it, and for a project by [check] in overture.toml.
    `overture lint` is the same.

    \b
    overture check                       what is wrong here
    overture check --explain CODE        what a check finds, and how to mend it
    overture check --fix                 mend what can be mended safely
    overture check --format github       annotations on a pull request
    overture check --skills --strict     the skills; 1 if any breaks a rule
    """
    if explain is not None:
        write(page(explain))
        return 0
    if listing:
        show_rules()
        return 0
    if skills:
        if select or ignore or no_ignore or fix or everything or form not in ("text", "json"):
            raise ConfigError("--skills lists the skills that are found: only --strict and --json go with it.")
        if options["budgets"] or options["window"]:
            raise ConfigError("--skills builds no prompt: leave out --budget and --window.")
        from .show_skills import show_skills

        return show_skills(Ask(**options), as_json or form == "json", strict)
    given = Choice(_words(select), _words(ignore), comments=not no_ignore)
    form = "json" if as_json else form
    if yes and not fix:
        raise ConfigError("--yes agrees to what --fix shows. Give both, or leave it out.")
    ask = Ask(**options)
    ground, checked = check_here(gather(ask), given)
    if fix and mend(ground, checked, yes, quiet=form != "text"):
        ground, checked = check_here(gather(ask), given)
    print_findings(ground, checked, form, everything)
    return int(bool(checked.findings) if strict else not checked.ok)


def _words(given: tuple[str, ...]) -> tuple[str, ...]:
    """`--select a,b --select c` as three words."""
    return tuple(word for text in given for word in (part.strip() for part in text.split(",")) if word)


def print_findings(ground: Ground, checked: Checked, form: str, everything: bool) -> None:
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
        pages = len([page for page in ground.pages if page.read])
        show_findings(checked, absolute(world, world.home()), pages, everything=everything)
