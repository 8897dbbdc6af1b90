"""`overture state`: what was discovered, as JSON for --state."""

from typing import Any

import click

from .ask import Ask
from .gather import gather
from .options import ALSO_JSON, STRICT, finding
from .show import report, write_json


@click.command("state")
@finding
@ALSO_JSON
@STRICT
def command(strict: bool, **options: Any) -> int:
    """Print what was discovered for RECIPE, as the JSON that --state takes.

    With it any prompt can be built again, anywhere: overture build RECIPE --no-discover --state FILE
    """
    gathered = gather(Ask(**options))
    report(gathered.found.diagnostics)
    write_json(gathered.state.to_dict())
    return 1 if strict and gathered.found.diagnostics else 0
