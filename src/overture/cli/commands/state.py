"""`overture state`: what was discovered, as JSON for --state."""

from typing import Any

import click

from ..shared.gather_state import gather
from ..shared.options import ALSO_JSON, STRICT, WHICH, Ask, finding
from ..shared.terminal import report, write_json


@click.command("state", epilog=WHICH)
@finding
@ALSO_JSON
@STRICT
def command(strict: bool, **options: Any) -> int:
    """Print all that was found here, as the JSON that --state takes.

    With it the same prompt can be built again, anywhere. It holds the text of your files: look through it before you
    pass it on.

    \b
    overture state > state.json                        keep what was found
    overture build --no-discover --state state.json    the same prompt elsewhere
    """
    gathered = gather(Ask(**options))
    report(gathered.found.diagnostics)
    write_json(gathered.state.to_dict())
    return 1 if strict and gathered.found.diagnostics else 0
