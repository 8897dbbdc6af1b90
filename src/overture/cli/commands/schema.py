"""`overture schema`: the JSON Schema of a state or a prompt."""

from typing import Any

import click
import msgspec

from ...model.prompt.saved import SavedPrompt
from ...model.state.state import ALIASES, State
from ..shared.options import ALSO_JSON
from ..shared.terminal import write_json

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
    write_json(with_aliases(msgspec.json.schema(KINDS[kind])))


def with_aliases(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the other names under which a field of State may be given."""
    known = schema["$defs"].get("State", {}).get("properties", {})
    for other, name in ALIASES.items():
        if name in known:
            known[other] = {**known[name], "description": f"another name of {name}"}
    return schema
