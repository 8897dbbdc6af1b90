"""`overture state`: what was discovered, as JSON for --state."""

from typing import Any

import click

from ..shared.gather_state import gather
from ..shared.options import ALSO_JSON, STRICT, Ask, finding
from ..shared.terminal import report, write_json


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
