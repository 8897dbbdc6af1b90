"""`overture serve`: the page, and beside it the service for programs in other languages."""

import json
import os
import shlex
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..discover.disk.open_file import read_file
from ..errors import ConfigError, require_packages
from ..project.resolve import resolve
from ..terminal.option_values import budget_for, counter_for, models_for, prepare_session
from ..terminal.options import (
    RECIPE_HELP,
    CommandOptions,
    add_build_options,
    check_home,
    refuse_combinations,
    require_option,
)
from ..terminal.output import print_diagnostics, print_error, print_hint, write
from ..text.words import count_noun

if TYPE_CHECKING:
    from ..discover.discover import ResolvedProject
    from .page.live_page import LivePage
    from .page.product_views import ViewOptions
    from .service.guard_requests import AccessRules

VARIABLE = "OVERTURE_TOKEN"
PORT = 7788
MAX_TOKEN_FILE_BYTES = 10_000
"""Bytes of a file that holds a token."""
SERVER_OPTIONS = (
    "--port", "--host", "--token-file", "--calls", "--open", "--log-json", "--until-input-ends"
)  # fmt: skip
"""The options that mean nothing without a server."""
MIN_TOKEN_LENGTH = 16
"""Characters below which a token is easy to guess."""


@click.command("serve", epilog=RECIPE_HELP)
@add_build_options
@click.option("--model", metavar="NAME", help="The model whose window and prices are shown. Default: runtime.model.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0: any free port."
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="The address to listen on. If other machines can reach it, a token is required.")  # fmt: skip
@click.option("--token-file", metavar="FILE", help=f"A file with the token. Default: the variable {VARIABLE}.")
@click.option("--calls", metavar="WHERE",
              help="The recorded calls to show: a file, or postgresql://… Default: the project's own.")  # fmt: skip
@click.option("--save", metavar="FILE", help="Do not serve: write the page to one file. -: standard output.")
@click.option("-o", "--output", metavar="FILE", hidden=True, help="Same as --save.")
@click.option("--with-files", is_flag=True, help="With --save: include the complete files of the prompt.")
@click.option("--open", "opening", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--log-json", is_flag=True, help="Log each request as a line of JSON on standard error, without contents."
)
@click.option("--until-input-ends", "guarded", is_flag=True, hidden=True, help="Stop when standard input ends.")
def command(
    model: str | None, port: int, host: str, token_file: str | None,
    calls: str | None, save: str | None, output: str | None, with_files: bool, opening: bool, log_json: bool,
    guarded: bool, **options: Any,
) -> int:  # fmt: skip
    """Show the prompt of this project in the browser: where its text comes from, what it costs, what changed.

    Prints the address of the page and runs until Ctrl-C. The page updates when you save a file. Programs in other
    languages can use the same address to build, explain, fit, diff, check and render. Each request contains the
    whole state, and nothing else is read. RECIPE is shown, and used for requests without one.
    Needs starlette, uvicorn and watchfiles: pip install 'overture[web]'.

    The Calls view shows what `overture tap` records in this project, as it happens.

    With --save the page is one file: the prompt with the source of every part, the map of its tokens, the searched
    files, the findings of the checks and what other agents read here. It loads nothing from the network.

    \b
    overture serve --open                the page, on port 7788, local only
    overture serve opal --port 0         another recipe, on any free port
    overture serve --save page.html      the page as one file
    curl http://127.0.0.1:7788/openapi.json
    """
    refuse_combinations(*((way, *SERVER_OPTIONS) for way in ("--save", "--output")))
    if save is None and output is None:
        require_option("--save", "--with-files")
    command_options = CommandOptions(**options)
    shown = choose_shown(command_options)
    if model is not None:
        shown = shown._replace(sets=(*shown.sets, f"runtime.model={json.dumps(model)}"))
    if (file := save if output is None else output) is not None:
        from .page.serve_and_save_page import save_page

        save_page(shown, file, with_files)
        return 0
    require_packages("`overture serve`", "web", "starlette", "uvicorn")
    from .page.product_views import ViewOptions
    from .service.guard_requests import AccessRules

    token = check_token(host, token_file)
    page = make_live_page(shown)
    # Programs that name no recipe get the project's own, not the one that the page shows.
    project = page.project if shown.recipe == command_options.recipe else resolve(None, command_options.locate())
    views = ViewOptions(calls, command_options.cwd, command_options.home, models_for(command_options))
    serve_page(page, project, views, AccessRules(host, port, token), opening, guarded, log_json)
    return 0


