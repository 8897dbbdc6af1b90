"""`overture schema`: the JSON Schema of a state or a prompt."""

import click
import msgspec

from ...model.prompt.saved import SavedPrompt
from ...model.state.state import State, add_aliases_to_schema
from ...terminal.options import ALSO_JSON
from ...terminal.output import write_json

KINDS = {"state": State, "prompt": SavedPrompt}


@click.command("schema")
@click.argument("kind", type=click.Choice(list(KINDS)), default="state", metavar="KIND")
@ALSO_JSON
def command(kind: str) -> None:
    """Print the JSON Schema of what `overture state` or `overture build --format json` prints.

    \b
    overture schema state                what --state takes
    overture schema prompt               what build --format json prints
    """
    schema = msgspec.json.schema(KINDS[kind])
    add_aliases_to_schema(schema["$defs"])
    write_json(schema)
