"""Options that several of these commands take, and what counts for them."""

import click

from ...discover.load_tokenizer import find_counter
from ...tokens.counter import ESTIMATE, Counter

STORE = click.option(
    "--store", metavar="WHERE", help="A file, or postgresql://… for a team. Default: the project's own file."
)
CWD = click.option("--cwd", metavar="DIR", help="The project whose calls are meant. Default: here.")
SINCE = click.option(
    "--since", metavar="WHEN", help="2h, 7d, 2026-11-15, the id of a run, or all. Default: the newest run."
)
SINCE_ALL = click.option("--since", metavar="WHEN", help="2h, 7d, 2026-11-15, or the id of a run. Default: all.")
TOKENIZER = click.option("--tokenizer", metavar="NAME", help="What counts: o200k, claude, … Default: the estimate.")


def counter_named(name: str | None) -> Counter:
    """The tokenizer of that name; without one, the estimate."""
    return find_counter(name) if name else ESTIMATE
