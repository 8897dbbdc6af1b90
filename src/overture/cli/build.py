"""`overture build`: print the prompt and nothing else."""

from typing import Any

import click

from ..model.errors import unknown
from ..render.render import PROVIDERS, render
from .gather import Ask, gather, models_for
from .options import STRICT, building
from .show import report, write, write_json

FORMS = ("text", "json", *PROVIDERS)


@click.command("build")
@building
@click.option(
    "--format",
    "form",
    default="text",
    metavar="FORM",
    help="text (default), json, or a provider's request: " + ", ".join(PROVIDERS) + ".",
)
@click.option("--model", metavar="NAME", help="With a provider's form: the model. It decides on roles and caching.")
@STRICT
def command(form: str, model: str | None, strict: bool, **options: Any) -> int:
    """Print the prompt that RECIPE makes of the current directory.

    Standard output holds the prompt alone; problems in your files go to standard error, one line each.
    """
    if form not in FORMS:
        raise click.UsageError(unknown("Format", form, FORMS))
    ask = Ask(**options)
    prompt = gather(ask).build()
    if form in PROVIDERS:
        body = render(form, prompt, model=model, tools=True, models=models_for(ask))
    report(prompt.diagnostics)
    if form in PROVIDERS:
        write_json(body)
    elif form == "json":
        write_json(prompt.to_dict())
    else:
        write(prompt.text)
    return 1 if strict and prompt.diagnostics else 0
