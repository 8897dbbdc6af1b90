"""`overture serve`: the page, and beside it the service for programs in other languages."""

import json
import os
import re
import secrets
import signal
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from ..errors import ConfigError, require_packages
from ..project.resolve import resolve
from ..terminal.option_values import models_for
from ..terminal.options import (
    RECIPE_HELP,
    CommandOptions,
    add_build_options,
    at_one_moment,
    check_home,
    refuse_combinations,
    require_option,
)
from ..terminal.output import check_output, print_diagnostics

if TYPE_CHECKING:
    from .page.live_page import LivePage
    from .page.page_routes import PageView
    from .service.guard_requests import AccessRules, RequestLog

VARIABLE = "OVERTURE_TOKEN"
PORT = 7788
SERVER_OPTIONS = ("--port", "--host", "--no-token", "--calls", "--open", "--log-json", "--until-input-ends")
"""The options that mean nothing without a server."""
CALLS_VIEW = "overture.tap.page.routes_and_search"
"""The module whose `open_view` makes the view of calls: a product above this one, so it is imported by its name."""


@click.command("serve", epilog=RECIPE_HELP)
@add_build_options
@click.option("--model", metavar="NAME", help="The model whose window and prices are shown. Default: runtime.model.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0: any free port."
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen on.")
@click.option("--no-token", is_flag=True, help="Let every user and program of this machine in.")
@click.option("--calls", metavar="FILE", help="The file of recorded calls to show. Default: the project's own.")
@click.option("--save", metavar="FILE", help="Do not serve: write the page to one file. -: standard output.")
@click.option("--with-files", is_flag=True, help="With --save: include the complete files of the prompt.")
@click.option("--open", "opening", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--log-json", is_flag=True, help="Log each request as a line of JSON on standard error, without contents."
)
@click.option("--until-input-ends", "guarded", is_flag=True, hidden=True, help="Stop when standard input ends.")
def command(
    model: str | None, port: int, host: str, no_token: bool, calls: str | None, save: str | None, with_files: bool,
    opening: bool, log_json: bool, guarded: bool, **options: Any,
) -> int:  # fmt: skip
    """Show the prompt of this project in the browser: where its text comes from, what it costs, what changed.

    Prints the address of the page and runs until Ctrl-C. The page updates when you save a file. Programs in other
    languages can use the same address to build, explain, fit, diff, check and render. Each request contains the
    whole state, and nothing else is read. RECIPE is shown, and used for requests without one.
    Needs starlette and uvicorn: pip install 'overture[web]'.

    The address ends with a random token, and nobody gets in without it. Programs send it as a header,
    Authorization: Bearer TOKEN. The variable OVERTURE_TOKEN sets another one.

    The Calls view shows what `overture tap` records in this project, as it happens.

    With --save the page is one file: the prompt with the source of every part, the searched files, the findings of
    the checks and what other agents read here. It loads nothing from the network.

    \b
    overture serve --open                the page, on port 7788, local only
    overture serve opal --port 0         another recipe, on any free port
    overture serve --save page.html      the page as one file
    """
    refuse_combinations(("--save", *SERVER_OPTIONS))
    if save is None:
        require_option("--save", "--with-files")
    command_options = CommandOptions(**options)
    shown = choose_shown(command_options)
    if model is not None:
        shown = shown._replace(sets=(*shown.sets, f"runtime.model={json.dumps(model)}"))
    if save is not None:
        from .page.serve_and_save_page import save_page

        save_page(shown, save, with_files)
        return 0
    require_packages("`overture serve`", "web", "starlette", "uvicorn")
    from .page.live_page import LivePage
    from .service.guard_requests import AccessRules, RequestLog

    rules = AccessRules(host, port, choose_token(host, no_token))
    if shown.state_file == "-":
        raise ConfigError("--state - can be read once, and the page builds again.", hint="Pass a file.")
    check_home(shown)
    page = LivePage(shown, models_for(shown))
    view: PageView = import_module(CALLS_VIEW).open_view(
        calls, command_options.cwd, command_options.home, models_for(command_options)
    )
    serve_page(page, view, command_options, rules, RequestLog(log_json), opening=opening, guarded=guarded)
    return 0


def choose_shown(options: CommandOptions) -> CommandOptions:
    """Options that name what the page opens on: RECIPE, the project's setting, or the likeliest agent here."""
    if options.recipe or options.state_file or options.no_discover or any("=" in limit for limit in options.budgets):
        return options
    check_home(options)
    project = resolve(None, at_one_moment(options).locate())
    if project.config.get("recipe").value:
        return options
    from ..agents.agent_project import agents_in
    from ..agents.agents_in_use import find_used_agents

    return options._replace(recipe=next(iter(find_used_agents(agents_in(project))), None))


def choose_token(host: str, no_token: bool) -> str | None:
    """The token of the variable, or a random one; only this machine may do without."""
    from .service.guard_requests import is_loopback

    if no_token:
        if not is_loopback(host):
            raise ConfigError(f"--no-token and --host {host!r} would let other machines in.", hint="Omit --no-token.")
        return None
    token = os.environ.get(VARIABLE, "").strip()
    if not re.fullmatch(r"[A-Za-z0-9_-]*", token):
        raise ConfigError(f"The variable {VARIABLE} must contain one word of letters, digits, - and _.")
    return token or secrets.token_urlsafe(24)


def serve_page(
    page: "LivePage", view: "PageView", options: CommandOptions, rules: "AccessRules", log: "RequestLog", *,
    opening: bool, guarded: bool,
) -> None:  # fmt: skip
    """Prints the address, and serves until it is stopped."""
    from .service.answers import offer_recipes
    from .service.server import end_quietly, open_listener, serve_http

    # Programs that name no recipe get the project's own, not the one that the page shows.
    project = page.project if page.options.recipe == options.recipe else resolve(None, options.locate())
    offer = offer_recipes(project)
    print_diagnostics(offer.notes)
    check_output()
    end_quietly()
    listener = open_listener(rules.host, rules.port)
    rules = rules._replace(port=listener.getsockname()[1])
    if opening:
        import webbrowser

        threading.Thread(target=webbrowser.open, args=(rules.link,), daemon=True).start()
    if guarded:
        threading.Thread(target=end_with_input, daemon=True).start()
    # Unmasked: the reader needs the token.
    sys.stdout.write(f"{rules.link}\n")
    sys.stdout.flush()
    serve_http(listener, offer, rules, log, page, view)


def end_with_input() -> None:
    """Ends once the parent process is gone, for any reason."""
    with suppress(OSError, ValueError):
        sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
