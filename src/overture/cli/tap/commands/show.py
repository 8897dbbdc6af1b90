"""`overture tap show`: one of them, from all sides."""

import click

from ....errors import ConfigError
from ...shared.options import AS_JSON
from ...shared.terminal import write_json
from .options import CWD, STORE, TOKENIZER, counter_named


@click.command("show")
@click.argument("id", required=False)
@click.option("--text", is_flag=True, help="Print the whole system prompt, and nothing else.")
@click.option("--sources", is_flag=True, help="Every stretch that is from a file, with file and line.")
@STORE
@CWD
@TOKENIZER
@AS_JSON
def command(
    id: str | None, text: bool, sources: bool, store: str | None, cwd: str | None, tokenizer: str | None, as_json: bool
) -> int:
    """Show one call: its sections, tools, messages.

    Each with its tokens and its share; what came back; and the files behind it, as they are now: what of each was
    sent, where it was cut, and which instruction files were not sent, by which rule of the agent.

    ID is that of `overture tap list`, or how it begins; without one, the newest call is shown.

    \b
    overture tap show                    the newest call
    overture tap show 3f --text          the system prompt of another
    overture tap show --sources          from which file and line it is
    """
    from ..show_call import call_data, show_call, write_text
    from ..which_store import one, recorded

    if text and as_json:
        raise ConfigError("--json and --text ask for two things. Leave one out.")
    with recorded(store, cwd) as open_store:
        call = one(open_store, id)
    if text:
        write_text(call)
    elif as_json:
        write_json(call_data(call, counter_named(tokenizer)))
    else:
        show_call(call, counter_named(tokenizer), sources)
    return 0
