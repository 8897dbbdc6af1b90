"""`overture context`: what fills the model's window, by its parts."""

from typing import Any

import click
from msgspec.structs import replace

from ...errors import ConfigError
from ...model.prompt.budget import is_share
from ...model.prompt.prompt import Prompt
from ...report.context import Context
from ...report.drawings.context_drawing import draw_context
from ...session.turn.whole_context import context_of
from ...terminal.gather_state import Gathered, gather, models_for, window_for
from ...terminal.options import AS_JSON, WHICH, Ask, building
from ...terminal.terminal import report, write_json, write_text
from ..show.show_context import show

NO_TOOLS = "the tools, which a saved prompt does not hold"


@click.command("context", epilog=WHICH)
@building
@click.option("--model", metavar="NAME", help="The model whose window it is. Default: runtime.model of the state.")
@click.option("--all", "everything", is_flag=True, help="Every part, however many there are.")
@click.option("--svg", metavar="FILE", help="Also draw it into this file.")
@click.option(
    "--by", type=click.Choice(("file", "section", "pace")), multiple=True,
    help="Only the prompt's own tokens: by file, section, or how often it changes. Repeatable; --json has all.",
)  # fmt: skip
@AS_JSON
def command(
    model: str | None, everything: bool, svg: str | None, by: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Show what fills the model's window, and what is left of it.

    The system prompt by section, tools, skills, nested files, and messages by kind. RECIPE may be the file of a saved
    session, whose conversation is counted then. The window is that of --model, or --window gives it in tokens.
    Counts are exact where a tokenizer is installed (pip install 'overture[tokens]'); an estimate has a ~.

    \b
    overture context --model gpt-5.4     of an agent that begins here
    overture context saved.json          of a session as it was saved
    overture context --by file           what the prompt's tokens are spent on
    """
    if by:
        if model is not None or everything:
            raise ConfigError("--by counts the prompt alone, and not the window: leave out --model and --all.")
        from ..show.show_stats import show_stats

        show_stats(Ask(**options), by, svg, as_json)
        return
    ask = asked(Ask(**options), model)
    # Here a window says something by itself; elsewhere only a share of it does.
    gathered = gather(ask if has_share(ask) else ask._replace(window=None))
    prompt = gathered.build()
    told = counted(gathered, prompt, ask)
    if svg is not None:
        write_text(svg, draw_context(told))
    report(gathered.found.diagnostics if gathered.sent else ())
    if as_json:
        write_json(told)
    else:
        show(told, prompt.counter, everything)


def asked(ask: Ask, model: str | None) -> Ask:
    """What is asked for: a model's name is a window, too."""
    if model is not None and ask.window is not None:
        raise ConfigError(f"--window {ask.window!r} and --model {model!r} both give the window. Leave one of them out.")
    return ask._replace(window=model or ask.window)


def has_share(ask: Ask) -> bool:
    """Whether a budget is a share of the window."""
    return any(is_share(text.rpartition("=")[2]) for text in ask.budgets)


def counted(gathered: Gathered, prompt: Prompt, ask: Ask) -> Context:
    """The context of a recipe, of a saved session with its conversation, or of a saved prompt alone."""
    sent = gathered.sent
    told = context_of(prompt, sent.turn.messages if sent and sent.turn else None, models_for(ask))
    if sent is not None and sent.turn is None:
        told = replace(told, not_counted=(*told.not_counted, NO_TOOLS))
    if ask.window is None:
        return told
    window = window_for(ask)
    named = None if ask.window.replace(",", "").replace("_", "").isdecimal() else ask.window
    return told.within(window, named)
