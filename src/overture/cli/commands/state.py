"""`overture state`: what was discovered, as JSON for --state."""

from typing import Any

import click
import msgspec

from ...model.state.audience import for_audience
from ...model.state.state import State
from ...text.secrets.find import secrets_in
from ..shared.gather_state import gather
from ..shared.options import ALSO_JSON, STRICT, WHICH, Ask, finding
from ..shared.terminal import complain, report, write_json


@click.command("state", epilog=WHICH)
@finding
@ALSO_JSON
@STRICT
def command(strict: bool, **options: Any) -> int:
    """Print all that was found here, as the JSON that --state takes.

    With it the same prompt can be built again, anywhere. It holds the text of your files: look through it before you
    pass it on. Keys and tokens are written `[secret: kind]`, unless --no-redact.

    \b
    overture state > state.json                        keep what was found
    overture build --no-discover --state state.json    the same prompt elsewhere
    """
    gathered = gather(Ask(**options))
    report(gathered.found.diagnostics)
    data = for_audience(gathered.state).to_dict()
    _note(data, gathered.state)
    write_json(data)
    return 1 if strict and gathered.found.diagnostics else 0


def _note(data: dict[str, Any], state: State) -> None:
    """Say that what is printed is not all that was found."""
    found = 0 if state.secrets == "show" else len(secrets_in(msgspec.json.encode(data).decode()))
    if found:
        kept = "keys and tokens are" if found > 1 else "key or token is"
        complain(f"note: {found} {kept} written `[secret: kind]`; --no-redact prints what is there")
