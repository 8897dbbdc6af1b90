"""`overture build`: print the prompt and nothing else."""

from typing import Any

import click

from ..report.budget import budget_note
from .gather import Ask, gather
from .options import STRICT, building
from .show import report, write, write_json
from .tokens import report_budget


@click.command("build")
@building
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Default: text.")
@STRICT
def command(form: str, strict: bool, **options: Any) -> int:
    """Print the prompt that RECIPE makes of the current directory.

    Standard output holds the prompt alone; problems in your files, and what --budget cut, go to standard error, one
    line each. A budget that can't be met exits with 1.
    """
    prompt = gather(Ask(**options)).build(counted=form == "json")
    report(prompt.diagnostics)
    if told := budget_note(prompt):
        report_budget(told, prompt.counter)
    if form == "json":
        write_json(prompt.to_dict())
    else:
        write(prompt.text)
    return 1 if strict and prompt.diagnostics else 0
