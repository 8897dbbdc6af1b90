"""`overture tap show`: one of them, from all sides."""

import click

from ...discover.load_tokenizer import find_counter
from ...errors import ConfigError
from ...terminal.options import AS_JSON
from ...terminal.output import print_line, write_json
from .which_store import CWD, STORE, TOKENIZER, format_store_option


@click.command("show")
@click.argument("id", required=False)
@click.option("--text", is_flag=True, help="Print only the whole system prompt.")
@click.option("--sources", is_flag=True, help="List all text that came from a file, with file and line.")
@click.option("--request", is_flag=True, help="Print the request's body as sent, without secrets.")
@click.option("--headers", is_flag=True, help="Print the headers of request and response, without keys.")
@click.option("--events", is_flag=True, help="Print the response as received, if `overture tap --events` recorded it.")
@click.option("--curl", is_flag=True, help="Print a command that sends the request again.")
@STORE
@CWD
@TOKENIZER
@AS_JSON
def command(
    id: str | None, text: bool, sources: bool, request: bool, headers: bool, events: bool, curl: bool,
    store: str | None, cwd: str | None, tokenizer: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Show one call: its sections, tools, messages.

    Each part has its tokens and its share. Then the response, and your files, as they are now, that the request
    contains: which lines were sent, where one was truncated, and which instruction files were not sent and why.

    ID is an id from `overture tap list`, or its first characters. Default: the newest call.

    \b
    overture tap show                    the newest call
    overture tap show 3f --text          another call's system prompt
    overture tap show --sources          the file and line of each text
    overture tap show --request | jq .   its body, byte for byte
    overture tap show --curl | bash      send it again, with your key
    """
    from ..show.show_call import make_call_data, show_call, show_wire, write_text
    from ..show.show_list import RunNames
    from .which_store import find_recorded_call, open_recorded_store

    wires = {"--request": request, "--headers": headers, "--events": events, "--curl": curl}
    wanted = _choose_output({**wires, "--text": text, "--json": as_json}, sources)
    with open_recorded_store(store, cwd) as open_store:
        call = find_recorded_call(open_store, id)
        names = RunNames(open_store.list_runs(), [open_store.find_call(call.id)], id)
        wire = open_store.read_wire(call.id) if as_json or wanted in wires else None
    if wanted in wires:
        show_wire(call, wire, wanted)
    elif text:
        write_text(call)
    elif as_json:
        write_json(make_call_data(call, find_counter(tokenizer), wire))
    else:
        for line in names.make_lines():
            print_line(line)
        show_call(call, find_counter(tokenizer), sources, format_store_option(store, cwd))
    return 0


def _choose_output(options: dict[str, bool], sources: bool) -> str:
    """The one thing that is asked for; empty: the call as a whole."""
    wanted_names = [name for name, wanted in options.items() if wanted]
    wanted_names += ["--sources"] if sources and wanted_names != ["--json"] else []
    if len(wanted_names) > 1:
        raise ConfigError(
            f"{', '.join(wanted_names[:-1])} and {wanted_names[-1]} can't be combined.", hint="Pass one of them."
        )
    return wanted_names[0] if wanted_names else ""
