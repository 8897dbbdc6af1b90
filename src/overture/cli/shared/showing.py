"""Whether this command may print keys and tokens: only where somebody said so."""

import click

from ...text.secrets.find import hide_secrets

KEY = "overture.secrets"


def show_secrets() -> None:
    """Let the command that runs print them."""
    if (context := click.get_current_context(silent=True)) is not None:
        context.meta[KEY] = "show"


def printable(text: str) -> str:
    """What is printed: the last guard against a key that no prompt holds, as in a path, a value or an error."""
    context = click.get_current_context(silent=True)
    return text if context is not None and context.meta.get(KEY) == "show" else hide_secrets(text)
