"""`overture tap programs`: which programs are known, and how each of them is tapped."""

import click

from ...terminal.options import AS_JSON
from ...terminal.output import print_line, print_table, write_json

MODE_NAMES = {"base": "its base URL", "proxy": "a proxy"}


@click.command("programs")
@AS_JSON
def command(as_json: bool) -> int:
    """List the known programs and how each is tapped.

    The first way is the default; --forward and --base-url select the other. A program that is not listed is treated
    as one that uses the providers' SDKs.

    \b
    overture tap programs --json         with the settings for each
    """
    import msgspec

    from ..run.programs import load_programs

    known = sorted(load_programs().values(), key=lambda program: (not program.names, program.names))
    if as_json:
        write_json({"programs": [msgspec.to_builtins(program) for program in known]})
        return 0
    rows = []
    for program in known:
        names = ", ".join(program.names) or "any other"
        words = " ".join(program.arguments).partition("=")[0]
        obeys = ", ".join(filter(None, [*program.set, words])) if "base" in program.ways else ""
        rows.append([names, ", ".join(MODE_NAMES[mode] for mode in program.ways), obeys])
    print_table(rows, heads=("program", "tapped by", "base URL"))
    noted = [(program, mode, note) for program in known for mode, note in program.notes.items()]
    print_line()
    for program, mode, note in noted:
        print_line(f"  {program.names[0]}, by {MODE_NAMES[mode]}: {note}")
    return 0