def choose_shown(ask: CommandOptions) -> CommandOptions:
    """Options that name what the page opens on: RECIPE, the project's setting, or the likeliest agent here."""
    if ask.recipe is not None or ask.state_file or ask.no_discover or any("=" in limit for limit in ask.budgets):
        return ask
    check_home(ask)
    project = resolve(None, ask.locate().at_one_moment())
    if project.config.get("recipe").value:
        return ask
    from ..agents.agents_in_use import find_used_agents

    return ask._replace(recipe=next(iter(find_used_agents(project)), None))


def serve_page(
    page: "LivePage", project: "ResolvedProject", view_options: "ViewOptions", rules: "AccessRules",
    opening: bool, guarded: bool, log_json: bool,
) -> None:  # fmt: skip
    """Prints the address, and serves until it is stopped."""
    from .page.live_page import NOT_FOLLOWING
    from .page.product_views import open_views
    from .service.answers import offer_recipes
    from .service.guard_requests import RequestLog
    from .service.server import end_quietly, open_listener, serve_http

    views = open_views(view_options)
    offer = offer_recipes(project)
    print_diagnostics(offer.notes)
    if not page.follows:
        print_hint(NOT_FOLLOWING)
    end_quietly()
    listener = open_listener(rules.host, rules.port)
    rules = rules._replace(port=listener.getsockname()[1])
    if opening:
        import webbrowser

        threading.Thread(target=webbrowser.open, args=(rules.address,), daemon=True).start()
    if guarded:
        threading.Thread(target=end_with_input, daemon=True).start()
    serve_http(listener, offer, rules, RequestLog(log_json), page, views, partial(write, rules.address))


def check_token(host: str, path: str | None) -> str | None:
    """The token of the option; other machines need one."""
    from .service.guard_requests import is_loopback

    token = read_token(path)
    for weakness in find_token_weaknesses(token, path):
        print_error(f"warning: {weakness}")
    if token is None and not is_loopback(host):
        raise ConfigError(
            f"--host {host!r} allows requests from other machines.",
            hint=f"Set a token: --token-file FILE, or the variable {VARIABLE}.",
        )
    return token


def make_live_page(flags: CommandOptions) -> "LivePage":
    """The page of the project that the options lead to."""
    from .page.live_page import LivePage

    check_home(flags)
    opens = prepare_session(flags, "show", count=counter_for(flags))
    return LivePage(opens, models_for(flags), budget_for(flags))


def read_token(path: str | None) -> str | None:
    """The token, if there is one: one word of visible ASCII."""
    raw = _read(path) if path is not None else os.environ.get(VARIABLE)
    if raw is None:
        return None
    token = raw.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        where = f"The token file {path!r}" if path is not None else f"The variable {VARIABLE}"
        raise ConfigError(f"{where} must contain one word of letters, digits and punctuation.")
    return token


def find_token_weaknesses(token: str | None, path: str | None) -> Iterator[str]:
    """What `overture serve` warns about as it starts: a token that is easy to guess or to read."""
    if token is not None and len(token) < MIN_TOKEN_LENGTH:
        where = f"The token of {path!r}" if path is not None else f"The token in {VARIABLE}"
        yield (
            f"{where} has {count_noun(len(token), 'character')} and can be guessed. "
            f"Use at least {MIN_TOKEN_LENGTH}, e.g. "
            'python3 -c "import secrets; print(secrets.token_urlsafe())".'
        )
    if path is not None and os.name == "posix" and os.stat(path).st_mode & (stat.S_IRGRP | stat.S_IROTH):
        yield f"Other users can read the token file {path!r}. Run: chmod 600 {shlex.quote(path)}"


def _read(path: str) -> str:
    """The content of the token file that `overture serve` was given."""
    try:
        return read_file(path, MAX_TOKEN_FILE_BYTES).decode("utf-8", "replace")
    except OSError as problem:
        message = (problem.strerror or str(problem)).lower()
        raise ConfigError(f"The token file {path!r} can't be read: {message}.", hint="Pass another file.") from None


def end_with_input() -> None:
    """Ends once the parent process is gone, for any reason."""
    with suppress(OSError, ValueError):
        sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
