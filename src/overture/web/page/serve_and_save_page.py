"""The page and its files: served, or saved as one file with all answers inside."""

import re
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ...discovery.paths import contains_path
from ...errors import ConfigError
from ...known_models.model_facts import TableForm
from ...model.struct import encode_json
from ...project.resolve import find_top_folder
from ...report.sheet.sheet import SheetDetails, SheetPlace
from ...terminal.gather_state import gather_state
from ...terminal.option_values import models_for
from ...terminal.options import CommandOptions
from ...terminal.output import print_diagnostics, print_hint, write, write_text
from ...terminal.progress_line import report_step
from ...text.normalize import replace_surrogates
from ..make_bundle import PAGE_VIEWS, SCRIPTS, STYLE, name_views, read_bundle
from ..service.problems import RefusedError, problem_of
from .check_and_agents_answers import page_findings, report_agents_here
from .prompt_files import FileText, PromptBackground, file_view, files_to_show, find_roots, looked_at
from .turn_history import draw_sheet

STATIC = files("overture.web") / "static"
HTML = "text/html; charset=utf-8"
OTHERS = {"icon.svg": "image/svg+xml", "vendor/LICENSES.txt": "text/plain; charset=utf-8"}
"""Files that the page names, or a reader of licenses."""


def static_routes(views: Sequence[str]) -> list[Route]:
    """The routes of the page, with these views in its menu, and of its files."""
    bundle = read_bundle()
    page = STYLE.sub("", name_views((STATIC / "index.html").read_text("utf-8"), views))
    page = SCRIPTS.sub(
        '<link rel="stylesheet" href="/static/page.css">\n<script type="module" src="/static/page.js"></script>', page
    )
    parts = {
        "page.js": (bundle.script.encode(), "text/javascript; charset=utf-8"),
        "page.css": (bundle.style.encode(), "text/css; charset=utf-8"),
        **{name: ((STATIC / name).read_bytes(), kind) for name, kind in OTHERS.items()},
    }

    async def answer_home(_: Request) -> Response:
        return Response(page, media_type=HTML)

    async def answer_part(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in parts:
            raise RefusedError(problem_of("not-found", f"The page has no part {name!r:.100}."))
        body, kind = parts[name]
        return Response(body, media_type=kind)

    return [Route("/", answer_home), Route("/static/{name:path}", answer_part)]


ICON = re.compile(r'<link rel="icon" href="/static/([^"]*)"[^>]*>')
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def single_page(answers: Mapping[str, Any], title: str) -> str:
    """A page that needs no server. `answers` has, by path, what a server would answer: `/page/sheet` and so on."""
    views = [view for view in PAGE_VIEWS if f"/page/{'sheet' if view == 'prompt' else view}" in answers]
    page = name_views((STATIC / "index.html").read_text("utf-8"), views)
    page = ICON.sub(_encode_image, STYLE.sub("", page))
    page = SCRIPTS.sub(lambda _: _write_page_head(answers), page)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    page = page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}')
    title = replace_surrogates(title).replace("&", "&amp;").replace("<", "&lt;")
    return page.replace("<title>Overture</title>", f"<title>{title} · Overture</title>")


def _write_page_head(answers: Mapping[str, Any]) -> str:
    """Styles, data, and the script."""
    bundle, data = read_bundle(), encode_json(answers).decode()
    # It ends no script and opens none, for any prompt.
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return (
        f"<style>\n{bundle.style}</style>\n"
        f'<script type="application/json" id="overture-data">{data}</script>\n'
        f'<script type="module">{bundle.script}</script>'
    )


def _encode_image(match: re.Match[str]) -> str:
    """The icon inside the saved page."""
    data = b64encode((STATIC / match[1]).read_bytes()).decode()
    return f'<link rel="icon" href="data:image/svg+xml;base64,{data}">'


def _collect_answers(background: PromptBackground, models: TableForm, with_files: bool) -> dict[str, Any]:
    """The answers of a saved page, by its requests, with the time of its creation for later readers."""
    prompt, discovery, project = background
    now = datetime.now(UTC).isoformat(timespec="seconds")
    details = SheetDetails(1, now).with_looks(discovery.looked_at)
    sheet = draw_sheet(prompt, SheetPlace(project.cwd if project else "", background.shown), models, details).sheet
    roots = find_roots(background)
    answers: dict[str, Any] = {"/page/sheet": sheet, "/page/files": looked_at(background, roots)}
    answers["/page/check"] = page_findings(background, roots)
    if project is not None:
        answers["/page/agents"] = report_agents_here(background, None, everyone=False)
    if with_files:
        for id, path in files_to_show(background, roots).items():
            with suppress(RefusedError):  # one that can't be shown
                answers[f"/page/file/{id}"] = file_view(background, roots, id, path)
    return answers


STDOUT = "-"


def save_page(options: CommandOptions, output: str, with_files: bool) -> None:
    """Writes the page to a file, or to standard output if that is no terminal."""
    if output == STDOUT and sys.stdout is not None and sys.stdout.isatty():
        raise ConfigError("The page is too long for a terminal.", hint="Pass a file: --save page.html")
    gathered = gather_state(options)
    prompt = gathered.build()
    report_step("collecting what agents read, and checking")
    background = PromptBackground(prompt, gathered.found, gathered.project)
    answers = _collect_answers(background, models_for(gathered.options), with_files)
    page = single_page(answers, answers["/page/sheet"].project or prompt.recipe.name)
    if output == STDOUT:
        write(page)
        return
    private = find_private_text(background, answers)
    write_text(output, page, mode=0o600 if private else None)
    print_diagnostics(prompt.diagnostics)
    alone = f"; only you can read it, because it contains {private}" if private else ""
    print_hint(f"{output}: {len(page.encode()):,} bytes; open it in a browser{alone}")


def find_private_text(background: PromptBackground, answers: Mapping[str, Any]) -> str:
    """What on a saved page is of the user's own, and not the project's; empty where nothing is."""
    state = background.prompt.state
    if state.memories:
        return "memories"
    if state.user is not None:
        return "who the user is"
    top = find_top_folder(background.project) if background.project else "/"
    paths = [source.path for source in answers["/page/sheet"].sources if source.kind == "file"]
    paths += [answer.path for answer in answers.values() if isinstance(answer, FileText)]
    paths += [finding.path for finding in answers["/page/check"].findings if finding.diff]
    return next((path for path in paths if path and not contains_path(top, path)), "")
