"""The page and its files: one script and one style under the name of their content, and what else has a name."""

import gzip
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..make_bundle import NAMES, SCRIPTS, STYLE, PageBundle, make_bundle, name_views
from ..service.problems import RefusedError, problem_of

HTML, SCRIPT, CSS = "text/html; charset=utf-8", "text/javascript; charset=utf-8", "text/css; charset=utf-8"
OTHERS = {"icon.svg": "image/svg+xml", "vendor/LICENSES.txt": "text/plain; charset=utf-8"}
"""Files that the page names, or whoever asks for licenses."""
ASK_AGAIN = {"cache-control": "no-cache"}
"""A browser keeps the file, and asks each time whether it is still the same."""
FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}
"""Another content has another name."""


class StaticFile(NamedTuple):
    """One file, ready to be sent."""

    body: bytes
    type: str
    tag: str
    zipped: bytes
    caching: dict[str, str]


def _make_static_file(body: bytes, type: str, caching: dict[str, str]) -> StaticFile:
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return StaticFile(body, type, tag, gzip.compress(body, 6, mtime=0), caching)


def read_page(views: Sequence[str], early: str = "") -> tuple[StaticFile, dict[str, StaticFile]]:
    """The page with these views in its menu, and its files by name. `early` is a path that is asked with the script."""
    static, bundle = files("overture.web") / "static", read_bundle()
    script, style = (
        _make_static_file(text.encode(), kind, FOR_EVER) for text, kind in zip(bundle, (SCRIPT, CSS), strict=True)
    )
    names = f"page-{script.tag[1:17]}.js", f"page-{style.tag[1:17]}.css"
    known = {name: _make_static_file((static / name).read_bytes(), kind, ASK_AGAIN) for name, kind in OTHERS.items()}
    page = name_views((static / "index.html").read_text("utf-8"), views)
    head = [f'<link rel="preload" href="{early}" as="fetch" crossorigin>'] if early else []
    head.append(f'<link rel="stylesheet" href="/static/{names[1]}">')
    head.append(f'<script type="module" src="/static/{names[0]}"></script>')
    page = SCRIPTS.sub("\n".join(head), STYLE.sub("", page))
    return _make_static_file(page.encode(), HTML, ASK_AGAIN), known | dict(zip(names, (script, style), strict=True))


def static_routes(views: Sequence[str], early: str = "") -> list[Route]:
    """The page itself, and its parts."""
    page, known = read_page(views, early)

    async def answer_home(request: Request) -> Response:
        return _answer(request, page)

    async def answer_part(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in known:
            raise RefusedError(problem_of("not-found", f"The page has no part {name!r:.100}."))
        return _answer(request, known[name])

    return [Route("/", answer_home), Route("/static/{name:path}", answer_part)]


def _answer(request: Request, file: StaticFile) -> Response:
    headers = {"etag": file.tag, "vary": "accept-encoding", **file.caching}
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if file.tag in known:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.zipped, 200, {**headers, "content-encoding": "gzip"}, file.type)
    return Response(file.body, 200, headers, file.type)


def read_bundle() -> PageBundle:
    """The bundle of the wheel; in a checkout, one of the modules as they are now."""
    made = files("overture.web") / "bundle"
    if made.is_dir():
        script, style = ((made / name).read_text("utf-8") for name in NAMES)
        return PageBundle(script, style)
    return make_bundle(files("overture.web") / "static")
