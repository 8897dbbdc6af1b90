"""`overture build`: print the prompt and nothing else."""

from typing import Any

import click

from ...errors import explain_unknown
from ...model.diagnostic import has_problem
from ...providers.render import PROVIDERS, native, request, strange_model
from ...providers.write.tools import callable_tools, order_tools, without_schema
from ...report.budget import note_budget
from ...terminal.budget_options import models_for
from ...terminal.gather_state import gather_state
from ...terminal.options import RECIPE_HELP, STRICT, CommandOptions, add_build_options
from ...terminal.output import print_diagnostics, write, write_json
from ..show_tokens import report_budget

MODEL = (
    "With a provider's form: the model. It decides on roles and caching. "
    "Default: runtime.model of the state, or else what every model takes."
)
FORMS = ("text", "json", *PROVIDERS)


@click.command("build", epilog=RECIPE_HELP)
@add_build_options
@click.option(
    "--format",
    "form",
    default="text",
    metavar="FORM",
    help="text (default), json, or a provider's request: " + ", ".join(PROVIDERS) + ".",
)
@click.option("--model", metavar="NAME", help=MODEL)
@STRICT
def command(form: str, model: str | None, strict: bool, **options: Any) -> int:
    """Print the system prompt that an agent would get in this directory.

    Standard output holds the prompt alone; problems in your files, and what --budget cut, go to standard error, one
    line each. A budget that can't be met exits with 1.

    \b
    overture build                       the prompt
    overture build --budget 2000         in at most 2,000 tokens
    overture build --format anthropic    the request to a provider, as JSON
    """
    if form not in FORMS:
        raise click.UsageError(explain_unknown("Format", form, FORMS))
    command_options = CommandOptions(**options)
    gathered = gather_state(command_options)
    prompt = gathered.build()
    notes = prompt.diagnostics
    if form in PROVIDERS:
        turn = gathered.sent.turn if gathered.sent else None
        tools = callable_tools(native(prompt)) if turn else order_tools(native(prompt), prompt.recipe)
        messages = turn.messages if turn else ()
        table = models_for(command_options)
        sent, written = request(form, prompt, messages, tools, settled=bool(turn), model=model, models=table)
        notes += (*sent.notes, *without_schema(tools), *strange_model(form, model, table))
    print_diagnostics(notes)
    if budget_note := note_budget(prompt):
        report_budget(budget_note, prompt.counter)
    if form in PROVIDERS:
        write_json(written.body)
    elif form == "json":
        write_json(prompt.to_dict())
    else:
        write(prompt.text)
    return 1 if strict and has_problem(notes) else 0
