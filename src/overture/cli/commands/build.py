"""`overture build`: print the prompt and nothing else."""

from typing import Any

import click

from ...errors import ConfigError, explain_unknown
from ...model.diagnostic import Diagnostic, has_problem
from ...model.prompt.prompt import Prompt
from ...providers import PROVIDERS
from ...terminal.gather_state import GatheredState, gather_state
from ...terminal.option_values import models_for
from ...terminal.options import RECIPE_HELP, STRICT, CommandOptions, add_build_options, make_path_printer
from ...terminal.output import print_diagnostics, write, write_json

MODEL = (
    "The model of a provider's request, for roles and caching. "
    "Default: runtime.model of the state, or what every model supports."
)
FORMS = ("text", "json", *PROVIDERS)


def check_model(options: CommandOptions, model: str) -> None:
    """A model that is in no table is an error with the nearest name."""
    from ...known_models.model_table import find_window, name_models

    table = models_for(options)
    try:
        find_window(table, model)
    except ConfigError as problem:
        hint = f"{name_models(table)} Pass one, or add yours to a file (the setting `models`)."
        text = f"Model {model!r} is not known."
        raise ConfigError(text, message=problem.message, noun="model", tip=problem.tip, hint=hint) from None


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

    Standard output has only the prompt. Problems in your files, and what --budget cut, go to standard error, one
    per line. Exits with 1 if a budget can't be met.

    \b
    overture build                       the prompt
    overture build --budget 2000         in at most 2,000 tokens
    overture build --format anthropic    the request to a provider, as JSON
    """
    if form not in FORMS:
        raise ConfigError(explain_unknown("Format", form, FORMS))
    gathered = gather_state(CommandOptions(**options))
    prompt = gathered.build()
    if model is not None and form not in PROVIDERS:
        check_model(gathered.options, model)  # a slip is an error, also where the form has no model
    body, notes = _write_request(gathered, prompt, form, model) if form in PROVIDERS else ({}, ())
    notes = (*prompt.diagnostics, *notes)
    print_diagnostics(notes)
    if prompt.fitted is not None:
        _report_budget(prompt, gathered.options)
    if form in PROVIDERS:
        write_json(body)
    elif form == "json":
        write_json(prompt.to_dict())
    else:
        write(prompt.text)
    return 1 if strict and has_problem(notes) else 0


def _write_request(
    gathered: GatheredState, prompt: Prompt, form: str, model: str | None
) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """What `overture build --format` prints: the request to a provider, and warnings. For text none is loaded."""
    from ...providers.render import list_native_tools, report_unknown_model, request
    from ...providers.write.tools import callable_tools, order_tools, report_missing_schemas

    turn = gathered.sent.turn if gathered.sent else None
    tools = callable_tools(list_native_tools(prompt)) if turn else order_tools(list_native_tools(prompt), prompt.recipe)
    messages = turn.messages if turn else ()
    table = models_for(gathered.options)
    sent, written = request(form, prompt, messages, tools, is_sanitized=bool(turn), model=model, models=table)
    return written.body, (*sent.notes, *report_missing_schemas(tools), *report_unknown_model(form, model, table))


def _report_budget(prompt: Prompt, options: CommandOptions) -> None:
    from ...report.stats_and_cut_notes import note_budget
    from ..show_tokens import report_budget

    if prompt.fitted is not None and (budget_note := note_budget(prompt)):
        lost = _holds_file(prompt.fitted.whole) and not _holds_file(prompt)
        report_budget(budget_note, prompt.counter, lost=lost, printer=make_path_printer(options))


def _holds_file(prompt: Prompt) -> bool:
    return any(span.source.kind == "file" for span in prompt.spans)
