"""`overture schema`: the JSON Schema of what a command prints for programs."""

import click

from ...errors import ConfigError, find_similar
from ...terminal.output import print_table, write_json


@click.command("schema")
@click.argument("kind", default="state", metavar="KIND")
@click.option("--list", "listing", is_flag=True, help="List the kinds, with version and command.")
@click.option("--json", "as_json", is_flag=True, help="With --list: as JSON. A schema is always JSON.")
def command(kind: str, listing: bool, as_json: bool) -> None:
    """Print the JSON Schema of what a command prints with --json.

    Within a version, keys are only added. Removing or redefining a key makes a new version.

    \b
    overture schema --list               every kind, its version and its command
    overture schema state                what --state reads
    overture schema prompt               what build --format json prints
    overture schema agents               what agents --json prints
    """
    from ..output_schemas import OUTPUTS, make_schema

    if listing and as_json:
        kinds = [
            {"kind": name, "version": output.version, "command": output.command} for name, output in OUTPUTS.items()
        ]
        write_json({"kinds": kinds})
    elif listing:
        rows = [(name, str(output.version), output.command) for name, output in OUTPUTS.items()]
        print_table(rows, indent="", heads=("kind", "version", "command"))
    else:
        if kind not in OUTPUTS:  # not a type of the argument: the kinds are loaded only where they are needed
            raise ConfigError(
                f"Kind {kind!r} is not known.", message=f"No kind of output named {kind!r}", noun="kind",
                tip=find_similar(kind, OUTPUTS), hint="`overture schema --list` lists them.",
            )  # fmt: skip
        write_json(make_schema(kind))
