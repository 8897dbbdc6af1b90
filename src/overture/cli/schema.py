"""`overture schema`: the JSON Schema of a state or a prompt."""

import click
import msgspec

from ..model.saved import SavedPrompt
from ..model.state import State
from .options import ALSO_JSON
from .show import write_json

KINDS = {"state": State, "prompt": SavedPrompt}


@click.command("schema")
@click.argument("kind", type=click.Choice(list(KINDS)), default="state")
@ALSO_JSON
def command(kind: str) -> None:
    """Print the JSON Schema of a state (what --state takes) or a prompt (what build --format json prints)."""
    write_json(msgspec.json.schema(KINDS[kind]))
