"""`overture serve`: answer programs in other languages over HTTP."""

import os
import threading
from importlib.util import find_spec

import click

from ...discover.disk.opened_file import open_named, read_opened
from ...errors import ConfigError
from ...project.project import settle
from ..shared.gather_state import check_home
from ..shared.options import WHICH, Ask
from ..shared.terminal import report, write

VARIABLE = "OVERTURE_TOKEN"
PORT = 7788
LARGEST = 10_000
"""Bytes of a file that holds a token."""


@click.command("serve", epilog=WHICH)
@click.argument("recipe", required=False)
@click.option("--cwd", metavar="DIR", help="The directory whose configuration counts. Default: here.")
@click.option("--home", metavar="DIR", help="The home directory to look in. Default: yours.")
@click.option("--root", metavar="DIR", help="Look for files no further up than this.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any that is free.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Another address lets other machines ask; a token is needed then.")  # fmt: skip
@click.option("--token-file", metavar="FILE", help=f"A file that holds the token. Default: the variable {VARIABLE}.")
@click.option("--open", "opening", is_flag=True, help="Open it in the browser.")
@click.option("--log-json", is_flag=True, help="A line of JSON on standard error for each request, without contents.")
def command(
    recipe: str | None, cwd: str | None, home: str | None, root: str | None, port: int, host: str,
    token_file: str | None, opening: bool, log_json: bool,
) -> int:  # fmt: skip
    """Answer programs in other languages: build, explain, fit, diff, check and render over HTTP.

    Prints its address, and goes on until Ctrl-C. A request holds the whole state, and nothing else is read for it.
    RECIPE is what counts where a request names none. Needs starlette and uvicorn: pip install 'overture[web]'.

    \b
    overture serve                       on port 7788, for this machine alone
    overture serve --port 0              on any port that is free
    curl http://127.0.0.1:7788/openapi.json
    """
    if not find_spec("starlette") or not find_spec("uvicorn"):
        raise ConfigError("Serving needs starlette and uvicorn: pip install 'overture[web]'.")
    from ...serve.guard.log import Log
    from ...serve.guard.strangers import Door, is_loopback
    from ...serve.offered_recipes import offered
    from ...serve.server import end_quietly, listen, serve

    check_home(Ask(home=home))
    token = token_of(token_file)
    if token is None and not is_loopback(host):
        raise ConfigError(
            f"--host {host!r} lets other machines ask. Give a token: --token-file FILE, or the variable {VARIABLE}."
        )
    offer = offered(settle(recipe, cwd=cwd, home=home, root=root))
    report(offer.notes)
    end_quietly()
    found = listen(host, port)
    door = Door(host, found.getsockname()[1], token)
    write(door.address)
    if opening:
        threading.Thread(target=open_browser, args=(door.address,), daemon=True).start()
    serve(found, offer, door, Log(log_json))
    return 0


def token_of(path: str | None) -> str | None:
    """The token that is given, if any: one word of visible ASCII."""
    given = _read(path) if path is not None else os.environ.get(VARIABLE)
    if given is None:
        return None
    token = given.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        where = f"The token file {path!r}" if path is not None else f"The variable {VARIABLE}"
        raise ConfigError(f"{where} has to hold one word of letters, digits and signs, and does not.")
    return token


def _read(path: str) -> str:
    try:
        return read_opened(open_named(path), LARGEST).decode("utf-8", "replace")
    except OSError as problem:
        said = (problem.strerror or str(problem)).lower()
        raise ConfigError(f"The token file {path!r} can't be read: {said}. Name another.") from None


def open_browser(address: str) -> None:
    """Show it to whoever started it."""
    import webbrowser

    webbrowser.open(address)
