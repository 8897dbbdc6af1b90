"""`overture schema`: the JSON Schema of a state or a prompt."""

import click
import msgspec

from ...model.prompt.saved import SavedPrompt
from ...model.state.aliases_in_schema import with_aliases
from ...model.state.state import State
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
    with_aliases(schema["$defs"])
    write_json(schema)
