"""`overture state`: what was discovered, as JSON for --state."""

from typing import Any

import click

from ...errors import ConfigError
from ...model.diagnostic import has_problem
from ...model.state.audience_and_subagents import restrict_to_audience
from ...sections.literal import hide_values
from ...terminal.gather_state import gather_state
from ...terminal.options import ALSO_JSON, RECIPE_HELP, STRICT, CommandOptions, add_discovery_options
from ...terminal.output import count_secrets, print_diagnostics, print_error, write_json


@click.command("state", epilog=RECIPE_HELP)
@add_discovery_options
@ALSO_JSON
@STRICT
def command(strict: bool, **options: Any) -> int:
    """Print everything found here as the JSON that --state reads.

    It builds the same prompt anywhere. It contains the text of your files: look through it before you share it.
    Keys and tokens are written as `[secret: kind]`, unless you pass --no-redact.

    \b
    overture state > state.json                        save what was found
    overture build --no-discover --state state.json    the same prompt elsewhere
    """
    gathered = gather_state(CommandOptions(**options))
    if gathered.sent is not None and gathered.sent.turn is None:
        hint = "Pass it to `overture explain` or `overture diff`."
        raise ConfigError(f"{gathered.options.recipe}: a saved prompt has no state.", hint=hint)
    print_diagnostics(gathered.found.diagnostics)
    data = restrict_to_audience(gathered.state).to_dict()
    if gathered.state.secrets != "show":
        data = without_hidden(data)
        if secrets := count_secrets(data):  # the output is not all that was found
            subject = "keys and tokens are" if secrets > 1 else "key or token is"
            print_error(f"note: {secrets} {subject} written as `[secret: kind]`; --no-redact prints the values")
    write_json(data)
    return 1 if strict and has_problem(gathered.found.diagnostics) else 0


def without_hidden(data: dict[str, Any]) -> dict[str, Any]:
    """The state without the values that no prompt shows: those of a mission under a key that begins with `_`."""
    mission = data.get("mission")
    if not mission:
        return data
    shown = dict(mission)
    if mission.get("data"):
        shown["data"] = hide_values(mission["data"])
    if error := mission.get("error"):
        shown["error"] = {**error, "details": hide_values(error["details"])} if "details" in error else error
    return {**data, "mission": shown}
