"""`overture tap --demo`: plays a recorded conversation, so that nobody needs an agent or a key to see a report."""

import os
from pathlib import Path

import click

from ...terminal.output import print_error
from ..importers.import_log import Importer
from ..importers.open_log import LogFile
from ..store.open_store import find_store_path, open_store
from . import report
from .which_store import format_store_option

RECORDING = Path(__file__).parents[1] / "demo.har"
"""Made by docs/make_demo.py."""
MISS = ("0840", "61b5")
"""The calls before and after its first cache miss."""


def play_demo(context: click.Context, store: str | None) -> int:
    """Import the recording into a store of its own, unless another is given, and report on it."""
    path = store or os.path.join(os.path.dirname(find_store_path(os.getcwd())), "demo.sqlite")
    with open_store(path) as opened:
        done = Importer(opened, program="demo").import_log(LogFile(str(RECORDING), True), "har")
    code: int = context.invoke(report.command, store=path, since=next(iter(done.runs)))
    print_error(f"hint: `overture tap diff {' '.join(MISS)}{format_store_option(path)}` shows what the clock changed")
    return code
